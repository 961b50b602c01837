"""Criteria of an audit, such as "CCS lower end at least 0.8", and the verdict on them."""

import re
from typing import Any, Final, Literal

import msgspec

from countersight.audits.clusters import Mean
from countersight.audits.scores import AuditScores
from countersight.errors import AuditError
from countersight.text import several

VERDICT: Final = "verdict.json"
Answer = Literal["met", "not met", "cannot tell"]
_CRITERION: Final = re.compile(
    r"(?P<measure>[a-z ]+?)\s*(?P<end>lower end|upper end)?\s*(?P<way>at least|at most|>=|<=)\s*(?P<limit>\d*\.?\d+)"
)
MEASURES: Final = {
    "ccs": "kept.ccs",
    "pcs": "kept.pcs",
    "ncc": "kept.ncc",
    "sensitivity": "specificity.sensitivity",
    "specificity": "specificity.specificity",
    "accuracy before": "accuracy.before",
    "accuracy after": "accuracy.after",
    "tests": "",
    "steady": "steady",
}
"""What a criterion may speak of, and where it stands in the scores; steady is the share of answers that stay with an
edit that changes nothing."""


class Criterion(msgspec.Struct, frozen=True):
    """A criterion, and whether it was met."""

    words: str
    answer: Answer
    why: str


class Conclusion(msgspec.Struct, frozen=True, omit_defaults=True):
    """verdict.json: whether an audit met its criteria."""

    answer: Answer | Literal[""]
    """Empty if there were no criteria."""
    why: str
    criteria: tuple[Criterion, ...] = ()
    deviations: tuple[str, ...] = ()
    """Deviations of the audit from the plan."""
    plan: str = ""
    """SHA-256 of plan.json, if there is one."""
    written: str = ""
    """When the plan was written, according to itself."""

    @property
    def words(self) -> str:
        """The verdict in a sentence."""
        return f"Verdict: {self.answer}. {self.why}" if self.answer else self.why


def check_criterion(words: str) -> None:
    """Raise AuditError if a criterion cannot be understood."""
    found = _parse_criterion(words)
    if found is None or found["measure"].strip() not in MEASURES:
        raise AuditError(
            f"{words[:80]!r} is not a criterion; write one such as 'CCS lower end at least 0.8'; the measures are: "
            + ", ".join(MEASURES)
        )
    tests = found["measure"].strip() == "tests"
    if tests and found["end"]:
        raise AuditError(f"{words[:80]!r}: the number of tests has no {found['end']}; write 'tests at least 5'")
    if not tests and float(found["limit"]) > 1:
        raise AuditError(f"{words[:80]!r} can never be decided by a score: scores are from 0 to 1")


def _parse_criterion(words: str) -> re.Match[str] | None:
    return _CRITERION.fullmatch(" ".join(words.casefold().split()))


def decide_criterion(words: str, scores: AuditScores) -> Criterion:
    """Return whether the scores of an audit meet a criterion."""
    found = _parse_criterion(words)
    if found is None or found["measure"].strip() not in MEASURES:
        return Criterion(words, "cannot tell", f"it does not name a known measure ({', '.join(MEASURES)}) and a limit")
    limit, least = float(found["limit"]), found["way"] in ("at least", ">=")
    mean = _score_named(found["measure"].strip(), scores)
    if mean is None or mean.value is None:
        return Criterion(words, "cannot tell", "this audit does not have this score")
    if found["measure"].strip() == "tests":
        answer: Answer = "met" if (mean.value >= limit if least else mean.value <= limit) else "not met"
        return Criterion(words, answer, f"there are {mean.value:g}")
    told = f"it is {mean.value:.3f} ({mean.low:.3f} to {mean.high:.3f}, {several(mean.concepts, 'test')})"
    if not found["end"]:
        met = mean.value >= limit if least else mean.value <= limit
        return Criterion(words, "met" if met else "not met", told)
    end = mean.low if found["end"] == "lower end" else mean.high
    if end >= limit if least else end <= limit:
        return Criterion(words, "met", told)
    beyond = mean.high < limit if least else mean.low > limit
    return Criterion(words, "not met" if beyond else "cannot tell", told)


def _score_named(measure: str, scores: AuditScores) -> Mean | None:
    if measure == "tests":
        ccs = scores.kept.ccs
        n = float(ccs.concepts)
        return Mean(n, n, n, ccs.concepts, ccs.cases, ccs.pictures)
    found: Any = scores
    for name in MEASURES[measure].split("."):
        found = getattr(found, name) if found is not None else None
    mean: Mean | None = found
    return mean
