"""Create a campaign: a folder with its settings, its pictures and its first items."""

import random
import time
from collections.abc import Callable, Iterator
from importlib.resources import files
from pathlib import Path
from typing import Any, NamedTuple

import msgspec
from sqlalchemy import select

from countersight.audits import AuditFolder, CaseTrail, ConceptTrail, read_audit
from countersight.case import LETTERS, TWO_WORLDS, Case, Question
from countersight.collect.audit_log import record
from countersight.collect.campaign import PICTURES, SETTINGS, Campaign, keep_picture
from countersight.collect.database import tables
from countersight.collect.flows import FLOWS, NewItem
from countersight.collect.flows.verify import asked
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
_item = tables.item.c


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
            "files": self.files(),
        }

    def files(self) -> dict[str, str]:
        """The names that its pictures had before, by those they have in the campaign."""
        named = {self.picture: self.case.image, self.counterfactual_picture: self.case.counterfactual_image}
        return {name: file for name, file in named.items() if name and file}


def new_campaign(
    folder: Path,
    flow: str,
    *,
    title: str,
    language: str = "en",
    pictures: Path | None = None,
    source: Path | None = None,
    gold: Path | None = None,
    seed: int = 0,
    database: str | None = None,
    on_bad: OnBad = lambda words: None,
) -> int:
    """Create a campaign folder for a flow, from pictures or an existing dataset; return its number of items.

    `gold` is a dataset known to be right: its cases are drawn now and then, to see who takes care. A bad picture or row
    is told and left out.
    """
    if flow not in FLOWS:
        raise CampaignError(unknown("flow", flow, FLOWS))
    with Staging(folder) as staging:
        (staging / PICTURES).mkdir()
        text = settings_text(flow, title, language, _license(flow, source))
        (staging / SETTINGS).write_text(text, encoding="utf-8")
        campaign = Campaign.open(staging, database)
        try:
            made = _add(campaign, pictures, source, gold, seed, on_bad)
        finally:
            campaign.close()
        if not made:
            raise CampaignError("the campaign would be empty: no picture and no case could be used")
    return made


def add_to_campaign(
    campaign: Campaign,
    *,
    pictures: Path | None = None,
    source: Path | None = None,
    gold: Path | None = None,
    seed: int = 0,
    on_bad: OnBad = lambda words: None,
) -> int:
    """Add pictures or cases to a campaign, even while it is served; return how many items were added."""
    made = _add(campaign, pictures, source, gold, seed, on_bad)
    details = {"items": made, "from": str(pictures or source or gold)}
    campaign.store.write_now(lambda c: record(c, None, "add", "", details, time.time()))
    return made


def _add(
    campaign: Campaign, pictures: Path | None, source: Path | None, gold: Path | None, seed: int, on_bad: OnBad
) -> int:
    """Put items into a campaign, in one write; those that are there already are told and left out.

    One whose name is there with other contents gets a new name.
    """
    rows = campaign.store.read(lambda c: c.execute(select(_item.key, _item.source)).all())
    known: dict[str, dict[str, Any]] = {row.key: msgspec.json.decode(row.source) for row in rows}
    items = []
    for item in _items(campaign, known, pictures, source, gold, seed, on_bad):
        name, number = item.key, 1
        while name in known and not _is_same(known[name], item.source):
            number += 1
            name = f"{item.key[:190]}-{number}"
        if name in known:
            on_bad(f"{item.key}: is already in the campaign")
            continue
        if name != item.key:
            on_bad(f"{item.key}: another item has this name, so this one is called {name}")
        items.append(_renamed(item, name))
        known[name] = items[-1].source
    settings = campaign.settings
    return campaign.store.write_now(lambda connection: add_items(connection, settings, items, time.time()))


def _is_same(one: dict[str, Any], other: dict[str, Any]) -> bool:
    """Whether two items show and ask the same, wherever they came from."""
    return _shown(one) == _shown(other)


def _shown(source: dict[str, Any]) -> dict[str, Any]:
    """What of an item people see."""
    told = {name: value for name, value in source.items() if name not in ("dataset", "fingerprint", "row", "files")}
    if isinstance(told.get("case"), dict):
        case = msgspec.convert(told["case"], Case)
        told["case"] = (case.factual, case.change, case.counterfactual, case.shown, case.context)
    return told


def _renamed(item: NewItem, name: str) -> NewItem:
    """The item under another name, which its case has too: exports name cases by it."""
    if name == item.key or not isinstance(item.source.get("case"), dict):
        return msgspec.structs.replace(item, key=name)
    case = item.source["case"] | {"id": name}
    return msgspec.structs.replace(item, key=name, source=item.source | {"case": case})


def _license(flow: str, source: Path | None) -> str:
    """The licence that the card of a dataset names: what people verify of it does not become freer."""
    if source is None or flow not in _VERIFYING:
        return ""
    return read_card(_dataset(source).path)[0].get("license", "")


def settings_text(flow: str, title: str, language: str = "en", license: str = "") -> str:
    """Return the initial settings of a campaign: one readable file to edit."""
    defaults = files(__package__) / "defaults"
    text = (defaults / f"{flow}.toml").read_text(encoding="utf-8")
    quoted = title.replace("\\", "\\\\").replace('"', '\\"')
    text = text.replace('language = "en"', f"language = {msgspec.json.encode(language).decode()}", 1)
    if language.isalnum() and (files(__package__) / "web" / "locale" / language).is_dir():
        text = text.replace('languages = ["en"]', f'languages = ["{language}", "en"]', 1)
    if license:
        text = text.replace('license = "CC-BY-4.0"', f"license = {msgspec.json.encode(license).decode()}", 1)
    return text.replace("{title}", quoted, 1) + (defaults / "consent.toml").read_text(encoding="utf-8")


def _items(
    campaign: Campaign,
    known: dict[str, dict[str, Any]],
    pictures: Path | None,
    source: Path | None,
    gold: Path | None,
    seed: int,
    on_bad: OnBad,
) -> Iterator[NewItem]:
    folder, flow = campaign.path, campaign.flow.name
    if flow in _FROM_PICTURES:
        if pictures is None:
            raise CampaignError(f"the flow {flow} needs pictures: name their folder with `pictures`")
        used = {name for there in known.values() for name in _pictures_of(there)}
        files = {name: file for there in known.values() for name, file in there.get("files", {}).items()}
        kept = _kept(folder, pictures, on_bad)
        for name in used & kept.keys():
            on_bad(f"{kept[name]}: this picture is already in the campaign")
        names, files = [name for name in kept if name not in used], kept | files
        random.Random(seed).shuffle(names)
        for number, drawn in enumerate(_triples(names, sorted(used)) if flow == "cosim" else names, len(known) + 1):
            drawn_from: dict[str, Any] = {"pictures": drawn} if flow == "cosim" else {"picture": drawn}
            own = {name: files[name] for name in _pictures_of(drawn_from) if name in files}
            yield NewItem(f"{flow}-{number:06d}", drawn_from | {"files": own}, campaign.flow.phases[0].name)
        return
    if source is None and gold is None:
        what = "an audit" if flow == "judge" else "a dataset"
        raise CampaignError(f"the flow {flow} needs {what}: name it with `source`")
    if flow == "judge":
        assert source is not None
        yield from audit_items(folder, source)
        return
    for found in _cases(folder, flow, source, on_bad) if source else ():
        if flow == "answer" and any(there["fingerprint"] != found.dataset.fingerprint for there in known.values()):
            raise CampaignError("the export of `answer` is a run of one dataset: make another campaign for this one")
        yield from _of_case(flow, found)
    for found in _cases(folder, flow, gold, on_bad) if gold else ():
        yield from _known_items(flow, found)


def _pictures_of(source: dict[str, Any]) -> list[str]:
    return source.get("pictures") or [source["picture"]]


def _triples(names: list[str], others: list[str]) -> Iterator[list[str]]:
    """Three pictures an item, of which a worker chooses one (CoSIm 4): as many items as there are new pictures.

    Two items share one picture at most, unless there are fewer than seven.
    """
    ring = [*names, *others]
    if names and len(ring) < 3:
        raise CampaignError("cosim needs at least three pictures")
    last = 3 if len(ring) > 3 else 2
    for place in range(len(names)):
        yield [ring[place], ring[(place + 1) % len(ring)], ring[(place + last) % len(ring)]]


def _unfit(flow: str, case: Case) -> str:
    """Why people cannot be given a case; nothing where they can."""
    if case.further_images:
        return "it has several pictures, but people would see only the first"
    if flow in _VERIFYING and any(question and question.hidden for question in (case.factual, case.counterfactual)):
        return "its answer is hidden, so it cannot be verified"
    if flow == "cvqa" and case.counterfactual is None:
        if case.factual is None or case.factual.kind not in ("number", "boolean"):
            return "its question asks neither for a number nor for yes or no, as C-VQA requires"
        return "" if case.image else "it has no picture to write about"
    return ""


def _closed(case: Case) -> Case:
    """An open question whose answer is a number, or yes or no, as a question for that: VQAv2 has no other kinds."""
    question = case.factual
    if case.counterfactual is not None or question is None or question.kind != "open" or question.hidden:
        return case
    answer = question.answer.casefold()
    if answer in ("yes", "no"):
        return msgspec.structs.replace(case, factual=Question(question.text, answer, "boolean"))
    is_number = answer.isascii() and answer.isdigit()
    return msgspec.structs.replace(case, factual=Question(question.text, answer, "number")) if is_number else case


def _dataset(source: Path) -> Dataset:
    """The dataset that is meant: itself, or the one a run asked."""
    if (source / RUN).is_file():
        return RunFolder.open(source).dataset()
    return Dataset.open(source)


def _kept(folder: Path, pictures: Path, on_bad: OnBad) -> dict[str, str]:
    """Copy pictures into the campaign: their own file names, by the names they have there, each picture once."""
    if not pictures.is_dir():
        raise CampaignError(f"{pictures} is not a folder of pictures")
    kept: dict[str, str] = {}
    for file in sorted(pictures.rglob("*")):
        if not file.is_file() or file.name.startswith("."):
            continue
        try:
            name = keep_picture(folder, read_picture(file))
        except BadPicture as error:
            on_bad(f"{file} {error}")
            continue
        if name in kept:
            on_bad(f"{file}: this picture is the same as {kept[name]}")
        else:
            kept[name] = file.relative_to(pictures).as_posix()
    return kept


def _cases(folder: Path, flow: str, source: Path, on_bad: OnBad) -> Iterator[_Found]:
    """The cases of a dataset with the names their pictures have in the campaign."""
    dataset = _dataset(source)
    for row, found in dataset.cases(lambda bad: on_bad(str(bad))):
        case = _closed(found) if flow == "cvqa" else found
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
    """Return the case with an answer that is certainly wrong; None if no such answer can be constructed."""
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


def audit_items(folder: Path, audit: Path) -> Iterator[NewItem]:
    """Return one item for each edit after which the model was asked again, without control edits."""
    pictures = AuditFolder.open(audit)
    for trail in read_audit(audit).cases:
        for concept in trail.concepts:
            item = _edit_item(folder, pictures, trail, concept)
            if item is not None:
                yield item


def _edit_item(folder: Path, audit: AuditFolder, trail: CaseTrail, concept: ConceptTrail) -> NewItem | None:
    edit = concept.edit
    if trail.baseline is None or concept.again is None or edit is None or not edit.after:
        return None
    source = {
        "case": trail.case,
        "concept": concept.number,
        "question": trail.record.question.text,
        "options": [option.text for option in trail.record.question.options],
        "cited": concept.instruction.concept,
        "changed": concept.instruction.positive,
        "before": keep_picture(folder, audit.picture(edit.before)),
        "after": keep_picture(folder, audit.picture(edit.after)),
        "answer": trail.baseline.answer.text,
        "why": trail.baseline.explanation.text,
        "answer_again": concept.again.answer.text,
        "why_again": concept.again.explanation.text,
    }
    return NewItem(f"{trail.case}/{concept.number}"[:200], source, "judge")
