"""What is answered blind, as tables for the terminal."""

from collections.abc import Iterator

from rich import box
from rich.console import RenderableType
from rich.table import Table
from rich.text import Text

from countersight.blind.probing import Blind
from countersight.blind.wording import head, line, probes, summary, told


def printed(found: Blind) -> Iterator[RenderableType]:
    """The table of groups, what the probes go by, and the cues."""
    if not found.groups:
        yield Text(summary(found))
        return
    table = Table(title="Answered without the pictures, in %", box=box.SIMPLE_HEAD, title_justify="left")
    for place, heading in enumerate(head(found)):
        table.add_column(_plain(heading), justify="left" if place in (0, 1, 5) else "right")
    for group in found.groups:
        table.add_row(*(_plain(cell) for cell in line(group)), style="bold" if group.gives_away else "")
    yield table
    yield Text("\n".join(f"  {_plain(words)}" for words in probes(found)), style="dim")
    yield Text(
        "  in bold: more than guessing; blind: the probe that does best on the other folds, with its 95% interval\n",
        style="dim",
    )
    if found.cues:
        yield Text("What carries it", style="italic")
    for cue in found.cues:
        yield Text(f"  {_plain(told(cue))}")


def _plain(words: str) -> str:
    return "".join(c if c.isprintable() else " " for c in words)
