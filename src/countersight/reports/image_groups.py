"""Groups of pictures from a table (C-VQA 4.3): join them with the cases of a dataset, and compare the drop by group."""

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from functools import partial
from itertools import combinations
from pathlib import Path, PurePosixPath
from typing import Final

import msgspec
import numpy as np
from numpy.typing import NDArray

from countersight.case import TWO_WORLDS, Case
from countersight.errors import CountersightError
from countersight.figures import Figure, Interval
from countersight.html import Grid, name, table_line
from countersight.number_formats import count
from countersight.reports.data import Analysis
from countersight.reports.loaded_run import LoadedRun
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
from countersight.suites import BadField, Terms, csv_rows
from countersight.text import printable, several

KEY: Final = "id"
"""The column that names the pictures; every other column may be a grouping."""
MAX_GROUPS: Final = 12
"""The maximum number of distinct values in a column of groups."""
_PICTURE_FIELDS = ("img_path", "image", "img_fn", "image_id", "img_id")
"""The provenance fields in which importers keep the original name of the picture."""
_NUMBER = re.compile(r"\d+", re.ASCII)
_WHOLE = re.compile(r"(\d{1,18})(?:\.0+)?", re.ASCII)
_MAX_EXAMPLES = 3


class PictureGroups(msgspec.Struct, frozen=True, eq=False):
    """One column of a table of groups, joined with the cases of a dataset."""

    file: str
    column: str
    names: tuple[str, ...]
    """The names of the groups, largest group first."""
    group_of: NDArray[np.intp]
    """For each case, the index in `names` of its picture's group; -1 if the picture has none or several."""
    picture_of: NDArray[np.intp]
    """For each case, the number of its picture."""
    matched: int
    """The number of cases whose picture is in the table."""
    several: int
    """The number of pictures in several groups; they are excluded, as in the paper."""
    blank: int
    """The number of pictures without a value."""


_Values = dict[str, dict[str, set[str]]]
"""The distinct values for each column and picture of a table."""


def picture_groups(path: Path, cases: Iterable[Case]) -> tuple[PictureGroups, ...]:
    """Return the groups of the cases' pictures for each column that has groups; raise an error if there is none."""
    values = _read(path)
    known = next(iter(values.values()))
    keys: list[str | None] = []
    pictures: dict[str, int] = {}
    picture_of = []
    for case in cases:
        names = _picture_names(case)
        keys.append(next((key for key in _keys(case, names) if key in known), None))
        picture_of.append(pictures.setdefault(names[0] if names else f"\0{case.id}", len(pictures)))
    if not any(key is not None for key in keys):
        first = ", ".join(repr(printable(key)[:40]) for key in list(known)[:_MAX_EXAMPLES])
        raise CountersightError(
            f"no case matches a row of {path}: its column {KEY!r} begins with {first}, which is neither the id of a "
            "case, nor the name of a picture, nor the number in such a name"
        )
    found = [_grouped(path, column, values[column], keys, np.array(picture_of)) for column in values]
    fitting = tuple(groups for groups in found if 2 <= len(groups.names) <= MAX_GROUPS)
    if not fitting:
        counts = ", ".join(f"{printable(groups.column)} ({len(groups.names):,})" for groups in found)
        raise CountersightError(
            f"{path} has no column with 2 to {MAX_GROUPS} groups for the pictures of this dataset; its columns, with "
            f"the number of their groups: {counts}"
        )
    return fitting


def _read(path: Path) -> _Values:
    values: _Values = {}
    for line, row in csv_rows(path, (KEY,)):
        if isinstance(row, BadField):
            raise CountersightError(f"{path} line {line}: {printable(row.field)}: {row.reason}")
        key = _normalized_key(str(row[KEY]).strip())
        if not key:
            raise CountersightError(f"{path} line {line}: {KEY}: is empty; every row needs a picture")
        for column, value in row.items():
            if column not in ("", KEY):
                values.setdefault(column, {}).setdefault(key, set()).update({str(value).strip()} - {""})
    if not values:
        raise CountersightError(f"{path} defines no groups: it needs rows, and a column other than {KEY!r}")
    return values


def _normalized_key(key: str) -> str:
    """Return an id in the form used for comparison: 42, 42.0 and 000000000042 are the same picture."""
    whole = _WHOLE.fullmatch(key)
    return str(int(whole.group(1))) if whole else key


def _picture_names(case: Case) -> list[str]:
    """Return the names of a case's picture: in the published file, then in this dataset."""
    published = [str(case.provenance[field]) for field in _PICTURE_FIELDS if field in case.provenance]
    return [*published, case.image] if case.image else published


def _keys(case: Case, names: Sequence[str]) -> Iterator[str]:
    """Yield the ids that may refer to a case in a table: its id, the names of its picture, and the numbers in these."""
    yield _normalized_key(case.id)
    paths = [PurePosixPath(each) for each in names]
    for path in paths:
        yield from (str(path), path.name, path.stem, _normalized_key(path.stem))
    for path in paths:
        yield from map(_normalized_key, _NUMBER.findall(path.stem)[-1:])


def _grouped(
    path: Path, column: str, values: dict[str, set[str]], keys: Sequence[str | None], picture_of: NDArray[np.intp]
) -> PictureGroups:
    matched = [values[key] for key in dict.fromkeys(keys) if key is not None]
    sizes = Counter(value for listed in matched if len(listed) == 1 for value in listed)
    names = sorted(sizes, key=lambda value: (-sizes[value], value))
    number = {frozenset([value]): place for place, value in enumerate(names)}
    group_of = [-1 if key is None else number.get(frozenset(values[key]), -1) for key in keys]
    return PictureGroups(
        file=path.name,
        column=column,
        names=tuple(names),
        group_of=np.array(group_of, dtype=np.intp),
        picture_of=picture_of,
        matched=sum(key is not None for key in keys),
        several=sum(len(listed) > 1 for listed in matched),
        blank=sum(not listed for listed in matched),
    )


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
