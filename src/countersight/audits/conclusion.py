"""verdict.json: the conclusion of an audit, which says whether the audit met its criteria."""

from typing import Final, Literal

import msgspec

from countersight.audits.criteria import Answer, Criterion, decide_criterion
from countersight.audits.manifest import Manifest
from countersight.audits.plan import AuditPlan, deviations
from countersight.audits.score_records import AuditScores
from countersight.text import several

VERDICT: Final = "verdict.json"


class Conclusion(msgspec.Struct, frozen=True, omit_defaults=True):
    """verdict.json: whether an audit met its criteria."""

    answer: Answer | Literal[""]
    """The verdict; empty if there were no criteria."""
    why: str
    criteria: tuple[Criterion, ...] = ()
    deviations: tuple[str, ...] = ()
    """Deviations of the audit from the plan."""
    plan: str = ""
    """The SHA-256 of plan.json, if there is one."""
    written: str = ""
    """When the plan was written, according to the plan."""

    @property
    def words(self) -> str:
        """The verdict in a sentence."""
        return f"Verdict: {self.answer}. {self.why}" if self.answer else self.why


def conclude(
    manifest: Manifest, scores: AuditScores, plan: AuditPlan | None, selected: int | None = None
) -> Conclusion:
    """Return the verdict of an audit: every criterion, and every deviation from the plan."""
    asked = tuple(dict.fromkeys((*(plan.criteria if plan else ()), *manifest.requires)))
    criteria = tuple(decide_criterion(words, scores) for words in asked)
    deviating = tuple(deviations(plan, manifest, scores, selected)) if plan else ()
    digest, written = (manifest.plan, plan.written) if plan else ("", "")
    if not criteria:
        return Conclusion("", "No criterion was set, so there is no verdict.", (), deviating, digest, written)
    answers = {each.answer for each in criteria}
    answer: Answer = "not met" if "not met" in answers else "cannot tell" if "cannot tell" in answers else "met"
    why = " ".join(f"{each.words}: {each.why}." for each in criteria)
    faults = [f"The audit deviates from its plan ({'; '.join(deviating)})."] if deviating else []
    if scores.failed:  # otherwise, a failure could stand in the place of an unwanted reply
        faults.append(f"The audit is not complete: {several(scores.failed, 'step')} failed.")
    if faults and answer == "met":
        answer, why = "cannot tell", " ".join((*faults, why))
    else:
        why = " ".join((why, *faults))
    added = [words for words in manifest.requires if plan and words not in plan.criteria]
    if added:
        why += f" Not in the plan: {', '.join(added)}."
    if not plan:
        why += " The criteria were given with the audit, not in a plan before it."
    return Conclusion(answer, why, criteria, deviating, digest, written)
