"""Tables that assign pictures to groups, joined with cases (C-VQA 4.3)."""

import csv
import re
from collections import Counter
from collections.abc import Iterable, Sequence
from pathlib import Path, PurePosixPath
from typing import Final, Literal, get_args

import msgspec
import numpy as np
from numpy.typing import NDArray

from countersight.case import Case
from countersight.errors import CountersightError
from countersight.suites import BadField, csv_rows
from countersight.text import printable, several, unknown

MAX_BYTES: Final = 256 * 1024 * 1024
MOST_GROUPS: Final = 12
"""A column with more different values does not contain groups."""

Way = Literal["case id", "picture name", "number in the picture's name"]
"""How the rows of a table were matched with the cases of a dataset."""

_PICTURE_FIELDS = ("img_path", "image", "img_fn", "image_id", "img_id")
"""Where importers keep what the published file calls the picture."""
_NUMBER = re.compile(r"\d+", re.ASCII)
_WHOLE = re.compile(r"(\d{1,18})(?:\.0+)?", re.ASCII)
_SHOWN = 3


class GroupsFile(msgspec.Struct, frozen=True):
    """A file that groups the pictures: the column of their ids, and the columns of groups, or none for all."""

    path: Path
    key: str = "id"
    columns: tuple[str, ...] = ()


class PictureGroups(msgspec.Struct, frozen=True, eq=False):
    """One column of such a table, joined with the cases of a dataset."""

    file: str
    column: str
    way: Way
    names: tuple[str, ...]
    """The groups, the largest first."""
    group_of: NDArray[np.intp]
    """The position in `names` of the group of each case's picture; -1 if it has none or several."""
    picture_of: NDArray[np.intp]
    """The number of each case's picture."""
    matched: int
    """Cases whose picture is in the table."""
    cases: int
    several: int
    """Pictures with rows of several groups; they are excluded, as in the paper."""
    blank: int
    """Pictures whose rows are empty."""

    @property
    def kept(self) -> int:
        """Cases whose picture belongs to one group."""
        return int((self.group_of >= 0).sum())


class _GroupTable(msgspec.Struct, frozen=True):
    """The rows of a table by their key, with the different values that each column has for it."""

    keys: dict[str, int]
    values: dict[str, list[set[str]]]
    """The values by column, in the order of the keys."""


def picture_groups(chosen: GroupsFile, cases: Iterable[Case]) -> tuple[PictureGroups, ...]:
    """Return the groups of the cases' pictures for each chosen column; raises if the file does not fit."""
    table = _read(chosen)
    matches, picture_of = _matched(table, cases)
    counts = {way: int((found >= 0).sum()) for way, found in matches.items()}
    way = max(get_args(Way), key=lambda way: counts[way])  # the first, where two find as many
    if not counts[way]:
        first = ", ".join(repr(printable(key)[:40]) for key in list(table.keys)[:_SHOWN])
        raise CountersightError(
            f"no case matches a row of {chosen.path}: its column {chosen.key!r} begins with {first}, which is "
            "neither the id of a case, nor the name of a picture, nor the number in such a name; choose another "
            "column for `key`"
        )
    found = [_grouped(chosen, table, column, way, matches[way], picture_of) for column in table.values]
    several_groups = tuple(groups for groups in found if 2 <= len(groups.names) <= MOST_GROUPS)
    if chosen.columns or not several_groups:
        for groups in found:
            _check(chosen, groups)
        return tuple(found)
    return several_groups


def _check(chosen: GroupsFile, groups: PictureGroups) -> None:
    where = f"{chosen.path}: column {printable(groups.column)!r}"
    if len(groups.names) > MOST_GROUPS:
        raise CountersightError(
            f"{where} has {len(groups.names):,} different values for the pictures of this dataset, but a column of "
            f"groups may have at most {MOST_GROUPS}; choose another one for `columns`"
        )
    if len(groups.names) < 2:
        left = f"only {printable(groups.names[0])!r}" if groups.names else "no group"
        raise CountersightError(
            f"{where} has {left} for the {several(groups.matched, 'case')} that it names "
            f"({several(groups.several, 'picture')} with several groups {'is' if groups.several == 1 else 'are'} left "
            "out); two groups are needed to compare them"
        )


def _read(chosen: GroupsFile) -> _GroupTable:
    header = _header(chosen)
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
    keys: dict[str, int] = {}
    values: dict[str, list[set[str]]] = {column: [] for column in columns}
    for line, row in csv_rows(chosen.path, (chosen.key, *columns)):
        if isinstance(row, BadField):
            raise CountersightError(f"{chosen.path} line {line}: {printable(row.field)}: {row.reason}")
        key = _plain(str(row[chosen.key]).strip())
        if not key:
            raise CountersightError(f"{chosen.path} line {line}: {chosen.key}: is empty; every row needs its picture")
        place = keys.setdefault(key, len(keys))
        for column in columns:
            if place == len(values[column]):
                values[column].append(set())
            if value := str(row[column]).strip():
                values[column][place].add(value)
    if not keys:
        raise CountersightError(f"{chosen.path} has no rows under its header")
    return _GroupTable(keys, values)


def _header(chosen: GroupsFile) -> list[str]:
    if chosen.path.stat().st_size > MAX_BYTES:
        raise CountersightError(f"{chosen.path} has more than {MAX_BYTES:,} bytes, the maximum of a table of groups")
    with open(chosen.path, encoding="utf-8-sig", errors="replace", newline="") as file:
        try:
            return next(csv.reader([file.readline(100_000)]), [])
        except csv.Error as error:
            raise CountersightError(f"{chosen.path} line 1: {error}") from None


def _plain(key: str) -> str:
    """An id as it is compared: 42, 42.0 and 000000000042 are the same picture."""
    whole = _WHOLE.fullmatch(key)
    return str(int(whole.group(1))) if whole else key


def _matched(table: _GroupTable, cases: Iterable[Case]) -> tuple[dict[Way, NDArray[np.intp]], NDArray[np.intp]]:
    """For each way and case the place of its row, or -1; and for each case the number of its picture."""
    found: dict[Way, list[int]] = {way: [] for way in get_args(Way)}
    pictures: dict[str, int] = {}
    picture_of = []
    for case in cases:
        names = _names(case)
        numbers = [_plain(digits[-1]) for name in names if (digits := _NUMBER.findall(PurePosixPath(name).stem))]
        found["case id"].append(_first(table, [_plain(case.id)]))
        found["picture name"].append(_first(table, [form for name in names for form in _forms(name)]))
        found["number in the picture's name"].append(_first(table, numbers))
        picture_of.append(pictures.setdefault(names[0] if names else f"\0{case.id}", len(pictures)))
    return (
        {way: np.array(places, dtype=np.intp) for way, places in found.items()},
        np.array(picture_of, dtype=np.intp),
    )


def _first(table: _GroupTable, keys: Sequence[str]) -> int:
    return next((table.keys[key] for key in keys if key in table.keys), -1)


def _names(case: Case) -> list[str]:
    """What the picture of a case is called: in its published file, and here."""
    published = [str(case.provenance[field]) for field in _PICTURE_FIELDS if field in case.provenance]
    return [*published, *([case.image] if case.image else [])]


def _forms(name: str) -> tuple[str, ...]:
    path = PurePosixPath(name)
    return name, path.name, path.stem, _plain(path.stem)


def _grouped(
    chosen: GroupsFile,
    table: _GroupTable,
    column: str,
    way: Way,
    place_of: NDArray[np.intp],
    picture_of: NDArray[np.intp],
) -> PictureGroups:
    matched = place_of >= 0
    said = table.values[column]
    places = np.unique(place_of[matched]).tolist()
    sizes = Counter(value for place in places if len(said[place]) == 1 for value in said[place])
    names = sorted(sizes, key=lambda value: (-sizes[value], value))
    number = {value: position for position, value in enumerate(names)}
    of_row = np.full(len(said) + 1, -1, dtype=np.intp)  # the last is for cases without a row
    for place in places:
        if len(said[place]) == 1:
            of_row[place] = number[next(iter(said[place]))]
    return PictureGroups(
        file=chosen.path.name,
        column=column,
        way=way,
        names=tuple(names),
        group_of=of_row[place_of],
        picture_of=picture_of,
        matched=int(matched.sum()),
        cases=place_of.size,
        several=sum(len(said[place]) > 1 for place in places),
        blank=sum(not said[place] for place in places),
    )
