"""The sections of the report's page, in order, as data that the template draws."""

from collections.abc import Iterator
from itertools import product

import msgspec

from countersight.case import Asking
from countersight.html import Grid, Markup, Measured, name, percent
from countersight.picture import data_url
from countersight.reports.data import Analysis, Point, ReportData, RunScores
from countersight.reports.figures import (
    BarPanel,
    Plot,
    accuracy_plot,
    answer_panels,
    bars_drawing,
    drop_plot,
    groups_drawing,
    interval_plot,
    legend,
    letter_panels,
    with_n,
)
from countersight.reports.tables import beside, by_group, compared, more, overview, totals

_FEW_RUNS = 3
"""Of more runs the tables by group are folded away, and no figures stand at the head."""
_RIGHT_ANSWERS = "How often each number is the right answer under the change"


class Tile(msgspec.Struct, frozen=True):
    """A figure at the head of the page: its measure, name, unit and n."""

    key: str
    called: str
    figure: Measured
    unit: str
    note: str


class TableBlock(msgspec.Struct, frozen=True):
    """Tables, each with a sentence below its title; folded under a label if there is one."""

    grids: tuple[tuple[Grid, str], ...]
    label: str = ""
    aside: str = ""
    is_open: bool = True


class Section(msgspec.Struct, frozen=True, kw_only=True):
    """A section of the page: its anchor, its name in the table of contents, and its content."""

    key: str
    called: str
    heading: str
    about: str
    points: tuple[Point, ...] = ()
    legend: list[tuple[Asking, str]] = []
    plots: tuple[tuple[str, Plot], ...] = ()
    bars: tuple[tuple[str, tuple[BarPanel, ...]], ...] = ()
    drawing: str = ""
    """The downloadable figure, as the address of an SVG file."""
    file: str = ""
    tables: tuple[TableBlock, ...] = ()


def svg_url(drawing: Markup | None) -> str:
    """Return a drawing as a data URL."""
    return data_url("image/svg+xml", drawing.encode()) if drawing else ""


def tiles(report: ReportData) -> list[tuple[RunScores, list[Tile]]]:
    """Return the main figures, one row per run; many runs are only in the table below."""
    words = report.terms.measures
    units = {"factual": "%", "counterfactual": "%", "drop": " pts", "both_right": "%", "imagination_gap": " pts"}
    return [
        (
            run,
            [
                Tile(key, words[key], figure, unit, with_n(figure))
                for key, unit in units.items()
                if key in words and (figure := run.overall.figure(key)) and figure.value is not None
            ],
        )
        for run in (report.runs if len(report.runs) <= _FEW_RUNS else ())
    ]


def sections(report: ReportData) -> Iterator[Section]:
    """Return all sections between the finding and the cases that have content."""
    yield _drop(report) if report.two_worlds else _accuracy(report)
    yield _scores(report)
    if any(run.letters for run in report.runs):
        yield Section(
            key="letters",
            called="Letters",
            heading="Letters answered",
            about=(
                "How often each option letter was answered. The vertical line shows how often it was right: a bar "
                "far beyond its line means that the model prefers this letter."
            ),
            bars=tuple((_heading(report, run), letter_panels(run)) for run in report.runs if run.letters),
        )
    if report.comparisons:
        yield Section(
            key="comparison",
            called="Comparison",
            heading="Comparison of runs",
            about=(
                "Differences in points over the cases answered in both runs; a positive value means that the first "
                "run is better."
            ),
            tables=tuple(TableBlock(((compared(each, report.terms), ""),)) for each in report.comparisons),
        )
    if report.references:
        yield Section(
            key="reported",
            called="Reported",
            heading="Comparison with published results",
            about="Measured rows come first, with n and interval; reported rows are copied from the paper.",
            tables=_noted(beside(report, each) for each in report.references),
        )
    if report.answers:
        panels = answer_panels(report.answers, report.terms)
        yield Section(
            key="answers",
            called="Right answers",
            heading="Right answers",
            about=(
                "How often each number is the right answer under the change, by group, as in C-VQA's Figure 3: a "
                "model that always gives the most frequent number reaches that share."
            ),
            bars=(("", panels),),
            drawing=svg_url(bars_drawing(_RIGHT_ANSWERS, panels)),
            file="right-answers",
        )
    if report.readings:
        yield Section(
            key="readings",
            called="Read otherwise",
            heading="Read otherwise",
            about="The same replies read by another extractor. No other figure of this page uses these readings.",
            tables=_noted(report.readings),
        )
    for number, analysis in enumerate(report.analyses):
        yield _analysis(f"analysis-{number}", analysis)


def _noted(grids: Iterator[Grid] | tuple[Grid, ...]) -> tuple[TableBlock, ...]:
    return (TableBlock(tuple((grid, grid.note) for grid in grids)),)


def _scores(report: ReportData) -> Section:
    many = len(report.runs) > 1
    blocks = [TableBlock(((overview(report), ""),))] if many else []
    if many and any(run.total for run in report.runs):
        blocks.append(TableBlock(((totals(report), ""),)))
    for run in report.runs:
        grids = [(by_group(run, report.terms, report.blind, report.knowledge), f"{run.model}, prompt {run.prompt}")]
        grids += [(grid, grid.note) for grid in more(run, report.terms)]
        label = name(run.label) if many else ""
        blocks.append(TableBlock(tuple(grids), label, "by group", len(report.runs) <= _FEW_RUNS))
    points = ", drop and gap in points" if report.two_worlds else ""
    about = f"Shares in per cent{points}, each with its {percent(report.confidence, 0)}% interval."
    if report.two_worlds:
        about += " Both accuracies and the drop are over the cases answered in both worlds."
    return Section(key="scores", called="Scores", heading="Scores", about=about, tables=tuple(blocks))


def _analysis(key: str, analysis: Analysis) -> Section:
    """What was found in words, and the tables behind it folded away unless they were asked for."""
    grids = tuple((grid, grid.note) for grid in analysis.tables)
    return Section(
        key=key,
        called=name(analysis.heading.rpartition(": ")[2]),
        heading=analysis.heading,
        about=analysis.about,
        points=analysis.points,
        plots=(("", interval_plot(analysis.plot)),) if analysis.plot else (),
        tables=(TableBlock(grids, "Table of these figures", is_open=analysis.asked_for),),
    )


def _drop(report: ReportData) -> Section:
    words = report.terms.measures
    return Section(
        key="drop",
        called="Drop",
        heading="Factual and counterfactual accuracy",
        about=f"Accuracy in each {report.terms.group} with its interval, over the cases answered in both worlds; on "
        f"the right, the drop from {words['factual']} to {words['counterfactual']} in points.",
        legend=legend(report),
        plots=tuple((_heading(report, run), drop_plot(run, report.terms)) for run in report.runs),
        drawing=svg_url(groups_drawing(report)),
        file="groups",
    )


def _accuracy(report: ReportData) -> Section:
    plots = []
    for run, asking in product(report.runs, report.worlds):
        label = f"{name(run.label)}, {report.terms.measures[asking]}" if len(report.worlds) > 1 else run.label
        parts = [(report.terms.group, run.groups[:-1]), *((each.name, each.lines) for each in run.divisions)]
        for what, lines in parts:
            if lines or not run.divisions:
                heading = f"{name(label)}, by {what}" if lines else label
                plots.append((heading, accuracy_plot(lines, run.overall, asking, report.terms)))
    about = "Accuracy on each line with its interval."
    return Section(key="accuracy", called="Accuracy", heading="Accuracy", about=about, plots=tuple(plots))


def _heading(report: ReportData, run: RunScores) -> str:
    """The name of a run, where there are several to tell apart."""
    return run.label if len(report.runs) > 1 else ""
