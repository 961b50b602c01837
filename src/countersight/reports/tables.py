"""The tables of a report as grids of words, the same for every format they are written in."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import NamedTuple

import msgspec

from countersight.case import ASKINGS, World
from countersight.html import (
    NOTHING,
    Cell,
    Figure,
    Grid,
    Line,
    count,
    figure_cell,
    name,
    number,
    p_value,
    percent,
    plain_interval,
    unasked_line,
)
from countersight.reports.data import (
    Analysis,
    AnalysisTable,
    AnswerShares,
    Comparison,
    DividedScores,
    GroupScores,
    ReportData,
    RunScores,
)
from countersight.suites import ALL, PLAIN, PLAIN_MEASURES, TOTAL, PaperTable, Place, Printed, Terms, table
from countersight.text import several

MEASURES = PLAIN_MEASURES
"""The figures of a line of scores, in order, and what they are called where the suite has no word of its own."""

_UNKNOWN: Mapping[World, float] = {}

AMISS = ("unread", "restated", "cut", "empty", "failed", "missing")
"""What may go amiss with a question, as the last columns of a table."""

_RARE = ("restated", "cut", "empty")
"""Of these, a table has a column only where there are any."""

COMPARED = ("factual", "counterfactual", "both_right", "shown")


def overview(report: ReportData) -> Grid:
    """All runs on all cases, a line each."""
    lines = [(run.label, run.overall) for run in report.runs]
    return Grid("All runs, all cases", *_scores("run", lines, report.terms))


def totals(report: ReportData) -> Grid:
    """The groups added up, as CFMM does, a line for each run."""
    runs = [(run.label, run.total) for run in report.runs if run.total]
    measures = [key for key in report.terms.measures if any(getattr(total, key) for _, total in runs)]
    lines = tuple(
        Line(
            (Cell(name(label)), Cell(count(total.n)), *(figure_cell(getattr(total, key), total.n) for key in measures))
        )
        for label, total in runs
    )
    most = count(100 * (len(report.runs[0].groups) - 1))
    return Grid(f"Totals out of {most}", ("run", "n", *(report.terms.measures[key] for key in measures)), lines)


def by_group(
    run: RunScores,
    terms: Terms = PLAIN,
    blind: Mapping[World, float] = _UNKNOWN,
    knowledge: Mapping[World, float] = _UNKNOWN,
) -> Grid:
    """One run, a line for each group and one for all; then what its suite's paper sets beside them."""
    named = [(terms.groups.get(scores.group, scores.group), scores) for scores in run.groups]
    head, lines = _scores(terms.group, named, terms, last_is_total=True)
    measures = _measures(run.groups, terms)
    if run.total:
        most = count(100 * (len(run.groups) - 1))
        figures = [figure_cell(getattr(run.total, key), run.total.n) for key in measures]
        lines += (unasked_line(head, Cell(f"total, out of {most}"), Cell(count(run.total.n)), figures),)
    chance = run.overall.chance
    if any(key in chance for key in measures):
        figures = [Cell(percent(chance[key])) if key in chance else NOTHING for key in measures]
        lines += (unasked_line(head, Cell("chance"), NOTHING, figures),)
    for label, shares in (("blind", blind), ("knowledge", knowledge)):
        known = {str(world): Cell(percent(share)) for world, share in shares.items()}
        if known:
            lines += (unasked_line(head, Cell(label), NOTHING, [known.get(key, NOTHING) for key in measures]),)
    for key, row in terms.beside:
        lines += tuple(reported_lines(head, measures, table(key), row))
    return Grid(name(run.label), head, lines)


def divided(run: RunScores, division: DividedScores, terms: Terms) -> Grid:
    """One run with its cases divided otherwise than by group."""
    head, lines = _scores(division.name, [(scores.group, scores) for scores in division.lines], terms)
    notes = [axis.note for axis in terms.axes if axis.name == division.name and axis.note]
    if sum(scores.n for scores in division.lines) > run.overall.n:
        notes.append("A case counts on every line it belongs to: the lines add up to more than the cases.")
    if division.unplaced:
        notes.append(f"On no line: {several(division.unplaced, 'case')}.")
    return Grid(f"{name(run.label)}, by {division.name}", head, lines, " ".join(notes))


def roles(run: RunScores) -> Grid:
    """How often a run chose an option by what the option is there for."""
    lines = tuple(
        Line((Cell(name(each.role)), Cell(count(each.chosen.n)), figure_cell(each.chosen, each.chosen.n)))
        for each in run.roles
    )
    return Grid(
        f"Options chosen by role: {name(run.label)}",
        ("role", "n", "chosen"),
        lines,
        "Of the answered questions that offer an option of the role, the share in which it was chosen.",
    )


def compared(comparison: Comparison, terms: Terms = PLAIN) -> Grid:
    """Two runs, case by case."""
    measures = [key for key in terms.measures if any(getattr(group, key, None) for group in comparison.groups)]
    lines = tuple(
        Line(
            (
                Cell(name(terms.groups.get(group.group, group.group))),
                *(figure_cell(getattr(group, key, None), None) for key in measures),
                *(Cell(percent(share)) for share in group.unread),
            ),
            total=group is comparison.groups[-1],
        )
        for group in comparison.groups
    )
    return Grid(
        f"{name(comparison.first)} minus {name(comparison.second)}",
        (terms.group, *(terms.measures[key] for key in measures), "unread, first", "unread, second"),
        lines,
        "Differences in points over the cases both runs answered; above zero the first run did better. Unread: the "
        "share of each run's replies in which no answer was found.",
    )


def letters(run: RunScores) -> Grid:
    """How often a run answered each letter, beside how often the letter was right."""
    askings = [asking for asking in ASKINGS if any(share.asking == asking for share in run.letters)]
    found = {(share.asking, share.letter): share for share in run.letters}
    lines = []
    for letter in sorted({share.letter for share in run.letters}):
        cells = [Cell(name(letter))]
        for asking in askings:
            share = found.get((asking, letter))
            cells += (
                (Cell(percent(share.answered / share.n)), Cell(percent(share.gold / share.n)))
                if share and share.n
                else (NOTHING, NOTHING)
            )
        lines.append(Line(tuple(cells)))
    head = [f"{asking}, {what}" for asking in askings for what in ("answered", "gold")]
    return Grid(f"Letters answered: {name(run.label)}", ("letter", *head), tuple(lines))


def scores(report: ReportData) -> list[Grid]:
    """The tables of how each run did, in reading order."""
    tables = [overview(report)] if len(report.runs) > 1 else []
    if len(report.runs) > 1 and any(run.total for run in report.runs):
        tables.append(totals(report))
    for run in report.runs:
        tables.append(by_group(run, report.terms, report.blind, report.knowledge))
        tables += more(run, report.terms)
    return tables


def more(run: RunScores, terms: Terms) -> list[Grid]:
    """The tables of one run beside that of its groups."""
    return [*(divided(run, division, terms) for division in run.divisions), *([roles(run)] if run.roles else [])]


def grids(report: ReportData) -> list[Grid]:
    """Every table of a report but those of its analyses, in reading order."""
    tables = scores(report)
    tables += [compared(comparison, report.terms) for comparison in report.comparisons]
    tables += [beside(report, reference) for reference in report.references]
    tables += [letters(run) for run in report.runs if run.letters]
    tables += [shares_grid(report.answers, report.terms)] if report.answers else []
    tables += report.readings
    return tables


def _measures(groups: Iterable[GroupScores], terms: Terms) -> list[str]:
    return [key for key in terms.measures if any(getattr(scores, key) for scores in groups)]


def _unread(scores: GroupScores) -> tuple[str, ...]:
    return (f"{percent(scores.unread_rate)}%",) if scores.unread_rate else ()


def _scores(
    what: str, named: Sequence[tuple[str, GroupScores]], terms: Terms, *, last_is_total: bool = False
) -> tuple[tuple[str, ...], tuple[Line, ...]]:
    measures = _measures([scores for _, scores in named], terms)
    amiss = [key for key in AMISS if key not in _RARE or any(getattr(scores, key) for _, scores in named)]
    lines = tuple(
        Line(
            (
                Cell(name(label)),
                Cell(count(scores.n)),
                *(figure_cell(getattr(scores, key), scores.n, counted=terms.counts) for key in measures),
                *(Cell(count(getattr(scores, key)), _unread(scores) if key == "unread" else ()) for key in amiss),
            ),
            total=last_is_total and scores is named[-1][1],
        )
        for label, scores in named
    )
    return (what, "n", *(terms.measures[key] for key in measures), *amiss), lines


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


def analysis_grids(analysis: Analysis) -> list[Grid]:
    """The tables of an analysis."""
    return [_grid(table) for table in analysis.tables]


def _grid(table: AnalysisTable) -> Grid:
    lines = []
    for line in table.lines:
        cells = [Cell(name(line.name))]
        for measure, cell in zip(table.measures, line.cells, strict=True):
            if isinstance(cell, str):
                cells.append(Cell(name(cell)) if cell else NOTHING)
            else:
                cells.append(_plain(cell, line.n) if measure in table.plain else figure_cell(cell, line.n))
        lines.append(Line(tuple(cells), total=line.total))
    return Grid(name(table.title), tuple(map(name, table.head)), tuple(lines), table.note)


def _plain(figure: Figure, expected_n: int | None) -> Cell:
    if figure.value is None:
        return NOTHING
    details = [plain_interval(figure)]
    if figure.p is not None:
        details.append(p_value(figure.p))
    if figure.n != expected_n:
        details.append(f"n = {count(figure.n)}")
    return Cell(number(figure.value), tuple(details))


class AnalysisRecord(NamedTuple):
    """A figure of an analysis, as a row of a file has it."""

    table: str
    run: str
    minus_run: str
    group: str
    measure: str
    figure: Figure


def analysis_records(analysis: Analysis) -> Iterator[AnalysisRecord]:
    """Every figure of an analysis with what it is of; a table that only gathers figures of others has no measures."""
    for each in analysis.tables:
        for line in each.lines:
            for measure, cell in zip(each.measures, line.cells, strict=True):
                if measure and isinstance(cell, Figure) and cell.value is not None:
                    yield AnalysisRecord(analysis.key, line.run, line.minus_run, line.group, measure, cell)


def shares_grid(found: tuple[AnswerShares, ...], terms: Terms) -> Grid:
    """The shares as a table: a line an answer, a column a group."""
    labels = list(dict.fromkeys(label for each in found for label, _ in each.shares))
    labels.sort(key=lambda label: (not label[0].isdigit(), int(label.split()[0]) if label[0].isdigit() else 0))
    columns = [dict(each.shares) for each in found]
    rows = ([Cell(label), *(Cell(percent(column.get(label, 0.0))) for column in columns)] for label in labels)
    lines = tuple(Line(tuple(row)) for row in rows)
    head = ("right answer", *(f"{name(terms.groups.get(each.group, each.group))}, %" for each in found))
    return Grid("Right answers under the change", head, lines, "The share of each number, group by group.")
