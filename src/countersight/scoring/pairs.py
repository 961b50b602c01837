"""Compares two series of answers to the same cases."""

from math import comb

import numpy as np
from numpy.typing import ArrayLike, NDArray

from countersight.scoring.intervals import Interval

RESAMPLES = 10_000
"""Times the bootstrap draws the cases anew, where it is not told otherwise."""
_EXACT_IN_INTEGERS = 1_000
_AT_ONCE = 4_000_000  # numbers drawn in one go by the bootstrap: 32 MB


def mcnemar(only_first: int, only_second: int) -> float:
    """The exact two-sided p of McNemar's test, from the cases that only one of the two has right.

    Under the null hypothesis each discordant case is a fair coin, so p is twice the smaller tail of a binomial, at
    most 1. No mid-p, no continuity correction.
    """
    if only_first < 0 or only_second < 0:
        raise ValueError("a number of cases cannot be negative")
    n, fewer = only_first + only_second, min(only_first, only_second)
    if 2 * fewer >= n:
        return 1.0
    if n <= _EXACT_IN_INTEGERS:
        return min(1.0, 2 * sum(comb(n, k) for k in range(fewer + 1)) / (1 << n))
    # The same sum in logarithms: log C(n, k) grows by log((n - k + 1) / k) from k - 1 to k.
    k = np.arange(1, fewer + 1, dtype=np.float64)
    logs = np.concatenate(([0.0], np.cumsum(np.log((n - k + 1) / k)))) - n * np.log(2)
    peak = float(logs.max())
    return min(1.0, 2 * float(np.exp(peak) * np.exp(logs - peak).sum()))


def paired_bootstrap(
    first: ArrayLike, second: ArrayLike, *, seed: int, resamples: int = RESAMPLES, confidence: float = 0.95
) -> Interval:
    """The percentile interval of mean(first) - mean(second), the cases drawn anew with replacement.

    A case counts only by its difference, and answers that are right or wrong have three of those. Drawing n cases is
    therefore one multinomial draw over the distinct differences: the same distribution, whatever n.
    """
    differences = _differences(first, second)
    values, counts = np.unique(differences, return_counts=True)
    n = differences.size
    if values.size == 1:
        return Interval(float(values[0]), float(values[0]))
    generator = np.random.default_rng(seed)
    step = max(1, _AT_ONCE // values.size)
    means = np.concatenate(
        [
            generator.multinomial(n, counts / n, size=min(step, resamples - done)) @ values / n
            for done in range(0, resamples, step)
        ]
    )
    low, high = np.quantile(means, [0.5 - confidence / 2, 0.5 + confidence / 2])
    return Interval(float(low), float(high))


def sign_flips(first: ArrayLike, second: ArrayLike, *, seed: int, resamples: int = RESAMPLES) -> float:
    """The two-sided p of the paired permutation test: how often flipping each case's sign by chance does as much.

    Where answers are right or wrong that is McNemar's test; this one also takes answers that are worth something
    between. Of the differences only the distinct sizes matter: flipping the signs of those of one size is one draw.
    """
    differences = _differences(first, second)
    sizes, counts = np.unique(np.abs(differences[differences != 0]), return_counts=True)
    if not sizes.size:
        return 1.0
    # Rounding must not decide whether a draw is as extreme as what was found.
    found = abs(float(differences.sum())) - 1e-9 * differences.size
    generator = np.random.default_rng(seed)
    step = max(1, _AT_ONCE // sizes.size)
    extreme = 0
    for done in range(0, resamples, step):
        up = generator.binomial(counts, 0.5, size=(min(step, resamples - done), sizes.size))
        extreme += int((np.abs((2 * up - counts) @ sizes) >= found).sum())
    # What was found is itself one of the ways the signs can fall: p is never 0.
    return (1 + extreme) / (1 + resamples)


def _differences(first: ArrayLike, second: ArrayLike) -> NDArray[np.float64]:
    differences = np.asarray(first, dtype=np.float64) - np.asarray(second, dtype=np.float64)
    if differences.ndim != 1 or differences.size == 0:
        raise ValueError("two series of the same length are compared, with at least one case")
    # Credits are kept as 32-bit numbers: 0.6 - 0.3 and 0.9 - 0.6 are the same difference.
    return np.round(differences, 6)
