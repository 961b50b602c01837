"""Does imagining go worse with some pictures than with others? The drop for each group of pictures (C-VQA 4.3).

What belongs to a group is the picture, and several cases may share one: intervals know of it, and the test deals
pictures out again, not cases.
"""

from collections.abc import Sequence
from itertools import combinations

import msgspec
import numpy as np
from numpy.typing import NDArray

from countersight.case import TWO_WORLDS, World
from countersight.html import Measured
from countersight.scoring.accuracy import in_both_worlds
from countersight.scoring.figures import Difference, Rate, difference, rate
from countersight.scoring.intervals import (
    CONFIDENCE,
    RESAMPLES,
    Adjusted,
    Interval,
    difference_of,
    holm,
    p_of,
    score_interval,
)
from countersight.scoring.outcome import Outcomes

_Floats = NDArray[np.float64]
_AT_ONCE = 4_000_000  # numbers drawn in one go: 32 MB

_Whole = NDArray[np.int64]


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


class Gap(Measured, frozen=True):
    """The diff of one group minus that of another.

    p is that of dealing the pictures out to the two by chance, or that of the interval where it is larger; the
    interval reaches to zero where p is not below 0.05. Of several gaps p is Holm's, and the interval as wide.
    """

    first: str
    second: str
    value: float
    low: float
    high: float
    p: float
    pictures: int
    n: int
    confidence: float = CONFIDENCE

    @property
    def method(self) -> str:
        """How its interval and p were computed."""
        holm = ", Holm" if self.confidence != CONFIDENCE else ""
        return f"score, squared and added; permutation of pictures{holm}"


class Bias(msgspec.Struct, frozen=True):
    """How the drop of a run differs between groups of pictures."""

    groups: tuple[GroupOfPictures, ...]
    """Those with a case scored in both worlds."""
    gaps: tuple[Gap, ...]
    """Of every two groups."""
    left_out: tuple[str, ...] = ()
    """Groups with cases of which nothing could be read, or nothing came, in one of the worlds."""


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
    groups, sums, left_out = [], [], []
    for place, name in enumerate(names):
        mask = in_both_worlds(outcomes) & (group_of == place)
        if not all(outcomes.is_read(world, mask) for world in TWO_WORLDS):
            left_out += [name] * bool((group_of == place).any())
        else:
            _, picture = np.unique(picture_of[mask], return_inverse=True)
            groups.append(_group(outcomes, name, mask, picture))
            apart = outcomes.credit("factual")[mask].astype(np.float64) - outcomes.credit("counterfactual")[mask]
            summed: _Floats = np.bincount(picture, weights=apart).astype(np.float64)
            sums.append(_Sums(summed, np.bincount(picture).astype(np.float64)))
    pairs = combinations(range(len(groups)), 2)
    gaps = tuple(_gap(groups[i], groups[j], sums[i], sums[j], seed) for i, j in pairs)
    return Bias(tuple(groups), gaps, tuple(left_out))


def corrected_gaps(found: Sequence[Bias]) -> tuple[Bias, ...]:
    """The gaps of one or several runs, all of them corrected for their number (Holm)."""
    adjusted = iter(holm([gap.p for measured in found for gap in measured.gaps]))
    return tuple(
        msgspec.structs.replace(measured, gaps=tuple(_adjusted(measured, gap, next(adjusted)) for gap in measured.gaps))
        for measured in found
    )


def _adjusted(measured: Bias, gap: Gap, to: Adjusted) -> Gap:
    groups = {group.name: group for group in measured.groups}
    low, high = _ends(groups[gap.first], groups[gap.second], to.confidence, to.p)
    return msgspec.structs.replace(gap, low=low, high=high, p=to.p, confidence=to.confidence)


def _group(outcomes: Outcomes, name: str, mask: NDArray[np.bool_], picture: NDArray[np.intp]) -> GroupOfPictures:
    def answered(world: World) -> Rate:
        credits = None if outcomes.credits is None else outcomes.credit(world)[mask]
        return rate(outcomes.right(world)[mask], picture, credits)

    diff = difference(outcomes.credit("factual")[mask], outcomes.credit("counterfactual")[mask], picture)
    assert diff is not None  # there is a case
    return GroupOfPictures(name, int(picture.max()) + 1, diff.n, answered("factual"), answered("counterfactual"), diff)


def _gap(one: GroupOfPictures, other: GroupOfPictures, first: _Sums, second: _Sums, seed: int) -> Gap:
    dealt = permutation_p(first.diff, first.cases, second.diff, second.cases, seed=seed)
    p = max(dealt, p_of(lambda confidence: _between(one, other, confidence)))
    low, high = _ends(one, other, CONFIDENCE, p)
    return Gap(
        first=one.name,
        second=other.name,
        value=one.diff.value - other.diff.value,
        low=low,
        high=high,
        p=p,
        pictures=one.pictures + other.pictures,
        n=one.n + other.n,
    )


def _between(one: GroupOfPictures, other: GroupOfPictures, confidence: float) -> Interval:
    ends = (score_interval(group.diff.effective, confidence) for group in (one, other))
    return difference_of(next(ends), one.diff.value, next(ends), other.diff.value)


def _ends(one: GroupOfPictures, other: GroupOfPictures, confidence: float, p: float) -> tuple[float, float]:
    """The ends of the interval, which reaches to zero where the test does not tell the two apart."""
    interval = _between(one, other, confidence)
    if p >= 1 - CONFIDENCE:
        return min(interval.low, 0.0), max(interval.high, 0.0)
    return interval.low, interval.high


def _kinds(sums: _Floats, cases: _Floats) -> tuple[_Floats, _Floats, _Whole]:
    """The different results that pictures have, as sum and cases, and how many pictures have each."""
    # Credits are kept as 32-bit numbers: what differs by less is the same.
    results: _Floats = np.stack([sums, cases], axis=1).round(6)
    kinds, counts = np.unique(results, axis=0, return_counts=True)
    return kinds[:, 0], kinds[:, 1], counts.astype(np.int64)


def permutation_p(first: _Floats, first_cases: _Floats, second: _Floats, second_cases: _Floats, *, seed: int) -> float:
    """The two-sided p of dealing the pictures of two groups out by chance.

    How often the two means are at least as far apart as they are, when as many pictures as the first group has are
    taken from all of them together.
    """
    values, weights, counts = _kinds(np.concatenate([first, second]), np.concatenate([first_cases, second_cases]))
    found = abs(float(first.sum() / first_cases.sum() - second.sum() / second_cases.sum()))
    generator = np.random.default_rng(seed)
    step = max(1, _AT_ONCE // counts.size)
    extreme = 0
    for done in range(0, RESAMPLES, step):
        size = min(step, RESAMPLES - done)
        taken = generator.multivariate_hypergeometric(counts, first.size, size=size, method="marginals")
        left = counts - taken
        apart = taken @ values / (taken @ weights) - left @ values / (left @ weights)
        # Rounding must not decide whether a way of dealing is as extreme as what was found.
        extreme += int((np.abs(apart) >= found - 1e-9).sum())
    # What was found is itself one of the ways: p is never 0.
    return (1 + extreme) / (1 + RESAMPLES)
