"""Runs set beside what papers report: measured rows with n and interval, reported ones as they are printed."""

from collections.abc import Iterator, Sequence

import msgspec

from countersight.pages import NOTHING, Cell, Figure, Grid, Line, count, figure_cell, name, unasked_line
from countersight.reports.data import ReportData, RunScores
from countersight.suites import ALL, TOTAL, PaperTable, Place, Printed


def beside(report: ReportData, reference: PaperTable) -> Grid:
    """A table of a paper with the runs set above its rows."""
    lines = []
    cells: Iterator[Cell]
    for run in report.runs:
        cells = (figure_cell(measured(run, place), run.overall.n) for place in reference.places)
        lines.append(Line((Cell(name(run.label), _how(run, reference)), Cell(count(run.overall.n)), *cells)))
    for system in reference.systems:
        cells = (_printed(cell, place.negated) for cell, place in zip(system.cells, reference.places, strict=True))
        n = NOTHING if system.n is None else Cell(count(system.n))
        lines.append(Line((Cell(system.name, ("reported",)), n, *cells), reported=True))
    otherwise = " ".join(_asked_otherwise(report, reference))
    note = (
        "Measured rows come first, with their intervals. The others were not measured here: they are as reported in "
        f"{reference.source} ({reference.citation}). {reference.note} {otherwise}"
    ).strip()
    head = ("model", "n", *(place.name for place in reference.places))
    return Grid(f"Beside {reference.source}: {reference.what}", head, tuple(lines), note)


def _how(run: RunScores, reference: PaperTable) -> tuple[str, ...]:
    """That a row was measured, and by which of the paper's ways, or that it was asked otherwise."""
    if _differences(run, reference):
        return ("measured", "asked otherwise")
    way = reference.asked.get(run.prompt, "")
    return ("measured", f"asked as {way}") if way else ("measured",)


def _asked_otherwise(report: ReportData, reference: PaperTable) -> Iterator[str]:
    """For each run that was not asked as the paper asks, what differs and what to do."""
    for run in report.runs:
        differing = _differences(run, reference)
        if differing:
            yield f"{name(run.label)} was asked otherwise than in the paper: {'; '.join(differing)}."


def _differences(run: RunScores, reference: PaperTable) -> list[str]:
    found = []
    if reference.asked and run.prompt not in reference.asked:
        found.append(f"prompt {name(run.prompt)}, where the paper's is {' or '.join(reference.asked)}")
    if reference.answering == "rank" and run.answering != "rank":
        found.append("answers were written, where the paper ranks the options by their loss")
    return found


def measured(run: RunScores, place: Place) -> Figure | None:
    """The figure of a run that stands where the paper has one."""
    lines = run.groups
    if place.axis:
        lines = next((division.lines for division in run.divisions if division.name == place.axis), ())
    elif place.line == TOTAL:
        lines = (run.total,) if run.total else ()
    found = next((scores for scores in lines if scores.group == place.line), None)
    return getattr(found, place.measure, None) if found and place.measure else None


def _printed(cell: Printed | None, negated: bool) -> Cell:
    """What a paper prints, with a real minus, and drops as drops."""
    if cell is None:
        return NOTHING
    if negated:
        return Cell(f"{-cell.value:f}".replace("-", "−") if cell.value else cell.text.lstrip("+-"))
    return Cell(cell.text.replace("-", "−"))


def reported_lines(head: tuple[str, ...], measures: Sequence[str], reference: PaperTable, row: str) -> Iterator[Line]:
    """A row of a paper as a line of a table with these measures over all cases."""
    for system in reference.systems:
        if system.names[0] == row:
            found = {
                place.measure: _printed(cell, place.negated)
                for place, cell in zip(reference.places, system.cells, strict=True)
                if place.line == ALL and place.measure
            }
            n = NOTHING if system.n is None else Cell(count(system.n))
            first = Cell(system.name, (f"reported in {reference.source}",))
            yield msgspec.structs.replace(
                unasked_line(head, first, n, [found.get(key, NOTHING) for key in measures]), reported=True
            )
