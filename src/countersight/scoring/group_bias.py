"""Does imagining go worse with some pictures than with others? The drop for each group of pictures (C-VQA 4.3).

What belongs to a group is the picture, and several cases may share one: intervals know of it, and the test deals
pictures out again, not cases.
"""

from collections.abc import Sequence
from itertools import combinations

import msgspec
import numpy as np
from numpy.typing import NDArray

from countersight.case import World
from countersight.scoring.figures import Difference, Rate, difference, rate
from countersight.scoring.outcome import Outcomes
from countersight.scoring.resampling import permutation_p
from countersight.scoring.uncertainty import CONFIDENCE, Interval, difference_of, p_of, score_interval

_Floats = NDArray[np.float64]


class GroupOfPictures(msgspec.Struct, frozen=True):
    """How a run did on the pictures of one group, over the cases scored in both worlds."""

    name: str
    pictures: int
    n: int
    """Cases."""
    factual: Rate
    counterfactual: Rate
    diff: Difference
    """Factual minus counterfactual."""


class Gap(msgspec.Struct, frozen=True):
    """The diff of one group minus that of another.

    p is that of dealing the pictures out to the two by chance, or that of the interval where it is larger; the
    interval reaches to zero where p is not below 0.05.
    """

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
    """The diff of every picture of a group, summed over its cases, and how many these are."""

    diff: _Floats
    cases: _Floats


def bias(
    outcomes: Outcomes, names: Sequence[str], group_of: NDArray[np.intp], picture_of: NDArray[np.intp], *, seed: int = 0
) -> Bias:
    """The drop for each group and the gap between every two.

    For each case `group_of` has the place of its picture's group in `names`, or -1 where it belongs to none, and
    `picture_of` a number that the cases of one picture share.
    """
    scored = outcomes.scored("factual") & outcomes.scored("counterfactual") & (group_of >= 0)
    groups, sums = [], []
    for place, name in enumerate(names):
        mask = scored & (group_of == place)
        if mask.any():
            _, picture = np.unique(picture_of[mask], return_inverse=True)
            groups.append(_group(outcomes, name, mask, picture))
            apart = outcomes.credit("factual")[mask].astype(np.float64) - outcomes.credit("counterfactual")[mask]
            summed: _Floats = np.bincount(picture, weights=apart).astype(np.float64)
            sums.append(_Sums(summed, np.bincount(picture).astype(np.float64)))
    pairs = combinations(range(len(groups)), 2)
    return Bias(tuple(groups), tuple(_gap(groups[i], groups[j], sums[i], sums[j], seed) for i, j in pairs))


def _group(outcomes: Outcomes, name: str, mask: NDArray[np.bool_], picture: NDArray[np.intp]) -> GroupOfPictures:
    def answered(world: World) -> Rate:
        credits = None if outcomes.credits is None else outcomes.credit(world)[mask]
        return rate(outcomes.right(world)[mask], picture, credits)

    diff = difference(outcomes.credit("factual")[mask], outcomes.credit("counterfactual")[mask], picture)
    assert diff is not None  # there is a case
    return GroupOfPictures(name, int(picture.max()) + 1, diff.n, answered("factual"), answered("counterfactual"), diff)


def _gap(one: GroupOfPictures, other: GroupOfPictures, first: _Sums, second: _Sums, seed: int) -> Gap:
    def between(confidence: float) -> Interval:
        ends = (score_interval(group.diff.effective, confidence) for group in (one, other))
        return difference_of(next(ends), one.diff.value, next(ends), other.diff.value)

    dealt, exact = permutation_p(first.diff, first.cases, second.diff, second.cases, seed=seed)
    p = max(dealt, p_of(between))
    interval = between(CONFIDENCE)
    if p >= 1 - CONFIDENCE:
        interval = Interval(min(interval.low, 0.0), max(interval.high, 0.0))
    return Gap(
        first=one.name,
        second=other.name,
        value=one.diff.value - other.diff.value,
        low=interval.low,
        high=interval.high,
        p=p,
        exact=exact,
        pictures=one.pictures + other.pictures,
        n=one.n + other.n,
    )
