"""What goes past the paper, derived again: checks of edits, doses, changed thoughts, and what is not cited."""

import re
from collections import defaultdict
from collections.abc import Iterator
from typing import Final

import numpy as np
from msgspec.structs import replace

from countersight.audit.checkers.model import asked_of, heard
from countersight.audit.checkers.pixels import checked
from countersight.audit.checkers.protocol import EditShown
from countersight.audit.checkers.registry import CHECKERS
from countersight.audit.checkers.seams import THRESHOLDS, looked
from countersight.audit.dosing import dosed
from countersight.audit.extraction.protocol import Statement
from countersight.audit.folder import MANIFEST
from countersight.audit.log import LOG
from countersight.audit.probes import Check, Dose
from countersight.audit.records import CaseTrail, ConceptTrail, EditRecord, Place, Step
from countersight.audit.thinking import changed_thought
from countersight.audit.uncited import uncited_concepts
from countersight.audit.verifying.edits import APART
from countersight.audit.verifying.finding import Finding, Opened
from countersight.audit.verifying.packing import holds_more
from countersight.editing import marked
from countersight.errors import AuditError, BadPicture
from countersight.picture import as_seen

_FIGURE: Final = re.compile(r"\d+(?:\.\d+)?", re.ASCII)


def checked_checks(opened: Opened) -> Iterator[Finding]:
    """Every check of an edit that can be made again says the same, and none is missing."""
    named = [checker.name for checker in opened.audit.manifest.checkers]
    failed = opened.failed()
    checks: defaultdict[tuple[str, int | None], list[Step]] = defaultdict(list)
    for step in opened.audit.steps:
        if step.stage == "check":
            checks[step.place.case, step.place.concept].append(step)
    if "seams" in named and _thresholds(opened) != THRESHOLDS:
        words = f"seams was held to other thresholds than this version's: {_thresholds(opened)}"
        yield Finding("not verified" if opened.other_version else "broken", MANIFEST, words)
    for case in opened.audit.cases:
        for concept in (*case.concepts, *case.uncited):
            if concept.edit is not None and concept.edit.after:
                here = Place(case.case, case.row, concept.number)
                due = [name for name in named if ("check", replace(here, judge=name)) not in failed]
                yield from _concept(opened, case, concept, due)
                yield from _asked(concept.edit, checks[case.case, concept.number])


def checked_probes(opened: Opened) -> Iterator[Finding]:
    """Doses are so much of the way between two pictures, thoughts and what is not cited follow from the explanation."""
    for case in opened.audit.cases:
        if case.baseline is None:
            continue
        said = (case.record.question.text, case.baseline.answer.text, case.baseline.explanation.text)
        yield from _uncited(opened, case, Statement(*said, case.unrelated.able if case.unrelated else None))
        for concept in case.concepts:
            where = f"case {case.case}, concept {concept.number}"
            trail = concept.thought
            if trail is not None and changed_thought(Statement(*said), concept.instruction) != trail.thought:
                yield Finding("broken", LOG, f"{where}: the changed thought does not follow from the explanation")
            for each in concept.doses:
                if not _is_dose(opened, concept, each.dose):
                    yield Finding("broken", LOG, f"{where}: dose {each.dose.strength} is not between the two pictures")


def _uncited(opened: Opened, case: CaseTrail, statement: Statement) -> Iterator[Finding]:
    if case.unrelated is None:
        return
    manifest, most = opened.audit.manifest, len(case.concepts)
    try:
        picture = opened.folder.picture(case.record.picture)
    except AuditError:
        return  # it is named already
    if uncited_concepts(statement, picture, case.record.drawn, manifest.seed, most) != case.unrelated:
        yield Finding("broken", LOG, f"case {case.case}: what is not cited does not follow from the explanation")


def _is_dose(opened: Opened, concept: ConceptTrail, dose: Dose) -> bool:
    edit, doses = concept.edit, opened.audit.manifest.strength
    if edit is None or (dose.before, dose.full) != (edit.before, edit.after) or not 0 < dose.strength < doses:
        return False
    try:
        before, full, after = (opened.folder.picture(each) for each in (dose.before, dose.full, dose.after))
        made = marked(dosed(before, full, dose.strength, doses))
        same = np.array_equal(np.asarray(as_seen(after).convert("RGB")), np.asarray(as_seen(made)))
        return same and not holds_more(after.data, made.data, signed=True)
    except (AuditError, BadPicture):
        return True  # a picture that is missing or was altered is named already


def _concept(opened: Opened, case: CaseTrail, concept: ConceptTrail, due: list[str]) -> Iterator[Finding]:
    where = f"case {case.case}, concept {concept.number}"
    given = {check.checker: check for check in concept.checks}
    for name in due:
        if name not in given:
            yield Finding("missing", LOG, f"{where}: there is no check by {name}, nor one that failed")
    for name, check in given.items():
        again = _again(opened, case, concept, check)
        if again is None or again == check:
            continue
        if (again.asked, again.done) != (check.asked, check.done):
            yield Finding("broken", LOG, f"{where}: {name} says {check.done}; checked again it is {again.done}")
        elif not _says_the_same(check, again):
            yield Finding("broken", LOG, f"{where}: {name} says it saw “{check.seen}”; it sees “{again.seen}”")


def _asked(edit: EditRecord, checks: list[Step]) -> Iterator[Finding]:
    """What models were asked of an edit."""
    for step in checks:
        asks = isinstance(step.output, Check) and not CHECKERS.knows(step.by)
        if asks and step.asked != asked_of(edit.instruction, (edit.before, edit.after)):
            yield Finding("broken", LOG, f"step {step.n}: {step.by} was asked something else of the edit than is asked")


def _again(opened: Opened, case: CaseTrail, concept: ConceptTrail, check: Check) -> Check | None:
    """The same check made again; None where it cannot be."""
    if not CHECKERS.knows(check.checker):
        return heard(check.checker, concept.instruction, check.said)
    if check.checker not in ("pixels", "seams"):
        return None
    edit = concept.edit
    assert edit is not None
    try:
        before, after = opened.folder.picture(edit.before), opened.folder.picture(edit.after)
        mask = opened.folder.picture(edit.mask).data if edit.mask else None
    except AuditError:
        return None  # a picture that is missing or was altered is named already
    shown = EditShown(edit.instruction, before, after, mask, case.record.drawn, edit.seed)
    return looked(shown, _thresholds(opened)) if check.checker == "seams" else checked(shown).check


def _thresholds(opened: Opened) -> dict[str, float]:
    """Those that the audit went by, which another version may have chosen otherwise."""
    written = next(each.settings for each in opened.audit.manifest.checkers if each.name == "seams")
    numbers = {name: float(value) for name, value in written.items() if isinstance(value, int | float)}
    return {name: numbers.get(name, ours) for name, ours in THRESHOLDS.items()}


def _says_the_same(one: Check, other: Check) -> bool:
    """Whether two checks say the same, but for what another release of a library may do to the figures."""
    if one.said != other.said or one.measures.keys() != other.measures.keys():
        return False
    near = all(abs(value - other.measures[name]) <= APART for name, value in one.measures.items())
    texts, figures = zip(*(_parted(check.seen) for check in (one, other)), strict=True)
    return near and texts[0] == texts[1] and all(map(_one_apart, *figures))


def _parted(words: str) -> tuple[list[str], list[str]]:
    return _FIGURE.split(words), _FIGURE.findall(words)


def _one_apart(one: str, other: str) -> bool:
    """Whether two figures differ by no more than one in their last place."""
    places = len(one.partition(".")[2])
    return places == len(other.partition(".")[2]) and round(abs(float(one) - float(other)) * 10**places) <= 1
