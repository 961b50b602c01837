"""The summary as a table."""

from collections.abc import Sequence

from countersight.ablation.effects import LEAST, KindOfPart
from countersight.pages import Cell, Grid, Line

TITLE = "Which parts of a change carry the answer"
ABOUT = (
    "Gain: by how many points the right response is likelier with the part than without it, mean over cases with a 95% "
    f"interval (from {LEAST} cases on). Lost: share of all parts without which a right answer becomes a wrong one."
)


def as_grid(kinds: Sequence[KindOfPart]) -> Grid:
    """One line a type of part."""
    return Grid(TITLE, ("type of part", "parts", "cases", "gain", "lost"), tuple(_line(one) for one in kinds))


def _line(one: KindOfPart) -> Line:
    gain = f"{100 * one.effect:+z.1f}"
    if one.low is not None and one.high is not None:
        gain += f" ({100 * one.low:+z.1f} to {100 * one.high:+z.1f})"
    cells = (one.kind, f"{one.parts:,}", f"{one.cases:,}", gain, f"{100 * one.lost:.1f}%")
    return Line(tuple(Cell(words) for words in cells), total=one.kind == "all parts")
