"""The sections of the report's page, in order, as data that the template draws."""

from collections.abc import Iterator

import msgspec

from countersight.case import Asking
from countersight.html import Grid, Markup, Measured, name
from countersight.picture import data_url
from countersight.reports.data import ReportData, RunScores
from countersight.reports.figures import Plot, group_plot, groups_drawing, interval_plot, legend, with_n
from countersight.reports.tables import beside, by_group, compared, letters, more, overview, totals

_FEW_RUNS = 3
"""Of more runs the tables by group are folded away, and no figures stand at the head."""


class Tile(msgspec.Struct, frozen=True):
    """A figure at the head of the page: its measure, name, unit and n."""

    key: str
    called: str
    figure: Measured
    unit: str
    note: str


class Section(msgspec.Struct, frozen=True, kw_only=True):
    """A section of the page: its anchor, its name in the table of contents, and its content."""

    key: str
    called: str
    heading: str
    about: str
    legend: list[tuple[Asking, str]] = []
    plots: tuple[tuple[str, Plot], ...] = ()
    drawing: str = ""
    """The downloadable figure, as the address of an SVG file."""
    tables: tuple[Grid, ...] = ()
    folds: tuple[tuple[str, tuple[Grid, ...]], ...] = ()
    """Tables that are folded under the name of a run."""
    is_open: bool = True


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
    """Return every non-empty section between the finding and the cases."""
    yield _drop(report) if report.two_worlds else _accuracy(report)
    yield _scores(report)
    further = (
        (
            "letters",
            "Letters",
            "Letters answered",
            "How often each option letter was answered, and how often it is the right answer.",
            (letters(run) for run in report.runs if run.letters),
        ),
        (
            "comparison",
            "Comparison",
            "Comparison of runs",
            "Each pair of runs, case by case.",
            (compared(each, report.terms) for each in report.comparisons),
        ),
        (
            "reported",
            "Reported",
            "Comparison with published results",
            "Measured rows come first, with n and interval; reported rows are copied from the paper.",
            (beside(report, each) for each in report.references),
        ),
        (
            "readings",
            "Read otherwise",
            "Read otherwise",
            "The same replies read by another extractor. No other figure of this page uses these readings.",
            report.readings,
        ),
    )
    for key, called, heading, about, grids in further:
        if tables := tuple(grids):
            yield Section(key=key, called=called, heading=heading, about=about, tables=tables)
    for number, analysis in enumerate(report.analyses):
        yield Section(
            key=f"analysis-{number}",
            called=name(analysis.heading.rpartition(": ")[2]),
            heading=analysis.heading,
            about=analysis.about,
            plots=(("", interval_plot("diff, in points", analysis.plot)),) if analysis.plot else (),
            tables=analysis.tables,
        )


def _scores(report: ReportData) -> Section:
    many = len(report.runs) > 1
    of_runs = {
        run.label: (by_group(run, report.terms, report.blind, report.knowledge), *more(run, report.terms))
        for run in report.runs
    }
    both = " Both accuracies and the drop are over the cases answered in both worlds." if report.two_worlds else ""
    all_runs = [overview(report)] + [totals(report)] * any(run.total for run in report.runs)
    return Section(
        key="scores",
        called="Scores",
        heading="Scores",
        about=report.units + both,
        tables=tuple(all_runs) if many else of_runs[report.runs[0].label],
        folds=tuple((name(label), grids) for label, grids in of_runs.items()) if many else (),
        is_open=len(report.runs) <= _FEW_RUNS,
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
        plots=tuple(
            (run.label if len(report.runs) > 1 else "", group_plot(run.groups, "drop", report.terms, "drop"))
            for run in report.runs
        ),
        drawing=svg_url(groups_drawing(report)),
    )


def _accuracy(report: ReportData) -> Section:
    plots = []
    for run in report.runs:
        parts = [(report.terms.group, run.groups[:-1]), *((each.name, each.lines) for each in run.divisions)]
        for asking in report.worlds:
            label = f"{name(run.label)}, {report.terms.measures[asking]}" if len(report.worlds) > 1 else run.label
            for what, lines in parts:
                if lines or not run.divisions:
                    heading = f"{name(label)}, by {what}" if lines else label
                    plots.append((heading, group_plot((*lines, run.overall), asking, report.terms)))
    about = "Accuracy on each line with its interval."
    return Section(key="accuracy", called="Accuracy", heading="Accuracy", about=about, plots=tuple(plots))
