"""Tables as data: figures, cells, lines; and the same as Markdown and LaTeX."""

import re
from collections.abc import Iterable, Iterator

import msgspec

from countersight.html.wording import count, interval, none_read, p_value, percent


class Figure(msgspec.Struct, frozen=True):
    """A share or a difference of shares, with its interval; `p` only where two things were compared."""

    value: float | None
    low: float
    high: float
    n: int
    p: float | None = None
    right: int | None = None
    """How many of the n were right, where the figure is such a share."""
    method: str = ""
    """How the interval and p were computed, where it is not exact binomial, or Tango's with McNemar's test."""
    confidence: float | None = None
    """Of its interval, where that is not the report's: several comparisons have wider ones."""
    unread: int = 0
    """How many of the n would be right if every unread reply were; all replies where there is no value."""

    @property
    def unheard(self) -> int:
        """How many replies there are, where not one of them could be read."""
        return self.unread if self.value is None else 0

    @property
    def if_right(self) -> float | None:
        """The share if every unread reply were right; if every one were wrong, it is `value`."""
        return self.value + self.unread / self.n if self.value is not None and self.unread else None


class Cell(msgspec.Struct, frozen=True):
    """A figure and what stands beside it in small: its interval, its p value, its own n."""

    text: str
    details: tuple[str, ...] = ()


class Line(msgspec.Struct, frozen=True):
    """A line of a table; `total` marks the one that sums up the others, `reported` one that a paper has."""

    cells: tuple[Cell, ...]
    total: bool = False
    reported: bool = False


class Grid(msgspec.Struct, frozen=True):
    """A table: what it shows, the head of each column, and its lines. The first column names the line."""

    title: str
    head: tuple[str, ...]
    lines: tuple[Line, ...]
    note: str = ""


NOTHING = Cell("–")


def figure_cell(figure: Figure | None, expected_n: int | None, *, counted: bool = False) -> Cell:
    """A figure with its interval, and with its count where wanted; its n is said where it is not that of the line."""
    if figure is None or figure.value is None:
        return Cell(NOTHING.text, (none_read(figure.unheard),)) if figure and figure.unheard else NOTHING
    details = [interval(figure)]
    if counted and figure.right is not None:
        details.append(f"{count(figure.right)} of {count(figure.n)}")
        expected_n = figure.n
    if figure.p is not None:
        details.append(p_value(figure.p))
    if figure.n != expected_n:
        details.append(f"n = {count(figure.n)}")
    if figure.if_right is not None:
        details.append(f"unread: {percent(figure.value)} to {percent(figure.if_right)}")
    return Cell(percent(figure.value), tuple(details))


def unasked_line(head: tuple[str, ...], first: Cell, n: Cell, figures: list[Cell]) -> Line:
    """A line that has no questions of its own that could be unread, failed or missing."""
    return Line((first, n, *figures, *[NOTHING] * (len(head) - 2 - len(figures))))


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


def _flat(cell: Cell) -> str:
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


def _tex_cell(cell: Cell) -> str:
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
