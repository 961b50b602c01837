"""The tables of a report, the same for every output format."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import product
from typing import Any

from countersight.case import TWO_WORLDS, VARIANTS, World
from countersight.figures import Count, Figure, Record
from countersight.html import NOTHING, Content, Grid, Line, TableCell, name
from countersight.html import table_line as line
from countersight.number_formats import count, percent
from countersight.reports.data import Analysis, DividedScores, ReportData, RunScores
from countersight.scoring import NO_GROUP, ComparedRuns, GroupScores, SetScores
from countersight.suites import ALL, PLAIN, PLAIN_MEASURES, TOTAL, PaperTable, Printed, TablePlace, Terms
from countersight.text import several

_UNKNOWN: Mapping[World, float] = {}

PROBLEMS = ("unread", "restated", "cut", "empty", "failed", "missing")
"""The possible problems of a question, shown as the last columns of a table."""

_RARE_PROBLEMS = ("restated", "cut", "empty")
"""Problems whose column is left out of a table if there are none."""


def group_words(group: str, terms: Terms) -> str:
    """Return the suite's name for a group."""
    return terms.groups.get(group, group) or NO_GROUP


def group_line(run: RunScores, terms: Terms, group: str, n: int, *cells: Content) -> Line:
    """Return a table line for a group or for all cases: the number of cases, then the cells."""
    return line(group_words(group, terms), n, *cells, n=n, run=run.label, group=group, total=group == ALL)


def overview(report: ReportData) -> Grid:
    """Return a table of all runs on all cases, one line each."""
    head, lines = _scores("run", [(run.label, run.overall, run.sets_of(ALL)) for run in report.runs], report.terms)
    return Grid("All runs, all cases", head, tuple(lines))


def totals(report: ReportData) -> Grid:
    """Return a table of sums over the groups, as in CFMM, one line per run."""
    runs = [run for run in report.runs if run.total]
    measures = [key for key in report.terms.measures if any(key in run.total for run in runs)]
    lines = (line(run.label, run.overall.n, *(run.total.get(key) for key in measures), n=run.overall.n) for run in runs)
    most = count(100 * (len(report.runs[0].rows) - 1))
    return Grid(f"Totals out of {most}", ("run", "n", *(report.terms.measures[key] for key in measures)), tuple(lines))


def by_group(
    run: RunScores,
    terms: Terms = PLAIN,
    blind: Mapping[World, float] = _UNKNOWN,
    knowledge: Mapping[World, float] = _UNKNOWN,
) -> Grid:
    """Return a table of one run: a line per group, one for all cases, then the total, chance and other baselines."""
    named = [(group_words(row.group, terms), row, run.sets_of(row.group)) for row in run.rows]
    head, lines = _scores(terms.group, named, terms, run=run.label, last_is_total=True)
    measures = _measures(named, terms)
    rest: list[Content] = [NOTHING] * (len(head) - 2 - len(measures))

    def shares_line(called: str | TableCell, cases: Content, cells: Mapping[str, Content], **more: Any) -> Line:
        return line(called, cases, *(cells.get(key, NOTHING) for key in measures), *rest, n=run.overall.n, **more)

    if run.total:
        sums = tuple(Record(key, figure) for key, figure in run.total.items())
        most = count(100 * (len(run.rows) - 1))
        where = {"run": run.label, "group": "total"}
        lines.append(shares_line(f"total, out of {most}", run.overall.n, run.total, **where, extra_records=sums))
    sets = run.sets_of(ALL)
    guessed = run.overall.chance | {unit: metric.chance for unit, metric in (sets.metrics if sets else {}).items()}
    chance = {key: share for key, share in guessed.items() if key in measures and share}
    for called, shares in (("chance", chance), ("blind", blind), ("knowledge", knowledge)):
        if shares:
            lines.append(shares_line(called, NOTHING, {str(key): percent(share) for key, share in shares.items()}))
    return Grid(name(run.label), head, tuple(lines), f"{name(run.model)}, prompt {name(run.prompt)}.", key="scores")


def divided(run: RunScores, division: DividedScores, terms: Terms) -> Grid:
    """Return a table of one run by a division other than groups."""
    named = [(row.group, row, run.sets_of(row.group)) for row in division.lines]
    head, lines = _scores(division.name, named, terms, run=run.label)
    notes = [axis.note for axis in terms.axes if axis.name == division.name and axis.note]
    if sum(row.n for row in division.lines) > run.overall.n:
        notes.append(
            "A case is counted on every line it belongs to, so the lines add up to more than the number of cases."
        )
    if division.unplaced:
        notes.append(f"Not in this table: {several(division.unplaced, 'case')}.")
    title = f"{name(run.label)}, by {division.name}"
    return Grid(title, head, tuple(lines), " ".join(notes), f"scores by {division.name}")


def compared(pair: ComparedRuns, terms: Terms = PLAIN) -> Grid:
    """Return a table that compares two runs case by case."""
    measures = [key for key in terms.measures if any(getattr(row, key, None) for row in pair.rows)]
    lines = (
        line(
            group_words(row.group, terms),
            *(getattr(row, key, None) for key in measures),
            total=row is pair.rows[-1],
            run=pair.first,
            minus_run=pair.second,
            group=row.group,
        )
        for row in pair.rows
    )
    return Grid(
        f"{name(pair.first)} minus {name(pair.second)}",
        (terms.group, *(terms.measures[key] for key in measures)),
        tuple(lines),
        "Differences in points over the cases scored in both runs; a positive value means that the first run is "
        "better.",
        "comparison",
        tuple(measures),
    )


def letters(run: RunScores) -> Grid:
    """Return a table of how often a run answered each letter, and how often the letter was right."""
    variants = [variant for variant in VARIANTS if any(share.variant == variant for share in run.letters)]
    columns = list(product(variants, ("answered", "gold")))
    lines: list[Line] = []
    for letter in sorted({share.letter for share in run.letters}):
        found = {share.variant: share for share in run.letters if share.letter == letter and share.n}
        known = [(each, what) for each, what in columns if each in found]
        counts = {column: Count(getattr(found[column[0]], column[1]), found[column[0]].n) for column in known}
        cells = (percent(counts[each].value / found[each[0]].n) if each in counts else "" for each in columns)
        records = tuple(Record(f"{each}_{what}_{letter}", counts[each, what]) for each, what in known)
        lines.append(line(letter, *cells, run=run.label, extra_records=records))
    head = ("letter", *(f"{variant}, {what}" for variant, what in columns))
    return Grid(f"Letters answered: {name(run.label)}", head, tuple(lines), key="letters")


def score_tables(report: ReportData) -> list[Grid]:
    """Return the tables of scores: all runs if there are several, then each run."""
    tables = [overview(report)] if len(report.runs) > 1 else []
    tables += [totals(report)] if len(report.runs) > 1 and any(run.total for run in report.runs) else []
    for run in report.runs:
        tables += [by_group(run, report.terms, report.blind, report.knowledge), *further_tables(run, report.terms)]
    return tables


def parts(report: ReportData) -> list[Analysis]:
    """Return all other tables of a report, in parts."""
    found = [
        Analysis(
            key="letters",
            heading="Letters",
            about="How often each option letter was answered, and how often it is the right answer.",
            tables=tuple(letters(run) for run in report.runs if run.letters),
        ),
        Analysis(
            key="comparison",
            heading="Comparison of runs",
            about="Each pair of runs, case by case.",
            tables=tuple(compared(each, report.terms) for each in report.comparisons),
        ),
        Analysis(
            key="reported",
            heading="Published results",
            about="Measured rows come first, with n and interval; reported rows are copied from the paper.",
            tables=tuple(reference_table(report, each) for each in report.references),
        ),
        *report.analyses,
    ]
    return [part for part in found if part.tables]


def grids(report: ReportData) -> list[Grid]:
    """Return every table of a report."""
    return [*score_tables(report), *(table for part in parts(report) for table in part.tables)]


def further_tables(run: RunScores, terms: Terms) -> list[Grid]:
    """Return the tables of one run except that of its groups."""
    tables = [over_all_answers(run, terms)] if any(row.over_all_answers for row in run.rows) else []
    return [*tables, *(divided(run, each, terms) for each in run.divisions)]


def over_all_answers(run: RunScores, terms: Terms) -> Grid:
    """Return a table of accuracies over all answers of a run, if some cases were scored in one world only."""
    worlds = [world for world in TWO_WORLDS if world in terms.measures]
    lines = (
        line(group_words(row.group, terms), *(getattr(row, world) for world in worlds), total=row is run.overall)
        for row in run.rows
    )
    head = (terms.group, *(terms.measures[world] for world in worlds))
    note = (
        "Accuracies over all answers of each world. The other tables include only cases scored in both worlds, so that "
        "the difference of the accuracies is the drop; here, it is not."
    )
    return Grid(f"Accuracy over all answers: {name(run.label)}", head, tuple(lines), note)


def is_known(figure: Figure | None) -> bool:
    """Return whether a figure has a value, or at least bounds because of unread replies."""
    return figure is not None and (figure.value is not None or figure.bounds is not None)


_NamedScores = tuple[str, GroupScores, SetScores | None]
"""The name of a table line, its scores, and those of its complete sets."""


def _measures(named: Iterable[_NamedScores], terms: Terms) -> list[str]:
    """Return the measures that any line has: those of answers, then those of complete sets that the paper names."""
    named = list(named)
    units = [unit for unit in terms.wholes if any(sets and unit in sets.rates for *_, sets in named)]
    return [key for key in terms.measures if any(is_known(row.figure(key)) for _, row, _ in named)] + units


def _scores(
    what: str, named: Sequence[_NamedScores], terms: Terms, *, run: str = "", last_is_total: bool = False
) -> tuple[tuple[str, ...], list[Line]]:
    measures = _measures(named, terms)
    problems = [key for key in PROBLEMS if key not in _RARE_PROBLEMS or any(getattr(row, key) for _, row, _ in named)]
    lines = [
        line(
            label,
            row.n,
            *((sets.rates.get(key) if sets else None) if key in terms.wholes else row.figure(key) for key in measures),
            *(_problem_count(row, key) for key in problems),
            n=row.n,
            counted=terms.counts,
            total=last_is_total and row is named[-1][1],
            run=run,
            group=row.group,
            extra_records=tuple(_file_records(row)),
        )
        for label, row, sets in named
    ]
    called = terms.measures | terms.wholes
    return (what, "n", *(called[key] for key in measures), *problems), lines


def _problem_count(row: GroupScores, key: str) -> TableCell:
    rate = (f"{percent(row.unread_rate)}%",) if key == "unread" and row.unread_rate else ()
    return TableCell(count(getattr(row, key)), rate)


def _file_records(row: GroupScores) -> Iterator[Record]:
    """Yield the records of a line for files: every figure, and the count of each problem."""
    for key in PLAIN_MEASURES:
        if figure := getattr(row, key):
            yield Record(key, figure)
    for world, rate in zip(TWO_WORLDS, row.in_both or (), strict=False):
        yield Record(f"{world}_in_both", rate)
    for key in PROBLEMS:
        yield Record(key, Count(getattr(row, key), row.n))
    if row.unread_rate is not None:
        yield Record("unread_rate", Count(round(row.unread_rate, 6), row.scored, "share"))


def reference_table(report: ReportData, reference: PaperTable) -> Grid:
    """Return a paper's table, with the rows of the runs above those of the paper."""
    lines = []
    differing = {run.label: words for run in report.runs if (words := _differences(run, reference))}
    for run in report.runs:
        way = reference.asked.get(run.prompt, "")
        how = "asked differently" if run.label in differing else f"asked as {way}" if way else ""
        first = TableCell(name(run.label), ("measured", how) if how else ("measured",))
        found = (measured(run, place) for place in reference.places)
        lines.append(line(first, run.overall.n, *found, n=run.overall.n, run=run.label))
    lines += _reported_lines(reference)
    otherwise = [f"{name(label)} differs from the paper: {'; '.join(words)}." for label, words in differing.items()]
    note = (
        "Measured rows come first, with their intervals. The other rows were not measured here; they are reported "
        f"in {reference.source} ({reference.citation}). {reference.note} {' '.join(otherwise)}"
    ).strip()
    head = ("model", "n", *(place.name for place in reference.places))
    return Grid(f"Comparison with {reference.source}: {reference.what}", head, tuple(lines), note, "reported")


def paper_table(reference: PaperTable) -> Grid:
    """Return a table of a paper as it was printed."""
    head = ("model", "n", *(place.name for place in reference.places))
    note = f"Reported in {reference.citation}; not measured here. {reference.note}".strip()
    return Grid(f"{reference.source}: {reference.what}", head, tuple(_reported_lines(reference)), note)


def _reported_lines(reference: PaperTable) -> Iterator[Line]:
    for system in reference.systems:
        cells = (_printed(cell, place.negated) for cell, place in zip(system.cells, reference.places, strict=True))
        n = NOTHING if system.n is None else system.n
        first, records = TableCell(system.name, ("reported",)), tuple(_reported(reference, system.cells, system.n))
        yield line(first, n, *cells, reported=True, run=system.name, extra_records=records)


def _reported(reference: PaperTable, cells: Sequence[Printed | None], n: int | None) -> Iterator[Record]:
    """Yield the figures of a paper's row: shares from 0 to 1, and a positive drop if accuracy falls."""
    for place, cell in zip(reference.places, cells, strict=True):
        if cell is not None:
            share = float((-cell.value if place.negated else cell.value) / 100)
            rests_on = n if place.line in (ALL, TOTAL) else reference.sizes.get(place.line)
            figure = Count(share, rests_on, f"reported in {reference.source}")
            yield Record(place.measure or place.name, figure, place.line)


def _differences(run: RunScores, reference: PaperTable) -> list[str]:
    found = []
    if reference.asked and run.prompt not in reference.asked:
        found.append(f"prompt {name(run.prompt)} instead of {' or '.join(reference.asked)}")
    if reference.answering == "rank" and run.answering != "rank":
        found.append("answers were generated instead of ranking the options by their loss")
    return found


def measured(run: RunScores, place: TablePlace) -> Figure | None:
    """Return the figure of a run that corresponds to a place in the paper's table."""
    lines = run.rows
    if place.axis:
        lines = next((division.lines for division in run.divisions if division.name == place.axis), ())
    elif place.line == TOTAL:
        return run.total.get(place.measure)
    found = next((row for row in lines if row.group == place.line), None)
    return found.figure(place.measure) if found and place.measure in PLAIN_MEASURES else None


def _printed(cell: Printed | None, negated: bool) -> TableCell:
    """Return a figure as the paper prints it, with a real minus sign; `negated` turns a change into a drop."""
    if cell is None:
        return NOTHING
    if negated:
        return TableCell(f"{-cell.value:f}".replace("-", "−") if cell.value else cell.text.lstrip("+-"))
    return TableCell(cell.text.replace("-", "−"))
