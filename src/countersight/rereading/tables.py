"""Tables of what a second reader changes, beside what the rules read."""

from collections.abc import Sequence
from pathlib import Path
from typing import Final

from countersight.files import write_whole
from countersight.pages import Cell, Figure, Grid, Line, count, figure_cell, interval, markdown_grid, percent
from countersight.rereading.reader import Rereading
from countersight.scoring import Rate, Row, Scores, share_interval

TABLE: Final = "second_reader.md"
_HEAD: Final = ("run", "read by", "factual", "counterfactual", "drop", "unread")


def rereading_grid(rereadings: Sequence[Rereading]) -> Grid:
    """Two lines a run: as the rules read it, and with the second reader for what they left unread."""
    lines = [line for each in rereadings for line in _lines(each)]
    return Grid("With a second reader", _HEAD, tuple(lines), " ".join(map(_note, rereadings)))


def write_rereadings(rereadings: Sequence[Rereading], folder: Path) -> Path:
    """Write the table as Markdown beside the report."""
    grid = rereading_grid(rereadings)
    path = folder / TABLE
    write_whole(path, "\n\n".join([f"# {grid.title}", *markdown_grid(grid), ""]).encode())
    return path


def _lines(each: Rereading) -> tuple[Line, Line]:
    return (
        _line(each.run, "rules", each.rules),
        _line(each.run, f"rules, then {each.reader}", each.both),
    )


def _line(run: str, by: str, scores: Scores) -> Line:
    total = scores.overall
    cells = (_share(total.factual, total), _share(total.counterfactual, total), _drop(total))
    return Line((Cell(run), Cell(by), *cells, Cell(count(total.unread))))


def _share(rate: Rate, row: Row) -> Cell:
    return figure_cell(Figure(rate.value, rate.low, rate.high, rate.n, right=rate.right), row.n)


def _drop(row: Row) -> Cell:
    drop = row.drop
    return figure_cell(Figure(drop.value, drop.low, drop.high, drop.n) if drop else None, row.n)


def _note(each: Rereading) -> str:
    """How much of the unread was read, and how far the second reader can be believed."""
    found = f"{each.run}: {each.reader} found an answer in {count(each.found)} of {count(each.unread)} unread replies"
    if not each.compared:
        return f"{found}; there was nothing to compare it with the rules on."
    bounds = share_interval(each.agreed, each.compared)
    share = each.agreed / each.compared
    figure = Figure(share, bounds.low, bounds.high, each.compared)
    return (
        f"{found}; of {count(each.compared)} replies that the rules read it reads {percent(share)} % alike "
        f"({interval(figure)})."
    )
