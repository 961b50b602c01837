"""The tables of a report as grids of words, the same for every format they are written in."""

from collections.abc import Iterable, Mapping, Sequence

from countersight.case import ASKINGS, World
from countersight.pages import NOTHING, Cell, Grid, Line, count, figure_cell, name, percent, unasked_line
from countersight.reports.answer_shares import shares_grid
from countersight.reports.data import Comparison, DividedScores, GroupScores, ReportData, RunScores
from countersight.reports.reference import beside, reported_lines
from countersight.suites import PLAIN, PLAIN_MEASURES, Terms, table
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


def by_group(run: RunScores, terms: Terms = PLAIN, blind: Mapping[World, float] = _UNKNOWN) -> Grid:
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
    if blind:
        known = {str(world): Cell(percent(share)) for world, share in blind.items()}
        lines += (unasked_line(head, Cell("blind"), NOTHING, [known.get(key, NOTHING) for key in measures]),)
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
        tables.append(by_group(run, report.terms, report.blind))
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
