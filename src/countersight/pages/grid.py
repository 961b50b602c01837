"""A table as a grid of words, before it is written in any format."""

import msgspec

from countersight.pages.figure import Figure
from countersight.pages.wording import count, interval, none_read, p_value, percent


class Cell(msgspec.Struct, frozen=True):
    """A figure and what stands beside it in small: its interval, its p value, its own n."""

    text: str
    details: tuple[str, ...] = ()


class Line(msgspec.Struct, frozen=True):
    """A line of a table; `total` marks the one that sums up the others, `reported` one that a paper has."""

    cells: tuple[Cell, ...]
    total: bool = False
    reported: bool = False


class Grid(msgspec.Struct, frozen=True):
    """A table: what it shows, the head of each column, and its lines. The first column names the line."""

    title: str
    head: tuple[str, ...]
    lines: tuple[Line, ...]
    note: str = ""


NOTHING = Cell("–")


def figure_cell(figure: Figure | None, expected_n: int | None, *, counted: bool = False) -> Cell:
    """A figure with its interval, and with its count where wanted; its n is said where it is not that of the line."""
    if figure is None or figure.value is None:
        return Cell(NOTHING.text, (none_read(figure.unheard),)) if figure and figure.unheard else NOTHING
    details = [interval(figure)]
    if counted and figure.right is not None:
        details.append(f"{count(figure.right)} of {count(figure.n)}")
        expected_n = figure.n
    if figure.p is not None:
        details.append(p_value(figure.p))
    if figure.n != expected_n:
        details.append(f"n = {count(figure.n)}")
    if figure.if_right is not None:
        details.append(f"unread: {percent(figure.value)} to {percent(figure.if_right)}")
    return Cell(percent(figure.value), tuple(details))


def unasked_line(head: tuple[str, ...], first: Cell, n: Cell, figures: list[Cell]) -> Line:
    """A line that has no questions of its own that could be unread, failed or missing."""
    return Line((first, n, *figures, *[NOTHING] * (len(head) - 2 - len(figures))))
