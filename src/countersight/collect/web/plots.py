"""Small plots for the leads' page, as SVG styled by classes alone: the policy of the pages allows no styles in them."""

from collections.abc import Mapping, Sequence

from countersight.collect.figures import PhaseFigures
from countersight.html import Markup, element, text, words_at
from countersight.scoring import Estimate

_WIDTH = 320
_BAR = 150
_LINE = 26
_DAYS = 14
_TALL = 90


def bars(counts: Mapping[str, int], title: str) -> Markup:
    """Horizontal bars, one for each name, with its number."""
    most = max([1, *counts.values()])
    parts = []
    for place, (name, number) in enumerate(counts.items()):
        top, wide = _LINE * place, _BAR * number / most
        parts += [
            words_at(0, top + 17, name, "label"),
            element("rect", x=130, y=top + 6, width=wide, height=14, rx=3, class_="bar"),
            words_at(136 + wide, top + 17, f"{number:,}", "number"),
        ]
    return _drawing(_WIDTH, _LINE * max(1, len(counts)), title, parts)


def interval_plot(estimate: Estimate, title: str) -> Markup:
    """An agreement with its interval, from 0 to 1; what is below chance stands at 0."""
    if estimate.value is None or estimate.interval is None:
        return element("span", text(estimate.why), class_="muted")

    def place(value: float) -> float:
        return 4 + 112 * min(1.0, max(0.0, value))

    low, high = place(estimate.interval.low), place(estimate.interval.high)
    parts = [
        element("line", x1=4, y1=9, x2=116, y2=9, class_="axis"),
        element("line", x1=low, y1=9, x2=high, y2=9, class_="range"),
        element("circle", cx=place(estimate.value), cy=9, r=4, class_="dot"),
    ]
    return _drawing(120, 18, title, parts)


def days_plot(days: Sequence[tuple[str, int, int]], phases: Sequence[PhaseFigures], title: str) -> Markup:
    """Contributions of the last 14 days, stacked by phase; today is on the right."""
    order = {phase.phase: place for place, phase in enumerate(phases)}
    totals = [0] * _DAYS
    for _, day, number in days:
        totals[_column(day)] += number
    most = max([1, *totals])
    parts, stacked = [], [0.0] * _DAYS
    for phase, day, number in sorted(days, key=lambda each: order.get(each[0], 0)):
        column, height = _column(day), _TALL * number / most
        stacked[column] += height
        shade = f"shade{order.get(phase, 0) % 4}"
        parts.append(element("rect", x=column * 22 + 6, y=96 - stacked[column], width=18, height=height, class_=shade))
    parts += [
        element("line", x1=0, y1=96.5, x2=_WIDTH, y2=96.5, class_="axis"),
        words_at(6, 112, "13 days ago", "label"),
        words_at(314, 112, "today", "label end"),
        words_at(0, 10, f"{most:,}", "label"),
    ]
    return _drawing(_WIDTH, 118, title, parts)


def _column(day: int) -> int:
    """Where a day stands that was so many days ago; whatever is older stands with the first."""
    return _DAYS - 1 - min(day, _DAYS - 1)


def _drawing(width: int, height: int, title: str, parts: Sequence[Markup]) -> Markup:
    frame = f"0 0 {width} {height}"
    return element(
        "svg", *parts, viewBox=frame, width=width, height=height, role="img", aria_label=title, class_="plot"
    )
