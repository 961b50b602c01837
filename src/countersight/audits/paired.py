"""Two audits over the cases that both scored: how far they are apart, and whether chance would do as much."""

import msgspec

from countersight.audits.scores import Measure, Scores
from countersight.scoring import paired


class Difference(msgspec.Struct, frozen=True):
    """First minus second, case by case: 95% score interval and p of McNemar's test, for independent pictures."""

    value: float
    low: float
    high: float
    p: float
    cases: int
    pictures: int


def difference(first: Scores, second: Scores, measure: Measure) -> Difference | None:
    """How much higher the first audit scores; None where no case counts in both.

    What is said of one picture hangs together, which the interval knows; zero lies in it where p is not below 0.05.
    """
    other = by_case(second, measure)
    apart = [
        (picture, value - other[case][1]) for case, (picture, value) in by_case(first, measure).items() if case in other
    ]
    if not apart:
        return None
    pictures, values = zip(*apart, strict=True)
    found = paired(values, pictures)
    return Difference(found.value, found.low, found.high, found.p, len(values), len(set(pictures)))


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
