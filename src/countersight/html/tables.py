"""Tables as data: figures, cells, lines; and the same as Markdown and LaTeX."""

import re
from collections.abc import Iterable, Iterator
from typing import Any, Final

import msgspec

from countersight.html.wording import count, interval, name, number, p_value, percent, plain_interval


class Bounds(msgspec.Struct, frozen=True):
    """The smallest and the largest value that a figure can have."""

    low: float
    high: float


TOO_FEW: Final = 10
"""A difference over fewer cases is shown as too few cases to tell."""
TOO_FEW_CASES: Final = "too few cases"


class Measured(msgspec.Struct, frozen=True):
    """What a table shows as a figure: a share, or a difference of shares, with its interval.

    Whatever is computed is a subclass that says what it has; the rest is as stands here.
    """

    @property
    def value(self) -> float | None:
        """The figure itself; None where nothing was scored."""
        raise NotImplementedError

    @property
    def low(self) -> float:
        """The lower end of its interval."""
        raise NotImplementedError

    @property
    def high(self) -> float:
        """The upper end of its interval."""
        raise NotImplementedError

    @property
    def n(self) -> int:
        """The cases that it rests on."""
        raise NotImplementedError

    @property
    def p(self) -> float | None:
        """The p value, where two things were compared."""
        return None

    @property
    def hits(self) -> int | None:
        """How many of the n were right, where the figure is such a share."""
        return None

    @property
    def method(self) -> str:
        """How the interval and p were computed, where it is not exact binomial, or Tango's with McNemar's test."""
        return ""

    @property
    def confidence(self) -> float | None:
        """Of its interval, where that is not the report's: several comparisons have wider ones."""
        return None

    @property
    def unread(self) -> int:
        """How many of the n would be right if every unread reply were."""
        return 0

    @property
    def if_right(self) -> float | None:
        """The share if every unread reply were right; if every one were wrong, it is `value`."""
        return self.value + self.unread / self.n if self.value is not None and self.unread else None

    @property
    def too_few(self) -> bool:
        """Whether it is a difference over so few cases that nothing can be told from it."""
        return self.p is not None and self.n < TOO_FEW

    @property
    def bounds(self) -> "Bounds | None":
        """The smallest and the largest value that unread replies leave possible; None where all were read."""
        return None if self.value is None or self.if_right is None else Bounds(self.value, self.if_right)

    @property
    def is_clear(self) -> bool:
        """Whether enough cases show it to be above or below 0, whatever the unread replies mean."""
        value, bounds = self.value or 0.0, self.bounds or Bounds(self.value or 0.0, self.value or 0.0)
        return not self.too_few and (self.low - (value - bounds.low) > 0 or self.high + (bounds.high - value) < 0)

    @property
    def is_share(self) -> bool:
        """Whether it is told in per cent or points; a correlation is not."""
        return True


class Figure(Measured, frozen=True, omit_defaults=True):
    """A share from 0 to 1 or a difference of shares, its 95 % interval, and the number of cases that it rests on."""

    value: float | None
    low: float
    high: float
    n: int
    p: float | None = None
    """Of a difference: two-sided."""
    hits: int | None = None
    """Of a share: how many of the n are right."""


class Count(msgspec.Struct, frozen=True):
    """A number without an interval, as a file has it: a count, a bound, or what a paper prints."""

    value: float
    n: int | None
    method: str = "count"


class Record(msgspec.Struct, frozen=True):
    """A figure of a line as a file has it: the measure, and the group where that is not the line's."""

    measure: str
    figure: Measured | Count
    group: str = ""


class TableCell(msgspec.Struct, frozen=True):
    """A figure and what stands beside it in small: its interval, its p value, its own n."""

    text: str
    details: tuple[str, ...] = ()
    figure: Measured | None = None


class Line(msgspec.Struct, frozen=True):
    """A line of a table; `total` marks the one that sums up the others, `reported` one that a paper has."""

    cells: tuple[TableCell, ...]
    total: bool = False
    reported: bool = False
    run: str = ""
    """In files: the run that its figures are of, the run that they are held against, and the group of cases."""
    minus_run: str = ""
    group: str = "all"
    also: tuple[Record, ...] = ()
    """What only files have."""


class Grid(msgspec.Struct, frozen=True):
    """A table: what it shows, the head of each column, and its lines. The first column names the line."""

    title: str
    head: tuple[str, ...]
    lines: tuple[Line, ...]
    note: str = ""
    key: str = ""
    """What files call the table; one that only gathers figures of others is in no file."""
    measures: tuple[str, ...] = ()
    """What files call each column after the first."""

    def records(self, line: Line) -> Iterator[Record]:
        """Every figure of a line, as a file has it."""
        for measure, cell in zip(self.measures, line.cells[1:], strict=False):
            if measure and cell.figure:
                yield Record(measure, cell.figure)
        yield from line.also


NOTHING = TableCell("–")


def figure_cell(figure: Measured | None, expected_n: int | None, *, counted: bool = False) -> TableCell:
    """A figure with its interval, and with its count where wanted; its n is said where it is not that of the line."""
    if figure is None or figure.value is None:
        return TableCell(NOTHING.text, (f"0 of {count(figure.n)} read",), figure) if figure and figure.n else NOTHING
    details = [interval(figure) if figure.is_share else plain_interval(figure)]
    if counted and figure.hits is not None:
        details.append(f"{count(figure.hits)} of {count(figure.n)}")
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


Content = TableCell | Measured | str | int | None
"""What may stand in a cell: a figure, words, a count, or nothing."""


def table_line(
    called: str | TableCell, *cells: Content, n: int | None = None, counted: bool = False, **more: Any
) -> Line:
    """A line out of what stands in its cells; `n` is what its figures rest on, `more` are fields of the line."""
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


def markdown_grid(grid: Grid) -> list[str]:
    """A table, and its note where it has one."""
    return [_md_table(grid), *([markdown_text(grid.note)] if grid.note else [])]


def _md_table(grid: Grid) -> str:
    rows = [[markdown_text(head) for head in grid.head], ["---", *("---:" for _ in grid.head[1:])]]
    for line in grid.lines:
        cells = [markdown_text(_flat(cell)) for cell in line.cells]
        rows.append([f"**{cells[0]}**", *cells[1:]] if line.total else cells)
    return "\n".join("| " + " | ".join(row) + " |" for row in rows)


def markdown_text(text: str) -> str:
    """Text that Markdown takes for nothing but text."""
    escaped = re.sub(r"([\\`*_\[\]|~!$#])", r"\\\1", text)
    return escaped.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")


def _flat(cell: TableCell) -> str:
    return f"{cell.text} ({'; '.join(cell.details)})" if cell.details else cell.text


def latex_tables(words: str, told: Iterable[tuple[str, str]], tables: Iterable[Grid]) -> list[str]:
    """Lines of tables, below comments that say what they show and how they were got."""
    lines = [
        "% Written by Countersight. In the preamble: \\usepackage{booktabs}",
        "% Names with signs outside Latin scripts need LuaLaTeX or XeLaTeX.",
        f"% {words}",
        *(f"% {term}: {text}" for term, text in told),
    ]
    for grid in tables:
        lines += ["", *latex_grid(grid)]
    return lines


def latex_grid(grid: Grid) -> Iterator[str]:
    """The lines of a table."""
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
    # After the end of a line these would be read as its options.
    "[": "{[}",
    "]": "{]}",
    "*": "{*}",
    # Two of these in a row would become another sign.
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
