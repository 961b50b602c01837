"""The tables of a report as Markdown, LaTeX and CSV, and a summary of it in a few lines."""

import csv
import io
from collections.abc import Iterator, Sequence
from math import copysign
from typing import Final

import msgspec

from countersight.html import (
    Figure,
    guarded,
    latex_grid,
    latex_tables,
    markdown_grid,
    markdown_text,
    name,
    none_read,
    percent,
)
from countersight.reports.data import GroupScores, ReportData, RunScores
from countersight.reports.finding import sentence, sentences
from countersight.reports.provenance import definitions, origins
from countersight.reports.tables import (
    AMISS,
    COMPARED,
    MEASURES,
    analysis_grids,
    analysis_records,
    by_group,
    grids,
    overview,
)
from countersight.suites import ALL, TOTAL, PaperTable
from countersight.text import several


def markdown(report: ReportData) -> str:
    """Every table, then how the figures were got."""
    parts = [f"# {markdown_text(name(report.dataset))}", markdown_text(sentence(report))]
    for grid in grids(report):
        parts += [f"## {markdown_text(grid.title)}", *markdown_grid(grid)]
    for analysis in report.analyses:
        parts += [f"## {markdown_text(analysis.heading)}", markdown_text(analysis.about)]
        for point in analysis.points:
            parts += [
                f"**{markdown_text(point.title)}**",
                "\n".join(f"- {markdown_text(words)}" for words in point.sentences),
            ]
        for grid in analysis_grids(analysis):
            parts += [f"### {markdown_text(grid.title)}", *markdown_grid(grid)]
    parts.append("## How these figures were got")
    parts.append(
        "\n".join(
            f"- **{markdown_text(term)}**: {markdown_text(text)}"
            for term, text in (*origins(report), *definitions(report))
        )
    )
    return "\n\n".join(parts) + "\n"


def latex(report: ReportData) -> str:
    """Every table for a paper, in booktabs style; how the figures were got stands above as comments."""
    lines = latex_tables(sentence(report), (*origins(report), *definitions(report)), grids(report))
    for analysis in report.analyses:
        lines += ["", f"% {analysis.heading}. {analysis.about}"]
        lines += [f"% {point.title}: {words}" for point in analysis.points for words in point.sentences]
        for grid in analysis_grids(analysis):
            lines += ["", *latex_grid(grid)]
    return "\n".join(lines) + "\n"


_COLUMNS = (
    *(
        "table",
        "run",
        "minus_run",
        "group",
        "measure",
        "value",
        "low",
        "high",
        "p",
        "right",
        "n",
        "method",
        "confidence",
    ),
    *("seed", "model", "prompt", "dataset", "fingerprint", "asked_with", "reported_with"),
)
_EXACT_SHARE = "exact binomial"
_PAIRED = "Tango score; McNemar exact"


def comma_separated(report: ReportData) -> str:
    """Every figure on a row of its own with how it was got: shares from 0 to 1, counts as whole numbers."""
    file = io.StringIO()
    table = csv.writer(file, lineterminator="\n")
    table.writerow(_COLUMNS)
    for cells in _records(report):
        table.writerow([guarded(cell) if isinstance(cell, str) else cell for cell in cells])
    return file.getvalue()


Value = str | float | int | None


def _records(report: ReportData) -> Iterator[list[Value]]:
    runs = {run.label: run for run in report.runs}
    for run in report.runs:
        origin = _origin(report, run)
        for scores in run.groups:
            yield from _line("scores", run, scores, origin)
        if run.total:
            for key in MEASURES:
                yield from _record(("scores", run.label, "", "total"), key, getattr(run.total, key), origin)
        for division in run.divisions:
            for scores in division.lines:
                yield from _line(f"scores by {division.name}", run, scores, origin)
        for role in run.roles:
            yield from _record(("roles", run.label, "", role.role), "chosen", role.chosen, origin)
        for share in run.letters:
            for what, number in (("answered", share.answered), ("gold", share.gold)):
                measure = f"{share.asking}_{what}_{share.letter}"
                yield _counted(("letters", run.label, "", "all"), measure, number, share.n, origin)
    for pair in report.comparisons:
        for group in pair.groups:
            for key in COMPARED:
                place = ["comparison", pair.first, pair.second, group.group]
                yield from _record(place, key, getattr(group, key), _origin(report, runs[pair.first]))
    for analysis in report.analyses:
        for record in analysis_records(analysis):
            where = [record.table, record.run, record.minus_run, record.group]
            yield from _record(where, record.measure, record.figure, _origin(report, runs[record.run]))
    for reference in report.references:
        yield from _reported(reference, report.version)


def _line(table: str, run: RunScores, scores: GroupScores, origin: list[Value]) -> Iterator[list[Value]]:
    place = (table, run.label, "", scores.group)
    for key in MEASURES:
        yield from _record(place, key, getattr(scores, key), origin)
    for key in AMISS:
        yield _counted(place, key, getattr(scores, key), scores.n, origin)
    if scores.unread_rate is not None:
        replies = scores.scored + scores.unheard
        yield _counted(place, "unread_rate", round(scores.unread_rate, 6), replies, origin, "share")


def _counted(
    place: Sequence[Value], measure: str, number: float, n: int, origin: list[Value], how: str = "count"
) -> list[Value]:
    return [*place, measure, number, None, None, None, None, n, how, None, *origin[1:]]


def _reported(reference: PaperTable, version: str) -> Iterator[list[Value]]:
    """What a paper reports, in the same terms: shares from 0 to 1, a drop above zero where accuracy falls."""
    for system in reference.systems:
        for where, cell in zip(reference.places, system.cells, strict=True):
            if cell is None:
                continue
            share = float((-cell.value if where.negated else cell.value) / 100)
            n = system.n if where.line in (ALL, TOTAL) else reference.sizes.get(where.line)
            place: list[Value] = ["reported", system.name, "", where.line, where.measure or where.name]
            figures: list[Value] = [share, None, None, None, None, n, f"reported in {reference.source}", None, None]
            yield [*place, *figures, system.names[0], ", ".join(system.names[1:]), "", "", "", version]


def _record(place: Sequence[Value], measure: str, figure: Figure | None, origin: list[Value]) -> Iterator[list[Value]]:
    if figure is not None and figure.unheard:
        yield [*place, measure, None, None, None, None, None, 0, none_read(figure.unheard), None, *origin[1:]]
    if figure is not None and figure.if_right is not None:
        bound = round(figure.if_right, 6)
        yield _counted(place, f"{measure}_if_unread_right", bound, figure.n, origin, "bound")
    if figure is not None and figure.value is not None:
        values = [round(figure.value, 6), _end(figure.low), _end(figure.high)]
        method = figure.method or (_EXACT_SHARE if figure.p is None else _PAIRED)
        confidence = figure.confidence or origin[0]
        yield [*place, measure, *values, figure.p, figure.right, figure.n, method, confidence, *origin[1:]]


def _end(share: float) -> float:
    """An end of an interval to six digits; one that is not zero is not rounded to it: the test says it lies outside."""
    return round(share, 6) or copysign(min(abs(share), 1e-6), share)


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


_MOST_LINES: Final = 12
_MOST_CAUTIONS: Final = 4


def summary(report: ReportData) -> str:
    """The finding, what speaks against it, one table, and where the figures come from; under 40 lines."""
    told = sentences(report)
    lede = [each.words for each in told if each.kind == "lede"]
    cautions = [each.words for each in told if each.kind != "lede"][:_MOST_CAUTIONS]
    grid = (
        overview(report)
        if len(report.runs) > 1
        else by_group(report.runs[0], report.terms, report.blind, report.knowledge)
    )
    if left := max(0, len(grid.lines) - _MOST_LINES):
        kept = (*grid.lines[: _MOST_LINES - 1], grid.lines[-1])
        note = f"{several(left, 'line')} not shown. {grid.note}".strip()
        grid = msgspec.structs.replace(grid, lines=kept, note=note)
    parts = [f"## {markdown_text(name(report.dataset))}", *map(markdown_text, lede)]
    parts += ["\n".join(f"- {markdown_text(words)}" for words in cautions)] if cautions else []
    parts += markdown_grid(grid)
    level = percent(report.confidence, 0)
    parts.append(
        f"Shares in per cent, differences in points, each with its {level}% interval. Dataset fingerprint "
        f"`{name(report.fingerprint)[:12]}`, seed {report.seed}, Countersight {markdown_text(report.version)}."
    )
    return "\n\n".join(parts) + "\n"
