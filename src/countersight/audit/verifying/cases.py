"""The cases of a log against the dataset they are of; where that is not here, drawings against their scenes."""

from collections.abc import Iterator
from typing import Final

import msgspec
from PIL import Image

from countersight.audit.folder import digest_of
from countersight.audit.log import LOG
from countersight.audit.records import CaseRecord, CaseTrail, drawn_fields
from countersight.audit.verifying.edits import alike
from countersight.audit.verifying.finding import Finding, Opened
from countersight.dataset import Dataset
from countersight.editing import Drawn
from countersight.errors import AuditError, BadPicture, CountersightError
from countersight.picture import as_seen
from countersight.scenes import Scene, draw
from countersight.worlds import draw_world

_FIELDS: Final = {
    "question": "another question or right answer",
    "image": "another picture",
    "suite": "another suite",
    "group": "another group",
    "drawn": "another scene",
    "picture": "another picture",
}


def checked_cases(opened: Opened) -> Iterator[Finding]:
    """Every case that is not as its dataset has it."""
    if opened.dataset is None:
        yield from _drawn(opened)
        return
    dataset = Dataset.open(opened.dataset)
    for case in opened.audit.cases:
        wrong = _unlike(case.record, _as_it_is(dataset, opened, case))
        if wrong:
            yield Finding("broken", LOG, f"case {case.case} has {wrong} than the dataset")


def _as_it_is(dataset: Dataset, opened: Opened, trail: CaseTrail) -> CaseRecord | None:
    try:
        case = dataset.case_at(trail.row)
        if case.id != trail.case or case.factual is None or case.image is None:
            return None
        picture = digest_of(dataset.picture(case.image, case.image_digest).data)
    except (CountersightError, IndexError, msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        return None
    drawn = opened.scenes.scene(case.id) if opened.scenes else None
    return CaseRecord(picture, case.factual, case.image, case.suite, case.group, **drawn_fields(drawn))


def _unlike(record: CaseRecord, real: CaseRecord | None) -> str:
    if real is None:
        return "another row or picture"
    for name, what in _FIELDS.items():
        written, known = getattr(record, name), getattr(real, name)
        unknown = name == "drawn" and written is None  # 0.1 noted none: it follows from the dataset
        if written != known and not unknown:
            return what
    return ""


def _drawn(opened: Opened) -> Iterator[Finding]:
    for case in opened.audit.cases:
        drawn = case.record.drawn
        if drawn is not None and not _shows(opened, case.record.picture, drawn):
            yield Finding("broken", LOG, f"case {case.case}: its picture is no drawing of its scene")


def _shows(opened: Opened, digest: str, drawn: Drawn) -> bool:
    try:
        picture = opened.folder.picture(digest)
        if not isinstance(drawn, Scene):
            return alike(as_seen(picture), Image.fromarray(draw_world(drawn)))
        if (picture.width, picture.height) != (drawn.width, drawn.height):
            return False  # one of another size may be too large to be drawn at all
        return alike(as_seen(picture), Image.fromarray(draw(drawn)))
    except AuditError:
        return True  # a picture that is missing or was altered is named already
    except (BadPicture, ValueError, KeyError):
        return False
