"""Join a table that assigns pictures to groups with the cases of a dataset (C-VQA 4.3)."""

import csv
import re
from collections import Counter
from collections.abc import Collection, Iterable, Sequence
from pathlib import Path, PurePosixPath
from typing import Final, Literal, get_args

import msgspec
import numpy as np
from numpy.typing import NDArray

from countersight.case import Case
from countersight.errors import CountersightError
from countersight.suites import BadField, csv_rows
from countersight.text import printable, several, unknown

MAX_GROUPS: Final = 12
"""The maximum number of distinct values in a column of groups."""

MatchMethod = Literal["case id", "picture name", "number in the picture's name"]
"""How the rows of a table were matched with the cases of a dataset."""

_PICTURE_FIELDS = ("img_path", "image", "img_fn", "image_id", "img_id")
"""The provenance fields in which importers keep the original name of the picture."""
_NUMBER = re.compile(r"\d+", re.ASCII)
_WHOLE = re.compile(r"(\d{1,18})(?:\.0+)?", re.ASCII)
_MAX_EXAMPLES = 3


class GroupsFile(msgspec.Struct, frozen=True):
    """A table that assigns pictures to groups: its column of ids, and its columns of groups (all others if empty)."""

    path: Path
    key: str = "id"
    columns: tuple[str, ...] = ()


class PictureGroups(msgspec.Struct, frozen=True, eq=False):
    """One column of a groups file, joined with the cases of a dataset."""

    file: str
    column: str
    way: MatchMethod
    names: tuple[str, ...]
    """The names of the groups, largest group first."""
    group_of: NDArray[np.intp]
    """The position in `names` of the group of each case's picture; -1 if it has none or several."""
    picture_of: NDArray[np.intp]
    """The number of each case's picture."""
    matched: int
    """The number of cases whose picture is in the table."""
    cases: int
    several: int
    """The number of pictures in several groups; they are excluded, as in the paper."""
    blank: int
    """The number of pictures without a value."""


_Values = dict[str, dict[str, set[str]]]
"""The distinct values for each column and key of a table."""


def picture_groups(chosen: GroupsFile, cases: Iterable[Case]) -> tuple[PictureGroups, ...]:
    """Return the groups of the cases' pictures for each chosen column; raise an error if the file does not match."""
    values = _read(chosen)
    known = next(iter(values.values()))
    matches, picture_of = _matched(known, cases)
    # The first one if tied.
    way = max(get_args(MatchMethod), key=lambda way: sum(key is not None for key in matches[way]))
    if not any(key is not None for key in matches[way]):
        first = ", ".join(repr(printable(key)[:40]) for key in list(known)[:_MAX_EXAMPLES])
        raise CountersightError(
            f"no case matches a row of {chosen.path}: its column {chosen.key!r} begins with {first}, which is "
            "neither the id of a case, nor the name of a picture, nor the number in such a name; the column that names "
            "the pictures must be called id, or be named in Python as `GroupsFile.key`"
        )
    found = [_grouped(chosen, column, values[column], way, matches[way], picture_of) for column in values]
    fitting = tuple(groups for groups in found if 2 <= len(groups.names) <= MAX_GROUPS)
    if chosen.columns or not fitting:
        for groups in found:
            _check(chosen, groups)
        return tuple(found)
    return fitting


def _check(chosen: GroupsFile, groups: PictureGroups) -> None:
    where = f"{chosen.path}: column {printable(groups.column)!r}"
    if len(groups.names) > MAX_GROUPS:
        raise CountersightError(
            f"{where} has {len(groups.names):,} different values for the pictures of this dataset, but a column of "
            f"groups may have at most {MAX_GROUPS}; remove this column from the file"
        )
    if len(groups.names) < 2:
        left = f"only {printable(groups.names[0])!r}" if groups.names else "no group"
        raise CountersightError(
            f"{where} has {left} for the {several(groups.matched, 'case')} listed in the file "
            f"({several(groups.several, 'picture')} with several groups {'is' if groups.several == 1 else 'are'} left "
            "out); a comparison needs at least two groups"
        )


def _read(chosen: GroupsFile) -> _Values:
    with open(chosen.path, encoding="utf-8-sig", errors="replace", newline="") as file:
        header = next(csv.reader([file.readline(100_000)]), [])
    columns = chosen.columns or tuple(column for column in header if column != chosen.key and column.strip())
    for column in (chosen.key, *columns):
        if column not in header:
            raise CountersightError(f"{chosen.path}: {unknown('column', column, map(printable, header))}")
        if header.count(column) > 1:
            raise CountersightError(f"{chosen.path}: two columns are called {printable(column)!r}; rename one")
    if chosen.key in columns:
        raise CountersightError(f"{chosen.path}: {chosen.key!r} is the column of ids; choose others for `columns`")
    if not columns:
        raise CountersightError(f"{chosen.path} has no column other than {chosen.key!r}, so it defines no groups")
    values: _Values = {column: {} for column in columns}
    for line, row in csv_rows(chosen.path, (chosen.key, *columns)):
        if isinstance(row, BadField):
            raise CountersightError(f"{chosen.path} line {line}: {printable(row.field)}: {row.reason}")
        key = _normalized_key(str(row[chosen.key]).strip())
        if not key:
            raise CountersightError(f"{chosen.path} line {line}: {chosen.key}: is empty; every row needs its picture")
        for column in columns:
            found = values[column].setdefault(key, set())
            if value := str(row[column]).strip():
                found.add(value)
    if not values[columns[0]]:
        raise CountersightError(f"{chosen.path} has no rows under its header")
    return values


def _normalized_key(key: str) -> str:
    """Return an id in the form used for comparison: 42, 42.0 and 000000000042 are the same picture."""
    whole = _WHOLE.fullmatch(key)
    return str(int(whole.group(1))) if whole else key


def _matched(
    known: Collection[str], cases: Iterable[Case]
) -> tuple[dict[MatchMethod, list[str | None]], NDArray[np.intp]]:
    """Return, for each case, the key of the row that matches it in each way, if any, and the number of its picture."""
    found: dict[MatchMethod, list[str | None]] = {way: [] for way in get_args(MatchMethod)}
    pictures: dict[str, int] = {}
    picture_of = []
    for case in cases:
        # The names of the picture in the published file and in this dataset.
        names = [str(case.provenance[field]) for field in _PICTURE_FIELDS if field in case.provenance]
        names += [case.image] if case.image else []
        paths = [PurePosixPath(name) for name in names]
        keys: dict[MatchMethod, list[str]] = {
            "case id": [_normalized_key(case.id)],
            "picture name": [
                key for path in paths for key in (str(path), path.name, path.stem, _normalized_key(path.stem))
            ],
            "number in the picture's name": [
                _normalized_key(all_[-1]) for path in paths if (all_ := _NUMBER.findall(path.stem))
            ],
        }
        for way, tried in keys.items():
            found[way].append(next((key for key in tried if key in known), None))
        picture_of.append(pictures.setdefault(names[0] if names else f"\0{case.id}", len(pictures)))
    return found, np.array(picture_of, dtype=np.intp)


def _grouped(
    chosen: GroupsFile,
    column: str,
    values: dict[str, set[str]],
    way: MatchMethod,
    keys: Sequence[str | None],
    picture_of: NDArray[np.intp],
) -> PictureGroups:
    matched = [values[key] for key in dict.fromkeys(keys) if key is not None]
    sizes = Counter(value for said in matched if len(said) == 1 for value in said)
    names = sorted(sizes, key=lambda value: (-sizes[value], value))
    number = {frozenset([value]): place for place, value in enumerate(names)}
    group_of = [-1 if key is None else number.get(frozenset(values[key]), -1) for key in keys]
    return PictureGroups(
        file=chosen.path.name,
        column=column,
        way=way,
        names=tuple(names),
        group_of=np.array(group_of, dtype=np.intp),
        picture_of=picture_of,
        matched=sum(key is not None for key in keys),
        cases=len(keys),
        several=sum(len(said) > 1 for said in matched),
        blank=sum(not said for said in matched),
    )
