"""How many questions became pairs, step by step, for the terminal and as a figure."""

from rich import box
from rich.table import Table

from countersight.build import Funnel
from countersight.pages import MARGIN, WIDTH, escaped, words_at

_LINE = 24
_NAME = 300
_BAR = 300
_REASONS = 3


def funnel_table(funnel: Funnel) -> Table:
    """The steps, what was left after each, and why the others were not."""
    table = Table(
        title=f"From questions to pairs, written by {funnel.writer}", box=box.SIMPLE_HEAD, title_justify="left"
    )
    table.add_column("step")
    table.add_column("left", justify="right")
    table.add_column("why the others were not")
    for step in funnel.steps:
        table.add_row(escaped(step.name), f"{step.left:,}", _why(step.reasons))
    table.add_row("different suppositions", f"{funnel.patterns:,}", _why(funnel.operations), style="dim")
    return table


def funnel_panel(y: int, funnel: Funnel) -> tuple[str, int]:
    """One bar a step, as long as what was left after it; and how tall it all is."""
    parts = [
        words_at(MARGIN, y, "From questions to pairs", "head"),
        words_at(MARGIN, y + 18, f"questions left after each step; written by {funnel.writer}", "soft"),
    ]
    most = max((step.left for step in funnel.steps), default=0) or 1
    for place, step in enumerate(funnel.steps):
        line = y + 36 + _LINE * place
        width = max(1.0, _BAR * step.left / most)
        parts.append(words_at(MARGIN, line + 14, step.name[:44]))
        parts.append(
            f'<rect class="factual" x="{MARGIN + _NAME}" y="{line}" width="{width:.1f}" height="{_LINE - 6}" rx="1.5">'
            f"<title>{escaped(_why(step.reasons))}</title></rect>"
        )
        told = f"{step.left:,}" + (f", less {_why(step.reasons)}" if step.reasons else "")
        room = (WIDTH - MARGIN - (MARGIN + _NAME + width + 8)) / 6
        parts.append(words_at(MARGIN + _NAME + width + 8, line + 14, _short(told, int(room)), "soft"))
    return "<g>" + "".join(parts) + "</g>", 36 + _LINE * len(funnel.steps) + 42


def _why(reasons: tuple[tuple[str, int], ...]) -> str:
    told = ", ".join(f"{count:,} {reason}" for reason, count in reasons[:_REASONS])
    return f"{told}, …" if len(reasons) > _REASONS else told


def _short(words: str, most: int) -> str:
    return words if len(words) <= most else f"{words[: max(0, most - 1)]}…"
