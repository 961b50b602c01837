"""May a judge stand in for people, and what do its scores say once corrected by theirs?

The alt-test (Calderon et al., arXiv 2501.10970) asks whether a judge agrees with the other people at least as often as
one of them does, less a margin for being cheaper. Prediction-powered inference (Angelopoulos et al.; the tuned form)
takes the judge's mean over everything and corrects it by how far it was off where people labelled.
"""

from collections.abc import Mapping, Sequence
from math import sqrt
from statistics import NormalDist, fmean
from typing import Final

import msgspec

from countersight.scoring.intervals import Interval, share_interval, student_below

MARGIN: Final = 0.2
"""The alt-test's ε where the people are experts; the paper takes 0.2 for them and less for the crowd (0.1 to 0.15)."""
FEWEST_ITEMS: Final = 30
"""Items a person must have labelled to be tested against: the paper's own least for its test."""

Labels = Mapping[str, Mapping[str, int]]
"""For each person, the label of each item."""


class Contest(msgspec.Struct, frozen=True):
    """The judge against one person, who is left out in turn."""

    person: str
    items: int
    judge: float
    """How often the judge agrees with the others at least as well as the person does."""
    human: float
    p: float
    """Of the judge being worse than the person by the margin or more."""
    won: bool


class AltTest(msgspec.Struct, frozen=True):
    """Whether a judge may replace human judges."""

    contests: tuple[Contest, ...]
    winning_rate: float | None
    """Share of the people the judge holds its own against; it passes at one half."""
    advantage: float | None
    """Mean of `judge` over the contests."""
    why: str = ""
    """Why there is no verdict, where there is none."""

    @property
    def passed(self) -> bool | None:
        """The verdict."""
        return None if self.winning_rate is None else self.winning_rate >= 0.5


class CorrectedMean(msgspec.Struct, frozen=True):
    """A mean with its interval, and what the judge alone, and people alone, would have said."""

    value: float
    interval: Interval
    judge_alone: float
    people_alone: float
    weight: float
    """How much the judge was trusted: 0 uses people's labels only."""
    labelled: int


def alt_test(people: Labels, judge: Mapping[str, int], margin: float = MARGIN, level: float = 0.05) -> AltTest:
    """Leave each person out in turn and set the judge against them; who is tested against needs 30 common items."""
    tried = [found for name in people if (found := _contest(name, people, judge, margin)) is not None]
    if len(people) < 3 or not tried:
        why = f"at least three people must share {FEWEST_ITEMS} or more labelled items with others"
        return AltTest((), None, None, why)
    won = _by_benjamini_yekutieli([contest.p for contest in tried], level)
    contests = tuple(msgspec.structs.replace(contest, won=beaten) for contest, beaten in zip(tried, won, strict=True))
    return AltTest(contests, fmean(won), fmean(contest.judge for contest in contests))


def _contest(name: str, people: Labels, judge: Mapping[str, int], margin: float) -> Contest | None:
    gaps, judge_wins, human_wins = [], [], []
    for item, label in people[name].items():
        others = [given[item] for other, given in people.items() if other != name and item in given]
        if not others or item not in judge:
            continue
        by_judge, by_person = (fmean(other == each for other in others) for each in (judge[item], label))
        judge_wins.append(by_judge >= by_person)
        human_wins.append(by_person >= by_judge)
        gaps.append(human_wins[-1] - judge_wins[-1])
    if len(gaps) < FEWEST_ITEMS:
        return None
    return Contest(name, len(gaps), fmean(judge_wins), fmean(human_wins), _below(gaps, margin), won=False)


def _below(gaps: Sequence[int], margin: float) -> float:
    """The p-value of the mean gap being at least the margin: a one-sided t-test, as in the paper."""
    mean = fmean(gaps)
    variance = sum((gap - mean) ** 2 for gap in gaps) / (len(gaps) - 1)
    if variance == 0:
        return 0.0 if mean < margin else 1.0
    return student_below((mean - margin) / sqrt(variance / len(gaps)), len(gaps) - 1)


def _by_benjamini_yekutieli(ps: Sequence[float], level: float) -> list[bool]:
    """Which hypotheses fall, with the false discovery rate held under any dependence."""
    n = len(ps)
    harmonic = sum(1 / rank for rank in range(1, n + 1))
    order = sorted(range(n), key=lambda place: ps[place])
    last = max((rank for rank, place in enumerate(order, 1) if ps[place] <= rank * level / (n * harmonic)), default=0)
    fallen = set(order[:last])
    return [place in fallen for place in range(n)]


def corrected_mean(
    labels: Sequence[float], judged: Sequence[float], unlabelled: Sequence[float], confidence: float = 0.95
) -> CorrectedMean | None:
    """The mean over all items from a judge's scores, corrected by people's labels of some of them.

    `judged` are the judge's scores of the labelled items, in their order; `unlabelled` those of the others. The weight
    of the judge is the one with the smallest variance (PPI++). None with fewer than two labels, or two others.
    """
    n, many = len(labels), len(unlabelled)
    if n < 2 or many < 2 or len(judged) != n:
        return None
    spread = _covariance([*judged, *unlabelled], [*judged, *unlabelled])
    weight = min(1.0, max(0.0, _covariance(labels, judged) / ((1 + n / many) * spread))) if spread else 0.0
    errors = [label - weight * score for label, score in zip(labels, judged, strict=True)]
    value = weight * fmean(unlabelled) + fmean(errors)
    variance = weight**2 * _covariance(unlabelled, unlabelled) / many + _covariance(errors, errors) / n
    half = NormalDist().inv_cdf(0.5 + confidence / 2) * sqrt(variance)
    interval = Interval(value - half, value + half)
    if set(labels) <= {0, 1}:
        value, interval = _held(value), _as_share(interval, labels, variance, confidence)
    return CorrectedMean(value, interval, fmean([*judged, *unlabelled]), fmean(labels), weight, n)


def _as_share(interval: Interval, labels: Sequence[float], variance: float, confidence: float) -> Interval:
    """The interval of a share: within 0 and 1, and with the width that so many equal labels leave."""
    low, high = interval.low, interval.high
    if variance < 1e-12:
        of_labels = share_interval(sum(labels), len(labels), confidence)
        low, high = min(low, of_labels.low), max(high, of_labels.high)
    return Interval(_held(low), _held(high))


def _held(value: float) -> float:
    return min(1.0, max(0.0, value))


def _covariance(one: Sequence[float], other: Sequence[float]) -> float:
    means = fmean(one), fmean(other)
    return sum((a - means[0]) * (b - means[1]) for a, b in zip(one, other, strict=True)) / (len(one) - 1)
