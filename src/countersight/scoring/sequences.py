"""Confidence sequences: intervals that hold at every moment, so that asking may stop as soon as one is narrow enough.

The units (pictures, each with its cases) are asked in a random order, without replacement, out of a benchmark of known
size. For a supposed mean, a gambler bets on every next unit; if the mean is as supposed, the gambler's wealth is a
martingale and exceeds 1/alpha with a probability of at most alpha, at any time (Ville). The interval holds the means
at which nobody became that rich (Waudby-Smith and Ramdas, 2020 and 2024). What has been asked is known for certain, so
the interval shrinks to a point when everything was asked.

How much is bet decides how narrow the interval is, never whether it holds: bets use only what was seen before.
`benchmarks/stopping.py` measures both.
"""

from typing import Final

import numpy as np
from numpy.typing import ArrayLike, NDArray

from countersight.scoring.intervals import CONFIDENCE, Interval

LARGEST_BET: Final = 0.9
"""The share of the wealth that is risked on one unit at most."""
BETS: Final = (0.1, 0.2, 0.4, 0.6, 0.95)
"""The shares of the wealth that are bet side by side where no width is wanted; the last gets two parts of six."""
_PRECISION = 1e-6

_Floats = NDArray[np.float64]


def anytime_interval(
    values: ArrayLike,
    units: int,
    *,
    low: float = 0.0,
    high: float = 1.0,
    aim: float | None = None,
    confidence: float = CONFIDENCE,
) -> Interval:
    """The interval of the mean of all units, from the values of those asked so far in their random order.

    Values lie between `low` and `high`. With `aim` the bets are those that make half the interval's width reach
    `aim` soonest; without it they find out soonest on which side of any given value the mean lies.
    """
    seen = _scaled(values, units, low, high)
    wanted = None if aim is None else aim / (high - low)
    below, above = (_lower_end(side, units, wanted, confidence) for side in (seen, 1 - seen))
    return Interval(low + (high - low) * below, low + (high - low) * (1 - above))


def refuted(
    values: ArrayLike,
    units: int,
    mean: float,
    *,
    low: float = 0.0,
    high: float = 1.0,
    aim: float | None = None,
    confidence: float = CONFIDENCE,
) -> NDArray[np.bool_]:
    """After each unit, whether the interval leaves a supposed mean out."""
    seen, supposed = _scaled(values, units, low, high), (mean - low) / (high - low)
    wanted = None if aim is None else aim / (high - low)
    rich = np.log(2 / (1 - confidence))
    more, less = _log_wealth(seen, units, supposed, wanted), _log_wealth(1 - seen, units, 1 - supposed, wanted)
    found: NDArray[np.bool_] = (more >= rich) | (less >= rich)
    return found


def anytime_p(
    values: ArrayLike, units: int, mean: float, *, low: float = 0.0, high: float = 1.0, aim: float | None = None
) -> float:
    """The p of a supposed mean that goes with the interval: below 0.05 exactly where that leaves the mean out."""
    seen, supposed = _scaled(values, units, low, high), (mean - low) / (high - low)
    wanted = None if aim is None else aim / (high - low)
    sides = ((seen, supposed), (1 - seen, 1 - supposed))
    richest = max(float(_log_wealth(side, units, at, wanted)[-1]) for side, at in sides)
    return float(min(1.0, 2 * np.exp(-richest)))


def _scaled(values: ArrayLike, units: int, low: float, high: float) -> _Floats:
    """The values between 0 and 1."""
    seen = (np.asarray(values, dtype=np.float64) - low) / (high - low)
    if seen.size > units or (seen.size and not (seen.min() >= -1e-9 and seen.max() <= 1 + 1e-9)):
        raise ValueError(f"{seen.size} values are not of {units} units between {low} and {high}")
    return np.clip(seen, 0.0, 1.0)


def _lower_end(seen: _Floats, units: int, aim: float | None, confidence: float) -> float:
    """The lowest mean at which betting on more has not made rich."""
    if not seen.size:
        return 0.0
    outside, inside = float(seen.sum() / units), float((seen.sum() + units - seen.size) / units)
    rich = np.log(2 / (1 - confidence))
    while inside - outside > _PRECISION:
        middle = (outside + inside) / 2
        if _log_wealth(seen, units, middle, aim)[-1] >= rich:
            outside = middle
        else:
            inside = middle
    return outside


def _log_wealth(seen: _Floats, units: int, mean: float, aim: float | None) -> _Floats:
    """After each unit, the logarithm of what betting on more than a supposed mean has made of 1."""
    left = units - np.arange(seen.size)
    before = np.concatenate(([0.0], np.cumsum(seen)[:-1]))
    means = (units * mean - before) / left  # of the units that are left, if the mean is as supposed
    gains = seen / np.maximum(means, 1e-12) - 1
    if aim is None:
        bets = np.array((*BETS, BETS[-1]))
        paths = np.log1p(bets[:, None] * gains).cumsum(axis=1)
        wealth = np.logaddexp.reduce(paths) - np.log(bets.size)
    else:
        bet = np.clip(means * aim * units / left / _variances(seen), 0.0, LARGEST_BET)
        wealth = np.log1p(bet * gains).cumsum()
    impossible = np.logical_or.accumulate(means * left - seen < -1e-9)  # more was seen than the mean allows in all
    return np.where(impossible, np.inf, wealth)


def _variances(seen: _Floats) -> _Floats:
    """Before each value, the variance of those before it, and of one coin."""
    count = np.arange(1, seen.size + 1)
    before = np.concatenate(([0.0], seen[:-1]))
    mean = (0.5 + np.cumsum(before)) / count
    squares = 0.5 + np.cumsum(before**2)
    return np.maximum(squares / count - mean**2, 1 / (4 * count))
