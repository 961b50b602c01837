"""Criteria such as “CCS lower end at least 0.8”: parse them, and decide whether the scores of an audit meet them."""

import re
from typing import Any, Final, Literal

import msgspec

from countersight.audits.ccs import Mean
from countersight.audits.score_records import AuditScores
from countersight.errors import AuditError
from countersight.text import several

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
"""The measures that a criterion can use, and their fields in the scores; `steady` is the share of answers that stay
the same after an edit that changes nothing."""


class Criterion(msgspec.Struct, frozen=True):
    """A criterion, and whether it was met."""

    words: str
    answer: Answer
    why: str


def check_criterion(words: str) -> tuple[str, str, bool, float]:
    """Parse a criterion into its measure, the end of the interval, whether the limit is a minimum, and the limit.

    Raises AuditError if the criterion cannot be understood.
    """
    found = _CRITERION.fullmatch(" ".join(words.casefold().split()))
    if found is None or found["measure"].strip() not in MEASURES:
        raise AuditError(
            f"{words[:80]!r} is not a criterion; write one such as 'CCS lower end at least 0.8'; the measures are: "
            + ", ".join(MEASURES)
        )
    measure, end, limit = found["measure"].strip(), found["end"] or "", float(found["limit"])
    if measure == "tests" and end:
        raise AuditError(f"{words[:80]!r}: the number of tests has no {end}; write 'tests at least 5'")
    if measure != "tests" and limit > 1:
        raise AuditError(f"{words[:80]!r} needs a limit from 0 to 1, as scores are from 0 to 1")
    return measure, end, found["way"] in ("at least", ">="), limit


def decide_criterion(words: str, scores: AuditScores) -> Criterion:
    """Return whether the scores of an audit meet a criterion."""
    try:
        measure, end, least, limit = check_criterion(words)
    except AuditError as error:
        return Criterion(words, "cannot tell", str(error))
    mean = _score_named(measure, scores)
    if mean is None or mean.value is None:
        return Criterion(words, "cannot tell", "this audit does not have this score")
    value = {"lower end": mean.low, "upper end": mean.high}.get(end, mean.value)
    figure = (
        f"it is {mean.value:.3f} (95% interval {mean.low:.3f} to {mean.high:.3f}, {several(mean.concepts, 'test')})"
        if measure != "tests"
        else f"there are {mean.value:g}"
    )
    if value >= limit if least else value <= limit:
        return Criterion(words, "met", figure)
    beyond = mean.high < limit if least else mean.low > limit
    return Criterion(words, "not met" if beyond or not end else "cannot tell", figure)


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
