"""Figures: values with an interval and the number of cases they are based on."""

from collections.abc import Sequence
from math import sqrt
from typing import Any, Final

import msgspec
import numpy as np
from numpy.typing import ArrayLike, NDArray

from countersight.html import Bounds, Measured, p_value
from countersight.html import interval as ends
from countersight.scoring.intervals import (
    CONFIDENCE,
    EffectiveCounts,
    Paired,
    interval_of_test,
    mean_interval,
    paired,
    share_interval,
)

ALL: Final = "all"
"""The name of the line for all groups."""
EXACT: Final = "McNemar exact"
ADJUSTED: Final = "McNemar exact, for the number of independent cases"
ANYTIME: Final = "betting confidence sequence, valid at any time"
"""The method of the interval and p of runs that ended by a stopping rule."""
_INDEPENDENT: Final = "exact binomial, for the number of independent cases"


class Rate(Measured, frozen=True):
    """The share of right answers among the scored ones, with its interval.

    If answers can have partial credit (VQA's soft accuracy), it is the mean credit.
    """

    right: int
    n: int
    low: float
    high: float
    credit: float | None = None
    """The total credit of all answers, if answers can have partial credit."""
    clustered: bool = False
    """Whether the interval accounts for cases that share a picture."""
    unread: int = 0
    """The number of the n answers that are not right but would be if every unread reply were right."""
    sequence: str = ""
    """How the interval was computed, if it is a confidence sequence."""

    @property
    def total_credit(self) -> float:
        """The total credit of all answers; the number of right ones if there is no partial credit."""
        return self.right if self.credit is None else self.credit

    @property
    def value(self) -> float | None:
        """The share, or None if nothing was scored or no reply could be read."""
        return self.total_credit / self.n if self.n > self.unread or self.total_credit else None

    @property
    def hits(self) -> int | None:
        """The number of right answers; None with partial credit."""
        return self.right if self.credit is None else None

    @property
    def method(self) -> str:
        """How the interval was computed."""
        if self.sequence:
            return self.sequence
        return "" if self.hits is not None and not self.clustered else _INDEPENDENT

    def __repr__(self) -> str:
        if self.value is None:
            return f"Rate(0 of {self.n} read)" if self.n else "Rate(nothing scored)"
        return f"Rate({100 * self.value:.1f}%, {ends(self)}, n={self.n})"


class Difference(Measured, frozen=True):
    """The difference first minus second over cases scored in both, with the score interval and McNemar's exact p.

    Zero lies in the interval if and only if p is at least 0.05 (or the corrected level for several comparisons).
    """

    value: float
    low: float
    high: float
    p: float
    n: int
    effective: EffectiveCounts
    """The number of independent cases with the same amount of information."""
    test: str = EXACT
    confidence: float = CONFIDENCE
    reach: float = 1.0
    """The largest possible difference of one case."""
    bounds: Bounds | None = None
    """The smallest and largest difference that unread replies leave possible; None if all were read."""

    @property
    def method(self) -> str:
        """How interval and p were computed."""
        if self.test == ANYTIME:
            return ANYTIME
        wider = self.confidence != CONFIDENCE
        return "" if self.test == EXACT and not wider else f"Tango score; {self.test}{', Holm' if wider else ''}"

    def at(self, confidence: float, p: float) -> "Difference":
        """Return this difference with the given confidence and p, which were corrected for multiple comparisons."""
        interval = interval_of_test(self.effective, self.p, confidence)
        low, high = self.reach * interval.low, self.reach * interval.high
        return msgspec.structs.replace(self, low=low, high=high, p=p, confidence=confidence)

    def __repr__(self) -> str:
        return f"Difference({100 * self.value:+.1f} points, {ends(self)}, n={self.n}, {p_value(self.p)})"


def share(right: int, n: int) -> Rate:
    """Return the share of right answers among independent ones, with its interval."""
    interval = share_interval(right, n)
    return Rate(right, n, interval.low, interval.high)


def rate(right: NDArray[np.bool_], clusters: ArrayLike, credits: ArrayLike | None = None) -> Rate:
    """Return the share of right answers or the mean credit, for cases that may share pictures."""
    n = right.size
    if not n:
        return share(0, 0)
    clustered = np.unique(np.asarray(clusters)).size < n
    if credits is None and not clustered:
        return share(int(right.sum()), n)
    values = np.asarray(right if credits is None else credits, dtype=np.float64).round(6)
    interval = mean_interval(values, clusters)
    return Rate(
        int(right.sum()),
        n,
        interval.low,
        interval.high,
        credit=None if credits is None else float(values.sum()),
        clustered=clustered,
    )


def difference(
    first: NDArray[Any], second: NDArray[Any], clusters: ArrayLike | None = None, *, reach: float = 1.0
) -> Difference | None:
    """Return first minus second over the same cases, or None if there are none."""
    if not first.size:
        return None
    differences = first.astype(np.float64) - second.astype(np.float64)
    found: Paired = paired(differences, clusters, reach=reach)
    whole = found.effective.n == first.size and float(found.effective.more).is_integer()
    return Difference(
        value=found.value,
        low=found.low,
        high=found.high,
        p=found.p,
        n=first.size,
        effective=found.effective,
        test=EXACT if whole else ADJUSTED,
        reach=reach,
    )


class Sum(Measured, frozen=True):
    """A sum of shares with its interval; CFMM's total is the sum of six accuracies, out of 600 (CFMM 3.4)."""

    value: float
    low: float
    high: float
    n: int
    """The number of scored answers over all shares."""

    @property
    def method(self) -> str:
        """How the interval was computed."""
        return "exact binomial (MOVER)"


def summed(rates: Sequence[Measured | None]) -> Sum | None:
    """Return the sum of shares over different cases, or None if one of the shares has no case.

    The interval combines those of the shares (MOVER; Zou and Donner, 2008): it is never empty, and stays within the
    possible range.
    """
    known = [(rate, rate.value) for rate in rates if rate and rate.value is not None]
    if not rates or len(known) < len(rates):
        return None
    total = sum(value for _, value in known)
    below = sqrt(sum((value - rate.low) ** 2 for rate, value in known))
    above = sqrt(sum((rate.high - value) ** 2 for rate, value in known))
    return Sum(total, total - below, total + above, sum(rate.n for rate, _ in known))
