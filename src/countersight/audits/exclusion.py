"""The rule that excludes tests from the scores, as text and as functions."""

from typing import Final

from countersight.audits.answer_changes import flips
from countersight.audits.manifest import Manifest
from countersight.audits.records import Stage
from countersight.audits.trail import CaseTrail, ConceptTrail

RULE: Final = (
    "A test is excluded if the editor returned no picture; if the measurements inside and outside the mask show a "
    "bad edit; if the right answer is known to stay the same; or if the answer also changes with the control edit. "
    "Scores are given with and without excluded tests; tests without an edited picture have no score."
)
CHECKED: Final = (
    " A test is also excluded if a checker finds that the edit was not done or is visible. It is also excluded if no "
    "checker can confirm a removed, replaced or added object in a photograph, or any edit of a drawing by an "
    "editor other than exact."
)
"""The part of the rule that applies if edits are checked."""

NO_PICTURE: Final = "no edited picture"
BAD_EDIT: Final = "bad edit"
UNDONE: Final = "a checker says no"
UNSURE: Final = "no checker can confirm the edit"
CONFIRMED: Final = ("remove", "replace", "add")
"""Actions that a checker must confirm in a photograph."""
UNMOVED: Final = "the right answer is the same after the edit"
FLIPS: Final = "the answer also changes with the control edit"


def exclusion(case: CaseTrail, concept: ConceptTrail, manifest: Manifest) -> str:
    """Return why a test is excluded, or "" if it counts."""
    fault = edit_fault(case, concept, manifest)
    if fault:
        return fault
    if any(verdict.moved is False for verdict in concept.verdicts):
        return UNMOVED
    return FLIPS if flips(case) else ""


def edit_fault(case: CaseTrail, concept: ConceptTrail, manifest: Manifest) -> str:
    """Return why an edit cannot be used: missing, poor quality, rejected by a checker, or unconfirmed; "" if usable."""
    edit = concept.edit
    if edit is None or not edit.after:
        return _with_cause(NO_PICTURE, edit.failure if edit else _failure(concept, "edit"))
    if edit.quality is not None and not edit.quality.good:
        return f"{BAD_EDIT}: {edit.quality.reason}"
    wrong = next((check for check in concept.checks if check.done is False), None)
    if wrong:
        return f"{UNDONE}: {wrong.seen} ({wrong.checker})"
    photographed = case.record.scene is None and concept.instruction.action in CONFIRMED
    if not manifest.checkers or not (photographed or unproven_drawing(case, manifest)):
        return ""
    sure = any(check.done for check in concept.checks if check.checker != "seams")  # seams checks only the look
    return "" if sure else _with_cause(UNSURE, _failure(concept, "check"))


def _failure(concept: ConceptTrail, stage: Stage) -> str:
    """Return a message about the first failed step of a stage; "" if there is none."""
    return next((f"a step failed ({each})" for each in concept.failures if each.startswith(f"{stage}: ")), "")


def _with_cause(fault: str, cause: str) -> str:
    return f"{fault}: {cause}" if cause else fault


def unproven_drawing(case: CaseTrail, manifest: Manifest) -> bool:
    """Whether edits of a drawing may differ from the request; edits by `exact` cannot."""
    return case.record.scene is not None and manifest.editor.name != "exact"
