"""Print tables in the terminal."""

from collections.abc import Iterable, Iterator
from io import StringIO
from textwrap import fill

from rich import box
from rich.console import Console
from rich.table import Table
from rich.text import Text

from countersight.html.tables import Grid, Line, TableCell

_SHORT_HEADS = {
    "counterfactual": "counter-\nfactual",
    "both right": "both\nright",
    "imagination gap": "imagi-\nnation\ngap",
}
_NAME, _FIGURE = 17, 11
"""The minimum width of line names, and the width at which headings are wrapped."""


def print_grids(grids: Iterable[Grid], console: Console) -> None:
    """Print tables, each split into as many parts as the terminal's width requires."""
    for grid in grids:
        for part in _parts(grid, console.width):
            console.print()
            console.print(_table(part))


def grids_text(grids: Iterable[Grid], width: int = 100) -> str:
    """Return the tables as plain text."""
    console = Console(file=StringIO(), width=width)
    print_grids(grids, console)
    return "\n".join(line.rstrip() for line in console.file.getvalue().splitlines())  # type: ignore[attr-defined]


def _parts(grid: Grid, width: int) -> Iterator[Grid]:
    """Split the table between columns into parts that fit the terminal."""
    start, end = 1, 1
    widths = [_width(head, [line.cells[place] for line in grid.lines]) for place, head in enumerate(grid.head)]
    while start < len(widths):
        space = width - _NAME
        while end < len(widths) and (end == start or space >= widths[end]):
            space -= widths[end]
            end += 1
        yield Grid(
            grid.title,
            (grid.head[0], *grid.head[start:end]),
            tuple(Line((line.cells[0], *line.cells[start:end]), line.total, line.reported) for line in grid.lines),
            grid.note if end == len(widths) else "",
        )
        start = end


def _width(head: str, cells: list[TableCell]) -> int:
    """Return the width of a column, including the space before it."""
    written = [_head(head), *(cell.text for cell in cells), *(_short(text) for cell in cells for text in cell.details)]
    return 1 + max(len(line) for text in written for line in text.splitlines())


def _head(head: str) -> str:
    return _SHORT_HEADS.get(head) or fill(head.replace("counterf", "counter- f"), _FIGURE, break_long_words=False)


def _table(grid: Grid) -> Table:
    # Text objects, because Rich would interpret square brackets in strings as markup.
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
        table.add_column(Text(_head(head)), justify="right", no_wrap=True)
    for number, line in enumerate(grid.lines):
        table.add_row(
            Text.assemble(line.cells[0].text, *((" " + detail, "dim not bold") for detail in line.cells[0].details)),
            *(_text(cell) for cell in line.cells[1:]),
            style="bold" if line.total else "italic" if line.reported else "",
            end_section=number + 1 < len(grid.lines) and grid.lines[number + 1].total,
        )
    return table


def _text(cell: TableCell) -> Text:
    return Text.assemble(cell.text, *(("\n" + _short(detail), "dim not bold") for detail in cell.details))


def _short(detail: str) -> str:
    return detail.replace(" to ", "…").replace(" = ", "=").replace(" < ", "<")
