"""Tables as data (figures, cells, lines), and as Markdown, LaTeX and CSV."""

import csv
import io
import re
from collections.abc import Iterable, Iterator, Sequence
from typing import Any, ClassVar, Final

import msgspec

from countersight.html.formatting import count, csv_safe, interval, name, number, p_value, percent, plain_interval


class Bounds(msgspec.Struct, frozen=True):
    """The smallest and the largest value that a figure can have."""

    low: float
    high: float


TOO_FEW: Final = 10
"""A difference over fewer cases than this is marked as having too few cases."""
TOO_FEW_CASES: Final = "too few cases"


class Figure(msgspec.Struct, frozen=True, omit_defaults=True):
    """A share, a difference of shares or a correlation, with its 95 % interval and its number of cases."""

    value: float | None
    """None if nothing was scored, or if no reply could be read."""
    low: float
    high: float
    n: int
    p: float | None = None
    """The two-sided p value of a difference."""
    right: int | None = msgspec.field(default=None, name="hits")
    """The number of the n that are right, if this is a share of right answers."""
    bounds: Bounds | None = None
    """The smallest and the largest value possible, depending on the unread replies; absent if all were read."""
    method: str = ""
    """The method of the interval and p; empty for exact binomial, or Tango's interval with McNemar's test."""
    confidence: float = 0.95
    """The confidence of the interval, which is larger for multiple comparisons."""
    is_share: ClassVar[bool] = True
    """Whether the figure is shown in per cent or points; a correlation is not."""

    @property
    def too_few(self) -> bool:
        """Whether this is a difference over too few cases to conclude anything."""
        return self.p is not None and self.n < TOO_FEW

    @property
    def if_right(self) -> float | None:
        """The share if every unread reply were right (`value` counts them as wrong); None if all were read."""
        return self.bounds.high if self.bounds and self.p is None else None

    @property
    def is_clear(self) -> bool:
        """Whether there are enough cases, and the interval excludes 0 however the unread replies are counted."""
        value, bounds = self.value or 0.0, self.bounds or Bounds(self.value or 0.0, self.value or 0.0)
        return not self.too_few and (self.low - (value - bounds.low) > 0 or self.high + (bounds.high - value) < 0)

    def __repr__(self) -> str:
        if self.value is None:
            return f"Figure(0 of {self.n} read)" if self.n else "Figure(nothing scored)"
        if not self.is_share:
            return f"Figure({number(self.value)}, {plain_interval(self)}, n={self.n})"
        if self.p is None:
            return f"Figure({100 * self.value:.1f}%, {interval(self)}, n={self.n})"
        return f"Figure({100 * self.value:+.1f} points, {interval(self)}, n={self.n}, {p_value(self.p)})"


class Count(msgspec.Struct, frozen=True):
    """A number without an interval, as written to files: a count, a bound, or a value printed in a paper."""

    value: float
    n: int | None
    method: str = "count"


class Record(msgspec.Struct, frozen=True):
    """A figure as written to files: its measure, and its group if that differs from the line's."""

    measure: str
    figure: Figure | Count
    group: str = ""


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
    """The run of the figures, as written to files; `minus_run` is the run that it is compared with."""
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
    """The name in files of each column after the first; empty for columns that are not written."""
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


def csv_text(columns: Sequence[str], rows: Iterable[Iterable[str | float | None]]) -> str:
    """Return CSV with these columns; text that a spreadsheet would treat as a formula is made safe."""
    file = io.StringIO()
    table = csv.writer(file, lineterminator="\n")
    table.writerow(columns)
    for row in rows:
        table.writerow([csv_safe(cell) if isinstance(cell, str) else cell for cell in row])
    return file.getvalue()


def markdown_tables(
    title: str,
    words: str,
    tables: Iterable[Grid],
    definitions: Iterable[tuple[str, str]],
    sections: Iterable[tuple[str, str, Iterable[Grid]]] = (),
) -> str:
    """Return Markdown with tables, then sections (heading, introduction and tables), then definitions."""
    parts = [f"# {markdown_text(title)}", markdown_text(words)]
    for grid in tables:
        parts += [f"## {markdown_text(grid.title)}", *markdown_grid(grid)]
    for heading, about, grids in sections:
        parts += [f"## {markdown_text(heading)}", markdown_text(about)]
        for grid in grids:
            parts += [f"### {markdown_text(grid.title)}", *markdown_grid(grid)]
    listed = (f"- **{markdown_text(term)}**: {markdown_text(text)}" for term, text in definitions)
    return "\n\n".join([*parts, "## How these figures were computed", "\n".join(listed)]) + "\n"


def markdown_grid(grid: Grid) -> list[str]:
    """Return the table as Markdown, followed by its note if it has one."""
    return [_md_table(grid), *([markdown_text(grid.note)] if grid.note else [])]


def _md_table(grid: Grid) -> str:
    rows = [[markdown_text(head) for head in grid.head], ["---", *("---:" for _ in grid.head[1:])]]
    for line in grid.lines:
        cells = [markdown_text(_flat(cell)) for cell in line.cells]
        rows.append([f"**{cells[0]}**", *cells[1:]] if line.total else cells)
    return "\n".join("| " + " | ".join(row) + " |" for row in rows)


def markdown_text(text: str) -> str:
    """Escape text for Markdown."""
    escaped = re.sub(r"([\\`*_\[\]|~!$#])", r"\\\1", text)
    return escaped.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")


def _flat(cell: TableCell) -> str:
    return f"{cell.text} ({'; '.join(cell.details)})" if cell.details else cell.text


def latex_tables(
    words: str,
    tables: Iterable[Grid],
    definitions: Iterable[tuple[str, str]],
    sections: Iterable[tuple[str, str, Iterable[Grid]]] = (),
) -> str:
    """Return LaTeX tables in booktabs style, like `markdown_tables`; definitions and introductions are comments."""
    lines = [
        "% Written by Countersight. In the preamble: \\usepackage{booktabs}",
        "% Names with signs outside Latin scripts need LuaLaTeX or XeLaTeX.",
        f"% {words}",
        *(f"% {term}: {text}" for term, text in definitions),
    ]
    for grid in tables:
        lines += ["", *_latex_grid(grid)]
    for heading, about, grids in sections:
        lines += ["", f"% {heading}. {about}"]
        for grid in grids:
            lines += ["", *_latex_grid(grid)]
    return "\n".join(lines) + "\n"


def _latex_grid(grid: Grid) -> Iterator[str]:
    """Return the LaTeX lines of a table."""
    yield r"\begin{table}"
    yield r"  \centering\small"
    yield f"  \\caption{{{_tex(' '.join((grid.title + '.', grid.note)).strip())}}}"
    yield f"  \\begin{{tabular}}{{l{'r' * (len(grid.head) - 1)}}}"
    yield r"    \toprule"
    yield "    " + " & ".join(_tex(head) for head in grid.head) + r" \\"
    yield r"    \midrule"
    for line in grid.lines:
        if line.total and len(grid.lines) > 1:
            yield r"    \midrule"
        yield "    " + " & ".join(_tex_cell(cell) for cell in line.cells) + r" \\"
    yield r"    \bottomrule"
    yield r"  \end{tabular}"
    yield r"\end{table}"


def _tex_cell(cell: TableCell) -> str:
    if not cell.details:
        return _tex(cell.text)
    return f"{_tex(cell.text)} {{\\scriptsize({_tex('; '.join(cell.details))})}}"


_TEX = {
    "\\": r"\textbackslash{}",
    "{": r"\{",
    "}": r"\}",
    "~": r"\textasciitilde{}",
    "^": r"\textasciicircum{}",
    "<": r"\textless{}",
    ">": r"\textgreater{}",
    "|": r"\textbar{}",
    # After a line break, LaTeX would read these as options of the break.
    "[": "{[}",
    "]": "{]}",
    "*": "{*}",
    # LaTeX would join two of these into another sign.
    "-": "{-}",
    "'": "{'}",
    "`": "{`}",
    '"': "{''}",
    "–": "--",
    "−": "$-$",
    **{sign: "\\" + sign for sign in "&%$#_"},
}


def _tex(text: str) -> str:
    return "".join(_TEX.get(sign, sign) for sign in text)
