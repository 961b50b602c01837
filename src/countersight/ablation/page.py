"""The effects of parts as a table, and as a page with small bars for each case."""

from collections.abc import Sequence
from pathlib import Path

from countersight.ablation.effects import LEAST, CaseParts, KindOfPart
from countersight.files import write_text
from countersight.html import Cell, Grid, Line, document

SHOWN = 100
"""Cases on the page: those whose parts do most."""
ABOUT = (
    "Gain: by how many points the right response is likelier with the part than without it, mean over cases with a 95% "
    f"interval (from {LEAST} cases on). Lost: share of all parts without which a right answer becomes a wrong one."
)


def as_grid(kinds: Sequence[KindOfPart]) -> Grid:
    """One line per type of part."""
    head = ("type of part", "parts", "cases", "gain", "lost")
    return Grid("Which parts of a change carry the answer", head, tuple(_line(one) for one in kinds))


def _line(one: KindOfPart) -> Line:
    gain = f"{100 * one.effect:+z.1f}"
    if one.low is not None and one.high is not None:
        gain += f" ({100 * one.low:+z.1f} to {100 * one.high:+z.1f})"
    cells = (one.kind, f"{one.parts:,}", f"{one.cases:,}", gain, f"{100 * one.lost:.1f}%")
    return Line(tuple(Cell(words) for words in cells), total=one.kind == "all parts")


def write_page(path: Path, model: str, kinds: Sequence[KindOfPart], cases: Sequence[CaseParts]) -> Path:
    """Write the page."""
    strongest = sorted(cases, key=lambda case: -max(abs(case.effect(str(n + 1))) for n in range(len(case.parts))))
    shown = strongest[:SHOWN]
    page = document(
        __package__,
        "page.html",
        title=f"Parts of changes: {model}",
        style="page.css",
        model=model,
        about=ABOUT,
        grid=as_grid(kinds),
        about_cases=f"The {len(shown)} of {len(cases)} cases whose parts do most. Bars: how likely the model finds "
        "each response; the right one is marked.",
        cases=shown,
    )
    return write_text(path, page)
