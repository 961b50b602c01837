"""The order of a log: no step is done before the one that it builds on."""

from collections.abc import Iterator
from typing import Final

from msgspec.structs import replace

from countersight.audit.log import LOG
from countersight.audit.records import CONTROL, Failed, Place, Stage, Step
from countersight.audit.verifying.finding import Finding, Opened

Key = tuple[Stage, Place]
_OF_THE_CASE: Final[dict[Stage, Stage]] = {
    "answer": "case",
    "why": "answer",
    "concepts": "why",
    "uncited": "concepts",
    "thought": "concepts",
}
"""What is built on a step of the whole case."""
_OF_THE_CONCEPT: Final[dict[Stage, Stage]] = {
    "check": "edit",
    "dose": "edit",
    "why again": "answer again",
    "verdict": "why again",
    "answer thought": "thought",
}
"""What is built on a step about the same concept."""


def checked_order(opened: Opened) -> Iterator[Finding]:
    """The first step that comes before the one it builds on; one that builds on nothing is found elsewhere."""
    pictures = {case.case: case.record.picture for case in opened.audit.cases}
    first: dict[Key, int] = {}
    for step in opened.audit.steps:
        if not isinstance(step.output, Failed):
            first.setdefault((step.stage, step.place), step.n)
    for step in opened.audit.steps:
        before = _built_on(step, pictures)
        if before is not None and first.get(before, -1) > step.n and not isinstance(step.output, Failed):
            words = f"step {step.n} ({step.stage}) builds on step {first[before]} ({before[0]}), which comes after it"
            yield Finding("broken", LOG, words)
            return


def _built_on(step: Step, pictures: dict[str, str]) -> Key | None:
    stage, place = step.stage, step.place
    case = Place(place.case, place.row)
    if stage in _OF_THE_CASE:
        return _OF_THE_CASE[stage], case
    if stage in _OF_THE_CONCEPT:
        return _OF_THE_CONCEPT[stage], replace(place, judge="", vote=0, dose=0)
    if stage == "answer again" and place.dose:
        return "dose", place
    if stage == "answer again":
        shared = Place(concept=CONTROL, picture=pictures.get(place.case, ""))
        return "edit", shared if place.concept == CONTROL else place
    if stage == "edit" and place.concept:
        return "concepts" if place.concept > 0 else "uncited", case
    return None
