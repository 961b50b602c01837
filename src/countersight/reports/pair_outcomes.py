"""The outcome of a pair of questions: right or wrong before and after the change, or what went wrong."""

from typing import Final, Literal

import numpy as np
from numpy.typing import NDArray

from countersight.case import VARIANTS
from countersight.scoring import OUTCOMES, Outcome, Outcomes

PairOutcome = Literal[
    "lost", "gained", "both-right", "both-wrong", "right", "wrong", "unread", "empty", "cut", "failed", "missing"
]

PAIR_OUTCOMES: Final[dict[PairOutcome, str]] = {
    "lost": "factual right, counterfactual wrong",
    "gained": "factual wrong, counterfactual right",
    "both-right": "both right",
    "both-wrong": "both wrong",
    "right": "right (asked in one world)",
    "wrong": "wrong (asked in one world)",
    "unread": "unread",
    "empty": "empty",
    "cut": "cut off",
    "failed": "failed",
    "missing": "no reply recorded",
}
"""The outcomes of a case in a run, in words. Every case has exactly one."""


def pair_outcome(factual: Outcome | None, counterfactual: Outcome | None) -> PairOutcome:
    """Return the outcome of a case: what went wrong if anything did, or right and wrong before and after the change."""
    verdicts = [verdict for verdict in (factual, counterfactual) if verdict is not None] or ["missing"]
    for problem in ("failed", "missing", "cut", "empty", "unread"):
        if problem in verdicts:
            return problem
    if len(verdicts) < 2:
        return "right" if verdicts == ["right"] else "wrong"
    match factual == "right", counterfactual == "right":
        case True, True:
            return "both-right"
        case True, False:
            return "lost"
        case False, True:
            return "gained"
        case _:
            return "both-wrong"


_INDEX_OF_CODES: Final = np.array(
    [[list(PAIR_OUTCOMES).index(pair_outcome(factual, told)) for told in OUTCOMES] for factual in OUTCOMES],
    dtype=np.int64,
)
"""The index in `PAIR_OUTCOMES` for every pair of outcome codes."""


def strata(outcomes: Outcomes) -> NDArray[np.int64]:
    """Return a number for each case; cases of one group with the same outcome have the same number."""
    factual, counterfactual = (outcomes.codes[:, VARIANTS.index(world)] for world in ("factual", "counterfactual"))
    found: NDArray[np.int64] = (
        outcomes.groups.astype(np.int64) * len(PAIR_OUTCOMES) + _INDEX_OF_CODES[factual, counterfactual]
    )
    return found
