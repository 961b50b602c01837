"""Validate a judge against people: test whether the judge can replace them, and correct its scores with their labels.

The alt-test (Calderon et al., arXiv 2501.10970) leaves out one person at a time and tests whether the judge agrees with
the others about as often as that person; the margin accounts for the judge's lower cost. Prediction-powered inference
(tuned, Angelopoulos et al.) corrects the judge's mean over all items by its error on the labelled items.
"""

from collections.abc import Mapping, Sequence
from math import sqrt
from statistics import NormalDist, covariance, fmean, variance
from typing import Final

import msgspec

from countersight.figures import Interval
from countersight.scoring.intervals import share_interval, student_below

MARGIN: Final = 0.2
"""The alt-test's ε for experts; the paper uses 0.2 for them and less for crowd workers (0.1 to 0.15)."""
MIN_ITEMS: Final = 30
"""The minimum number of items that a person must have labelled, as in the paper."""

Labels = Mapping[str, Mapping[str, int]]
"""The labels of each person by item."""


class Contest(msgspec.Struct, frozen=True):
    """The comparison of the judge with one person, who is left out."""

    person: str
    items: int
    p: float
    """The p-value of the hypothesis that the judge is worse than the person by at least the margin."""
    won: bool


class AltTest(msgspec.Struct, frozen=True):
    """The result of the alt-test: whether a judge may replace human judges."""

    contests: tuple[Contest, ...]
    winning_rate: float | None
    """The share of people whom the judge matches; the test is passed if it is at least one half."""
    why: str = ""
    """The reason if there is no result."""

    @property
    def passed(self) -> bool | None:
        """Whether the test is passed; None without a result."""
        return None if self.winning_rate is None else self.winning_rate >= 0.5


class CorrectedMean(msgspec.Struct, frozen=True):
    """A corrected mean with its interval."""

    value: float
    interval: Interval
    weight: float
    """The weight of the judge's scores; 0 uses only people's labels."""
    labelled: int


def alt_test(people: Labels, judge: Mapping[str, int], margin: float = MARGIN, level: float = 0.05) -> AltTest:
    """Run the alt-test: leave out each person in turn, and compare them with the judge on at least 30 common items."""
    tried = [found for name in people if (found := _contest(name, people, judge, margin)) is not None]
    if len(people) < 3 or not tried:
        why = f"at least three people must share {MIN_ITEMS} or more labelled items with others"
        return AltTest((), None, why)
    won = _by_benjamini_yekutieli([contest.p for contest in tried], level)
    contests = tuple(msgspec.structs.replace(contest, won=beaten) for contest, beaten in zip(tried, won, strict=True))
    return AltTest(contests, fmean(won))


def _contest(name: str, people: Labels, judge: Mapping[str, int], margin: float) -> Contest | None:
    gaps = []
    for item, label in people[name].items():
        others = [given[item] for other, given in people.items() if other != name and item in given]
        if not others or item not in judge:
            continue
        by_judge, by_person = (fmean(other == each for other in others) for each in (judge[item], label))
        gaps.append((by_person >= by_judge) - (by_judge >= by_person))
    if len(gaps) < MIN_ITEMS:
        return None
    return Contest(name, len(gaps), _below(gaps, margin), won=False)


def _below(gaps: Sequence[int], margin: float) -> float:
    """Return the p-value for a mean gap of at least the margin, by the one-sided t-test of the paper."""
    mean = fmean(gaps)
    spread = variance(gaps)
    if spread == 0:
        return 0.0 if mean < margin else 1.0
    return student_below((mean - margin) / sqrt(spread / len(gaps)), len(gaps) - 1)


def _by_benjamini_yekutieli(ps: Sequence[float], level: float) -> list[bool]:
    """Return for each hypothesis whether it is rejected; the false discovery rate holds under any dependence."""
    n = len(ps)
    harmonic = sum(1 / rank for rank in range(1, n + 1))
    order = sorted(range(n), key=lambda place: ps[place])
    last = max((rank for rank, place in enumerate(order, 1) if ps[place] <= rank * level / (n * harmonic)), default=0)
    fallen = set(order[:last])
    return [place in fallen for place in range(n)]


def corrected_mean(
    labels: Sequence[float], judged: Sequence[float], unlabelled: Sequence[float], confidence: float = 0.95
) -> CorrectedMean | None:
    """Return the mean of a judge's scores over all items, corrected by people's labels of some items.

    `judged` has the judge's scores of the labelled items, in the same order; `unlabelled` has the scores of the others.
    The weight of the judge minimises the variance (PPI++). Returns None with fewer than two labels or two unlabelled
    items.
    """
    n, many = len(labels), len(unlabelled)
    if n < 2 or many < 2 or len(judged) != n:
        return None
    spread = variance([*judged, *unlabelled])
    weight = min(1.0, max(0.0, covariance(labels, judged) / ((1 + n / many) * spread))) if spread else 0.0
    errors = [label - weight * score for label, score in zip(labels, judged, strict=True)]
    value = weight * fmean(unlabelled) + fmean(errors)
    uncertainty = weight**2 * variance(unlabelled) / many + variance(errors) / n
    half = NormalDist().inv_cdf(0.5 + confidence / 2) * sqrt(uncertainty)
    interval = Interval(value - half, value + half)
    if set(labels) <= {0, 1}:
        value, interval = _held(value), _as_share(interval, labels, uncertainty, confidence)
    return CorrectedMean(value, interval, weight, n)


def _as_share(interval: Interval, labels: Sequence[float], uncertainty: float, confidence: float) -> Interval:
    """Return the interval of a share, limited to 0 to 1, and not narrower than the number of equal labels allows."""
    low, high = interval.low, interval.high
    if uncertainty < 1e-12:
        of_labels = share_interval(sum(labels), len(labels), confidence)
        low, high = min(low, of_labels.low), max(high, of_labels.high)
    return Interval(_held(low), _held(high))


def _held(value: float) -> float:
    return min(1.0, max(0.0, value))
