"""Confidence intervals and p-values for all figures of runs, audits and `blind`.

- A share or a mean has the exact binomial interval (Clopper and Pearson, 1934). Its coverage is at least 95 % for every
  share and every n, and one more right answer never lowers either end.
- A difference over the same cases has Tango's score interval (1998) with a correction of half a case, and McNemar's
  exact test. Zero lies inside the interval if and only if p is at least 0.05.
- Cases about the same picture are not independent. They count as the number of independent cases that would vary as
  much (Korn and Graubard, 1998). The design effect is cluster-robust with Satterthwaite's degrees of freedom, and is
  shrunk towards its largest possible value if there are few mistakes from which to estimate it.

We use our own code because common packages have no intervals for paired differences in clusters.
`benchmarks/coverage.py` measures the coverage of all intervals. All results are deterministic.
"""

from collections.abc import Callable, Sequence
from functools import lru_cache
from math import exp, lgamma, log, log1p, nextafter, sqrt
from statistics import NormalDist
from typing import Final

import msgspec
import numpy as np
from numpy.typing import ArrayLike, NDArray

from countersight.figures import Interval

CONFIDENCE: Final = 0.95
CORRECTION: Final = 0.5
"""The continuity correction of score intervals, in cases."""
FEW_MISTAKES: Final = 5.0
"""The weight of the largest possible design effect, as a number of mistakes (or of right answers)."""
_STEPS = 40  # bisection steps: ends are exact to 1e-12

_Floats = NDArray[np.float64]


class EffectiveCounts(msgspec.Struct, frozen=True):
    """The equivalent number of independent cases: with positive values, with negative values, and in total."""

    more: float
    less: float
    n: float


def share_interval(right: float, n: float, confidence: float = CONFIDENCE) -> Interval:
    """Return the exact binomial interval of `right` out of `n`, which may be fractions; 0 to 1 if there are no
    cases."""
    if not 0 <= right <= n:
        raise ValueError(f"{right} right out of {n} is not a share")
    right, n, tail = float(right), float(n), (1 - confidence) / 2
    return Interval(
        _beta_quantile(tail, right, n - right + 1) if right else 0.0,
        1 - _beta_quantile(tail, n - right, right + 1) if right < n else 1.0,
    )


def mean_interval(values: ArrayLike, clusters: ArrayLike | None = None, confidence: float = CONFIDENCE) -> Interval:
    """Return the interval of a mean of values between 0 and 1; values of one cluster may be dependent.

    The lower end is at most that for all answers right, and the upper end at least that for none right, on these
    clusters.
    """
    seen = np.asarray(values, dtype=np.float64)
    known = effective(seen, clusters, confidence)
    found = share_interval(min(known.more, known.n), known.n, confidence)
    sizes = _cluster_sizes(clusters)
    if sizes is None or sizes.size == seen.size:
        return found
    fewest = seen.size / _all_alike(sizes)
    none, everything = share_interval(0, fewest, confidence), share_interval(fewest, fewest, confidence)
    return Interval(min(found.low, everything.low), max(found.high, none.high))


def mcnemar(only_first: float, only_second: float) -> float:
    """Return the exact two-sided p of McNemar's test from the numbers of discordant cases.

    Under the null hypothesis, each discordant case is a fair coin, so p is twice the smaller tail of a binomial, at
    most 1. There is no mid-p and no continuity correction. Results for fractional numbers, which occur with clusters,
    are interpolated.
    """
    if only_first < 0 or only_second < 0:
        raise ValueError("a number of cases cannot be negative")
    fewer, more = sorted((only_first, only_second))
    return min(1.0, 2 * _beta_share(0.5, more, fewer + 1)) if more > fewer else 1.0


def score_interval(known: EffectiveCounts, confidence: float = CONFIDENCE) -> Interval:
    """Return Tango's interval of a paired difference of shares."""
    z = score_quantile(confidence)
    return Interval(
        -_upper_end(known.less, known.more, known.n, z),
        _upper_end(known.more, known.less, known.n, z),
    )


def interval_of_test(known: EffectiveCounts, p: float, confidence: float = CONFIDENCE) -> Interval:
    """Return the score interval, adjusted to contain zero if and only if p is at least 1 - confidence."""
    found = score_interval(known, confidence)
    if p >= 1 - confidence:
        return Interval(min(found.low, 0.0), max(found.high, 0.0))
    # At extreme values the test may reject zero while the interval contains it; the end is then moved next to zero.
    short = nextafter(0.0, 1.0)
    if known.more > known.less:
        return Interval(max(found.low, short), found.high)
    return Interval(found.low, min(found.high, -short))


def effective(values: ArrayLike, clusters: ArrayLike | None = None, confidence: float = CONFIDENCE) -> EffectiveCounts:
    """Return the numbers of independent cases (of value 1, -1 or 0) that have as much information as these values."""
    seen = np.asarray(values, dtype=np.float64)
    if seen.ndim != 1 or seen.size == 0:
        raise ValueError("there must be at least one case")
    up, down = (float(np.maximum(0.0, side).sum()) for side in (seen, -seen))
    sizes = up + down
    # Fractional values carry more information than binary ones: their squares are smaller than their sizes.
    part = float((seen**2).sum()) / sizes if sizes else 1.0
    effect = max(part, _design_effect(seen, clusters, confidence))
    return EffectiveCounts(up / effect, down / effect, seen.size / effect)


def _design_effect(seen: _Floats, clusters: ArrayLike | None, confidence: float) -> float:
    """Return the variance of the mean relative to that of independent binary cases; 0 if all cases are independent.

    The largest value is that of clusters whose cases are all equal (Kish). With few mistakes the estimate is unreliable
    and is averaged with the largest value, which has the weight `FEW_MISTAKES`.
    """
    sizes = _cluster_sizes(clusters)
    if sizes is None or sizes.size == seen.size:
        return 0.0
    largest = _all_alike(sizes)
    if sizes.size == 1:
        return largest
    mean = float(seen.mean())
    coins = seen.size * max(0.0, float(np.abs(seen).mean()) - mean**2)
    _, cluster = np.unique(np.asarray(clusters), return_inverse=True)
    residues = np.bincount(cluster, weights=seen - mean)
    robust = float((residues**2 / (1 - sizes / seen.size)).sum())  # divided by one minus the leverage (CR2)
    found = max(1.0, (robust + FEW_MISTAKES * largest) / (coins + FEW_MISTAKES))
    alike = min(1.0, (found - 1) / (largest - 1))
    spread = sizes * (1 + (sizes - 1) * alike)
    freedom = max(1.0, float(spread.sum() ** 2 / (spread**2).sum()) - 1)
    few = student_quantile(confidence, round(freedom, 2)) / score_quantile(confidence)
    # Sums of uneven clusters are more skewed than a binomial; the exponent was found by simulation.
    uneven = float((sizes**3).sum() * sizes.sum() / (sizes**2).sum() ** 2)
    return float(min(found * few**2, largest * uneven**0.25))


def _cluster_sizes(clusters: ArrayLike | None) -> _Floats | None:
    if clusters is None:
        return None
    sizes: _Floats = np.unique(np.asarray(clusters), return_counts=True)[1].astype(np.float64)
    return sizes


def _all_alike(sizes: _Floats) -> float:
    """Return the design effect for clusters whose cases all have the same result."""
    return float((sizes**2).sum() / sizes.sum())


def difference_of(first: Interval, one: float, second: Interval, other: float) -> Interval:
    """Return the interval of a difference of two independent figures from their intervals (Zou and Donner, 2008)."""
    return combined(one - other, (first.low - other, one - second.high), (first.high - other, one - second.low))


def combined(value: float, lows: Sequence[float], highs: Sequence[float]) -> Interval:
    """Return the interval of a value that is computed from independent figures (Zou and Donner, 2008).

    `lows` and `highs` are the values for one figure each at that end of its interval which lowers or raises the value.
    """
    return Interval(
        value - sqrt(sum((value - low) ** 2 for low in lows)), value + sqrt(sum((high - value) ** 2 for high in highs))
    )


def p_of(interval_at: Callable[[float], Interval]) -> float:
    """Return the p that corresponds to intervals: one minus the largest confidence whose interval excludes zero."""
    inside, outside = 1.0 - 1e-9, 0.0
    for _ in range(_STEPS):
        confidence = (inside + outside) / 2
        interval = interval_at(confidence)
        if interval.low <= 0 <= interval.high:
            inside = confidence
        else:
            outside = confidence
    return 1 - outside


class AdjustedTest(msgspec.Struct, frozen=True):
    """One of several comparisons: its p after Holm's correction, and the confidence of the matching interval."""

    p: float
    confidence: float


def holm(ps: Sequence[float], confidence: float = CONFIDENCE) -> tuple[AdjustedTest, ...]:
    """Correct p-values by Holm's method (1979), and return for each the confidence of the matching interval.

    Significant comparisons have the confidence of their own step; the others have that of the step at which the method
    stopped. Zero then lies in the interval if and only if the adjusted p is at least 0.05.
    """
    adjusted: list[AdjustedTest] = [AdjustedTest(1.0, confidence)] * len(ps)
    largest, stopped = 0.0, 0
    for step, place in enumerate(sorted(range(len(ps)), key=lambda each: ps[each])):
        left = stopped or len(ps) - step
        largest = max(largest, min(1.0, (len(ps) - step) * ps[place]))
        if not stopped and largest >= 1 - confidence:
            stopped = left
        adjusted[place] = AdjustedTest(largest, 1 - (1 - confidence) / left)
    return tuple(adjusted)


def _upper_end(more: float, less: float, n: float, z: float) -> float:
    """Return the largest difference that the score test does not reject."""
    found = (more - less) / n
    inside, outside = found, 1.0
    if _score(more, less, n, outside) <= z:
        return 1.0
    for _ in range(_STEPS):
        middle = (inside + outside) / 2
        if _score(more, less, n, middle) <= z:
            inside = middle
        else:
            outside = middle
    return inside


def _score(more: float, less: float, n: float, supposed: float) -> float:
    """Return how many standard errors an assumed difference is above the observed one, given the most likely
    discordance."""
    above = n * supposed - (more - less) - CORRECTION
    if above <= 0:
        return 0.0
    b = (2 * n - more + less) * supposed - more - less
    root = sqrt(max(0.0, b * b + 8 * n * less * supposed * (1 - supposed)))
    likeliest = (root - b) / (4 * n)  # maximum likelihood under the assumed difference
    variance = n * (2 * likeliest + supposed * (1 - supposed))
    return above / sqrt(variance) if variance > 0 else float("inf")


def score_quantile(confidence: float) -> float:
    """Return the half-width of an interval in standard errors."""
    return NormalDist().inv_cdf(0.5 + confidence / 2)


@lru_cache(maxsize=256)
def student_quantile(confidence: float, freedom: float) -> float:
    """Return the quantile of Student's distribution, used instead of the normal one if there are few clusters."""
    low, high = 0.0, 1e6
    for _ in range(2 * _STEPS):
        middle = (low + high) / 2
        tails = _beta_share(freedom / (freedom + middle * middle), freedom / 2, 0.5)
        low, high = (middle, high) if tails > 1 - confidence else (low, middle)
    return low


def student_below(t: float, freedom: float) -> float:
    """Return the cumulative probability of Student's distribution at t."""
    tail = _beta_share(freedom / (freedom + t * t), freedom / 2, 0.5) / 2
    return tail if t < 0 else 1 - tail


def _beta_share(x: float, a: float, b: float) -> float:
    """Return the regularised incomplete beta function I_x(a, b), by its continued fraction (Lentz)."""
    if a <= 0 or x >= 1:
        return 1.0
    if x <= 0:
        return 0.0
    if x > (a + 1) / (a + b + 2):
        return 1 - _beta_share(1 - x, b, a)
    front = exp(lgamma(a + b) - lgamma(a) - lgamma(b) + a * log(x) + b * log1p(-x)) / a
    tiny = 1e-300
    c, d = 1.0, 1 / (1 - (a + b) * x / (a + 1) or tiny)
    fraction = d
    for m in range(1, 100_000):
        for step in (
            m * (b - m) * x / ((a + 2 * m - 1) * (a + 2 * m)),
            -(a + m) * (a + b + m) * x / ((a + 2 * m) * (a + 2 * m + 1)),
        ):
            d, c = 1 / (1 + step * d or tiny), 1 + step / c or tiny
            fraction *= c * d
        if abs(c * d - 1) < 1e-15:
            break
    return front * fraction


@lru_cache(maxsize=4096)
def _beta_quantile(share: float, a: float, b: float) -> float:
    """Return the x at which I_x(a, b) equals `share`: Newton's method within a bracket."""
    low, high = 0.0, 1.0
    z = NormalDist().inv_cdf(share)
    x = min(1 - 1e-9, max(1e-9, a / (a + b) + z * sqrt(a * b / ((a + b) ** 2 * (a + b + 1)))))
    front = lgamma(a + b) - lgamma(a) - lgamma(b)
    for _ in range(100):
        above = _beta_share(x, a, b) - share
        low, high = (low, x) if above > 0 else (x, high)
        density = exp(front + (a - 1) * log(x) + (b - 1) * log1p(-x))
        step = above / density if density > 0 else float("inf")
        after = x - step if low < x - step < high else (low + high) / 2
        if abs(after - x) <= 1e-13:
            return after
        x = after
    return x
