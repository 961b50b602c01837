"""Tables as data: cells, lines and grids."""

from collections.abc import Iterator
from typing import Any, Final

import msgspec

from countersight.figures import Figure, Record
from countersight.html.formatting import name
from countersight.number_formats import count, interval, number, p_value, percent, plain_interval

TOO_FEW_CASES: Final = "too few cases"


class TableCell(msgspec.Struct, frozen=True):
    """A table cell: a figure, and in small print its interval, its p value or its own n."""

    text: str
    details: tuple[str, ...] = ()
    figure: Figure | None = None
    link: str = ""
    """The address that the text links to on a page."""
    folded: tuple[str, ...] = ()
    """Further details that a page shows on request."""


class Line(msgspec.Struct, frozen=True):
    """A table row; `total` marks the row that summarises the others, `reported` a row quoted from a paper."""

    cells: tuple[TableCell, ...]
    total: bool = False
    reported: bool = False
    run: str = ""
    """The name of the run in files; `minus_run` is the run that it is compared with."""
    minus_run: str = ""
    group: str = "all"
    extra_records: tuple[Record, ...] = ()
    """Figures that are written to files but not shown."""


class Grid(msgspec.Struct, frozen=True):
    """A table: its title, the heading of each column, and its lines. The first column has the names of the lines."""

    title: str
    head: tuple[str, ...]
    lines: tuple[Line, ...]
    note: str = ""
    key: str = ""
    """The name of the table in files; empty for a table that only repeats figures of other tables."""
    measures: tuple[str, ...] = ()
    """The name of each column after the first, as used in files; empty for columns that are not written."""
    main: int = 0
    """The column that a phone shows next to the name of each line; 0 for none."""

    def records(self, line: Line) -> Iterator[Record]:
        """Return every figure of a line as it is written to files."""
        for measure, cell in zip(self.measures, line.cells[1:], strict=False):
            if measure and cell.figure:
                yield Record(measure, cell.figure)
        yield from line.extra_records


NOTHING = TableCell("–")


def figure_cell(figure: Figure | None, expected_n: int | None, *, counted: bool = False) -> TableCell:
    """Return a cell with a figure and its interval; `counted` adds the count; n is shown unless it is `expected_n`."""
    if figure is None or figure.value is None:
        if figure is None or not figure.n:
            return NOTHING
        left_open = (f"unread: {interval(figure.bounds)}",) if figure.bounds else ()
        return TableCell(NOTHING.text, (f"0 of {count(figure.n)} read", *left_open), figure)
    details = [interval(figure) if figure.is_share else plain_interval(figure)]
    if counted and figure.right is not None:
        details.append(f"{count(figure.right)} of {count(figure.n)}")
        expected_n = figure.n
    if figure.p is not None:
        details.append(p_value(figure.p))
    if figure.n != expected_n:
        details.append(f"n = {count(figure.n)}")
    if figure.too_few:
        details.append(TOO_FEW_CASES)
    if figure.bounds:
        details.append(f"unread: {interval(figure.bounds)}")
    written = percent(figure.value) if figure.is_share else number(figure.value)
    return TableCell(written, tuple(details), figure)


Content = TableCell | Figure | str | int | None
"""The content of a cell: a figure, text, a count, or nothing."""


def table_line(
    called: str | TableCell, *cells: Content, n: int | None = None, counted: bool = False, **more: Any
) -> Line:
    """Return a line with these cells; `n` is the expected number of cases, `more` are further fields of the line."""
    first = called if isinstance(called, TableCell) else TableCell(name(called))
    return Line((first, *(_as_cell(cell, n, counted) for cell in cells)), **more)


def _as_cell(content: Content, n: int | None, counted: bool) -> TableCell:
    if isinstance(content, TableCell):
        return content
    if isinstance(content, int):
        return TableCell(count(content))
    if isinstance(content, str):
        return TableCell(name(content)) if content else NOTHING
    return figure_cell(content, n, counted=counted)
