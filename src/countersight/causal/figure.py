"""The statistics of mined causal graphs as tables for the terminal."""

from collections.abc import Iterator
from typing import TYPE_CHECKING

from countersight.causal.catalogue import Decision, catalogue
from countersight.causal.graph import GraphKind
from countersight.causal.mining import KINDS, MiningStatistics
from countersight.text import several

if TYPE_CHECKING:
    from rich.console import RenderableType

SHAPES: dict[GraphKind, tuple[str, str]] = {
    "direct": ("A→B", "one thing depends on another"),
    "chain": ("A→B→C", "and a third on that one"),
    "confounding": ("A→B, A→C, B→C", "A acts through B as well"),
    "collision": ("A→C←B", "one thing depends on two"),
}
"""The four kinds of causal graphs (CELLO 3.2) as arrows and in words."""

_DECISIONS: dict[Decision, str] = {
    "causal": "one object is the cause of the other",
    "none": "neither is",
    "ambiguous": "known relation, but the objects do not determine the cause",
    "unknown": "unknown relation",
}
_BAR = 20
"""Signs of the longest bar in the terminal."""


def rows(statistics: MiningStatistics) -> list[tuple[str, str, list[tuple[str, str, int]]]]:
    """Return the panels: each a title, a note, and rows with a name, a description and a number."""
    decided = f"{statistics.decided:.1%} of {several(statistics.relations, 'relation')} decided"
    kinds = catalogue().kinds
    return [
        (
            "Causal graphs",
            f"in {several(statistics.scenes, 'scene graph')}; left out: {statistics.duplicates:,} duplicates, "
            f"{statistics.namesakes:,} with two objects of the same name"
            + (f", {statistics.crowded:,} of crowded scenes" if statistics.crowded else ""),
            [(kind, f"{SHAPES[kind][0]}: {SHAPES[kind][1]}", statistics.graphs.get(kind, 0)) for kind in KINDS],
        ),
        (
            "Causal relations",
            "by kind of cause",
            [(kind, words, statistics.relations_by_kind.get(kind, 0)) for kind, words in kinds.items()],
        ),
        (
            "All relations",
            f"{decided} by the catalogue",
            [(name, words, statistics.decisions.get(name, 0)) for name, words in _DECISIONS.items()],
        ),
    ]


def printed(statistics: MiningStatistics) -> Iterator["RenderableType"]:
    """Return the panels as tables for the terminal."""
    from rich import box
    from rich.table import Table

    for title, note, lines in rows(statistics):
        table = Table(title=f"{title}: {note}", box=box.SIMPLE_HEAD, title_justify="left", show_header=False)
        table.add_column(no_wrap=True)
        table.add_column(justify="right", no_wrap=True)
        table.add_column(justify="right", no_wrap=True)
        table.add_column(width=_BAR, no_wrap=True)
        table.add_column(style="dim")
        total = sum(number for *_, number in lines)
        most = max((number for *_, number in lines), default=0) or 1
        for name, words, number in lines:
            table.add_row(name, f"{number:,}", f"{number / (total or 1):.1%}", "█" * round(_BAR * number / most), words)
        yield table
