"""Does imagining go worse with some pictures than with others? The drop for each group of pictures (C-VQA 4.3).

What belongs to a group is the picture, and several cases may share one: pictures, not cases, are drawn anew and dealt
out again. Where the cases of pictures add up to the same few results, as right and wrong answers do, dealing them out
is counted through instead of drawn.
"""

from collections.abc import Sequence
from itertools import combinations
from typing import Any

import msgspec
import numpy as np
from numpy.typing import NDArray

from countersight.scoring.outcome import Outcomes
from countersight.scoring.pairs import RESAMPLES
from countersight.scoring.scores import CONFIDENCE

EXACT = 200_000
"""Ways to deal out the pictures that are counted through; of more, a sample is drawn."""
_AT_ONCE = 4_000_000  # numbers drawn in one go: 32 MB

_Floats = NDArray[np.float64]
_Whole = NDArray[np.int64]


class Mean(msgspec.Struct, frozen=True):
    """A mean over cases with its bootstrap interval over pictures."""

    value: float
    low: float
    high: float


class GroupOfPictures(msgspec.Struct, frozen=True):
    """How a run did on the pictures of one group, over the cases scored in both worlds."""

    name: str
    pictures: int
    n: int
    """Cases."""
    factual: Mean
    counterfactual: Mean
    diff: Mean
    """Factual minus counterfactual."""


class Gap(msgspec.Struct, frozen=True):
    """The diff of one group minus that of another; p is that of dealing the pictures out to the two by chance."""

    first: str
    second: str
    value: float
    low: float
    high: float
    p: float
    exact: bool
    """Whether every way to deal them out was counted, or a sample was drawn."""
    pictures: int
    n: int


class Bias(msgspec.Struct, frozen=True):
    """How the drop of a run differs between groups of pictures."""

    groups: tuple[GroupOfPictures, ...]
    """Those with a case scored in both worlds."""
    gaps: tuple[Gap, ...]
    """Of every two groups."""


class _Sums(msgspec.Struct, frozen=True, eq=False):
    """Results of the pictures of a group, summed over the cases of each."""

    factual: _Floats
    counterfactual: _Floats
    cases: _Floats

    @property
    def diff(self) -> _Floats:
        return self.factual - self.counterfactual


def bias(
    outcomes: Outcomes, names: Sequence[str], group_of: NDArray[np.intp], picture_of: NDArray[np.intp], *, seed: int = 0
) -> Bias:
    """The drop for each group and the gap between every two.

    For each case `group_of` has the place of its picture's group in `names`, or -1 where it belongs to none, and
    `picture_of` a number that the cases of one picture share.
    """
    scored = outcomes.scored("factual") & outcomes.scored("counterfactual") & (group_of >= 0)
    sums = {}
    for place, name in enumerate(names):
        mask = scored & (group_of == place)
        if mask.any():
            _, picture = np.unique(picture_of[mask], return_inverse=True)
            sums[name] = _Sums(
                _summed(picture, outcomes.credit("factual")[mask]),
                _summed(picture, outcomes.credit("counterfactual")[mask]),
                _summed(picture, np.ones(picture.size)),
            )
    draws = {name: resampled(sums[name].diff, sums[name].cases, [seed, place]) for place, name in enumerate(sums)}
    return Bias(
        tuple(_group(name, sums[name], draws[name], seed) for name in sums),
        tuple(
            _gap(first, second, sums[first], sums[second], draws[first] - draws[second], seed)
            for first, second in combinations(sums, 2)
        ),
    )


def _summed(picture: NDArray[np.intp], credits: NDArray[Any]) -> _Floats:
    return np.asarray(np.bincount(picture, weights=credits), dtype=np.float64)


def _group(name: str, sums: _Sums, diffs: _Floats, seed: int) -> GroupOfPictures:
    n = float(sums.cases.sum())
    return GroupOfPictures(
        name=name,
        pictures=sums.cases.size,
        n=int(n),
        factual=_mean(float(sums.factual.sum()) / n, resampled(sums.factual, sums.cases, [seed])),
        counterfactual=_mean(float(sums.counterfactual.sum()) / n, resampled(sums.counterfactual, sums.cases, [seed])),
        diff=_mean(float(sums.diff.sum()) / n, diffs),
    )


def _gap(first: str, second: str, one: _Sums, other: _Sums, draws: _Floats, seed: int) -> Gap:
    value = float(one.diff.sum() / one.cases.sum() - other.diff.sum() / other.cases.sum())
    interval = _mean(value, draws)
    p, exact = permutation_p(one.diff, one.cases, other.diff, other.cases, seed=seed)
    pictures = one.cases.size + other.cases.size
    return Gap(
        first, second, value, interval.low, interval.high, p, exact, pictures, int(one.cases.sum() + other.cases.sum())
    )


def _mean(value: float, draws: _Floats) -> Mean:
    low, high = np.quantile(draws, [0.5 - CONFIDENCE / 2, 0.5 + CONFIDENCE / 2])
    return Mean(value, float(low), float(high))


def _kinds(sums: _Floats, cases: _Floats) -> tuple[_Floats, _Floats, _Whole]:
    """The different results that pictures have, as sum and cases, and how many pictures have each."""
    # Credits are kept as 32-bit numbers: what differs by less is the same.
    results: _Floats = np.stack([sums, cases], axis=1).round(6)
    kinds, counts = np.unique(results, axis=0, return_counts=True)
    return kinds[:, 0], kinds[:, 1], counts.astype(np.int64)


def resampled(sums: _Floats, cases: _Floats, seed: list[int]) -> _Floats:
    """Means over the cases of pictures that are drawn anew with replacement.

    A picture counts only by its result, so a draw of all of them is one multinomial draw over the different results.
    """
    values, weights, counts = _kinds(sums, cases)
    generator = np.random.default_rng(seed)
    step = max(1, _AT_ONCE // counts.size)
    means = []
    for done in range(0, RESAMPLES, step):
        drawn = generator.multinomial(counts.sum(), counts / counts.sum(), size=min(step, RESAMPLES - done))
        means.append(drawn @ values / (drawn @ weights))
    return np.concatenate(means)


def permutation_p(
    first: _Floats, first_cases: _Floats, second: _Floats, second_cases: _Floats, *, seed: int
) -> tuple[float, bool]:
    """The two-sided p of dealing the pictures of two groups out by chance, and whether it is exact.

    How often the two means are at least as far apart as they are, when as many pictures as the first group has are
    taken from all of them together.
    """
    values, weights, counts = _kinds(np.concatenate([first, second]), np.concatenate([first_cases, second_cases]))
    found = abs(float(first.sum() / first_cases.sum() - second.sum() / second_cases.sum()))
    size = first.size

    def as_far(taken: _Whole) -> NDArray[np.bool_]:
        left = counts - taken
        apart = taken @ values / (taken @ weights) - left @ values / (left @ weights)
        # Rounding must not decide whether a way of dealing is as extreme as what was found.
        return np.abs(apart) >= found - 1e-9

    ways = _ways(counts, size)
    if ways is not None:
        chances = _chances(counts, ways)
        return min(1.0, float(chances[as_far(ways)].sum())), True
    generator = np.random.default_rng(seed)
    step = max(1, _AT_ONCE // counts.size)
    extreme = 0
    for done in range(0, RESAMPLES, step):
        drawn = generator.multivariate_hypergeometric(
            counts, size, size=min(step, RESAMPLES - done), method="marginals"
        )
        extreme += int(as_far(drawn).sum())
    # What was found is itself one of the ways: p is never 0.
    return (1 + extreme) / (1 + RESAMPLES), False


def _ways(counts: _Whole, size: int) -> _Whole | None:
    """Every way to take `size` pictures, as how many of each kind; None where there are too many to count through."""
    ways = np.zeros((1, 0), dtype=np.int64)
    rest = int(counts.sum())
    for count in counts.tolist():
        rest -= count
        # So many of this kind that the kinds to come can still make up the size, and not more than it.
        missing = size - ways.sum(axis=1)
        least, most = np.maximum(0, missing - rest), np.minimum(count, missing)
        if int((most - least + 1).sum()) > EXACT:
            return None
        number = most - least + 1
        starts = np.cumsum(number) - number
        taken = np.arange(int(number.sum())) - np.repeat(starts - least, number)
        ways = np.column_stack([np.repeat(ways, number, axis=0), taken])
    return ways


def _chances(counts: _Whole, ways: _Whole) -> _Floats:
    """How likely each of the ways is: that of the multivariate hypergeometric distribution."""
    total = int(counts.sum())
    logs = np.concatenate(([0.0], np.cumsum(np.log(np.arange(1, total + 1)))))  # of the factorials
    choices = logs[counts] - logs[ways] - logs[counts - ways]
    everything = logs[total] - logs[ways[0].sum()] - logs[total - ways[0].sum()]
    chances: _Floats = np.exp(choices.sum(axis=1) - everything)
    return chances
