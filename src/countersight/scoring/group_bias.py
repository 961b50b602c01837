"""The drop for each group of pictures, to find out whether counterfactuals are harder for some groups (C-VQA 4.3).

Pictures belong to groups, and several cases may share a picture: intervals account for this, and the test permutes
pictures, not cases.
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
_AT_ONCE = 4_000_000  # random numbers drawn at a time: 32 MB

_Whole = NDArray[np.int64]


class GroupOfPictures(msgspec.Struct, frozen=True):
    """The results on the pictures of one group, over cases scored in both worlds."""

    name: str
    pictures: int
    n: int
    """The number of cases."""
    factual: Rate
    counterfactual: Rate
    diff: Difference
    """Factual minus counterfactual."""


class Gap(Measured, frozen=True):
    """The drop of one group minus that of another.

    p is that of a permutation of the pictures between the two, or that of the interval if it is larger; the interval
    includes zero if p is at least 0.05. For several gaps, p and interval are corrected (Holm).
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
        """How interval and p were computed."""
        holm = ", Holm" if self.confidence != CONFIDENCE else ""
        return f"score, squared and added; permutation of pictures{holm}"


class Bias(msgspec.Struct, frozen=True):
    """The differences of a run's drop between groups of pictures."""

    groups: tuple[GroupOfPictures, ...]
    """Groups with a case scored in both worlds."""
    gaps: tuple[Gap, ...]
    """The gap of each pair of groups."""
    left_out: tuple[str, ...] = ()
    """Groups without a readable reply in one of the worlds."""


class _Sums(msgspec.Struct, frozen=True, eq=False):
    """The drop of every picture of a group, summed over its cases, and the number of its cases."""

    diff: _Floats
    cases: _Floats


def bias(
    outcomes: Outcomes, names: Sequence[str], group_of: NDArray[np.intp], picture_of: NDArray[np.intp], *, seed: int = 0
) -> Bias:
    """Compute the drop for each group and the gap for each pair of groups.

    For each case, `group_of` is the index of its group in `names`, or -1 for none, and `picture_of` is a number shared
    by the cases of one picture.
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
    """Correct the gaps of one or several runs for multiple comparisons (Holm)."""
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
    assert diff is not None  # every group has at least one case
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
    """Return the ends of the interval; it includes zero if the test finds no difference."""
    interval = _between(one, other, confidence)
    if p >= 1 - CONFIDENCE:
        return min(interval.low, 0.0), max(interval.high, 0.0)
    return interval.low, interval.high


def _kinds(sums: _Floats, cases: _Floats) -> tuple[_Floats, _Floats, _Whole]:
    """Return the distinct results of pictures (sum and number of cases), and how many pictures have each."""
    # Credits are stored as 32-bit numbers: smaller differences are rounding errors.
    results: _Floats = np.stack([sums, cases], axis=1).round(6)
    kinds, counts = np.unique(results, axis=0, return_counts=True)
    return kinds[:, 0], kinds[:, 1], counts.astype(np.int64)


def permutation_p(first: _Floats, first_cases: _Floats, second: _Floats, second_cases: _Floats, *, seed: int) -> float:
    """Return the two-sided p of a permutation test over the pictures of two groups.

    It is the share of random assignments of pictures, with the same group sizes, whose means differ at least as much.
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
        # Rounding must not decide whether a permutation is as extreme as the observed one.
        extreme += int((np.abs(apart) >= found - 1e-9).sum())
    # The observed assignment counts too, so p is never 0.
    return (1 + extreme) / (1 + RESAMPLES)
