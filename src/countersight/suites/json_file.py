"""A published file that is one JSON document with a list of entries in it, plain or packed with gzip.

The document is read whole, up to a limit, and cut into its entries without being taken apart: an entry that is no row
is told by its number and the others are read.
"""

import gzip
import zlib
from collections.abc import Iterator
from functools import cached_property
from pathlib import Path
from typing import TypeVar

import msgspec

from countersight.errors import CountersightError
from countersight.suites.importing import BadField, Row, Rows
from countersight.suites.json_lines import json_row

MAX_FILE = 1 << 29
"""Most bytes of a document, unpacked; VQAv2's largest, the annotations for training, has under 400 million."""

_Kind = TypeVar("_Kind")


class JsonFile:
    """One JSON document, cut into pieces that are taken apart when they are needed."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self._data = _whole(path)

    def text(self, field: str) -> str:
        """The text in a field at the top of the document, or nothing where there is none."""
        try:
            return msgspec.json.decode(self._top[field], type=str)
        except (KeyError, msgspec.MsgspecError, UnicodeDecodeError):
            return ""

    def texts(self, field: str) -> dict[str, str]:
        """The names and texts of an object at the top of the document, or none where there is no such thing."""
        try:
            return msgspec.json.decode(self._top[field], type=dict[str, str])
        except (KeyError, msgspec.MsgspecError, UnicodeDecodeError):
            return {}

    def entries(self, field: str = "") -> Iterator[tuple[int, msgspec.Raw]]:
        """The entries, counted from 1, of the list that the document is, or that stands in a field at its top."""
        inner: bytes | msgspec.Raw = self._data
        if field:
            if field not in self._top:
                raise CountersightError(f'{self.path} is not the right file: there is no "{field}" in it')
            inner = self._top[field]
        yield from enumerate(self._decoded(inner, list[msgspec.Raw], f'a list "{field}"' if field else "a list"), 1)

    def rows(self, fields: tuple[str, ...], field: str = "") -> Rows:
        """The entries as rows that have these fields; more fields do no harm."""
        for number, entry in self.entries(field):
            yield number, as_row(entry, fields)

    @cached_property
    def _top(self) -> dict[str, msgspec.Raw]:
        return self._decoded(self._data, dict[str, msgspec.Raw], "an object with named fields")

    def _decoded(self, data: bytes | msgspec.Raw, kind: type[_Kind], words: str) -> _Kind:
        try:
            return msgspec.json.decode(data, type=kind)
        except msgspec.ValidationError as error:
            raise CountersightError(f"{self.path} is not the right file: it does not hold {words}") from error
        except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError) as error:
            raise CountersightError(f"{self.path} is not a whole JSON file: {error}") from error


def as_row(entry: msgspec.Raw, fields: tuple[str, ...]) -> Row | BadField:
    """An entry as a row that has these fields, or what is wrong with it."""
    return json_row(bytes(entry), fields, "entry")


def _whole(path: Path) -> bytes:
    try:
        with gzip.open(path) if path.suffix.lower() == ".gz" else open(path, "rb") as file:
            data = file.read(MAX_FILE + 1)
    except (gzip.BadGzipFile, EOFError, zlib.error) as error:
        raise CountersightError(f"{path} is not a whole gzip file: {error}") from error
    if len(data) > MAX_FILE:
        raise CountersightError(f"{path} has more than {MAX_FILE:,} bytes; divide it into several")
    return data.removeprefix(b"\xef\xbb\xbf")
