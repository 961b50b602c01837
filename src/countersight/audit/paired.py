"""Two audits over the cases that both scored: how far they are apart, and whether chance would do as much."""

import msgspec
import numpy as np

from countersight.audit.clusters import CONFIDENCE
from countersight.audit.scores import Measure, Scores
from countersight.scoring import resampled, sign_flips


class Difference(msgspec.Struct, frozen=True):
    """First minus second, case by case: 95% bootstrap interval and p of a permutation test, both over pictures."""

    value: float
    low: float
    high: float
    p: float
    cases: int
    pictures: int


def difference(first: Scores, second: Scores, measure: Measure, *, seed: int = 0) -> Difference | None:
    """How much higher the first audit scores; None where no case counts in both.

    What is said of one picture hangs together, so whole pictures are drawn anew and have their signs flipped. The
    interval has no width where every picture says the same.
    """
    other = by_case(second, measure)
    apart: dict[str, list[float]] = {}
    for case, (picture, value) in by_case(first, measure).items():
        if case in other:
            apart.setdefault(picture, []).append(value - other[case][1])
    if not apart:
        return None
    totals = np.array([sum(values) for values in apart.values()])
    sizes = np.array([float(len(values)) for values in apart.values()])
    value = float(totals.sum() / sizes.sum())
    low, high = np.quantile(resampled(totals, sizes, [seed]), [0.5 - CONFIDENCE / 2, 0.5 + CONFIDENCE / 2])
    p = sign_flips(totals, np.zeros_like(totals), seed=seed)
    return Difference(value, min(float(low), value), max(float(high), value), p, int(sizes.sum()), len(apart))


def by_case(scores: Scores, measure: Measure) -> dict[str, tuple[str, float]]:
    """The picture and the score of every case that counts: the mean of its concepts."""
    values: dict[str, list[float]] = {}
    pictures: dict[str, str] = {}
    for concept in scores.concepts:
        value = getattr(concept, measure)
        if not concept.excluded and value is not None:
            values.setdefault(concept.case, []).append(value)
            pictures[concept.case] = concept.picture
    return {case: (pictures[case], sum(given) / len(given)) for case, given in values.items()}
