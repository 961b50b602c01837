"""The tables of a report in the terminal."""

from rich import box
from rich.console import Console
from rich.table import Table
from rich.text import Text

from countersight.report.data import ReportData
from countersight.report.provenance import origins, sentence
from countersight.report.tables import Cell, Grid, grids
from countersight.report.wording import percent

_NARROW = {"counterfactual": "counter-\nfactual", "imagination gap": "imagination\ngap"}


def print_tables(report: ReportData, console: Console) -> None:
    """Print every table of a report, and where its figures come from."""
    console.print(Text(sentence(report)))
    for grid in grids(report):
        console.print()
        console.print(_table(grid))
    console.print()
    for term, text in origins(report):
        console.print(Text.assemble((f"{term}: ", "bold"), text))
    level = percent(report.confidence, 0)
    console.print(Text(f"Shares in per cent, differences in points, each with its {level}% interval.", "dim"))


def _table(grid: Grid) -> Table:
    # Text, not strings: a string's square brackets would be taken for markup.
    table = Table(
        title=Text(grid.title, "bold"),
        caption=Text(grid.note) if grid.note else None,
        box=box.SIMPLE_HEAD,
        title_justify="left",
        caption_justify="left",
        padding=(0, 1, 0, 0),
    )
    table.add_column(Text(grid.head[0]), overflow="fold")
    for head in grid.head[1:]:
        table.add_column(Text(_NARROW.get(head, head)), justify="right", vertical="top")
    for number, line in enumerate(grid.lines):
        last_before_total = number + 1 < len(grid.lines) and grid.lines[number + 1].total
        table.add_row(
            *(_text(cell) for cell in line.cells),
            style="bold" if line.total else "",
            end_section=last_before_total,
        )
    return table


def _text(cell: Cell) -> Text:
    return Text.assemble(cell.text, *(("\n" + detail, "dim not bold") for detail in cell.details))
