"""Groups of pictures from a table (C-VQA 4.3), joined with the cases of a dataset."""

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path, PurePosixPath
from typing import Final

import msgspec
import numpy as np
from numpy.typing import NDArray

from countersight.case import Case
from countersight.errors import CountersightError
from countersight.suites import BadField, csv_rows
from countersight.text import printable

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
