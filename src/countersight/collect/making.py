"""Create a campaign: a folder with its settings, its pictures and its first items."""

import json
import random
import re
import time
from collections.abc import Callable, Iterator
from contextlib import closing
from importlib.resources import files
from pathlib import Path
from typing import Any

import msgspec
from sqlalchemy import select

from countersight.audits import AuditFolder, read_audit
from countersight.case import LETTERS, TWO_WORLDS, Case, Question
from countersight.collect.audit_log import record
from countersight.collect.campaign import PICTURES, SETTINGS, Campaign, keep_picture
from countersight.collect.database import tables
from countersight.collect.flows import FLOWS, NewItem
from countersight.collect.flows.verify import asked
from countersight.collect.settings import LOCALE, primary_language, read_catalog
from countersight.collect.work import add_items
from countersight.dataset import Dataset, read_card
from countersight.engine import MANIFEST as RUN
from countersight.engine import RunFolder
from countersight.errors import BadPicture, CampaignError
from countersight.files import Staging
from countersight.picture import read_picture
from countersight.text import unknown

OnBad = Callable[[str], None]
_VERIFYING = ("cvqa", "verify")
_item = tables.item.c


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

    `gold` is a dataset with correct answers; its cases are given to people now and then to check their care. Invalid
    pictures and rows are reported and skipped.
    """
    if flow not in FLOWS:
        raise CampaignError(unknown("flow", flow, FLOWS))
    with Staging(folder) as staging:
        (staging / PICTURES).mkdir()
        # A verified dataset keeps the licence of its source.
        card = read_card(_dataset(source).path)[0] if source and flow in _VERIFYING else {}
        text = settings_text(flow, title, language, card.get("license", ""))
        (staging / SETTINGS).write_text(text, encoding="utf-8")
        with closing(Campaign.open(staging, database)) as campaign:
            made = _add(campaign, pictures, source, gold, seed, on_bad)
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
    """Add items to a campaign, in one write; duplicates are reported and skipped.

    An item whose name is taken by another item gets a new name.
    """
    rows = campaign.store.read(lambda c: c.execute(select(_item.key, _item.source)).all())
    known: dict[str, dict[str, Any]] = {row.key: msgspec.json.decode(row.source) for row in rows}
    items = []
    for item in _items(campaign, known, pictures, source, gold, seed, on_bad):
        name, number = item.key, 1
        while name in known and _visible(known[name]) != _visible(item.source):
            number += 1
            name = f"{item.key[:190]}-{number}"
        if name in known:
            on_bad(f"{item.key}: is already in the campaign")
            continue
        if name != item.key:
            on_bad(f"{item.key}: another item has this name, so this one is called {name}")
            if isinstance(item.source.get("case"), dict):  # exports use the id as the name
                case = item.source["case"] | {"id": name}
                item = msgspec.structs.replace(item, source=item.source | {"case": case})
        items.append(msgspec.structs.replace(item, key=name))
        known[name] = item.source
    settings = campaign.settings
    return campaign.store.write_now(lambda connection: add_items(connection, settings, items, time.time()))


def _visible(source: dict[str, Any]) -> dict[str, Any]:
    """Return the parts of an item that people see, wherever it came from."""
    seen = {name: value for name, value in source.items() if name not in ("dataset", "fingerprint", "row", "files")}
    if isinstance(seen.get("case"), dict):
        case = msgspec.convert(seen["case"], Case)
        seen["case"] = (case.factual, case.change, case.counterfactual, case.shown, case.context)
    return seen


def settings_text(flow: str, title: str, language: str = "en", license: str = "") -> str:
    """Return the text of the initial `campaign.toml`, in the language of the campaign if it is translated."""
    defaults = files(__package__) / "defaults"
    short = primary_language(language)
    catalog = read_catalog(LOCALE, short)
    lines = "".join((defaults / f"{name}.toml").read_text(encoding="utf-8") for name in (flow, "consent")).splitlines()
    said = re.compile(r'"([^"]+)"')
    text = ""
    for line in lines:
        if re.match("(?:text|why|options) = ", line):
            line = said.sub(lambda found: f'"{catalog.get(found[1], found[1])}"', line)
        text += catalog.get(line, line) + "\n"
    text = text.replace('language = "en"', f"language = {json.dumps(language)}", 1)
    if catalog:
        text = text.replace('languages = ["en"]', f'languages = ["{short}", "en"]', 1)
    if license:
        text = text.replace('license = "CC-BY-4.0"', f"license = {json.dumps(license, ensure_ascii=False)}", 1)
    return text.replace('"{title}"', json.dumps(title, ensure_ascii=False), 1)


def _items(
    campaign: Campaign,
    known: dict[str, dict[str, Any]],
    pictures: Path | None,
    source: Path | None,
    gold: Path | None,
    seed: int,
    on_bad: OnBad,
) -> Iterator[NewItem]:
    """Return the new items of a campaign, in the form that its flow needs."""
    folder, flow = campaign.path, campaign.flow.name
    if flow in ("cosim", "cfmm"):
        if pictures is None:
            raise CampaignError(f"the flow {flow} needs pictures: name their folder with `pictures`")
        yield from _picture_items(campaign, known, pictures, seed, on_bad)
    elif source is None and (gold is None or flow == "judge"):
        what = "an audit" if flow == "judge" else "a dataset"
        raise CampaignError(f"the flow {flow} needs {what}: name it with `source`")
    elif flow == "judge":
        assert source is not None
        yield from audit_items(folder, source)
    else:
        for item in _case_items(folder, flow, source, on_bad) if source else ():
            if flow == "answer" and any(each["fingerprint"] != item.source["fingerprint"] for each in known.values()):
                raise CampaignError(
                    "the export of `answer` is a run of one dataset: make another campaign for this one"
                )
            yield item
        for item in _case_items(folder, flow, gold, on_bad) if gold else ():
            yield from _known_item(flow, item)


def _picture_items(
    campaign: Campaign, known: dict[str, dict[str, Any]], pictures: Path, seed: int, on_bad: OnBad
) -> Iterator[NewItem]:
    """Return items for pictures that the campaign does not have yet: three pictures each for CoSIm, one for CFMM."""
    if not pictures.is_dir():
        raise CampaignError(f"{pictures} is not a folder of pictures")
    used = {name for there in known.values() for name in there.get("pictures") or [there["picture"]]}
    names = {name: file for there in known.values() for name, file in there.get("files", {}).items()}
    new: list[str] = []
    for file in sorted(each for each in pictures.rglob("*") if each.is_file() and not each.name.startswith(".")):
        try:
            name = keep_picture(campaign.path, read_picture(file))
        except BadPicture as error:
            on_bad(f"{file} {error}")
            continue
        if name in used or name in new:
            there = "is already in the campaign" if name in used else f"is the same as {names[name]}"
            on_bad(f"{file}: this picture {there}")
            continue
        new.append(name)
        names[name] = file.relative_to(pictures).as_posix()
    random.Random(seed).shuffle(new)
    several = campaign.flow.name == "cosim"
    drawn = _triples(new, sorted(used)) if several else ([name] for name in new)
    for number, group in enumerate(drawn, len(known) + 1):
        source: dict[str, Any] = {"pictures": group} if several else {"picture": group[0]}
        source["files"] = {name: names[name] for name in group if name in names}
        yield NewItem(f"{campaign.flow.name}-{number:06d}", source, campaign.flow.phases[0].name)


def _triples(names: list[str], others: list[str]) -> Iterator[list[str]]:
    """Return three pictures for each item, of which a worker chooses one (CoSIm 4); one item per new picture.

    Two items share at most one picture, unless there are fewer than seven pictures.
    """
    ring = [*names, *others]
    if names and len(ring) < 3:
        raise CampaignError("cosim needs at least three pictures")
    last = 3 if len(ring) > 3 else 2
    for place in range(len(names)):
        yield [ring[place], ring[(place + 1) % len(ring)], ring[(place + last) % len(ring)]]


def _unfit(flow: str, case: Case) -> str:
    """Return the reason why people cannot be given a case; empty if they can."""
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
    """Turn an open question of VQAv2 whose answer is a number, yes or no into a question of that kind."""
    question = case.factual
    if case.counterfactual is not None or question is None or question.kind != "open" or question.hidden:
        return case
    answer = question.answer.casefold()
    if answer in ("yes", "no"):
        return msgspec.structs.replace(case, factual=Question(question.text, answer, "boolean"))
    is_number = answer.isascii() and answer.isdigit()
    return msgspec.structs.replace(case, factual=Question(question.text, answer, "number")) if is_number else case


def _dataset(source: Path) -> Dataset:
    """Return the dataset at a path, or the dataset of the run there."""
    if (source / RUN).is_file():
        return RunFolder.open(source).dataset()
    return Dataset.open(source)


def _case_items(folder: Path, flow: str, source: Path, on_bad: OnBad) -> Iterator[NewItem]:
    """Return items for the cases of a dataset; for `answer`, one for each question."""
    dataset = _dataset(source)
    for row, found in dataset.cases(lambda bad: on_bad(str(bad))):
        case = _closed(found) if flow == "cvqa" else found
        if unfit := _unfit(flow, case):
            on_bad(f"{case.id}: {unfit}")
            continue
        files, images = {}, {"picture": (case.image, case.image_digest)}
        images["counterfactual_picture"] = (case.counterfactual_image, case.counterfactual_digest)
        placed: dict[str, Any] = dict.fromkeys(images, "")
        try:
            for field, (file, digest) in images.items():
                if file:
                    placed[field] = keep_picture(folder, dataset.picture(file, digest))
                    files[placed[field]] = file
        except BadPicture as error:
            on_bad(f"{case.id}: its picture {error}")
            continue
        kept = {"case": msgspec.to_builtins(case), "row": row, **placed, "dataset": str(dataset.path.resolve())}
        kept |= {"fingerprint": dataset.fingerprint, "files": files}
        if flow != "answer":
            phase = "write" if flow == "cvqa" and case.counterfactual is None else "verify"
            yield NewItem(case.id[:200], kept, phase)
            continue
        for world in TWO_WORLDS:
            if case.question(world) is not None:
                yield NewItem(f"{case.id}/{world}"[:200], {**kept, "world": world}, "answer")


def _known_item(flow: str, item: NewItem) -> Iterator[NewItem]:
    """Return an item with a known answer: a question with its gold answer, or a case to verify, right or wrong."""
    key, case = f"known/{item.key}"[:200], msgspec.convert(item.source["case"], Case)
    if flow == "answer":
        question = case.question(item.source["world"])
        assert question is not None
        yield NewItem(key, item.source, "answer", {"answer": question.answer.casefold()})
    elif item.phase == "verify":
        wrong = with_wrong_answer(case) if item.source["row"] % 2 else None
        source = item.source | {"case": msgspec.to_builtins(wrong or case)}
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
    opened = AuditFolder.open(audit)
    for trail in read_audit(audit).cases:
        before = trail.baseline
        for concept in trail.concepts:
            edit, again = concept.edit, concept.again
            if before is None or again is None or edit is None or not edit.after:
                continue
            source = {
                "case": trail.case,
                "concept": concept.number,
                "question": trail.record.question.text,
                "options": [option.text for option in trail.record.question.options],
                "cited": concept.instruction.concept,
                "changed": concept.instruction.positive,
                "before": keep_picture(folder, opened.picture(edit.before)),
                "after": keep_picture(folder, opened.picture(edit.after)),
                "answer": before.answer.text,
                "why": before.explanation.text,
                "answer_again": again.answer.text,
                "why_again": again.explanation.text,
            }
            yield NewItem(f"{trail.case}/{concept.number}"[:200], source, "judge")
