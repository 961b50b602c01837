"""What is answered blind, on a terminal and as a figure."""

from pathlib import Path
from typing import TYPE_CHECKING

from countersight.blindness.probing import Blind

if TYPE_CHECKING:
    from rich.console import Console


def render(found: Blind, console: "Console") -> None:
    """Print what was found as tables."""
    from countersight.blindness.terminal import printed

    for part in printed(found, console):
        console.print(part)


def write_svg(found: Blind, path: Path) -> None:
    """Write what was found as one self-contained figure."""
    from countersight.blindness.figure import figure

    path.write_text(figure(found), encoding="utf-8")
