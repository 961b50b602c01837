"""The statistics as one self-contained SVG figure, readable on a light and on a dark ground."""

from collections.abc import Iterator

from countersight.case import ASKING_WORDS, TWO_WORLDS
from countersight.description.counted import Counted
from countersight.description.funnel import funnel_chart
from countersight.description.panels import Balance, Bar, answer_bars, balances, length_bars
from countersight.html import MARGIN, WIDTH, Markup, element, hint, sheet, shortened, words_at
from countersight.suites import Chart, ChartBar
from countersight.text import several

_PLOT = 190
_LINE = 24
_NAME = 190

_STYLE = """
  .factual { fill: var(--one) } .counterfactual { fill: var(--two) } .rule { stroke: var(--rule) }
  .part { stroke: var(--ground); stroke-width: 2 } .on { font-weight: 600; font-size: 11.5px }
"""


def figure(statistics: Counted) -> Markup:
    """The figure: which answers are right, how long questions are, how even the right options are."""
    y = 44
    count = several(statistics.cases, "case")
    groups = len(statistics.groups)
    total = statistics.total
    if total.pairs:
        changed = f"the right answer changes in {100 * total.changed / total.pairs:.1f}% of {total.pairs:,} pairs"
    else:
        changed = "no case asks in both worlds"
    controls = f"; {several(statistics.controls, 'control')} beside them" if statistics.controls else ""
    parts = [
        words_at(MARGIN, y, f"{count} in {groups} group{'' if groups == 1 else 's'}", "title"),
        words_at(MARGIN, y + 22, changed + controls, "soft"),
        _legend(y + 46),
    ]
    y += 92
    means = ", ".join(f"{w.mean_words:.2f} {w.world}" for w in total.worlds if w.questions)
    for title, note, bars in (
        ("Right answers", "share of the questions of each world", answer_bars(total)),
        ("Words in a question, its options included", f"on average {means}" if means else "", length_bars(total)),
    ):
        if not bars and statistics.cases:
            continue
        parts.append(_plot(y, title, note, bars))
        y += _PLOT + 92
    even = balances(statistics)
    if even:
        parts.append(_balance(y, even))
        y += _LINE * len(even) + 60
    for chart in _charts(statistics):
        panel, tall = chart_panel(y, chart)
        parts.append(panel)
        y += tall
    return sheet(f"Statistics of a dataset of {count}", y + 4, _STYLE, parts)


def _charts(statistics: Counted) -> Iterator[Chart]:
    """What the suites add, and how the pairs came about where the dataset was built."""
    for suite in statistics.suites.values():
        yield from suite.charts()
    if statistics.funnel:
        yield funnel_chart(statistics.funnel)


def _legend(y: int) -> Markup:
    parts = []
    for x, world in zip((MARGIN, MARGIN + 230), TWO_WORLDS, strict=True):
        parts.append(element("rect", class_=world, x=x, y=y - 11, width=13, height=13, rx=3))
        parts.append(words_at(x + 20, y, f"{world}: {ASKING_WORDS[world]}"))
    return Markup("").join(parts)


def _plot(y: int, title: str, note: str, bars: list[Bar]) -> Markup:
    """Two bars for each category, one a world, over a percentage axis."""
    top, bottom = y + 34, y + 34 + _PLOT
    inside = WIDTH - 2 * MARGIN
    parts = [words_at(MARGIN, y, title, "head"), words_at(MARGIN, y + 18, note, "soft")]
    highest = max((share for bar in bars for share in bar.shares), default=0)
    step = next((step for step in (0.01, 0.02, 0.05, 0.1, 0.2) if highest <= 5 * step), 0.25)
    limit = step * max(1, -(-highest // step))
    for tick in range(round(limit / step) + 1):
        height = bottom - _PLOT * tick * step / limit
        parts.append(element("line", class_="rule", x1=MARGIN, x2=WIDTH - MARGIN, y1=height, y2=height))
        parts.append(words_at(MARGIN - 8, height + 4, f"{100 * tick * step:.0f}%", "soft", "end"))
    room = inside / max(len(bars), 1)
    width = min(22.0, room * 0.4)
    every = max(1, round(max((len(bar.label[:12]) for bar in bars), default=1) * 7 / room + 0.5))
    for place, bar in enumerate(bars):
        middle = MARGIN + room * (place + 0.5)
        for world, share, x in zip(TWO_WORLDS, bar.shares, (middle - width, middle), strict=True):
            tall = _PLOT * share / limit
            parts.append(
                element(
                    "rect",
                    hint(f"{bar.label}, {world}: {100 * share:.1f}%"),
                    class_=world,
                    x=x,
                    y=bottom - tall,
                    width=width - 0.6,
                    height=tall,
                    rx=1.5,
                )
            )
        if place % every == 0:
            parts.append(words_at(middle, bottom + 18, shortened(bar.label, 12), "soft", "middle"))
    axis = element("line", class_="rule", x1=MARGIN, x2=MARGIN, y1=top, y2=bottom)
    return element("g", hint(title, "desc"), axis, *parts)


def _balance(y: int, rows: list[Balance]) -> Markup:
    """One bar a group and world, cut where one letter ends and the next begins."""
    parts = [words_at(MARGIN, y, "Balance of right answers", "head")]
    left = MARGIN + _NAME + 130
    inside = WIDTH - MARGIN - left
    shown = ""
    for place, row in enumerate(rows):
        line = y + 18 + _LINE * place
        if row.group != shown or place == 0:
            parts.append(words_at(MARGIN, line + 14, shortened(row.group or "(none)", 26)))
        shown = row.group
        parts.append(words_at(left - 12, line + 14, row.world, "soft", "end"))
        parts += _shares(row, left, line, inside)
    return element("g", *parts)


def _shares(row: Balance, left: float, y: float, inside: float) -> Iterator[Markup]:
    """The parts of a bar, one after the other, each with its words where there is room for them."""
    x = left
    for number, (label, share) in enumerate(row.parts):
        width, told = inside * share, f"{label} {100 * share:.1f}%"
        yield element(
            "rect",
            hint(told),
            class_=f"{row.world} part",
            fill_opacity=0.3 if number % 2 else 0.45,  # pale enough for dark words on a light ground, and light on dark
            x=x,
            y=y,
            width=width,
            height=_LINE - 4,
        )
        if width > 58:
            yield words_at(x + width / 2, y + 14, told, "on", "middle")
        x += width


_LEFT = MARGIN + 320
_LONGEST = 300
_LETTER = 6
"""How wide a letter of small words is, about."""


def chart_panel(y: int, chart: Chart) -> tuple[Markup, int]:
    """The chart below that height, and how tall it is."""
    parts = [words_at(MARGIN, y, chart.title, "head"), words_at(MARGIN, y + 18, chart.note, "soft")]
    line = y + 36
    for number, name in enumerate(chart.legend):
        words = f"{name} {sum(bar.parts[number] for bar in chart.bars):,}"
        x = MARGIN + 170 * number
        parts += [_box(x, line - 4, 13, 13, number, words), words_at(x + 20, line + 7, words)]
    line += _LINE if chart.legend else 0
    most = max((sum(bar.parts) for bar in chart.bars), default=0) or 1
    under = ""
    for bar in chart.bars:
        if bar.under != under:
            under = bar.under
            line += _LINE
            parts.append(words_at(MARGIN, line + 4, under, "head"))
            line += 14
        parts += _bar(line, bar, most, chart.legend)
        line += _LINE
    return element("g", *parts), line - y + 42


def _bar(y: int, bar: ChartBar, most: int, legend: tuple[str, ...]) -> list[Markup]:
    parts = [
        words_at(MARGIN, y + 14, shortened(bar.label, 32 if bar.aside else 44)),
        words_at(_LEFT - 12, y + 14, bar.aside, "soft", "end"),
    ]
    x = float(_LEFT)
    for number, count in enumerate(bar.parts):
        width = _LONGEST * count / most
        if width:
            told = f"{legend[number]}: {count:,}" if legend else bar.words
            parts.append(_box(x, y, width, _LINE - 6, number, told))
        x += width
    words = shortened(bar.words, int((WIDTH - MARGIN - x - 8) / _LETTER))
    return [*parts, words_at(x + 8, y + 14, words, "soft")]


def _box(x: float, y: float, width: float, height: float, number: int, told: str) -> Markup:
    """A box in the shade of a number."""
    shade = f"{1 - 0.22 * number:.2f}" if number else None
    return element(
        "rect",
        hint(told),
        class_="counterfactual",
        fill_opacity=shade,
        x=x,
        y=y,
        width=width,
        height=height,
        rx=1.5,
    )
