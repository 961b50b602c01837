"""The layout of a published file: how its rows become cases, and where their pictures are."""

from collections.abc import Callable, Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any, NamedTuple

import msgspec

from countersight.case import Case


class BadField(Exception):  # noqa: N818 - named after the field, not the error
    """An invalid row: the field and the reason. Caught by the import."""

    def __init__(self, field: str, reason: str) -> None:
        super().__init__(field, reason)
        self.field, self.reason = field, reason


class BadFile(BadField):
    """A file of which no row can be read, such as one without a required column."""


Row = Mapping[str, Any]
"""The fields of a row by name: text from a CSV, any value from a JSONL file."""
Rows = Iterator[tuple[int, Row | BadField]]
"""Rows with the number of their last line (or their place in a list); an invalid row is replaced by a `BadField`."""


class Frames(NamedTuple):
    """The frames of a video: the pictures of a folder, in the order of their names."""

    folder: str

    def __str__(self) -> str:
        return f"{self.folder}/"


Pictured = str | bytes | Frames | None
"""The picture of a row: a file name, bytes, frames of a video, or nothing."""


class Layout(msgspec.Struct, frozen=True, kw_only=True):
    """How the file of a suite is turned into a dataset."""

    suite: str = ""
    title: str = ""
    """The suite's published name. Both default to those of the `Suite`."""
    description: str = ""
    """The description on the dataset card; by default that of the suite."""
    fields: tuple[str, ...] = ()
    """The fields that a row must have, if the file is a table: CSV, TSV, JSON lines, a JSON list, or Parquet."""
    expand: "Callable[[Row], Iterable[Row | BadField]] | None" = None
    """Returns the rows that a row of the table stands for, if it is not one case; raises BadField."""
    rows: "Callable[[Path], Rows] | None" = None
    """Returns the rows of a file that is not such a table."""
    as_case: "Callable[[Row, int], Case]"
    """Returns the case of a row, given the row's number counted from 1; raises BadField."""
    picture: "Callable[[Row], Pictured]"
    """Returns a row's picture: its file name, its bytes, or the folder of its frames; raises BadField."""
    picture_field: str
    folders: tuple[str, ...] = ("",)
    """Subfolders of the picture folder that may contain the picture, in order of preference."""
    flat: bool = False
    """Whether the picture may also be stored without the folders in its name."""
    license: str = "unknown"
    embeds: bool = False
    """Whether the pictures are embedded in the file, so that no folder is needed."""
    tries_pictures: bool = False
    """Whether an invalid picture makes an invalid row: users can fix their own table, but not a published one."""
    columns: tuple[str, ...] = ()
    """All columns that the file may have, so that unknown ones can be reported; empty if it may have any."""
