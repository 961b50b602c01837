"""Tables as Markdown, LaTeX and CSV files."""

import csv
import io
import re
from collections.abc import Iterable, Iterator, Sequence

from countersight.html.formatting import name
from countersight.html.tables import Grid, TableCell

Sections = Iterable[tuple[str, str, Iterable[Grid]]]
"""A section: its heading and introduction, either of which may be empty, and its tables."""


def markdown_tables(title: str, words: str, sections: Sections, definitions: Iterable[tuple[str, str]]) -> str:
    """Return Markdown with a title, a summary, tables under headings, and definitions."""
    parts = [f"# {markdown_text(title)}", markdown_text(words)]
    for heading, about, grids in sections:
        parts += [f"## {markdown_text(heading)}", markdown_text(about)] if heading else []
        for grid in grids:
            parts += [f"{'###' if heading else '##'} {markdown_text(grid.title)}", *markdown_grid(grid)]
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


def latex_tables(words: str, sections: Sections, definitions: Iterable[tuple[str, str]]) -> str:
    """Return LaTeX tables in booktabs style; the summary, headings and definitions are comments."""
    lines = [
        "% Written by Countersight. In the preamble: \\usepackage{booktabs}",
        "% Names with characters outside Latin scripts need LuaLaTeX or XeLaTeX.",
        f"% {words}",
        *(f"% {term}: {text}" for term, text in definitions),
    ]
    for heading, about, grids in sections:
        lines += ["", f"% {heading}. {about}"] if heading else []
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


def csv_text(columns: Sequence[str], rows: Iterable[Iterable[str | float | None]]) -> str:
    """Return CSV with these columns; text that a spreadsheet would treat as a formula is made safe."""
    file = io.StringIO()
    table = csv.writer(file, lineterminator="\n")
    table.writerow(columns)
    for row in rows:
        table.writerow([csv_safe(cell) if isinstance(cell, str) else cell for cell in row])
    return file.getvalue()


def csv_safe(text: str) -> str:
    """Return text that a spreadsheet does not treat as a formula."""
    plain = name(text)
    return "'" + plain if plain.startswith(("=", "+", "-", "@", "'")) else plain
