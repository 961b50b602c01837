"""Rows of a CSV file: bounded, and with a quote that is not closed costing one row, not the rest of the file."""

import csv
from collections import deque
from pathlib import Path
from typing import TextIO

from countersight.suites.importing import MAX_LINE, Row, Rows
from countersight.suites.picture_files import BadField
from countersight.text import nearest

_MOST_COLUMNS = 1000
"""Columns of a header that are looked through for one that may be meant."""


def csv_rows(path: Path, columns: tuple[str, ...], delimiter: str = ",") -> Rows:
    """Rows of a CSV file whose header has these columns; more columns do no harm."""
    with open(path, encoding="utf-8-sig", errors="replace", newline="") as file:
        lines = _Pieces(file, delimiter)
        reader = csv.reader(lines, delimiter=delimiter)
        try:
            header = next(reader, [])
        except csv.Error as error:
            yield 1, BadField("header", str(error))
            return
        wrong = _OPEN_HEADER if lines.is_open() else header_fault(header, columns)
        if wrong:
            yield 1, wrong
            return
        while True:
            lines.begin_row()
            try:
                values = next(reader)
            except StopIteration:
                return
            except csv.Error as error:
                if lines.give_back():
                    yield lines.line, _UNCLOSED
                    reader = csv.reader(lines, delimiter=delimiter)
                    continue
                yield lines.line, BadField("row", str(error))
                lines.end_line()
                continue
            is_open = lines.is_open()
            if values and (len(values) != len(header) or is_open) and lines.give_back():
                yield lines.line, _UNCLOSED
                reader = csv.reader(lines, delimiter=delimiter)
            elif is_open:
                yield lines.line, BadField("row", "has a quote that is not closed")
            elif values:
                yield lines.line, _csv_row(header, values, columns)


def header_fault(header: list[str], columns: tuple[str, ...]) -> BadField | None:
    """What is wrong with the columns of a table that needs these, or None."""
    for column in columns:
        if header.count(column) > 1:
            return BadField(column, "is the name of two columns of the file; rename one")
        if column not in header:
            others = [name for name in header[:_MOST_COLUMNS] if name not in columns and len(name) <= 100]
            near = nearest(column, others)
            there = f", which has {near!r}" if near else ""
            return BadField(column, f"is not a column of the file{there}; it needs {', '.join(columns)}")
    return None


def _csv_row(header: list[str], values: list[str], columns: tuple[str, ...]) -> Row | BadField:
    if len(values) != len(header):
        return BadField("row", f"has {len(values)} values where the header has {len(header)}")
    row = dict(zip(header, values, strict=True))
    for column in columns:
        if "\ufffd" in row[column] or "\0" in row[column]:
            return BadField(column, "is not UTF-8 text")
    return row


_UNCLOSED = BadField("row", "has a quote that is not closed; the lines after it are read on their own")
_OPEN_HEADER = BadField("header", "has a quote that is not closed; close it, for nothing after it can be read")
_MOST_GIVEN_BACK = 64 * MAX_LINE


class _Pieces:
    """Lines of a text file, the long ones in pieces, with the number of the line and a limit to what a row takes."""

    def __init__(self, file: TextIO, delimiter: str) -> None:
        self.line = 0
        self.taken = 0
        """Characters since the reader of rows set this to 0: quotes may hold a row together over many lines."""
        self._file = file
        self._delimiter = delimiter
        self._ended = False
        self._begins = True
        self._row: list[str] = []
        """The pieces of the row that is being read, and those that are to be read again."""
        self._again: deque[str] = deque()
        self._given_back = 0

    def __iter__(self) -> "_Pieces":
        return self

    def __next__(self) -> str:
        piece = self._again.popleft() if self._again else self._file.readline(MAX_LINE)
        if not piece:
            self._ended = True
            raise StopIteration
        self.line += self._begins
        self._begins = piece.endswith(("\n", "\r"))
        self._row.append(piece)
        self.taken += len(piece)
        if self.taken > 2 * MAX_LINE:
            raise csv.Error(f"is longer than {2 * MAX_LINE:,} characters")
        return piece

    def begin_row(self) -> None:
        """Forget the row before."""
        self.taken = 0
        self._row = []

    def is_open(self) -> bool:
        """Whether a quote of the row is not closed, or only by one of a later line that opens a field."""
        if self._ended:  # more was asked for than the file has, since the row was not over
            return bool(self._row)
        return len(self._row) > 1 and not self._is_well_quoted()

    def _is_well_quoted(self) -> bool:
        try:
            next(csv.reader(self._row, delimiter=self._delimiter, strict=True))
        except csv.Error:
            return False
        return True

    def give_back(self) -> bool:
        """Have all but the first line of a row read again: a quote of that line, which is not closed, swallowed them.

        False where the row is one line, or so much was given back that the file is made of nothing else.
        """
        if len(self._row) < 2 or '"' not in self._row[0] or self._given_back > _MOST_GIVEN_BACK:
            return False
        self._ended = False
        self._given_back += self.taken
        self._again.extendleft(reversed(self._row[1:]))
        self.line -= len(self._row) - 1
        self._begins = True
        return True

    def end_line(self) -> None:
        """Go past the rest of a line of which a piece was bad: it is one bad row, and no piece of it a good one."""
        while not self._begins and (piece := self._file.readline(MAX_LINE)):
            self._begins = piece.endswith(("\n", "\r"))
