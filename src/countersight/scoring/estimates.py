"""Compute figures: values with an interval and the number of cases on which they are based."""

from collections.abc import Sequence
from math import sqrt
from typing import Any, Final

import msgspec
import numpy as np
from numpy.typing import ArrayLike, NDArray

from countersight.figures import Figure, Interval
from countersight.scoring.intervals import (
    CONFIDENCE,
    EffectiveCounts,
    effective,
    interval_of_test,
    mcnemar,
    mean_interval,
    share_interval,
)

EXACT: Final = "McNemar exact"
ADJUSTED: Final = "McNemar exact, for the number of independent cases"
ANYTIME: Final = "betting confidence sequence, valid at any time"
"""The method of the interval and p for runs that were ended by a stopping rule."""
_INDEPENDENT: Final = "exact binomial, for the number of independent cases"


class Difference(Figure, frozen=True, kw_only=True):
    """The first value minus the second over cases scored in both, with the score interval and McNemar's exact p.

    Zero lies in the interval if and only if p is at least 0.05 (or the corrected level for several comparisons).
    """

    value: float
    p: float
    effective: EffectiveCounts
    """The number of independent cases with the same amount of information."""
    reach: float = 1.0
    """The largest possible difference of one case."""

    def at(self, confidence: float, p: float) -> "Difference":
        """Return this difference with the given confidence and p, which were corrected for multiple comparisons."""
        ends = interval_of_test(self.effective, self.p, confidence)
        low, high = self.reach * ends.low, self.reach * ends.high
        method = self.method if confidence == CONFIDENCE else f"{self.method or f'Tango score; {EXACT}'}, Holm"
        return msgspec.structs.replace(self, low=low, high=high, p=p, confidence=confidence, method=method)


def share(right: int, n: int) -> Figure:
    """Return the share of right answers among independent ones, with its interval."""
    ends = share_interval(right, n)
    return Figure(right / n if n else None, ends.low, ends.high, n, right=right)


def rate(right: NDArray[np.bool_], clusters: ArrayLike, credits: ArrayLike | None = None, *, unread: int = 0) -> Figure:
    """Return the share of right answers or the mean credit, for cases that may share pictures.

    `unread` is the number of answers that would also be right if all unread replies were right.
    """
    n = right.size
    clustered = np.unique(np.asarray(clusters)).size < n
    values = np.asarray(right if credits is None else credits, dtype=np.float64).round(6)
    total = float(values.sum())
    ends = mean_interval(values, clusters) if clustered or (n and credits is not None) else share_interval(total, n)
    value = total / n if n > unread or total else None
    return Figure(
        value,
        ends.low,
        ends.high,
        n,
        right=int(right.sum()) if credits is None else None,
        bounds=Interval(total / n, (total + unread) / n) if unread else None,
        method=_INDEPENDENT if clustered or credits is not None else "",
    )


def paired(
    differences: ArrayLike, clusters: ArrayLike | None = None, *, reach: float = 1.0, confidence: float = CONFIDENCE
) -> Difference:
    """Return the mean of differences (at most `reach` each) over the same cases, with its interval and test."""
    seen = np.asarray(differences, dtype=np.float64)
    known = effective(np.round(seen / reach, 6), clusters, confidence)  # credits are stored as 32-bit numbers
    p = mcnemar(known.more, known.less)
    ends = interval_of_test(known, p, confidence)
    is_whole = known.n == seen.size and float(known.more).is_integer()
    return Difference(
        value=float(seen.mean()),
        low=reach * ends.low,
        high=reach * ends.high,
        n=seen.size,
        p=p,
        method="" if is_whole else f"Tango score; {ADJUSTED}",
        effective=known,
        reach=reach,
    )


def difference(
    first: NDArray[Any], second: NDArray[Any], clusters: ArrayLike | None = None, *, reach: float = 1.0
) -> Difference | None:
    """Return the first value minus the second over the same cases, or None if there are none."""
    differences = first.astype(np.float64) - second.astype(np.float64)
    return paired(differences, clusters, reach=reach) if first.size else None


def summed(rates: Sequence[Figure | None]) -> Figure | None:
    """Return the sum of shares over different cases, or None if one of the shares has no cases.

    CFMM's total is the sum of six accuracies, out of 600 (CFMM 3.4). The interval combines those of the shares (MOVER;
    Zou and Donner, 2008): it is never empty, and stays within the possible range.
    """
    known = [(rate, rate.value) for rate in rates if rate and rate.value is not None]
    if not rates or len(known) < len(rates):
        return None
    total = sum(value for _, value in known)
    below = sqrt(sum((value - rate.low) ** 2 for rate, value in known))
    above = sqrt(sum((rate.high - value) ** 2 for rate, value in known))
    n = sum(rate.n for rate, _ in known)
    return Figure(total, total - below, total + above, n, method="exact binomial (MOVER)")
