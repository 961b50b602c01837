"""Means over cases whose interval knows that what is said of one picture hangs together."""

from collections.abc import Iterable

import msgspec
import numpy as np

from countersight.scoring import resampled, wilson

CONFIDENCE = 0.95


class Mean(msgspec.Struct, frozen=True):
    """A mean over cases, each the mean of its concepts, with its 95% interval over pictures; None of nothing."""

    value: float | None
    low: float
    high: float
    concepts: int
    cases: int
    pictures: int


def clustered_mean(scores: Iterable[tuple[str, str, float]], seed: int) -> Mean:
    """The mean over cases of the mean of their scores, each given as picture, case and score.

    Its interval is the percentile bootstrap over pictures: what is said of one picture hangs together. Where every
    picture has the same result the bootstrap knows no doubt; Wilson's interval over pictures takes its place.
    """
    cases: dict[tuple[str, str], list[float]] = {}
    for picture, case, value in scores:
        cases.setdefault((picture, case), []).append(value)
    pictures: dict[str, list[float]] = {}
    for (picture, _), values in cases.items():
        pictures.setdefault(picture, []).append(sum(values) / len(values))
    if not pictures:
        return Mean(None, 0.0, 1.0, 0, 0, 0)
    totals = np.array([sum(values) for values in pictures.values()])
    sizes = np.array([float(len(values)) for values in pictures.values()])
    value = float(totals.sum() / sizes.sum())
    if np.ptp(totals / sizes) < 1e-9:
        interval = wilson(round(value * len(totals)), len(totals), CONFIDENCE)
        low, high = interval.low, interval.high
    else:
        draws = resampled(totals, sizes, [seed])
        low, high = (float(end) for end in np.quantile(draws, [0.5 - CONFIDENCE / 2, 0.5 + CONFIDENCE / 2]))
    concepts = sum(len(values) for values in cases.values())
    return Mean(value, min(low, value), max(high, value), concepts, len(cases), len(pictures))
