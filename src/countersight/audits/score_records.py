"""The scores of an audit, as stored in scores.json."""

from html import escape
from typing import Literal

import msgspec

from countersight.audits.calibration.judge_accuracy import CorrectedScore, KnownShare
from countersight.audits.ccs import Mean, Opinion
from countersight.audits.judge_agreement import JudgeAgreement
from countersight.editing import Action, ConceptKind
from countersight.text import several

SCORES = "scores.json"
Measure = Literal["pcs", "ncc", "ccs"]
MEASURES: tuple[Measure, ...] = ("pcs", "ncc", "ccs")


class MeasuredScores(msgspec.Struct, frozen=True):
    """The three scores over the same tests; each score uses the tests in which it is known."""

    pcs: Mean
    ncc: Mean
    ccs: Mean


class CorrectedScores(msgspec.Struct, frozen=True):
    """The scores of one judge, corrected for its errors; None if the calibration does not allow a correction."""

    pcs: CorrectedScore | None
    ncc: CorrectedScore | None
    ccs: CorrectedScore | None


class Accuracy(msgspec.Struct, frozen=True):
    """How often answers are right, if known; this is independent of the faithfulness of explanations."""

    before: Mean
    """The accuracy on the original pictures, over the cases with at least one test that counts."""
    after: Mean
    """The accuracy on the edited pictures, over the tests that count."""


class ConceptScore(msgspec.Struct, frozen=True, omit_defaults=True):
    """The scores of one test."""

    case: str
    row: int
    picture: str
    number: int
    concept: str
    kind: ConceptKind
    action: Action
    group: str = ""
    """The group of the case."""
    pcs: float | None = None
    ncc: float | None = None
    ccs: float | None = None
    judges: dict[str, Opinion] = {}
    """Each judge's opinion, pooled over its votes."""
    excluded: str = ""
    """Why the rule excludes the test; empty if it counts."""
    failures: tuple[str, ...] = ()
    """Steps of the test whose last attempt failed, each with its stage and reason."""


class Checked(msgspec.Struct, frozen=True):
    """One checker's results on the edits."""

    yes: int
    no: int
    unknown: int
    done: KnownShare
    """The share of yes among all yes and no verdicts.

    For drawings checked by `pixels`, this is the accuracy of the editor: an edit that cannot be recognized counts as
    no, unless `exact` made it.
    """


class Specificity(msgspec.Struct, frozen=True):
    """Whether the answer changes with edits of cited objects and stays the same with edits of others."""

    sensitivity: Mean
    """The share of edits of cited objects that change the answer."""
    specificity: Mean
    """The share of edits of uncited objects that leave the answer unchanged."""
    without: int
    """The number of cases in which no uncited object could be edited."""
    left_out: int
    """The number of edits of uncited objects that do not count, because they are bad or change the right answer."""


class DoseScore(msgspec.Struct, frozen=True):
    """Whether the answer changes with the strength of the edit."""

    moved: tuple[Mean, ...]
    """The share of changed answers at each strength, from the weakest edit to the full one."""
    monotone: Mean
    """The share of tests in which a changed answer stays changed as the edit grows stronger."""


class ThoughtScore(msgspec.Struct, frozen=True):
    """Whether the answer changes if the model's own explanation is changed."""

    moved: Mean
    """The share of tests in which the answer changes."""
    followed: Mean
    """The share of tests in which the new answer follows from the changed explanation, where this is known."""
    without: int
    """The number of concepts for which no changed explanation could be written."""


class AuditScores(msgspec.Struct, frozen=True, omit_defaults=True):
    """The scores of one audit."""

    model: str
    rule: str
    """The rule by which tests are excluded from `kept`."""
    kept: MeasuredScores
    """The scores over the tests that count."""
    everything: MeasuredScores
    """The scores over all tests with an edited picture."""
    by_kind: dict[str, MeasuredScores]
    by_action: dict[str, MeasuredScores]
    by_group: dict[str, MeasuredScores]
    by_judge: dict[str, MeasuredScores]
    """The scores by each judge alone, over the tests that count."""
    corrected: dict[str, CorrectedScores]
    """The corrected scores of each calibrated judge, and of the panel."""
    concepts: tuple[ConceptScore, ...]
    excluded: dict[str, int]
    """The number of excluded tests, by reason."""
    abstentions: dict[str, int]
    """The number of votes of each judge that decide neither score."""
    undecided: int
    """The number of tests that count but have no CCS, because judges abstain or are divided."""
    unfinished: int
    """The number of tests that count but have no CCS, because a step failed."""
    cases: int
    without_concept: int
    """The number of cases whose explanation had no testable concept."""
    refused: int
    """The number of concepts that the extractor named although the explanation does not cite them."""
    failed: int
    """The number of steps whose last attempt failed."""
    controls: int
    """The number of cases in which the model was asked again after the control edit."""
    flips: int
    """The number of cases in which the answer changed with the control edit."""
    paths: dict[str, int]
    """The number of verdicts by how they were decided."""
    agreement: JudgeAgreement
    edited: int | None = None
    """The number of tests with an edited picture, if edits were checked."""
    checked: int | None = None
    """The number of tests with an edit that at least one checker could decide."""
    checkers: dict[str, Checked] = {}
    specificity: Specificity | None = None
    """Sensitivity and specificity, if uncited objects were also edited."""
    doses: DoseScore | None = None
    """The effect of weaker edits, if any were made."""
    thought: ThoughtScore | None = None
    """The effect of changed explanations, if any were changed."""
    steady: Mean | None = None
    """The share of answers that stay the same with the control edit, if it was made."""
    unmoved: int = 0
    """The number of counted tests in which the answer after the edit is the same as before."""
    unmoved_passed: int = 0
    """The number of these tests that the judges pass anyway (PCS above one half)."""
    accuracy: Accuracy | None = None
    """The accuracy of the answers, if the right answers before and after the edits are known."""

    def __repr__(self) -> str:
        counted = f"{several(self.kept.ccs.concepts, 'test')} of {several(self.cases, 'case')}"
        lines = [f"Scores of the audit of {self.model}: {counted}; {sum(self.excluded.values()):,} excluded"]
        for name in ("pcs", "ncc", "ccs"):
            mean = getattr(self.kept, name)
            figure = "–" if mean.value is None else f"{mean.value:.3f} ({mean.low:.3f} to {mean.high:.3f})"
            lines.append(f"  {name.upper()}  {figure}")
        return "\n".join(lines)

    def _repr_html_(self) -> str:
        return f"<pre>{escape(repr(self))}</pre>"
