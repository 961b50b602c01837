"""Means over cases, with intervals that allow for cases about the same picture."""

from collections.abc import Iterable

import msgspec

from countersight.scoring import mean_interval


class Mean(msgspec.Struct, frozen=True):
    """A mean over cases, each the mean of its concepts, with its 95 % interval over pictures; None for no cases."""

    value: float | None
    low: float
    high: float
    concepts: int
    cases: int
    pictures: int


def mean_by_cluster(scores: Iterable[tuple[str, str, float]]) -> Mean:
    """Return the mean over cases of their mean scores, given as picture, case and score; pictures are clusters."""
    cases: dict[tuple[str, str], list[float]] = {}
    for picture, case, value in scores:
        cases.setdefault((picture, case), []).append(value)
    if not cases:
        return Mean(None, 0.0, 1.0, 0, 0, 0)
    means = [sum(values) / len(values) for values in cases.values()]
    pictures = [picture for picture, _ in cases]
    value = sum(means) / len(means)
    interval = mean_interval([round(mean, 9) for mean in means], pictures)
    concepts = sum(len(values) for values in cases.values())
    return Mean(value, min(interval.low, value), max(interval.high, value), concepts, len(cases), len(set(pictures)))
