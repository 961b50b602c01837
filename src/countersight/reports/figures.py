"""The figures of a report as data: lines of marks on a scale, and panels of bars. Templates draw them.

Positions are percentages of whatever width there is, so one drawing serves a desk, a phone and a file.
"""

from collections.abc import Iterable, Sequence
from math import ceil, floor

import msgspec

from countersight.case import ASKING_WORDS, ASKINGS, Asking
from countersight.html import (
    MARGIN,
    TOO_FEW_CASES,
    WIDTH,
    Markup,
    Measured,
    count,
    fragment,
    interval,
    name,
    percent,
    sheet,
    shortened,
)
from countersight.reports.data import AnswerShares, IntervalPlot, ReportData, RunScores
from countersight.reports.finding import run_name, run_names
from countersight.scoring import GroupScores
from countersight.suites import PLAIN, Terms
from countersight.text import several

MARKS: dict[Asking, Markup] = {
    "factual": Markup('<circle r="6"/>'),
    "counterfactual": Markup('<path d="M0-7.5 7.5 0 0 7.5-7.5 0z"/>'),
    "shown": Markup('<path d="M0-7 7 5.5-7 5.5z"/>'),
}
"""The shape of the marks of each asking."""
SIGNS: dict[Asking, str] = {"factual": "●", "counterfactual": "◆", "shown": "▲"}
"""The mark of each asking as text."""
_STEPS = (0.05, 0.1, 0.2, 0.25, 0.5)
_MOST_LINES = 60
_STYLE = """
  .mark.factual { fill: var(--one) } .mark.counterfactual, .bar { fill: var(--two) }
  .mark.shown { fill: var(--ground); stroke: var(--three); stroke-width: 2.2 }
  .fall { stroke: var(--soft); stroke-width: 2 }
  .grid { stroke: var(--rule) } .chance { stroke: var(--ink); stroke-dasharray: 4 4 }
  .interval { stroke-width: 4; opacity: .4; stroke-linecap: round } .interval.factual { stroke: var(--one) }
  .interval.counterfactual { stroke: var(--two) } .interval.shown { stroke: var(--three) }
"""


class Scale(msgspec.Struct, frozen=True):
    """An axis from `first` to `last` steps."""

    first: int = 0
    last: int = 4
    step: float = 0.25
    unit: str = "%"

    def place(self, value: float) -> str:
        """Return the position of a value."""
        return f"{100 * (value / self.step - self.first) / (self.last - self.first):.2f}%"

    @property
    def ticks(self) -> list[tuple[str, str, bool]]:
        """Return the position of each tick, its label, and whether it is a zero between others."""
        values = [tick * self.step for tick in range(self.first, self.last + 1)]
        return [(self.place(each), percent(each, 0) + self.unit, self.first < 0 and not each) for each in values]


class PlotLine(msgspec.Struct, frozen=True):
    """A line of a plot: marks with their intervals, and one printed figure."""

    name: str
    figures: dict[Asking, Measured]
    words: str
    """A text alternative for people who cannot see it."""
    printed: Measured | None
    note: str = ""
    """The n of what is printed, and whether these are too few cases."""
    chance: float | None = None
    total: bool = False


class Plot(msgspec.Struct, frozen=True):
    """Lines on one scale, with a heading for the printed figures."""

    head: str
    lines: tuple[PlotLine, ...]
    scale: Scale = Scale()
    title: str = ""


class Bar(msgspec.Struct, frozen=True):
    """A share, and the share of right answers if that differs."""

    label: str
    share: float
    gold: float | None = None


class BarPanel(msgspec.Struct, frozen=True):
    """Bars that add up to all."""

    heading: str
    bars: tuple[Bar, ...]
    asking: Asking
    signed: bool = False
    """Whether its heading has the mark of the asking."""


def legend(report: ReportData) -> list[tuple[Asking, str]]:
    """Return the meaning of each mark: the asking, the paper's name for its accuracy if any, and a description."""
    called = [(asking, report.terms.measures.get(asking, asking)) for asking in answered(report)]
    return [
        (asking, f"{asking}{'' if words == asking else f' ({words})'}: {ASKING_WORDS[asking]}")
        for asking, words in called
    ]


def finding_plot(report: ReportData) -> Plot:
    """Return the plot of factual and counterfactual accuracy for every run."""
    key = "drop" if report.two_worlds else report.worlds[-1]
    lines = (_line(run_name(report, run), run.overall, key) for run in report.runs)
    return Plot(report.terms.measures.get(key, key), tuple(lines))


def drop_plot(run: RunScores, terms: Terms = PLAIN) -> Plot:
    """Return the plot of the drop from the factual to the counterfactual world, by group, with intervals."""
    return _plot(run.groups, run.overall, terms, "drop", "drop")


def accuracy_plot(lines: Sequence[GroupScores], overall: GroupScores, asking: Asking, terms: Terms) -> Plot:
    """Return the plot of accuracy with intervals, line by line, if there is only one world."""
    return _plot((*lines, overall), overall, terms, asking, terms.measures[asking])


def _plot(lines: Iterable[GroupScores], overall: GroupScores, terms: Terms, key: str, head: str) -> Plot:
    drawn = (_line(name(terms.groups.get(each.group, each.group)), each, key, each is overall) for each in lines)
    return Plot(head, tuple(msgspec.structs.replace(line, chance=None) for line in drawn))


def _line(words: str, scores: GroupScores, key: str, total: bool = False) -> PlotLine:
    figures = _figures(scores)
    said = [f"{asking} {percent(each.value or 0)}% ({interval(each)})" for asking, each in figures.items()]
    told = "; ".join(said) or "nothing scored"
    printed: Measured | None = getattr(scores, key)
    printed = printed if printed and printed.value is not None else None
    note = with_n(printed) if printed else ""
    told += f"; drop {percent(printed.value or 0)} ({interval(printed)}; {note})" if printed and key == "drop" else ""
    guessing = scores.chance
    chance = guessing.factual if guessing.counterfactual is None else guessing.counterfactual
    return PlotLine(words, figures, f"{words}: {told}", printed, note, chance, total)


def with_n(figure: Measured) -> str:
    """Format the number of cases of a figure, and whether it is too small."""
    return f"n = {count(figure.n)}; {TOO_FEW_CASES}" if figure.too_few else f"n = {count(figure.n)}"


def interval_plot(plot: IntervalPlot) -> Plot:
    """Return a plot of differences with their intervals on one scale of points, like C-VQA's Figure 5."""
    figures = [figure for _, figure in plot.lines]
    low, high = min(0.0, *(figure.low for figure in figures)), max(0.0, *(figure.high for figure in figures))
    step = next((step for step in _STEPS if (high - low) / step <= 6), _STEPS[-1])
    first = floor(low / step)
    scale = Scale(first, max(first + 1, ceil(high / step)), step, "")
    lines = (
        PlotLine(
            name(words),
            {"counterfactual": figure},
            f"{name(words)}: {percent(figure.value or 0.0)} points ({interval(figure)}; {with_n(figure)})",
            figure,
            with_n(figure),
        )
        for words, figure in plot.lines
    )
    return Plot(plot.title, tuple(lines), scale)


def answered(report: ReportData) -> list[Asking]:
    """Return the askings for which any run has a figure."""
    return [asking for asking in ASKINGS if any(asking in _figures(run.overall) for run in report.runs)]


def _figures(scores: GroupScores) -> dict[Asking, Measured]:
    found = {asking: scores.figure(asking) for asking in ASKINGS}
    return {asking: figure for asking, figure in found.items() if figure and figure.value is not None}


def letter_panels(run: RunScores) -> tuple[BarPanel, ...]:
    """Return how often each letter was answered, with a mark at the share of right answers."""
    found = {asking: [share for share in run.letters if share.asking == asking and share.n] for asking in ASKINGS}
    return tuple(
        BarPanel(
            asking,
            tuple(
                Bar(name(share.letter), share.answered / share.n, share.gold / share.n)
                for share in sorted(shares, key=lambda share: share.letter)
            ),
            asking,
            signed=True,
        )
        for asking, shares in found.items()
        if shares
    )


def answer_panels(found: Iterable[AnswerShares], terms: Terms) -> tuple[BarPanel, ...]:
    """Return how often each number is the right answer, one panel per group."""
    return tuple(
        BarPanel(
            f"{name(terms.groups.get(each.group, each.group))} ({several(each.questions, 'question')})",
            tuple(Bar(label, share) for label, share in each.shares),
            "counterfactual",
        )
        for each in found
    )


def finding_drawing(report: ReportData) -> Markup:
    """Return the finding as an SVG file: one line per run."""
    lines = [(words, run.overall) for words, run in zip(run_names(report, 28), report.runs, strict=True)]
    return _drawing(report, "right answers", lines)


def groups_drawing(report: ReportData) -> Markup | None:
    """Return an SVG file with a line for every group of every run; None if there are too many."""
    lines = [(_called(report, run, scores), scores) for run in report.runs for scores in run.groups]
    return _drawing(report, f"right answers by {report.terms.group}", lines) if len(lines) <= _MOST_LINES else None


def _called(report: ReportData, run: RunScores, scores: GroupScores) -> str:
    group = name(report.terms.groups.get(scores.group, scores.group))
    return f"{name(run.label)}: {group}" if len(report.runs) > 1 else group


def _drawing(report: ReportData, what: str, lines: Sequence[tuple[str, GroupScores]]) -> Markup:
    dataset = shortened(name(report.dataset), 50)
    title = f"{dataset}: {what} in per cent, with {percent(report.confidence, 0)}% intervals"
    names = [label for label, _ in lines]
    drawn = tuple(_line(shortened(label, 32, names), scores, "drop") for label, scores in lines)
    named = [(asking, report.terms.measures.get(asking, asking)) for asking in answered(report)]
    starts = [MARGIN + sum(40 + 7.5 * len(words) for _, words in named[:place]) for place in range(len(named) + 1)]
    plot = Plot("", drawn, title=title)
    parts = fragment(__package__, "plot.svg", plot=plot, legend=named, starts=starts, marks=MARKS)
    return sheet(title, 156 + 46 * len(drawn), _STYLE, [parts])


def bars_drawing(title: str, panels: Sequence[BarPanel]) -> Markup:
    """Return panels of bars as an SVG file, three in a row."""
    short = [msgspec.structs.replace(panel, heading=shortened(panel.heading, 36)) for panel in panels]
    rows = [short[start : start + 3] for start in range(0, len(short), 3)]
    heights = [34 + 22 * max(len(panel.bars) for panel in row) for row in rows]
    tops = [64 + sum(heights[:place]) for place in range(len(rows))]
    broad = (WIDTH - 2 * MARGIN - 2 * 32) / 3
    parts = fragment(__package__, "bars.svg", title=title, rows=zip(rows, tops, strict=True), broad=broad)
    return sheet(title, 84 + sum(heights), _STYLE, [parts])
