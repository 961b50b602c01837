"""The drop by group of pictures (C-VQA 4.3): compute its differences between groups, and write its tables."""

from collections.abc import Sequence
from functools import partial
from itertools import combinations

import msgspec
import numpy as np
from numpy.typing import NDArray

from countersight.case import TWO_WORLDS
from countersight.figures import Figure, Interval
from countersight.html import Grid, name, table_line
from countersight.number_formats import count
from countersight.reports.data import Analysis
from countersight.reports.loaded_run import LoadedRun
from countersight.reports.picture_groups import PictureGroups
from countersight.scoring import (
    CONFIDENCE,
    AdjustedTest,
    Difference,
    GroupScores,
    Outcomes,
    difference_of,
    holm,
    p_of,
    score_group,
    score_interval,
)
from countersight.suites import Terms
from countersight.text import several


class Bias(msgspec.Struct, frozen=True):
    """The differences of a run's drop between groups of pictures."""

    groups: tuple[GroupScores, ...]
    """The scores of each group over its cases scored in both worlds, if there are any."""
    pictures: dict[str, int]
    """The number of pictures of each group."""
    gaps: dict[tuple[str, str], Figure]
    """The drop of one group minus that of another, for each pair of groups; p corresponds to the interval."""
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
    masks = {name: mask for name, mask in masks.items() if mask.any()}
    found, pictures = [], []
    for outcomes in runs:
        by_picture, scored = msgspec.structs.replace(outcomes, pictures=picture_of), outcomes.in_both_worlds()
        found.append([score_group(by_picture, name, mask & scored) for name, mask in masks.items()])
        pictures.append({name: np.unique(picture_of[mask & scored]).size for name, mask in masks.items()})
    groups = [tuple(row for row in each if row.drop) for each in found]
    pairs = [list(combinations(each, 2)) for each in groups]
    adjusted = iter(holm([p_of(partial(_between, *pair)) for each in pairs for pair in each]))
    return [
        Bias(
            of_run,
            sizes,
            {(one.group, other.group): _gap(one, other, next(adjusted)) for one, other in each},
            tuple(row.group for row in every if not row.drop),
        )
        for of_run, sizes, each, every in zip(groups, pictures, pairs, found, strict=True)
    ]


def _gap(one: GroupScores, other: GroupScores, test: AdjustedTest) -> Figure:
    ends = _between(one, other, test.confidence)
    first, second = _drop(one), _drop(other)
    method = "score (MOVER)" + ", Holm" * (test.confidence != CONFIDENCE)
    return Figure(
        *(first.value - second.value, ends.low, ends.high, first.n + second.n, test.p),
        method=method,
        confidence=test.confidence,
    )


def _between(one: GroupScores, other: GroupScores, confidence: float) -> Interval:
    first, second = (score_interval(_drop(group).effective, confidence) for group in (one, other))
    return difference_of(first, _drop(one).value, second, _drop(other).value)


def _drop(row: GroupScores) -> Difference:
    assert row.drop is not None, "groups without a drop are left out"
    return row.drop


def bias_analysis(groups: PictureGroups, runs: Sequence[LoadedRun], terms: Terms) -> Analysis:
    """Analyse how the drop differs between groups of pictures."""
    measured = bias([run.outcomes for run in runs], groups.names, groups.group_of, groups.picture_of)
    found = [(run, each) for run, each in zip(runs, measured, strict=True) if each.groups]
    column, in_one_group = name(groups.column), int((groups.group_of >= 0).sum())
    return Analysis(
        heading=f"Groups of pictures: {column}",
        about=(
            f"{name(groups.file)} contains the pictures of {count(groups.matched)} of "
            f"{several(len(groups.group_of), 'case')}; {several(in_one_group, 'case')} are about pictures in exactly "
            f"one group. Left out: {several(groups.several, 'picture')} in several groups, "
            f"{several(groups.blank, 'picture')} with no value."
        ),
        tables=tuple(_table(column, run, each, terms) for run, each in found),
    )


def _table(column: str, run: LoadedRun, measured: Bias, terms: Terms) -> Grid:
    lines = [
        table_line(
            *(each.group, measured.pictures[each.group], each.n, each.factual, each.counterfactual, each.drop),
            n=each.n,
            run=run.label,
            group=each.group,
        )
        for each in measured.groups
    ]
    for named, gap in measured.gaps.items():
        pair, pictures = " minus ".join(named), sum(measured.pictures[each] for each in named)
        cells = (pictures, gap.n, "", "", gap)
        lines.append(table_line(f"gap: {pair}", *cells, n=gap.n, run=run.label, group=pair, total=True))
    head = (column, "pictures", "n", *(terms.measures.get(key, key) for key in TWO_WORLDS), "diff")
    left_out = ", ".join(map(name, measured.left_out))
    return Grid(
        f"By {column}: {name(run.label)}",
        head,
        tuple(lines),
        f"No case of {left_out} could be scored in both worlds." if left_out else "",
        key=f"groups by {column}",
        measures=("", "", "factual", "counterfactual", "diff"),
    )
