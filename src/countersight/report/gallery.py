"""Which cases the gallery shows, and under which heading each stands."""

from collections.abc import Sequence
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from countersight.report.data import Verdict

PairOutcome = Literal["lost", "gained", "both-right", "both-wrong", "right", "wrong", "unread", "failed", "missing"]

PAIR_OUTCOMES: dict[PairOutcome, str] = {
    "lost": "right before, wrong after",
    "gained": "wrong before, right after",
    "both-right": "both right",
    "both-wrong": "both wrong",
    "right": "right (asked in one world)",
    "wrong": "wrong (asked in one world)",
    "unread": "unread",
    "failed": "failed",
    "missing": "not asked yet",
}
"""What can become of a case in a run, in words. Every case stands under exactly one of them."""


def pair_outcome(factual: Verdict | None, counterfactual: Verdict | None) -> PairOutcome:
    """The heading of a case: what went amiss if anything did, or right and wrong before and after the change."""
    verdicts = [verdict for verdict in (factual, counterfactual) if verdict is not None] or ["missing"]
    for amiss in ("failed", "missing", "unread"):
        if amiss in verdicts:
            return amiss
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


def balanced_sample(strata: Sequence[NDArray[np.int64]], size: int, seed: int) -> NDArray[np.int64]:
    """Positions of at most `size` cases, in order, with the strata of every run as evenly filled as they allow.

    `strata` has an array for each run: the stratum (a group and an outcome) of each case. Cases are dealt like
    cards: the first of every stratum, then the second, until the gallery is full.
    """
    total = len(strata[0])
    if total <= size:
        return np.arange(total)
    order = np.random.default_rng(seed).permutation(total)
    turn = np.full(total, total)
    for of_run in strata:
        shuffled = of_run[order]
        by_stratum = np.argsort(shuffled, kind="stable")
        starts = np.flatnonzero(np.diff(shuffled[by_stratum], prepend=-1))
        lengths = np.diff(starts, append=total)
        ranks = np.arange(total) - np.repeat(starts, lengths)
        turn[by_stratum] = np.minimum(turn[by_stratum], ranks)
    return np.sort(order[np.argsort(turn, kind="stable")[:size]])
