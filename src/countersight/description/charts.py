"""The charts of suites in the figure of a dataset: bars under each other, in parts where they have several."""

from countersight.pages import MARGIN, WIDTH, Markup, element, hint, shortened, words_at
from countersight.suites import Chart, ChartBar

_LINE = 24
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
