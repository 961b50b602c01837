"""Making a campaign: a folder with its settings, its pictures and its first items."""

import random
import time
from collections.abc import Callable, Iterator
from importlib.resources import files
from pathlib import Path
from typing import NamedTuple

import msgspec

from countersight.case import LETTERS, TWO_WORLDS, Case, Question
from countersight.collect.campaign import PICTURES, SETTINGS, Campaign, keep_picture
from countersight.collect.flows import FLOWS, NewItem
from countersight.collect.flows.verifying import asked
from countersight.collect.from_audit import audit_items
from countersight.collect.settings import read_settings
from countersight.collect.work import add_items
from countersight.dataset import Dataset, read_card
from countersight.engine import MANIFEST as RUN
from countersight.engine import RunFolder
from countersight.errors import BadPicture, CampaignError
from countersight.files import Staging
from countersight.picture import read_picture
from countersight.text import unknown

OnBad = Callable[[str], None]
_FROM_PICTURES = ("cosim", "cfmm")
_VERIFYING = ("cvqa", "verify")


class _Found(NamedTuple):
    """A case, where it stands, and the names its pictures have in the campaign."""

    dataset: Dataset
    row: int
    case: Case
    picture: str
    counterfactual_picture: str

    def source(self) -> dict[str, object]:
        """What an item keeps of it."""
        return {
            "case": msgspec.to_builtins(self.case),
            "row": self.row,
            "picture": self.picture,
            "counterfactual_picture": self.counterfactual_picture,
            "dataset": str(self.dataset.path.resolve()),
            "fingerprint": self.dataset.fingerprint,
        }


def new_campaign(
    folder: Path,
    flow: str,
    *,
    title: str,
    pictures: Path | None = None,
    source: Path | None = None,
    gold: Path | None = None,
    seed: int = 0,
    database: str | None = None,
    on_bad: OnBad = lambda words: None,
) -> int:
    """Make a campaign folder of a flow, from pictures or from what is there already; how many items it has.

    `gold` is a dataset known to be right: its cases are drawn now and then, to see who takes care. A bad picture or row
    is told and left out.
    """
    if flow not in FLOWS:
        raise CampaignError(unknown("flow", flow, FLOWS))
    with Staging(folder) as staging:
        (staging / PICTURES).mkdir()
        (staging / SETTINGS).write_text(settings_text(flow, title, _license(flow, source)), encoding="utf-8")
        read_settings(staging / SETTINGS)
        items = list(_items(staging, flow, pictures, source, gold, seed, on_bad))
        if not items:
            raise CampaignError("there is nothing to collect on: no picture and no case could be used")
    campaign = Campaign.open(folder, database)
    try:
        return campaign.store.write_now(lambda connection: add_items(connection, campaign.settings, items, time.time()))
    finally:
        campaign.close()


def _license(flow: str, source: Path | None) -> str:
    """The licence that the card of a dataset names: what people verify of it does not become freer."""
    if source is None or flow not in _VERIFYING:
        return ""
    return read_card(_dataset(source).path)[0].get("license", "")


def settings_text(flow: str, title: str, license: str = "") -> str:
    """The settings a campaign begins with: one readable file to be edited."""
    defaults = files(__package__) / "defaults"
    text = (defaults / f"{flow}.toml").read_text(encoding="utf-8")
    quoted = title.replace("\\", "\\\\").replace('"', '\\"')
    if license:
        text = text.replace('license = "CC-BY-4.0"', f"license = {msgspec.json.encode(license).decode()}", 1)
    return text.replace("{title}", quoted, 1) + (defaults / "consent.toml").read_text(encoding="utf-8")


def _items(
    folder: Path, flow: str, pictures: Path | None, source: Path | None, gold: Path | None, seed: int, on_bad: OnBad
) -> Iterator[NewItem]:
    if flow in _FROM_PICTURES:
        if pictures is None:
            raise CampaignError(f"{flow} begins with pictures: name their folder as `pictures`")
        names = list(_kept(folder, pictures, on_bad))
        random.Random(seed).shuffle(names)
        yield from _of_triples(names) if flow == "cosim" else _of_singles(names)
        return
    if source is None:
        what = "an audit" if flow == "judge" else "a dataset"
        raise CampaignError(f"{flow} begins with {what}: name it as `source`")
    if flow == "judge":
        yield from audit_items(folder, source)
        return
    for found in _cases(folder, flow, source, on_bad):
        yield from _of_case(flow, found)
    for found in _cases(folder, flow, gold, on_bad) if gold else ():
        yield from _known_items(flow, found)


def _unfit(flow: str, case: Case) -> str:
    """Why people cannot be given a case; nothing where they can."""
    if case.further_images:
        return "it has several pictures, and people would see the first alone"
    if flow in _VERIFYING and any(question and question.hidden for question in (case.factual, case.counterfactual)):
        return "its answer is hidden, so there is none to verify"
    if flow == "cvqa" and case.counterfactual is None and not _is_closed(case.factual):
        return "its question is neither for a number nor for yes or no; C-VQA has no others"
    return ""


def _is_closed(question: Question | None) -> bool:
    return question is not None and question.kind in ("number", "boolean")


def _dataset(source: Path) -> Dataset:
    """The dataset that is meant: itself, or the one a run asked."""
    if (source / RUN).is_file():
        return RunFolder.open(source).dataset()
    return Dataset.open(source)


def _kept(folder: Path, pictures: Path, on_bad: OnBad) -> Iterator[str]:
    """Copy pictures into the campaign; the names they have there, each picture once."""
    if not pictures.is_dir():
        raise CampaignError(f"{pictures} is not a folder of pictures")
    seen: set[str] = set()
    for file in sorted(pictures.rglob("*")):
        if not file.is_file() or file.name.startswith("."):
            continue
        try:
            name = keep_picture(folder, read_picture(file))
        except BadPicture as error:
            on_bad(f"{file} {error}")
            continue
        if name not in seen:
            seen.add(name)
            yield name


def _of_triples(names: list[str]) -> Iterator[NewItem]:
    """Three pictures an item, of which a worker chooses one (CoSIm 4)."""
    for number in range(len(names) // 3):
        source = {"pictures": names[3 * number : 3 * number + 3]}
        yield NewItem(f"cosim-{number + 1:06d}", source, "question")


def _of_singles(names: list[str]) -> Iterator[NewItem]:
    for number, name in enumerate(names, 1):
        yield NewItem(f"cfmm-{number:06d}", {"picture": name}, "write")


def _cases(folder: Path, flow: str, source: Path, on_bad: OnBad) -> Iterator[_Found]:
    """The cases of a dataset with the names their pictures have in the campaign."""
    dataset = _dataset(source)
    for row, case in dataset.cases(lambda bad: on_bad(str(bad))):
        if unfit := _unfit(flow, case):
            on_bad(f"{case.id}: {unfit}")
            continue
        try:
            pictures = [
                keep_picture(folder, dataset.picture(name, digest)) if name else ""
                for name, digest in (
                    (case.image, case.image_digest),
                    (case.counterfactual_image, case.counterfactual_digest),
                )
            ]
        except BadPicture as error:
            on_bad(f"{case.id}: its picture {error}")
            continue
        yield _Found(dataset, row, case, *pictures)


def _of_case(flow: str, found: _Found) -> Iterator[NewItem]:
    case, source = found.case, found.source()
    if flow != "answer":
        phase = "write" if flow == "cvqa" and case.counterfactual is None else "verify"
        yield NewItem(case.id[:200], source, phase)
        return
    for world in TWO_WORLDS:
        if case.question(world) is not None:
            yield NewItem(f"{case.id}/{world}"[:200], {**source, "world": world}, "answer")


def _known_items(flow: str, found: _Found) -> Iterator[NewItem]:
    """Items whose answer is known: questions with their gold answer, cases to verify with a right or a wrong one."""
    for item in _of_case(flow, found):
        key = f"known/{item.key}"[:200]
        if flow == "answer":
            question = found.case.question(item.source["world"])
            assert question is not None
            yield NewItem(key, item.source, "answer", {"answer": question.answer.casefold()})
        elif item.phase == "verify":
            wrong = with_wrong_answer(found.case) if found.row % 2 else None
            source = found._replace(case=wrong or found.case).source()
            yield NewItem(key, source, "verify", {"verdict": "correct" if wrong else "keep"})


def with_wrong_answer(case: Case) -> Case | None:
    """The case with an answer that is surely not right; None where no such answer can be told from the question."""
    world = "counterfactual" if case.counterfactual else "factual"
    question = asked(case)
    match question.kind:
        case "boolean":
            wrong = "no" if question.answer == "yes" else "yes"
        case "number":
            wrong = str(int(float(question.answer)) + 3)
        case "choice":
            wrong = next(letter for letter in LETTERS if letter != question.answer)
        case "open":
            return None
    return msgspec.structs.replace(case, **{world: msgspec.structs.replace(question, answer=wrong)})
