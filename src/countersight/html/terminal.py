"""Print tables in the terminal."""

from collections.abc import Iterable, Iterator
from textwrap import fill

from rich import box
from rich.console import Console
from rich.table import Table
from rich.text import Text

from countersight.html.tables import NOTHING, Grid, Line, TableCell

_SHORT_HEADS = {
    "counterfactual": "counter-\nfactual",
    "both right": "both\nright",
    "imagination gap": "imagi-\nnation\ngap",
}
_PROBLEMS = ("unread", "restated", "cut", "empty", "failed", "missing")
_NAME, _FIGURE = 17, 11
"""The minimum width of line names, and the width at which headings are wrapped."""


def print_grids(grids: Iterable[Grid], console: Console) -> None:
    """Print tables, each split into as many parts as the terminal's width requires."""
    for grid in grids:
        for part in _parts(grid, console.width):
            console.print()
            console.print(_table(part))


def _parts(grid: Grid, width: int) -> Iterator[Grid]:
    """Split the table between columns into parts that fit the terminal; counts share one column to save space."""
    counts = [place for place, head in enumerate(grid.head) if head in _PROBLEMS]
    if len(counts) == 1:  # one column of counts is shown like any other
        counts = []
    others = [place for place in range(len(grid.head)) if place not in counts]
    heads = [grid.head[place] for place in others]
    if counts:
        heads.append("problems")
    lines = []
    for line in grid.lines:
        cells = [line.cells[place] for place in others]
        if counts:
            cells.append(_problems({grid.head[place]: line.cells[place] for place in counts}))
        lines.append((cells, line))
    start = 1
    while start < len(heads):
        space, end = width - _NAME, start
        while end < len(heads) and (end == start or space >= _width(heads[end], [cells[end] for cells, _ in lines])):
            space -= _width(heads[end], [cells[end] for cells, _ in lines])
            end += 1
        chosen = slice(start, end)
        start = end
        yield Grid(
            grid.title,
            (heads[0], *heads[chosen]),
            tuple(Line((cells[0], *cells[chosen]), line.total, line.reported) for cells, line in lines),
            grid.note if end == len(heads) else "",
        )


def _problems(cells: dict[str, TableCell]) -> TableCell:
    """Return one cell for several counts, which names those that are not zero."""
    if set(cells.values()) == {NOTHING}:
        return NOTHING
    named = ((f"{cell.text} {head}", *cell.details) for head, cell in cells.items() if cell.text != "0")
    return TableCell("\n".join(words for each in named for words in each) or "none")


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
