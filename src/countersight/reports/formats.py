"""Formats of a report: terminal text, Markdown, LaTeX, CSV and a short summary."""

from collections.abc import Iterator, Sequence
from math import copysign
from typing import Final

import msgspec
from rich.console import Console
from rich.text import Text

from countersight.figures import Count, Record
from countersight.html import (
    Grid,
    csv_text,
    latex_tables,
    markdown_grid,
    markdown_tables,
    markdown_text,
    name,
    print_grids,
)
from countersight.reports.data import ReportData, RunScores
from countersight.reports.finding import sentence, sentences
from countersight.reports.origins import origins, origins_and_definitions
from countersight.reports.tables import by_group, grids, overview, parts, score_tables
from countersight.text import several


def markdown(report: ReportData) -> str:
    """Return every table as Markdown, then the origin of the figures."""
    return markdown_tables(name(report.dataset), sentence(report), _sections(report), origins_and_definitions(report))


def latex(report: ReportData) -> str:
    """Return every table as LaTeX, with the origin of the figures as comments."""
    return latex_tables(sentence(report), _sections(report), origins_and_definitions(report))


def _sections(report: ReportData) -> Iterator[tuple[str, str, Sequence[Grid]]]:
    yield "", "", score_tables(report)
    yield from ((each.heading, each.about, each.tables) for each in parts(report))


Value = str | float | int | None
_COLUMNS: Final = (
    *("table", "run", "minus_run", "group", "measure", "value", "low", "high", "p", "right", "n", "method"),
    *("confidence", "seed", "model", "prompt", "dataset", "fingerprint", "asked_with", "reported_with"),
)


def comma_separated(report: ReportData) -> str:
    """Return CSV with one row per figure, including its origin; shares are from 0 to 1."""
    return csv_text(_COLUMNS, _csv_rows(report))


def _csv_rows(report: ReportData) -> Iterator[list[Value]]:
    runs = {run.label: run for run in report.runs}
    plain = {run.label: run.plain_label for run in report.runs}
    for grid in grids(report):
        for line in grid.lines if grid.key else ():
            origin = _origin(report, runs.get(line.run), line.run)
            for record in grid.records(line):
                named = [plain.get(each, each) for each in (line.run, line.minus_run)]
                for measure, *figure in _figures(record):
                    yield [grid.key, *named, record.group or line.group, measure, *figure, *origin]


def _figures(record: Record) -> Iterator[list[Value]]:
    """Yield the cells from measure to confidence, for a figure and for its value if all unread replies were right."""
    figure, measure = record.figure, record.measure
    if isinstance(figure, Count):
        yield [measure, figure.value, None, None, None, None, figure.n, figure.method, None]
        return
    if figure.if_right is not None:
        bound = round(figure.if_right, 6)
        yield [f"{measure}_if_unread_right", bound, None, None, None, None, figure.n, "bound", None]
    if figure.value is not None:
        ends = round(figure.value, 6), _end(figure.low), _end(figure.high)
        method = figure.method or ("exact binomial" if figure.p is None else "Tango score; McNemar exact")
        rest = figure.p, figure.right, figure.n, method, figure.confidence
        yield [measure, *ends, *rest]


def _end(share: float) -> float:
    """Round an end of an interval to six digits, but never to zero, because zero would contradict the test."""
    return round(share, 6) or copysign(min(abs(share), 1e-6), share)


def _origin(report: ReportData, run: RunScores | None, named: str) -> list[Value]:
    """Return where a figure comes from; for a figure from a paper, the model that the paper names."""
    if run is None:
        model, _, prompt = named.partition(", ")
        return [None, model, prompt, "", "", "", report.version]
    asked = run.model, run.prompt, report.dataset, report.fingerprint, run.version
    return [report.seed, *asked, report.version]


_MAX_LINES: Final = 12
_MAX_CAUTIONS: Final = 4
_REQUESTED: Final = ("reported", "readings")
"""The parts of a report that are only written on request, and are therefore always printed."""
_MAX_RUNS: Final = 3
"""The maximum number of runs for which the terminal shows all tables."""


def summary(report: ReportData) -> str:
    """Return the finding, cautions, one table and the origin of the figures, in under 40 lines."""
    told = sentences(report)
    lede = [each.words for each in told if each.kind in ("lede", "detail")]
    cautions = [each.words for each in told if each.words not in lede][:_MAX_CAUTIONS]
    grid = (
        overview(report)
        if len(report.runs) > 1
        else by_group(report.runs[0], report.terms, report.blind, report.knowledge)
    )
    if left := max(0, len(grid.lines) - _MAX_LINES):
        kept = (*grid.lines[: _MAX_LINES - 1], grid.lines[-1])
        note = f"{several(left, 'line')} not shown. {grid.note}".strip()
        grid = msgspec.structs.replace(grid, lines=kept, note=note)
    parts = [f"## {markdown_text(name(report.dataset))}", *map(markdown_text, lede)]
    parts += ["\n".join(f"- {markdown_text(words)}" for words in cautions)] if cautions else []
    parts += markdown_grid(grid)
    corrected = f"Corrected answers: {report.gold}. " if report.gold else ""
    parts.append(
        f"{markdown_text(report.units)} {markdown_text(corrected)}Dataset fingerprint "
        f"`{name(report.fingerprint)[:12]}`, seed {report.seed}, Countersight {markdown_text(report.version)}."
    )
    return "\n\n".join(parts) + "\n"


def print_tables(report: ReportData, console: Console) -> None:
    """Print the tables of a report, the origin of the figures, and last the finding.

    For many runs, print one line each and only the requested tables of papers and of other readers.
    """
    many = len(report.runs) > _MAX_RUNS
    if many:
        runs = tuple(msgspec.structs.replace(run, label=run.short_label(report.runs)) for run in report.runs)
        print_grids([overview(msgspec.structs.replace(report, runs=runs))], console)
        console.print(Text("All other tables, and how each run was asked, are in tables.md of the report."))
    else:
        print_grids(score_tables(report), console)
    for part in parts(report):
        if part.key in _REQUESTED or not (many or part.key == "letters"):
            console.print()
            console.print(Text(part.heading, "bold"))
            console.print(Text(part.about))
            print_grids(part.tables, console)
    _print_end(report, console)


def print_overview(report: ReportData, console: Console) -> None:
    """Print one line per run, the origin of the figures, and last the finding."""
    print_grids([overview(report)], console)
    _print_end(report, console)


def _print_end(report: ReportData, console: Console) -> None:
    console.print()
    told = (each for each in origins(report) if len(report.runs) <= _MAX_RUNS or not each[0].startswith("run "))
    for term, text in told:
        console.print(Text.assemble((f"{term}: ", "bold"), text))
    console.print(Text(report.units, "dim"))
    console.print()
    found = sentence(report)
    heading = "" if found.startswith("No finding: ") else "Finding: "
    console.print(Text.assemble((heading, "bold"), found))
