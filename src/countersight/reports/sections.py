"""The sections of the report's page, in order, each with what the page calls it at its head."""

from collections.abc import Iterator
from itertools import product
from typing import NamedTuple

from countersight.pages import Markup, Thumbnail, as_table, element, joined, name, percent, section, text
from countersight.reports.analysis_tables import analysis_grids
from countersight.reports.answer_shares import shares_figure
from countersight.reports.data import Analysis, ReportData
from countersight.reports.figures import accuracy_plot, answered, drop_plot, legend, letter_bars
from countersight.reports.finding_figure import groups_figure
from countersight.reports.interval_plot import interval_plot
from countersight.reports.reference import beside
from countersight.reports.saving import saving
from countersight.reports.tables import by_group, compared, more, overview, totals
from countersight.reports.twins import twins_figure

_FEW_RUNS = 3
"""Of more runs the tables by group are folded away."""


class Section(NamedTuple):
    """A part of the page: what its address ends in, what the list at the head calls it, and what it shows."""

    key: str
    called: str
    markup: Markup


def sections(report: ReportData, pictures: dict[str, Thumbnail]) -> Iterator[Section]:
    """Everything between the finding and the cases, as far as there is something to show."""
    if report.two_worlds:
        yield Section("drop", "Drop", _drop(report))
    else:
        yield Section("accuracy", "Accuracy", _accuracy(report))
    yield Section("scores", "Scores", _scores(report))
    if any(run.letters for run in report.runs):
        yield Section("letters", "Letters", _letters(report))
    if report.comparisons:
        yield Section("comparison", "Comparison", _comparisons(report))
    if report.references:
        yield Section("reported", "Reported", _references(report))
    if report.answers:
        yield Section("answers", "Right answers", _answers(report))
    if report.readings:
        yield Section("readings", "Read otherwise", _readings(report))
    for number, analysis in enumerate(report.analyses):
        key = f"analysis-{number}"
        yield Section(key, name(analysis.heading.rpartition(": ")[2]), _analysis(key, analysis, pictures))


def _scores(report: ReportData) -> Markup:
    many = len(report.runs) > 1
    tables = [as_table(overview(report))] if many else []
    if many and any(run.total for run in report.runs):
        tables.append(as_table(totals(report)))
    for run in report.runs:
        table = as_table(by_group(run, report.terms, report.blind), f"{run.model}, prompt {run.prompt}")
        table += joined(as_table(grid, grid.note) for grid in more(run, report.terms))
        tables.append(_folded(run.label, table, len(report.runs)) if many else table)
    points = ", drop and gap in points" if report.two_worlds else ""
    note = f"Shares in per cent{points}, each with its {percent(report.confidence, 0)}% interval."
    return section("scores", "Scores", note, *tables)


def _letters(report: ReportData) -> Markup:
    bars = [element("div", *_headings(report, run.label), letter_bars(run)) for run in report.runs if run.letters]
    return section(
        "letters",
        "Letters answered",
        "How often each option letter was answered. The upright stroke is how often it was the right one: "
        "a bar far past its stroke is a habit, not an answer.",
        element("figure", *bars, class_="panel panel-bars"),
    )


def _comparisons(report: ReportData) -> Markup:
    return section(
        "comparison",
        "Run against run",
        "Differences in points over the cases both runs answered; above zero, the first did better.",
        *(as_table(compared(comparison, report.terms)) for comparison in report.comparisons),
    )


def _references(report: ReportData) -> Markup:
    return section(
        "reported",
        "Beside what papers report",
        "Measured rows first, with n and interval; reported rows as the paper prints them.",
        *(as_table(grid, grid.note) for grid in (beside(report, table) for table in report.references)),
    )


def _answers(report: ReportData) -> Markup:
    return section(
        "answers",
        "Right answers",
        "How often each number is the right answer under the change, by group, as in C-VQA's Figure 3: a model "
        "that always says the commonest one is right that often.",
        shares_figure(report.answers, report.terms),
    )


def _readings(report: ReportData) -> Markup:
    return section(
        "readings",
        "Read otherwise",
        "The same replies read by somebody else. Nothing of it goes into any other figure of this page.",
        *(as_table(grid, grid.note) for grid in report.readings),
    )


def _analysis(key: str, analysis: Analysis, pictures: dict[str, Thumbnail]) -> Markup:
    """What was found in words, and the tables behind it folded away unless they were asked for."""
    points = [
        element(
            "div",
            element("h3", text(name(point.title)), dir="auto"),
            element("ul", *(element("li", text(words), dir="auto") for words in point.sentences)),
        )
        for point in analysis.points
    ]
    tables = [as_table(grid, grid.note) for grid in analysis_grids(analysis)]
    summary = element("summary", text("The figures behind this"))
    return section(
        key,
        analysis.heading,
        analysis.about,
        element("div", *points, class_="points panel"),
        *([interval_plot(analysis.plot)] if analysis.plot else []),
        *([twins_figure(analysis.twins, pictures)] if analysis.twins else []),
        element("details", summary, element("div", *tables), open="" if analysis.asked_for else None),
    )


def _drop(report: ReportData) -> Markup:
    plots = [element("div", *_headings(report, run.label), drop_plot(run, report.terms)) for run in report.runs]
    words = report.terms.measures
    return section(
        "drop",
        "From what is to what if",
        f"Accuracy in each {report.terms.group} with its interval; on the right, the drop from {words['factual']} to "
        f"{words['counterfactual']} in points.",
        element(
            "figure",
            legend(answered(report), report.terms),
            element("div", *plots, class_="plots"),
            *([saving(drawing, "groups")] if (drawing := groups_figure(report)) else []),
            class_="panel",
        ),
    )


def _accuracy(report: ReportData) -> Markup:
    plots = []
    for run, asking in product(report.runs, report.worlds):
        label = f"{name(run.label)}, {report.terms.measures[asking]}" if len(report.worlds) > 1 else run.label
        parts = [(report.terms.group, run.groups[:-1]), *((each.name, each.lines) for each in run.divisions)]
        for what, lines in parts:
            if lines or not run.divisions:
                heading = f"{name(label)}, by {what}" if lines else label
                plot = accuracy_plot(lines, run.overall, asking, report.terms)
                plots.append(element("div", _run_heading(heading), plot))
    return section(
        "accuracy",
        "Accuracy",
        "Accuracy on each line with its interval.",
        element("figure", element("div", *plots, class_="plots"), class_="panel"),
    )


def _headings(report: ReportData, label: str) -> list[Markup]:
    """The name of a run, where there are several to tell apart."""
    return [_run_heading(label)] if len(report.runs) > 1 else []


def _run_heading(label: str) -> Markup:
    return element("h3", text(name(label)), class_="run-name", dir="auto")


def _folded(label: str, table: Markup, runs: int) -> Markup:
    summary = element("summary", text(name(label)), element("span", text(" by group"), class_="muted"), dir="auto")
    return element("details", summary, table, open="" if runs <= _FEW_RUNS else None)
