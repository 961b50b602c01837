"""What goes past the paper, derived again: checks of edits by pixels and rims, and what models said of them."""

from collections.abc import Iterator

from countersight.audit.checkers.model import heard
from countersight.audit.checkers.pixels import checked
from countersight.audit.checkers.protocol import EditShown
from countersight.audit.checkers.registry import CHECKERS
from countersight.audit.checkers.seams import looked
from countersight.audit.log import LOG
from countersight.audit.probes import Check
from countersight.audit.records import CaseTrail, ConceptTrail
from countersight.audit.verifying.finding import Finding, Note, Opened
from countersight.errors import AuditError


def checked_checks(opened: Opened) -> Iterator[Finding | Note]:
    """Every check of an edit that can be made again says the same, and none is missing."""
    named = [checker.name for checker in opened.audit.manifest.checkers]
    others = [name for name in named if name.startswith("detector:")]
    for case in opened.audit.cases:
        for concept in (*case.concepts, *case.uncited):
            if concept.edit is not None and concept.edit.after:
                yield from _concept(opened, case, concept, named)
    if others:
        yield Note(f"Checks by {others[0]} were not made again: its weights are not in the bundle.")


def _concept(opened: Opened, case: CaseTrail, concept: ConceptTrail, named: list[str]) -> Iterator[Finding]:
    where = f"case {case.case}, concept {concept.number}"
    given = {check.checker: check for check in concept.checks}
    for name in named:
        if name not in given and not any(failure.startswith("check:") for failure in case.failures):
            yield Finding("missing", LOG, f"{where}: there is no check by {name}, nor one that failed")
    for name, check in given.items():
        again = _again(opened, case, concept, check)
        if again is not None and (again.asked, again.done) != (check.asked, check.done):
            yield Finding("broken", LOG, f"{where}: {name} says {check.done}; checked again it is {again.done}")


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
    shown = EditShown(edit.instruction, before, after, mask, case.record.scene, edit.seed)
    return looked(shown) if check.checker == "seams" else checked(shown).check
