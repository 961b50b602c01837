"""Differences of two audits, over the cases that both scored."""

import msgspec

from countersight.audits.score_records import AuditScores, Measure
from countersight.scoring import paired


class ScoreDifference(msgspec.Struct, frozen=True):
    """The first score minus the second over the same cases, with its 95% score interval and p of McNemar's test."""

    value: float
    low: float
    high: float
    p: float
    cases: int
    pictures: int


def difference(first: AuditScores, second: AuditScores, measure: Measure) -> ScoreDifference | None:
    """Return how much higher the first audit scores; None if no case counts in both.

    The interval takes into account that cases share pictures; it contains zero if p is not below 0.05.
    """
    other = by_case(second, measure)
    apart = [
        (picture, value - other[case][1]) for case, (picture, value) in by_case(first, measure).items() if case in other
    ]
    if not apart:
        return None
    pictures, values = zip(*apart, strict=True)
    found = paired(values, pictures)
    return ScoreDifference(found.value, found.low, found.high, found.p, len(values), len(set(pictures)))


def by_case(scores: AuditScores, measure: Measure) -> dict[str, tuple[str, float]]:
    """Return the picture and the score of every case that counts; the score is the mean over its concepts."""
    values: dict[str, list[float]] = {}
    pictures: dict[str, str] = {}
    for concept in scores.concepts:
        value = getattr(concept, measure)
        if not concept.excluded and value is not None:
            values.setdefault(concept.case, []).append(value)
            pictures[concept.case] = concept.picture
    return {case: (pictures[case], sum(given) / len(given)) for case, given in values.items()}
