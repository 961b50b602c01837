"""The statistics of mined causal graphs as tables for the terminal."""

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any

from countersight.causal.catalogue import Decision, catalogue
from countersight.causal.graph import GraphKind
from countersight.causal.mining import MiningStatistics
from countersight.text import several

if TYPE_CHECKING:
    from rich.console import RenderableType

_SHAPES: dict[GraphKind, str] = {
    "direct": "A→B: one thing depends on another",
    "chain": "A→B→C: and a third on that one",
    "confounding": "A→B, A→C, B→C: A acts through B as well",
    "collision": "A→C←B: one thing depends on two",
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


def printed(found: MiningStatistics) -> Iterator["RenderableType"]:
    """Return the statistics as tables for the terminal."""
    from rich import box
    from rich.table import Table

    crowded = f", {found.crowded:,} of crowded scenes" if found.crowded else ""
    left_out = f"{found.duplicates:,} duplicates, {found.namesakes:,} with two objects of the same name{crowded}"
    decided = f"{found.decided:.1%} of {several(found.relations, 'relation')} decided"
    tables: list[tuple[str, Mapping[Any, str], Mapping[Any, int]]] = [
        (f"Causal graphs: in {several(found.scenes, 'scene graph')}; left out: {left_out}", _SHAPES, found.graphs),
        ("Causal relations: by kind of cause", catalogue().kinds, found.relations_by_kind),
        (f"All relations: {decided} by the catalogue", _DECISIONS, found.decisions),
    ]
    for title, words, numbers in tables:
        table = Table(title=title, box=box.SIMPLE_HEAD, title_justify="left", show_header=False)
        table.add_column(no_wrap=True)
        table.add_column(justify="right", no_wrap=True)
        table.add_column(justify="right", no_wrap=True)
        table.add_column(width=_BAR, no_wrap=True)
        table.add_column(style="dim")
        total, most = sum(numbers.values()) or 1, max(numbers.values(), default=0) or 1
        for name, meaning in words.items():
            number = numbers.get(name, 0)
            table.add_row(name, f"{number:,}", f"{number / total:.1%}", "█" * round(_BAR * number / most), meaning)
        yield table
