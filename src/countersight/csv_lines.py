"""A tolerant CSV reader: rows have a maximum length, and an unclosed quote invalidates only its own row."""

import csv
from collections.abc import Iterator
from typing import Final, TextIO

UNCLOSED: Final = "has a quote that is not closed"
_MOST_READ_TWICE: Final = 1 << 25
"""The maximum number of characters that are parsed a second time because a quote is not closed. After that, each line
is treated as a row.
"""


def csv_lines(file: TextIO, longest: int, delimiter: str = "") -> Iterator[tuple[int, list[str] | str]]:
    """Yield the header and every non-empty row with its line number; for an invalid row, an error message replaces
    the values.

    The default delimiter is a comma, or a semicolon or tab if the header has those. A line such as `sep=;` before the
    header, as written by Excel, sets the delimiter. A row has at most `longest` characters. If the header is invalid,
    no rows are yielded.
    """
    lines = _Lines(file, longest)
    first = lines.next()
    named = first.strip().strip('"')
    if named.casefold().startswith("sep="):
        delimiter, first = named[4:], lines.next()
    delimiter = delimiter if len(delimiter) == 1 else max(",;\t", key=first.count)
    start = lines.number
    lines.put_back([first])
    _, header = lines.next_row(delimiter)
    if header is None:
        header = f"{UNCLOSED}; close it, because nothing after it can be read"
    yield max(1, start), header
    while not isinstance(header, str):
        row, values = lines.next_row(delimiter)
        if not row:
            return
        if len(row) > 1 and (values is None or len(values) != len(header)):
            yield lines.number - len(row) + 1, f"{UNCLOSED}; the following lines are read as separate rows"
            lines.put_back(row[1:])
        elif values is None:
            yield lines.number, UNCLOSED
        elif isinstance(values, str) or any(values):
            yield lines.number, values


class _Lines:
    """Reads the lines of a text file, each cut to `longest` + 1 characters; lines can be put back."""

    def __init__(self, file: TextIO, longest: int) -> None:
        self.number = 0
        """The number of the line that was read last."""
        self._file = file
        self._longest = longest
        self._read_twice = 0
        self._back: list[str] = []
        """The lines that were put back, in reverse order."""

    def next(self) -> str:
        """Return the next line; empty at the end of the file."""
        if self._back:
            line = self._back.pop()
        else:
            line = piece = self._file.readline(self._longest + 1)
            while len(piece) > self._longest and not piece.endswith(("\n", "\r")):
                piece = self._file.readline(self._longest + 1)
        self.number += bool(line)
        return line

    def put_back(self, lines: list[str]) -> None:
        """Put back the lines that were read last, so that `next` returns them again."""
        found = [line for line in reversed(lines) if line]
        self._back += found
        self.number -= len(found)
        self._read_twice += sum(map(len, found))

    def next_row(self, delimiter: str) -> tuple[list[str], list[str] | str | None]:
        """Return the lines of the next row, and its values as from `_values`; no lines at the end of the file."""
        line = self.next()
        row, length = [line] if line else [], len(line)
        if length > self._longest:
            return row, f"is longer than {self._longest:,} characters"
        values = _values(row, delimiter)
        if values is not None or self._read_twice > _MOST_READ_TWICE:
            return row, values
        while length <= self._longest and (line := self.next()):
            row.append(line)
            length += len(line)
            if '"' in line and _values(['"' + line], delimiter) is not None:  # it closes the open quote
                return row, _values(row, delimiter) if length <= self._longest else None
        return row, None


def _values(row: list[str], delimiter: str) -> list[str] | str | None:
    """Return the values of a row; None if a quote is not closed, or an error message if the row is invalid."""
    reader = csv.reader([*row, ""], delimiter=delimiter, strict=len(row) > 1)
    try:
        values = next(reader)
    except csv.Error as error:
        return None if len(row) > 1 else str(error)
    return values if reader.line_num == max(1, len(row)) else None  # with an open quote, it asked for another line
