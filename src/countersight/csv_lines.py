"""A tolerant CSV reader: rows have a maximum length, and an unclosed quote spoils only its own row."""

import csv
from collections import deque
from collections.abc import Iterator
from typing import Final, TextIO

UNCLOSED: Final = "has a quote that is not closed"
_MOST_GIVEN_BACK = 1 << 26


def csv_lines(file: TextIO, longest: int, delimiter: str = "") -> Iterator[tuple[int, list[str] | str]]:
    """Yield the header and every non-empty row with its line number; for an invalid row, an error message replaces
    the values.

    The default delimiter is a comma, or a semicolon or tab if the header has those. A line such as `sep=;` before the
    header, as Excel writes it, names the delimiter. A row has at most `longest` characters. If the header is invalid,
    no rows are yielded.
    """
    first = file.readline(longest // 2)
    names_delimiter = first.strip().strip('"').casefold().startswith("sep=")
    if names_delimiter:
        delimiter = first.strip().strip('"')[4:]
        first = file.readline(longest // 2)
    delimiter = delimiter if len(delimiter) == 1 else max(",;\t", key=first.count)
    lines = _Pieces(file, longest, delimiter, first)
    lines.line += names_delimiter
    reader = csv.reader(lines, delimiter=delimiter)
    header = _header(reader, lines)
    yield 1 + names_delimiter, header
    while not isinstance(header, str):
        lines.begin_row()
        try:
            values = next(reader)
        except StopIteration:
            return
        except csv.Error as error:
            if lines.give_back():
                yield lines.line, _READ_ON
                reader = csv.reader(lines, delimiter=delimiter)
                continue
            yield lines.line, str(error)
            lines.end_line()
            continue
        is_open = lines.is_open()
        if values and (len(values) != len(header) or is_open) and lines.give_back():
            yield lines.line, _READ_ON
            reader = csv.reader(lines, delimiter=delimiter)
        elif is_open:
            yield lines.line, UNCLOSED
        elif any(values):
            yield lines.line, values


def _header(reader: Iterator[list[str]], lines: "_Pieces") -> list[str] | str:
    try:
        header = next(reader, [])
    except csv.Error as error:
        return str(error)
    return f"{UNCLOSED}; close it, because nothing after it can be read" if lines.is_open() else header


_READ_ON = f"{UNCLOSED}; the lines after it are read on their own"


class _Pieces:
    """Iterates over the lines of a text file, long ones in pieces; counts lines and limits the length of a row."""

    def __init__(self, file: TextIO, longest: int, delimiter: str, first: str) -> None:
        self.line = 0
        self.taken = 0
        """Characters since the start of the row, which may span several lines in quotes."""
        self._file = file
        self._longest = longest
        self._delimiter = delimiter
        self._ended = False
        self._begins = True
        self._row: list[str] = []
        """The lines of the current row, and lines to be read again."""
        self._again: deque[str] = deque([first] if first else [])
        self._given_back = 0

    def __iter__(self) -> "_Pieces":
        return self

    def __next__(self) -> str:
        piece = self._again.popleft() if self._again else self._file.readline(self._longest // 2)
        if not piece:
            self._ended = True
            raise StopIteration
        self.line += self._begins
        self._begins = piece.endswith(("\n", "\r"))
        self._row.append(piece)
        self.taken += len(piece)
        if self.taken > self._longest:
            raise csv.Error(f"is longer than {self._longest:,} characters")
        return piece

    def begin_row(self) -> None:
        """Start a new row."""
        self.taken = 0
        self._row = []

    def is_open(self) -> bool:
        """Whether a quote of the row is not closed, or is closed only by a quote that opens a field on a later line."""
        if self._ended:  # the reader asked for more lines than the file has, so the row is unfinished
            return bool(self._row)
        return len(self._row) > 1 and not self._is_well_quoted()

    def _is_well_quoted(self) -> bool:
        try:
            next(csv.reader(self._row, delimiter=self._delimiter, strict=True))
        except csv.Error:
            return False
        return True

    def give_back(self) -> bool:
        """Read all but the first line of a row again, because an unclosed quote made them part of the row.

        Returns False if the row has only one line, starts with an overlong line, or if too many lines were read again.
        """
        if len(self._row) < 2 or self._given_back > _MOST_GIVEN_BACK:
            return False
        if '"' not in self._row[0] or not self._row[0].endswith(("\n", "\r")):
            return False
        self._ended = False
        self._given_back += self.taken
        self._again.extendleft(reversed(self._row[1:]))
        self.line -= len(self._row) - 1
        self._begins = True
        return True

    def end_line(self) -> None:
        """Skip the rest of a line that is too long, so that it counts as one bad row."""
        while not self._begins and (piece := self._file.readline(self._longest // 2)):
            self._begins = piece.endswith(("\n", "\r"))
