"""Steps that nobody asked for: a flag was struck out of audit.json, or they were put into the log."""

from collections.abc import Iterable, Iterator
from typing import Final

from countersight.audit.folder import MANIFEST
from countersight.audit.log import LOG
from countersight.audit.records import CONTROL, CaseTrail, Failed, Manifest, Stage, Step
from countersight.audit.verifying.finding import Finding, Opened
from countersight.audit.verifying.gaps import OF_ONE_MIND
from countersight.audit.work import NOTHING

_OF_A_CASE: Final[tuple[Stage, ...]] = ("case", "answer", "why", "concepts", "uncited")
_THOUGHTS: Final[tuple[Stage, ...]] = ("thought", "answer thought")
_SILENT: Final[tuple[Stage, ...]] = ("case", "edit", "uncited", "dose", "thought")
"""Steps that no model is asked for."""
_OURS: Final = ("exact", "rules", "things", "pixels", "seams", "countersight")
"""Who works here without a server, weights or chance, and so never fails."""


def checked_unasked(opened: Opened) -> Iterator[Finding]:
    """Every kind of step that audit.json does not ask for, with the first that was done."""
    cases = {case.case: case for case in opened.audit.cases}
    pictures = {case.record.picture for case in opened.audit.cases}
    first: dict[tuple[str, str], int] = {}
    for step in opened.audit.steps:
        for file, why in _wrong(step, opened.audit.manifest, cases, pictures):
            first.setdefault((file, why), step.n)
    for (file, why), n in first.items():
        yield Finding("broken", file, f"step {n}: {why}")


def asked_nobody(steps: Iterable[Step]) -> Iterator[Finding]:
    """Steps that ask nobody and are said to have, by the first: words in a log that were put to no model."""
    told = [step.n for step in steps if step.asked and _is_silent(step)]
    if told:
        others = f", and {len(told) - 1:,} more" if len(told) > 1 else ""
        yield Finding("broken", LOG, f"step {told[0]}{others}: it says what was asked, and asks nobody")


def _is_silent(step: Step) -> bool:
    ours = step.by in _OURS or step.by.startswith("detector:")
    return ours or step.stage in _SILENT or isinstance(step.output, Failed)


def _wrong(
    step: Step, manifest: Manifest, cases: dict[str, CaseTrail], pictures: set[str]
) -> Iterator[tuple[str, str]]:
    flag = _struck(step, manifest)
    if flag:
        yield MANIFEST, f"it was done, and {flag}"
    if isinstance(step.output, Failed) and step.by in _OURS:
        yield LOG, f"{step.by} is said to have failed, and works here without a server that could"
    if not _has_a_place(step, cases, pictures):
        yield LOG, "it belongs to no case or concept of this log"


def _struck(step: Step, manifest: Manifest) -> str:
    """What would have to stand in audit.json for a step to be done."""
    place = step.place
    votes = 1 if step.by in OF_ONE_MIND else manifest.votes
    for unasked, why in (
        (place.concept == CONTROL and not manifest.control, "no control edits were asked for"),
        (step.stage == "uncited" and not manifest.uncited, "no edits of what is not cited were asked for"),
        ((place.concept or 0) < 0 and not manifest.uncited, "no edits of what is not cited were asked for"),
        (
            (place.concept or 0) > manifest.concepts,
            f"only {manifest.concepts} concepts were asked for",
        ),
        (step.stage in _THOUGHTS and manifest.intervene == "picture", "no changed thoughts were asked for"),
        (_edits(step) and manifest.intervene == "thought", "only changed thoughts were asked for"),
        (place.dose > 0 and place.dose >= manifest.strength, "no such dose was asked for"),
        (place.vote > votes, f"only {votes} votes were asked for"),
    ):
        if unasked:
            return why
    return ""


def _edits(step: Step) -> bool:
    return step.place.concept is not None and step.stage not in _THOUGHTS


def _has_a_place(step: Step, cases: dict[str, CaseTrail], pictures: set[str]) -> bool:
    place = step.place
    if step.stage == "edit" and place.concept == CONTROL and not place.case:
        return place.picture in pictures and getattr(step.output, "instruction", NOTHING) == NOTHING
    if step.stage == "case":
        return place.concept is None
    case = cases.get(place.case)
    if case is None or case.row != place.row or place.picture:
        return False
    if step.stage in _OF_A_CASE:
        return place.concept is None
    if place.concept is None:
        return False
    return -len(case.uncited) <= place.concept <= len(case.concepts)
