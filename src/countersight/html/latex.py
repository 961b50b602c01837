"""Tables as LaTeX."""

from collections.abc import Iterable, Iterator

from countersight.html.tables import Grid, TableCell


def latex_tables(
    words: str,
    tables: Iterable[Grid],
    definitions: Iterable[tuple[str, str]],
    sections: Iterable[tuple[str, str, Iterable[Grid]]] = (),
) -> str:
    """Return LaTeX tables in booktabs style, like the Markdown; definitions and introductions are comments."""
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
