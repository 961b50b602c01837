"""How many questions became pairs, step by step, for the terminal and as a figure."""

from countersight.authoring import Funnel
from countersight.html import Cell, Grid, Line
from countersight.suites import Chart, ChartBar

_REASONS = 3


def funnel_table(funnel: Funnel) -> Grid:
    """The steps, what was left after each, and why the others were not."""
    steps = [(step.name, step.left, step.reasons) for step in funnel.steps]
    steps.append(("different suppositions", funnel.patterns, funnel.operations))
    lines = (Line((Cell(name, (_why(reasons),)), Cell(f"{left:,}"))) for name, left, reasons in steps)
    return Grid(f"From questions to pairs, written by {funnel.writer}", ("step", "left"), tuple(lines))


def funnel_chart(funnel: Funnel) -> Chart:
    """A bar a step, as long as what was left after it."""
    bars = []
    for step in funnel.steps:
        less = f", less {_why(step.reasons)}" if step.reasons else ""
        bars.append(ChartBar(step.name, (step.left,), f"{step.left:,}{less}"))
    note = f"questions left after each step; written by {funnel.writer}"
    return Chart("From questions to pairs", note, tuple(bars))


def _why(reasons: tuple[tuple[str, int], ...]) -> str:
    told = ", ".join(f"{count:,} {reason}" for reason, count in reasons[:_REASONS])
    return f"{told}, …" if len(reasons) > _REASONS else told
