"""Turning a published file into a dataset folder: what the importers of all suites share.

A suite says in a `Layout` how its rows are read and what case a row is. Reading streams, has limits, and never fails
for what stands in the file: a row that is no case is told to the caller by its line, its field and the reason.
"""

import contextlib
import csv
from collections import deque
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any, TextIO

import msgspec

from countersight import __version__
from countersight.blind import card_section
from countersight.case import Case, Question
from countersight.dataset import DatasetWriter
from countersight.errors import CountersightError
from countersight.files import bounded_lines
from countersight.suites.part import Part
from countersight.suites.picture_files import IMAGES as IMAGES
from countersight.suites.picture_files import BadField as BadField
from countersight.suites.picture_files import Pictured, with_shown
from countersight.suites.set_sizes import SetSizes
from countersight.text import nearest

MAX_LINE = 1 << 20
"""Longest piece of a line read at once: a file of one endless line must not fill the memory."""
_MOST_COLUMNS = 1000
"""Columns of a header that are looked through for one that may be meant."""
MAX_DEPTH = 32
"""Deepest nesting kept of a JSON row, so that writing and reading it again cannot run out of stack."""

OnBad = Callable[[int, str, str], None]
"""Told of a bad row: its line (or its number, of entries in a list), the field, and what is wrong with it."""

Row = Mapping[str, Any]
"""What stands on a row, by the name of the field: text from a CSV, anything from a JSONL file."""


class Imported(msgspec.Struct, frozen=True):
    """How many rows became cases, and how many were bad."""

    cases: int
    bad: int
    without_picture: int
    incomplete: tuple[str, ...] = ()
    """Sets of which cases are missing, each with how many it has: they are scored as no set."""
    not_found: tuple[int, ...] = ()
    """Lines (or numbers of entries) whose picture is not in the folder of pictures that was given."""


Rows = Iterator[tuple[int, Row | BadField]]
"""Rows with the line each ends on, or its number in a list; what is no row comes as what is wrong with it."""


class Layout(msgspec.Struct, frozen=True):
    """How the file of a suite becomes a dataset."""

    suite: str
    title: str
    """The suite's published name."""
    description: str
    rows: Callable[[Path], Rows]
    as_case: Callable[[Row, int], Case]
    """The case on a row, given the row's number counted from 1; raises BadField."""
    picture: Callable[[Row], Pictured]
    """A row's picture: its file name, its bytes, or the folder of its frames; raises BadField."""
    picture_field: str
    folders: tuple[str, ...] = ("",)
    """Where in the folder of pictures that file may lie; the first that has it wins."""
    flat: bool = False
    """Whether it may also lie there without the folders that its name names."""
    license: str = "unknown"
    embeds: bool = False
    """Whether the pictures stand in the file itself, so that no folder of them has to be named."""
    tries_pictures: bool = False
    """Whether a picture that is none makes a bad row: a table of one's own is mended now, a published one never."""


def import_dataset(
    layout: Layout,
    source: Path,
    folder: Path,
    *,
    pictures: Path | None,
    on_bad: OnBad,
    part: Part | None = None,
) -> Imported:
    """Read a published file, or a part of it, into a new dataset folder; see `import_rows`."""
    if pictures is not None and not pictures.is_dir():
        raise CountersightError(f"{pictures} is not a folder; name the one that holds the pictures")
    provenance: dict[str, str | int] = {"suite": layout.suite, "file": source.name, "countersight": __version__}
    if part is not None:
        provenance |= {"part": str(part), "seed": part.seed}
    writer = DatasetWriter(
        folder,
        name=layout.title,
        description=layout.description,
        license=layout.license,
        provenance=provenance,
        sections=(card_section,),
    )
    with writer:
        imported = import_rows(layout, source, writer, pictures, on_bad, part)
        if not imported.cases:
            raise CountersightError(f"{source} holds no questions of {layout.title}; nothing was made")
        return imported


def import_rows(
    layout: Layout,
    source: Path,
    writer: DatasetWriter,
    pictures: Path | None,
    on_bad: OnBad,
    part: Part | None = None,
) -> Imported:
    """Read a published file into a dataset, with the pictures of a folder where one is given.

    A bad row is told to `on_bad` and left out. A case whose picture is not in the folder has none. With a `part` only
    cases drawn by chance are taken.
    """
    drawn = part.drawn(_good_rows(layout, source)) if part else None
    cases = bad = without_picture = 0
    ids: set[str] = set()
    sets, not_found = SetSizes(), []
    for number, (line, row) in enumerate(layout.rows(source), start=1):
        try:
            if isinstance(row, BadField):
                raise row
            case = layout.as_case(row, number)
            if drawn is not None and number not in drawn:
                continue
            if case.id in ids:
                raise BadField("id", f"{case.id[:80]!r} stands on an earlier line already")
            shown = layout.picture(row) if pictures is not None or layout.embeds else None
            case = with_shown(case, layout, shown, pictures, writer.staging)
        except BadField as wrong:
            on_bad(line, wrong.field, wrong.reason)
            bad += 1
        else:
            writer.add(msgspec.structs.replace(case, suite=layout.suite))
            ids.add(case.id)
            sets.add(case)
            cases += 1
            without_picture += case.image is None
            if case.image is None and pictures is not None and shown is not None:
                not_found.append(line)
    return Imported(cases, bad, without_picture, sets.incomplete(), tuple(dict.fromkeys(not_found)))


def _good_rows(layout: Layout, source: Path) -> list[int]:
    """The numbers of the rows that are cases."""
    good = []
    for number, (_, row) in enumerate(layout.rows(source), start=1):
        with contextlib.suppress(BadField):
            if not isinstance(row, BadField):
                layout.as_case(row, number)
                good.append(number)
    return good


def csv_rows(path: Path, columns: tuple[str, ...], delimiter: str = ",") -> Rows:
    """Rows of a CSV file whose header has these columns; more columns do no harm."""
    with open(path, encoding="utf-8-sig", errors="replace", newline="") as file:
        lines = _Pieces(file)
        reader = csv.reader(lines, delimiter=delimiter)
        try:
            header = next(reader, [])
        except csv.Error as error:
            yield 1, BadField("header", str(error))
            return
        wrong = header_fault(header, columns)
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
            if values and (len(values) != len(header) or lines.is_open()) and lines.give_back():
                yield lines.line, _UNCLOSED
                reader = csv.reader(lines, delimiter=delimiter)
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
_MOST_GIVEN_BACK = 64 * MAX_LINE


class _Pieces:
    """Lines of a text file, the long ones in pieces, with the number of the line and a limit to what a row takes."""

    def __init__(self, file: TextIO) -> None:
        self.line = 0
        self.taken = 0
        """Characters since the reader of rows set this to 0: quotes may hold a row together over many lines."""
        self._file = file
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
        """Whether a quote of the row is not closed."""
        return sum(piece.count('"') for piece in self._row) % 2 == 1

    def give_back(self) -> bool:
        """Have all but the first line of a row read again: a quote of that line, which is not closed, swallowed them.

        False where the row is one line, or so much was given back that the file is made of nothing else.
        """
        if len(self._row) < 2 or '"' not in self._row[0] or self._given_back > _MOST_GIVEN_BACK:
            return False
        self._given_back += self.taken
        self._again.extendleft(reversed(self._row[1:]))
        self.line -= len(self._row) - 1
        self._begins = True
        return True

    def end_line(self) -> None:
        """Go past the rest of a line of which a piece was bad: it is one bad row, and no piece of it a good one."""
        while not self._begins and (piece := self._file.readline(MAX_LINE)):
            self._begins = piece.endswith(("\n", "\r"))


def jsonl_rows(path: Path, fields: tuple[str, ...]) -> Rows:
    """Rows of a file with one JSON object a line that has these fields; more fields do no harm."""
    with open(path, "rb") as file:
        for line, text in enumerate(bounded_lines(file, MAX_LINE), start=1):
            text = text.removeprefix(b"\xef\xbb\xbf") if line == 1 else text
            if not text or text.isspace():
                continue
            yield line, json_row(text, fields)


def json_row(text: bytes, fields: tuple[str, ...], piece: str = "line") -> Row | BadField:
    """The row that a piece of a file is, if it is a JSON object with these fields; else what is wrong with it."""
    if len(text) > MAX_LINE:
        return BadField(piece, f"is longer than {MAX_LINE:,} bytes")
    try:
        row = msgspec.json.decode(text)
    except RecursionError:
        return BadField(piece, f"is nested deeper than {MAX_DEPTH}")
    except (msgspec.MsgspecError, UnicodeDecodeError) as error:
        return BadField(piece, f"is not JSON ({error})")
    if not isinstance(row, dict):
        return BadField(piece, "is not a JSON object")
    if _is_deep(row):
        return BadField(piece, f"is nested deeper than {MAX_DEPTH}")
    absent = next((field for field in fields if field not in row), None)
    return row if absent is None else BadField(absent, "is missing")


def _is_deep(row: object) -> bool:
    level = [row]
    for _ in range(MAX_DEPTH):
        level = [
            inner
            for outer in level
            if isinstance(outer, dict | list)
            for inner in (outer.values() if isinstance(outer, dict) else outer)
        ]
    return bool(level)


def text_of(row: Row, field: str) -> str:
    """The text in a field, without spaces around it; raises BadField where there is none."""
    value = row[field]
    if not isinstance(value, str):
        raise BadField(field, "is not text")
    if "\0" in value:
        raise BadField(field, "is not text: there is a NUL in it")
    if not value.strip():
        raise BadField(field, "is empty")
    return value.strip()


def name_of(row: Row, field: str, names: tuple[str, ...]) -> str:
    """The one of these names that stands in a field, in small letters or not."""
    text = text_of(row, field)
    name = text.casefold()
    if name not in names:
        raise BadField(field, f"{text[:40]!r} is none of {', '.join(names)}")
    return name


def checked(question: Question, fields: Mapping[str, str]) -> Question:
    """The question if nothing is wrong with it; `fields` names the published field of its text, answer and options."""
    fault = question.fault()
    if fault:
        part, _, reason = fault.partition(": ")
        raise BadField(fields[part], reason[:200])
    return question
