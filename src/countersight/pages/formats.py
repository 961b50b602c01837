"""Grids of words as Markdown and LaTeX."""

import re
from collections.abc import Iterable, Iterator

from countersight.pages.grid import Cell, Grid


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
