"""What is answered blind, as tables for the terminal."""

from collections.abc import Iterator

from rich import box
from rich.console import Console, RenderableType
from rich.measure import Measurement
from rich.table import Table
from rich.text import Text

from countersight.blindness.probing import Blind
from countersight.blindness.wording import head, line, probes, summary, told

_UNBOUNDED = 10_000
_LABELS = (0, 1)
_FIGURES = (2, 3, 4, 5)
"""Places of n, chance, words and knowledge in a line: a figure that is cut is another figure."""
_BEST = 6
_AT_ONCE = 5
"""Probes beside each other on a narrow console."""


def printed(found: Blind, console: Console) -> Iterator[RenderableType]:
    """The tables of groups, what the probes go by, and the cues."""
    if not found.groups:
        yield Text(summary(found))
        return
    yield from _tables(found, console)
    yield Text("\n".join(f"  {_plain(words)}" for words in probes(found)), style="dim")
    yield Text(
        "  in bold: more than guessing; words: the probe of words that does best on the other folds; 95% intervals\n",
        style="dim",
    )
    if found.cues:
        yield Text("What carries it", style="italic")
    for cue in found.cues:
        yield Text(f"  {_plain(told(cue))}")


def _tables(found: Blind, console: Console) -> Iterator[Table]:
    """All columns in one table, or, where the console is too narrow for it, some probes at a time in further ones."""
    title = "Answered without the pictures, in %"
    places = tuple(range(len(head(found))))
    whole = _table(found, places, title)
    if Measurement.get(console, console.options.update(width=_UNBOUNDED), whole).maximum <= console.width:
        yield whole
        return
    yield _table(found, places[:_BEST], title)
    for first in range(_BEST, len(places), _AT_ONCE):
        yield _table(found, (*_LABELS, *places[first : first + _AT_ONCE]), "By probe, in %")


def _table(found: Blind, places: tuple[int, ...], title: str) -> Table:
    table = Table(title=title, box=box.SIMPLE_HEAD, title_justify="left")
    names = head(found)
    for place in places:
        table.add_column(
            _plain(names[place]),
            justify="left" if place in (*_LABELS, _BEST) else "right",
            overflow="fold",
            no_wrap=place in _FIGURES,
        )
    for group in found.groups:
        cells = line(group)
        table.add_row(*(_plain(cells[place]) for place in places), style="bold" if group.gives_away else "")
    return table


def _plain(words: str) -> str:
    return "".join(c if c.isprintable() else " " for c in words)
