"""Confidence sequences: intervals that are valid at any time, so that a run may stop as soon as one is narrow enough.

The units (pictures, each with its cases) are asked in random order, without replacement, from a benchmark of known
size. For an assumed mean, a gambler bets on every next unit; if the mean is as assumed, the gambler's wealth is a
martingale and exceeds 1/alpha with a probability of at most alpha, at any time (Ville). The interval contains the means
at which no gambler became that rich (Waudby-Smith and Ramdas, 2020 and 2024). Units that were asked are known, so the
interval shrinks to a point when all were asked.

The size of the bets affects only the width of the interval, not its validity: bets use only earlier units.
`benchmarks/stopping.py` measures both.
"""

from typing import Final

import numpy as np
from numpy.typing import ArrayLike, NDArray

from countersight.scoring.intervals import CONFIDENCE, Interval

LARGEST_BET: Final = 0.9
"""The maximum share of the wealth that is bet on one unit."""
BETS: Final = (0.1, 0.2, 0.4, 0.6, 0.95)
"""The shares of the wealth bet in parallel if no width is requested; the last one has two of the six stakes."""
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
    """Return the interval of the mean of all units, from the values asked so far in random order.

    Values are between `low` and `high`. With `aim`, bets minimise the time until half the interval's width reaches
    `aim`; without it, the time until the interval excludes values other than the mean.
    """
    seen = _scaled(values, units, low, high)
    wanted = None if aim is None else aim / (high - low)
    below, above = (_lower_end(side, units, wanted, confidence) for side in (seen, 1 - seen))
    return Interval(low + (high - low) * below, low + (high - low) * (1 - above))


def anytime_p(
    values: ArrayLike, units: int, mean: float, *, low: float = 0.0, high: float = 1.0, aim: float | None = None
) -> float:
    """Return the p of an assumed mean that matches the interval: below 0.05 if and only if the interval excludes the
    mean."""
    seen, assumed = _scaled(values, units, low, high), (mean - low) / (high - low)
    wanted = None if aim is None else aim / (high - low)
    sides = ((seen, assumed), (1 - seen, 1 - assumed))
    richest = max(float(_log_wealth(side, units, at, wanted)[-1]) for side, at in sides)
    return float(min(1.0, 2 * np.exp(-richest)))


def _scaled(values: ArrayLike, units: int, low: float, high: float) -> _Floats:
    """Scale the values to 0 to 1."""
    seen = (np.asarray(values, dtype=np.float64) - low) / (high - low)
    if seen.size > units or (seen.size and not (seen.min() >= -1e-9 and seen.max() <= 1 + 1e-9)):
        raise ValueError(f"there must be at most {units} values, each between {low} and {high}")
    return np.clip(seen, 0.0, 1.0)


def _lower_end(seen: _Floats, units: int, aim: float | None, confidence: float) -> float:
    """Return the lowest mean that bets on higher values have not refuted."""
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
    """Return, after each unit, the logarithm of the wealth from betting on more than an assumed mean."""
    left = units - np.arange(seen.size)
    before = np.concatenate(([0.0], np.cumsum(seen)[:-1]))
    means = (units * mean - before) / left  # the mean of the remaining units, if the assumption holds
    gains = seen / np.maximum(means, 1e-12) - 1
    if aim is None:
        bets = np.array((*BETS, BETS[-1]))
        paths = np.log1p(bets[:, None] * gains).cumsum(axis=1)
        wealth = np.logaddexp.reduce(paths) - np.log(bets.size)
    else:
        bet = np.clip(means * aim * units / left / _variances(seen), 0.0, LARGEST_BET)
        wealth = np.log1p(bet * gains).cumsum()
    impossible = np.logical_or.accumulate(means * left - seen < -1e-9)  # the values so far exceed what the mean allows
    return np.where(impossible, np.inf, wealth)


def _variances(seen: _Floats) -> _Floats:
    """Return, for each value, the variance of the values before it and of one fair coin flip."""
    count = np.arange(1, seen.size + 1)
    before = np.concatenate(([0.0], seen[:-1]))
    mean = (0.5 + np.cumsum(before)) / count
    squares = 0.5 + np.cumsum(before**2)
    return np.maximum(squares / count - mean**2, 1 / (4 * count))
