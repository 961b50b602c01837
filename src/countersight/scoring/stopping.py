"""Early stopping: run pictures in random order until an interval that is valid at any time is narrow enough.

The pictures, each with its cases, are drawn without replacement from a benchmark of known size. For an assumed mean, a
gambler bets on every next picture; if the mean is as assumed, the gambler's wealth is a martingale and exceeds 1/alpha
with a probability of at most alpha, at any time (Ville). The interval contains the means at which no gambler reached
that wealth (Waudby-Smith and Ramdas, 2020 and 2024). The results of drawn pictures are known, so the interval shrinks
to a point when all are drawn. The size of the bets affects only the width of the interval, not its validity.
`benchmarks/stopping.py` measures both.
"""

from collections.abc import Iterable
from typing import Final, Literal

import msgspec
import numpy as np
from numpy.typing import ArrayLike, NDArray

from countersight.case import TWO_WORLDS, WORLDS, Case, QuestionVariant
from countersight.dataset import Dataset
from countersight.engine import RunFolder, Sample
from countersight.errors import CountersightError
from countersight.figures import Figure, Interval
from countersight.number_formats import in_dollars
from countersight.scoring.estimates import ANYTIME
from countersight.scoring.intervals import CONFIDENCE
from countersight.scoring.outcome import Outcomes
from countersight.scoring.paired_accuracy import correctness
from countersight.scoring.scores import GroupScores, Scores

UNTIL: Final = "until"
"""The key under which a run records its stopping rule."""

StoppingMetric = Literal["drop", "factual", "counterfactual", "both_right"]
_VARIANTS_OF_METRIC: Final[dict[str, tuple[QuestionVariant, ...]]] = {
    "drop": ("factual", "counterfactual"),
    "both_right": ("factual", "counterfactual"),
    "factual": ("factual",),
    "counterfactual": ("counterfactual",),
    "shown": ("shown",),
    "imagination_gap": ("shown", "counterfactual"),
}
_DIFFERENCES: Final = ("drop", "imagination_gap")


class Until(msgspec.Struct, frozen=True):
    """A stopping rule: stop at an interval of ± `width` points or, if it is None, when the interval excludes 0."""

    width: float | None = None
    metric: StoppingMetric = "drop"
    seed: int = 0

    def __post_init__(self) -> None:
        if self.width is not None and not 0 < self.width < 100:
            raise CountersightError(
                "half the width of the interval must be between 0 and 100 points, such as --until 3"
            )
        if self.width is None and self.metric != "drop":
            raise CountersightError("`decided` works only for the drop; specify a width, such as 3")

    @property
    def aim(self) -> float | None:
        return None if self.width is None else self.width / 100

    def is_as_strict_as(self, other: "Until") -> bool:
        """Return whether a run that meets this rule also meets the other rule."""
        if (self.metric, self.seed) != (other.metric, other.seed):
            return False
        if self.width is None or other.width is None:
            return self.width == other.width
        return self.width <= other.width

    def is_met_by(self, interval: Interval) -> bool:
        if self.aim is None:
            return interval.low > 0 or interval.high < 0
        return interval.high - interval.low <= 2 * self.aim


class StoppingStatus(msgspec.Struct, frozen=True):
    """The state of a run with a stopping rule."""

    rule: Until
    met: bool
    low: float
    high: float
    pictures: int
    of_pictures: int
    cases: int
    of_cases: int

    @property
    def share(self) -> float:
        """The share of cases that were run."""
        return self.cases / self.of_cases if self.of_cases else 1.0

    def describe(self, cost: float = 0.0) -> str:
        """Return a sentence about the result and the savings; `cost` is the cost of the run in dollars."""
        if self.cases in (0, self.of_cases):
            return f"{self}."
        saved = f"{self}: {self.of_cases - self.cases:,} cases ({1 - self.share:.0%}) were not run"
        return f"{saved}, which saved about {in_dollars(cost / self.share - cost)}." if cost else f"{saved}."

    def __str__(self) -> str:
        what = self.rule.metric.replace("_", " ")
        if self.rule.width is None:
            state = "is decided" if self.met else "is not decided"
        else:
            state = f"is {'' if self.met else 'not '}known to ± {self.rule.width:g} points"
        ends = f"{100 * self.low:.1f} to {100 * self.high:.1f}"
        return f"The {what} {state} ({ends}) after {self.cases:,} of {self.of_cases:,} cases"


def stopping_status(run: RunFolder) -> StoppingStatus | None:
    """Return the status of a run's stopping rule; None without a rule, or if all cases were run later."""
    found = run.manifest.observed.get(UNTIL) if run.manifest.observed.get("sample") else None
    return msgspec.convert(found, StoppingStatus) if found else None


class PictureOrder:
    """The pictures of a dataset in the order in which a run with a stopping rule uses them.

    Raises an error if no case has the questions of `metric`.
    """

    def __init__(self, dataset: Dataset, seed: int, metric: str = "") -> None:
        self._order = Sample(0, seed, "picture").order(dataset)
        self._cases = {row: case for row, case in dataset.cases() if not case.control_of}
        if metric and not any(_has(case, _VARIANTS_OF_METRIC[metric], None) for case in self._cases.values()):
            raise CountersightError(
                f"no case of {dataset.path} has the questions for the metric {metric}: choose another `until_metric`"
            )

    def __len__(self) -> int:
        return len(self._order)

    def interval(
        self,
        outcomes: Outcomes,
        pictures: int,
        metric: str,
        *,
        aim: float | None = None,
        group: str | None = None,
    ) -> tuple[Interval, float, int, int]:
        """Return the interval of a metric after `pictures` pictures, the p of zero, and the numbers of cases run and in
        total.

        For missing and failed answers, each end of the interval assumes the worst case.
        """
        variants = _VARIANTS_OF_METRIC[metric]
        kept = [[row for row in unit if _has(self._cases[row], variants, group)] for unit in self._order]
        units = [unit for unit in kept[:pictures] if unit]
        all_units, all_cases = sum(map(bool, kept)), sum(map(len, kept))
        worst, best = _values(outcomes, metric)
        low, high = -1.0 if metric in _DIFFERENCES else 0.0, 1.0
        if not units:
            return Interval(low, high), 1.0, 0, all_cases
        largest = max(map(len, filter(None, kept)))
        least, most = low * largest, high * largest
        each = all_units / all_cases
        ends, ps = [], []
        for values in (worst, best):
            sums = [sum(values[row] for row in unit) for unit in units]
            bets = None if aim is None else aim / each
            found = anytime_interval(sums, all_units, low=least, high=most, aim=bets)
            ends.append(Interval(each * found.low, each * found.high))
            ps.append(anytime_p(sums, all_units, 0.0, low=least, high=most, aim=bets) if least < 0 else 1.0)
        low, high = ends[0].low, ends[1].high
        p = max(ps) if (low > 0 or high < 0) or max(ps) >= 0.05 else 1.0
        return Interval(low, high), p, sum(map(len, units)), all_cases


def _has(case: Case, variants: Iterable[QuestionVariant], group: str | None) -> bool:
    return group in (None, case.group) and all(case.question(*WORLDS[variant]) for variant in variants)


def _values(outcomes: Outcomes, metric: str) -> tuple[dict[int, float], dict[int, float]]:
    """Return the lowest and highest possible value of each case; they are equal if its questions are answered.

    A single unknown answer has a value from 0 to 1.
    """
    variants = _VARIANTS_OF_METRIC[metric]
    least, most = (
        [
            np.where(outcomes.scored(variant), correctness(outcomes, variant).astype(np.float64), end)
            for variant in variants
        ]
        for end in (0.0, 1.0)
    )
    if metric in _DIFFERENCES:
        ends = (least[0] - most[1], most[0] - least[1])
    else:
        ends = (np.prod(least, axis=0), np.prod(most, axis=0))
    worst, best = (dict(zip(outcomes.rows.tolist(), end.tolist(), strict=True)) for end in ends)
    return worst, best


def with_anytime_intervals(scores: Scores, outcomes: Outcomes, dataset: Dataset, at: StoppingStatus) -> Scores:
    """Replace the intervals of a run with a stopping rule; ordinary ones would be too narrow, because the data
    determined when the run stopped."""
    order = PictureOrder(dataset, at.rule.seed)

    def replaced(figure: Figure, metric: str, group: str | None) -> Figure:
        aim = at.rule.aim if metric == at.rule.metric and group is None else None
        found, p, _, _ = order.interval(outcomes, at.pictures, metric, aim=aim, group=group)
        if figure.p is None:
            return msgspec.structs.replace(figure, low=max(0.0, found.low), high=min(1.0, found.high), method=ANYTIME)
        return msgspec.structs.replace(figure, low=found.low, high=found.high, p=p, method=ANYTIME)

    def row_of(row: GroupScores, group: str | None) -> GroupScores:
        known = {metric: figure for metric in _VARIANTS_OF_METRIC if (figure := getattr(row, metric)) is not None}
        found = {metric: replaced(figure, metric, group) for metric, figure in known.items()}
        # An accuracy over some of the answers gets the interval over all of them, extended to its value if needed.
        pair = [
            msgspec.structs.replace(
                rate, low=min(rate.value or 0.0, found[world].low), high=max(rate.value or 0.0, found[world].high)
            )
            for world, rate in zip(TWO_WORLDS, row.in_both or (), strict=False)
        ]
        return msgspec.structs.replace(row, **found, in_both=tuple(pair) or None)

    *groups, total = scores.rows
    return msgspec.structs.replace(scores, rows=(*(row_of(row, row.group) for row in groups), row_of(total, None)))


LARGEST_BET: Final = 0.9
"""The maximum share of the wealth that is bet on one unit."""
BETS: Final = (0.1, 0.2, 0.4, 0.6, 0.95)
"""The shares of the wealth that are bet in parallel if no width is requested; the last has two of the six stakes."""
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
    """Return the interval of the mean of all units, from the values seen so far in random order.

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
    """Scale the values to the range 0 to 1."""
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
