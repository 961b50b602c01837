"""The tables of a report as Markdown, LaTeX and CSV."""

import csv
import io
import re
from collections.abc import Iterator

from countersight.report.data import Figure, ReportData, RunScores
from countersight.report.provenance import definitions, origins, sentence
from countersight.report.tables import COMPARED, MEASURES, Cell, Grid, grids
from countersight.report.wording import name


def markdown(report: ReportData) -> str:
    """Every table, then how the figures were got."""
    parts = [f"# {_md(name(report.dataset))}", _md(sentence(report))]
    for grid in grids(report):
        parts.append(f"## {_md(grid.title)}")
        parts.append(_md_table(grid))
        if grid.note:
            parts.append(_md(grid.note))
    parts.append("## How these figures were got")
    parts.append(
        "\n".join(f"- **{_md(term)}**: {_md(text)}" for term, text in (*origins(report), *definitions(report)))
    )
    return "\n\n".join(parts) + "\n"


def _md_table(grid: Grid) -> str:
    rows = [[_md(head) for head in grid.head], ["---", *("---:" for _ in grid.head[1:])]]
    for line in grid.lines:
        cells = [_md(_flat(cell)) for cell in line.cells]
        rows.append([f"**{cells[0]}**", *cells[1:]] if line.total else cells)
    return "\n".join("| " + " | ".join(row) + " |" for row in rows)


def _md(text: str) -> str:
    escaped = re.sub(r"([\\`*_\[\]|~!$#])", r"\\\1", text)
    return escaped.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")


def _flat(cell: Cell) -> str:
    return f"{cell.text} ({'; '.join(cell.details)})" if cell.details else cell.text


def latex(report: ReportData) -> str:
    """Every table for a paper, in booktabs style; how the figures were got stands above as comments."""
    lines = [
        "% Written by Countersight. In the preamble: \\usepackage{booktabs}",
        "% Names with signs outside Latin scripts need LuaLaTeX or XeLaTeX.",
        f"% {sentence(report)}",
        *(f"% {term}: {text}" for term, text in (*origins(report), *definitions(report))),
    ]
    for grid in grids(report):
        lines += ["", *_tex_table(grid)]
    return "\n".join(lines) + "\n"


def _tex_table(grid: Grid) -> Iterator[str]:
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


_COLUMNS = (
    "table",
    "run",
    "minus_run",
    "group",
    "measure",
    "value",
    "low",
    "high",
    "p",
    "n",
    "method",
    "confidence",
    "seed",
    "model",
    "prompt",
    "dataset",
    "fingerprint",
    "asked_with",
    "reported_with",
)
_WILSON = "Wilson"
_PAIRED = "paired bootstrap; McNemar exact"


def comma_separated(report: ReportData) -> str:
    """Every figure on a row of its own with how it was got: shares from 0 to 1, counts as whole numbers."""
    file = io.StringIO()
    table = csv.writer(file, lineterminator="\n")
    table.writerow(_COLUMNS)
    for cells in _records(report):
        table.writerow([_guarded(cell) if isinstance(cell, str) else cell for cell in cells])
    return file.getvalue()


Value = str | float | int | None


def _records(report: ReportData) -> Iterator[list[Value]]:
    runs = {run.label: run for run in report.runs}
    for run in report.runs:
        origin = _origin(report, run)
        for scores in run.groups:
            place: list[Value] = ["scores", run.label, "", scores.group]
            for key in MEASURES:
                yield from _record(place, key, getattr(scores, key), origin)
            for key in ("unread", "failed", "missing"):
                counted: list[Value] = [getattr(scores, key), None, None, None, scores.n, "count", None]
                yield [*place, key, *counted, *origin[1:]]
        for share in run.letters:
            for what, number in (("answered", share.answered), ("gold", share.gold)):
                measure = f"{share.asking}_{what}_{share.letter}"
                counted = [number, None, None, None, share.n, "count", None]
                yield ["letters", run.label, "", "all", measure, *counted, *origin[1:]]
    for pair in report.comparisons:
        for group in pair.groups:
            for key in COMPARED:
                place = ["comparison", pair.first, pair.second, group.group]
                yield from _record(place, key, getattr(group, key), _origin(report, runs[pair.first]))


def _record(place: list[Value], measure: str, figure: Figure | None, origin: list[Value]) -> Iterator[list[Value]]:
    if figure is not None and figure.value is not None:
        values = [round(value, 6) for value in (figure.value, figure.low, figure.high)]
        method = _WILSON if figure.p is None else _PAIRED
        yield [*place, measure, *values, figure.p, figure.n, method, *origin]


def _origin(report: ReportData, run: RunScores) -> list[Value]:
    return [
        report.confidence,
        report.seed,
        run.model,
        run.prompt,
        report.dataset,
        report.fingerprint,
        run.version,
        report.version,
    ]


def _guarded(text: str) -> str:
    """Text that a spreadsheet will not take for a formula."""
    plain = name(text)
    return "'" + plain if plain.startswith(("=", "+", "-", "@", "'")) else plain
