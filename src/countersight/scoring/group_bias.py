"""The drop for each group of pictures, to find out whether counterfactuals are harder for some groups (C-VQA 4.3)."""

from collections.abc import Sequence
from functools import partial
from itertools import combinations

import msgspec
import numpy as np
from numpy.typing import NDArray

from countersight.figures import Figure
from countersight.scoring.accuracy import score_group
from countersight.scoring.estimates import Difference
from countersight.scoring.intervals import CONFIDENCE, Interval, difference_of, holm, p_of, score_interval
from countersight.scoring.outcome import Outcomes


class GroupOfPictures(msgspec.Struct, frozen=True):
    """The results on the pictures of one group, over cases scored in both worlds."""

    name: str
    pictures: int
    n: int
    """The number of cases."""
    factual: Figure
    counterfactual: Figure
    diff: Difference
    """Factual minus counterfactual."""


class Gap(Figure, frozen=True, kw_only=True):
    """The drop of one group minus that of another; p matches the interval. Several are corrected by Holm's method."""

    first: str
    second: str
    pictures: int


class Bias(msgspec.Struct, frozen=True):
    """The differences of a run's drop between groups of pictures."""

    groups: tuple[GroupOfPictures, ...]
    """The groups that have a case scored in both worlds."""
    gaps: tuple[Gap, ...]
    """The gap of each pair of groups."""
    left_out: tuple[str, ...] = ()
    """Groups that were left out because no reply in one of the worlds could be read."""


def bias(
    runs: Sequence[Outcomes], names: Sequence[str], group_of: NDArray[np.intp], picture_of: NDArray[np.intp]
) -> list[Bias]:
    """Compute, for each run, the drop for each group and the gap for each pair of groups.

    For each case, `group_of` is the index of its group in `names`, or -1 for none, and `picture_of` is a number shared
    by the cases of one picture. The gaps of all runs are corrected together for multiple comparisons.
    """
    masks = {name: group_of == place for place, name in enumerate(names)}
    found = [
        {name: _group(outcomes, name, mask, picture_of) for name, mask in masks.items() if mask.any()}
        for outcomes in runs
    ]
    groups = [tuple(group for group in each.values() if group) for each in found]
    pairs = [list(combinations(each, 2)) for each in groups]
    adjusted = iter(holm([p_of(partial(_between, *pair)) for each in pairs for pair in each]))
    return [
        Bias(
            of_run,
            tuple(_gap(*pair, test.p, test.confidence) for pair, test in zip(each, adjusted, strict=False)),
            tuple(name for name, group in every.items() if group is None),
        )
        for of_run, each, every in zip(groups, pairs, found, strict=True)
    ]


def _group(
    outcomes: Outcomes, name: str, mask: NDArray[np.bool_], picture_of: NDArray[np.intp]
) -> GroupOfPictures | None:
    """Return the results of a group; None if no reply could be read in one of the worlds."""
    mask = mask & outcomes.in_both_worlds()
    row = score_group(msgspec.structs.replace(outcomes, pictures=picture_of), name, mask)
    if row.drop is None:
        return None
    pictures = np.unique(picture_of[mask]).size
    return GroupOfPictures(name, pictures, row.drop.n, row.factual, row.counterfactual, row.drop)


def _gap(one: GroupOfPictures, other: GroupOfPictures, p: float, confidence: float) -> Gap:
    ends = _between(one, other, confidence)
    return Gap(
        value=one.diff.value - other.diff.value,
        low=ends.low,
        high=ends.high,
        n=one.n + other.n,
        p=p,
        method="score (MOVER)" + ", Holm" * (confidence != CONFIDENCE),
        confidence=confidence,
        first=one.name,
        second=other.name,
        pictures=one.pictures + other.pictures,
    )


def _between(one: GroupOfPictures, other: GroupOfPictures, confidence: float) -> Interval:
    first, second = (score_interval(group.diff.effective, confidence) for group in (one, other))
    return difference_of(first, one.diff.value, second, other.diff.value)
