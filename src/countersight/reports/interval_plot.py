"""Differences with their intervals on one scale of points, as C-VQA's Figure 5 has them."""

from math import ceil, floor

from countersight.pages import Markup, element, interval, name, percent, text
from countersight.reports.data import IntervalPlot

_ROW = 36
_STEPS = (0.05, 0.1, 0.2, 0.25, 0.5)


def interval_plot(plot: IntervalPlot) -> Markup:
    """A line for each figure: a mark, its interval, and the figure in print."""
    figures = [figure for _, figure in plot.lines]
    low, high = min(0.0, *(figure.low for figure in figures)), max(0.0, *(figure.high for figure in figures))
    step = next((step for step in _STEPS if (high - low) / step <= 6), _STEPS[-1])
    first, last = floor(low / step), max(floor(low / step) + 1, ceil(high / step))

    def place(value: float) -> str:
        return f"{100 * (value / step - first) / (last - first):.2f}%"

    ticks = [tick * step for tick in range(first, last + 1)]
    middle = _ROW / 2
    rows = []
    for words, figure in plot.lines:
        grid = [element("line", x1=place(t), x2=place(t), y1=-4, y2=_ROW + 4, class_=_grid(t)) for t in ticks]
        mark = element("g", element("circle", r=5.5), class_="mark counterfactual")
        drawing = element(
            "svg",
            *grid,
            element("line", x1=place(figure.low), x2=place(figure.high), y1=middle, y2=middle, class_=_INTERVAL),
            element("svg", mark, x=place(figure.value or 0.0), y=middle, overflow="visible"),
            role="img",
            aria_label=f"{name(words)}: {percent(figure.value or 0.0)} points ({interval(figure)})",
            class_="dumbbell",
            height=_ROW,
        )
        printed = element(
            "span",
            element("b", text(percent(figure.value or 0.0))),
            element("small", text(interval(figure))),
            class_="plot-drop",
        )
        label = element("span", text(name(words)), class_="plot-name", dir="auto")
        rows.append(element("div", label, drawing, printed, class_="plot-row"))
    gap = Markup("<span></span>")
    numbers = [element("text", text(percent(t, 0)), x=place(t), y=14, text_anchor="middle") for t in ticks]
    axis = element("svg", *numbers, class_="dumbbell", height=18)
    head = element("div", gap, gap, element("span", text(plot.title)), class_="plot-row plot-head")
    foot = element("div", gap, axis, gap, class_="plot-row plot-axis", aria_hidden="true")
    return element("figure", element("div", head, *rows, foot, class_="plot"), class_="panel")


_INTERVAL = "interval counterfactual"


def _grid(tick: float) -> str:
    return "grid zero" if abs(tick) < 1e-9 else "grid"
