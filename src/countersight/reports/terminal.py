"""The tables of a report in the terminal."""

from rich.console import Console
from rich.text import Text

from countersight.html import Grid, name, percent, print_grids
from countersight.reports.data import Analysis, ReportData
from countersight.reports.finding import sentence
from countersight.reports.provenance import origins
from countersight.reports.tables import grids, overview


def print_tables(report: ReportData, console: Console) -> None:
    """Print the scores and comparisons of a report, and where the figures come from."""
    _print(report, grids(report, brief=True), console)
    for analysis in report.analyses:
        _print_analysis(analysis, console)


def print_overview(report: ReportData, console: Console) -> None:
    """Print one line a run, and where the figures come from."""
    _print(report, [overview(report)], console)


def _print(report: ReportData, tables: list[Grid], console: Console) -> None:
    console.print(Text(sentence(report)))
    print_grids(tables, console)
    console.print()
    for term, text in origins(report):
        console.print(Text.assemble((f"{term}: ", "bold"), text))
    level = percent(report.confidence, 0)
    console.print(Text(f"Shares in per cent, differences in points, each with its {level}% interval.", "dim"))


def _print_analysis(analysis: Analysis, console: Console) -> None:
    console.print()
    console.print(Text(analysis.heading, "bold"))
    console.print(Text(analysis.about))
    for point in analysis.points:
        console.print(Text(name(point.title), "bold"))
        for words in point.sentences:
            console.print(Text(f"· {words}"))
    if analysis.asked_for:
        print_grids(analysis.tables, console)
