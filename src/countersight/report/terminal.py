"""The tables of a report in the terminal."""

from collections.abc import Iterator

from rich import box
from rich.console import Console
from rich.table import Table
from rich.text import Text

from countersight.report.data import ReportData
from countersight.report.provenance import origins, sentence
from countersight.report.tables import Cell, Grid, Line, by_group, compared, overview
from countersight.report.wording import percent

_SHORT = {"counterfactual": "counter-\nfactual", "both right": "both\nright", "imagination gap": "imagi-\nnation\ngap"}
_AMISS = ("unread", "failed", "missing")
_NAME, _FIGURE = 17, 11
"""Room that the name of a line and a figure with its interval need at least."""


def print_tables(report: ReportData, console: Console) -> None:
    """Print the scores and comparisons of a report, and where the figures come from."""
    tables = [overview(report)] if len(report.runs) > 1 else []
    tables += [by_group(run) for run in report.runs]
    tables += [compared(comparison) for comparison in report.comparisons]
    _print(report, tables, console)


def print_overview(report: ReportData, console: Console) -> None:
    """Print one line a run, and where the figures come from."""
    _print(report, [overview(report)], console)


def _print(report: ReportData, tables: list[Grid], console: Console) -> None:
    console.print(Text(sentence(report)))
    for grid in tables:
        for part in _parts(grid, console.width):
            console.print()
            console.print(_table(part))
    console.print()
    for term, text in origins(report):
        console.print(Text.assemble((f"{term}: ", "bold"), text))
    level = percent(report.confidence, 0)
    console.print(Text(f"Shares in per cent, differences in points, each with its {level}% interval.", "dim"))


def _parts(grid: Grid, width: int) -> Iterator[Grid]:
    """The table, cut between columns into parts that fit the terminal; the counts go in one column to save room."""
    merged = "/\n".join(_AMISS)
    heads = [head for head in grid.head if head not in _AMISS]
    if len(heads) < len(grid.head):
        heads.append(merged)
    lines = []
    for line in grid.lines:
        cells = list(line.cells[: len(grid.head) - len(_AMISS)] if merged in heads else line.cells)
        if merged in heads:
            cells.append(Cell("/".join(cell.text for cell in line.cells[len(cells) :])))
        lines.append((cells, line.total))
    at_once = max(1, (width - _NAME) // _FIGURE)
    for start in range(1, len(heads), at_once):
        chosen = slice(start, start + at_once)
        yield Grid(
            grid.title,
            (heads[0], *heads[chosen]),
            tuple(Line((cells[0], *cells[chosen]), total) for cells, total in lines),
            grid.note,
        )


def _table(grid: Grid) -> Table:
    # Text, not strings: a string's square brackets would be taken for markup.
    table = Table(
        title=Text(grid.title, "bold"),
        caption=Text(grid.note) if grid.note else None,
        box=box.SIMPLE_HEAD,
        title_justify="left",
        caption_justify="left",
        pad_edge=False,
        padding=(0, 1, 0, 0),
    )
    table.add_column(Text(grid.head[0]), overflow="fold")
    for head in grid.head[1:]:
        table.add_column(Text(_SHORT.get(head, head)), justify="right", no_wrap=True)
    for number, line in enumerate(grid.lines):
        table.add_row(
            *(_text(cell) for cell in line.cells),
            style="bold" if line.total else "",
            end_section=number + 1 < len(grid.lines) and grid.lines[number + 1].total,
        )
    return table


def _text(cell: Cell) -> Text:
    short = (detail.replace(" to ", "…").replace(" ", "") for detail in cell.details)
    return Text.assemble(cell.text, *(("\n" + detail, "dim not bold") for detail in short))
