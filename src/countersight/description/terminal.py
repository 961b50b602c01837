"""The statistics as tables and bars for the terminal."""

from collections.abc import Iterator

from rich import box
from rich.console import RenderableType
from rich.table import Table
from rich.text import Text

from countersight.case import TWO_WORLDS
from countersight.description.counted import Counted, GroupStatistics
from countersight.description.funnel import funnel_table
from countersight.description.panels import (
    CONTROLLED,
    Bar,
    answer_bars,
    balances,
    frequent_answers,
    length_bars,
)
from countersight.pages import Grid
from countersight.text import several

_EIGHTHS = " ▏▎▍▌▋▊▉█"
_WIDTH = 24
_TOP = 3
_STYLES = ("cyan", "yellow")


def printed(statistics: Counted) -> Iterator[RenderableType]:
    """The tables that every dataset has, one after the other."""
    yield _groups(statistics)
    if statistics.controls:
        yield Text(f"and {several(statistics.controls, 'control')}: {CONTROLLED}")
    if statistics.cases:
        if bars := answer_bars(statistics.total):
            yield _bars("Right answers", "answer", bars)
        yield _bars("Words in a question, its options included", "words", length_bars(statistics.total, most=20))
    if balances(statistics):
        yield _balance(statistics)


def tables(statistics: Counted) -> Iterator[Grid]:
    """What the suites add, and how the pairs came about where the dataset was built."""
    for suite in statistics.suites.values():
        yield from suite.tables()
    if statistics.funnel:
        yield funnel_table(statistics.funnel)


def _groups(statistics: Counted) -> Table:
    table = Table(title=several(statistics.cases, "case"), box=box.SIMPLE_HEAD, title_justify="left")
    table.add_column("group")
    for heading in ("cases", "words\nfactual", "words\ncounterf.", "answer\nchanges"):
        table.add_column(heading, justify="right")
    table.add_column("most frequent answers\nfactual")
    table.add_column("\ncounterfactual")
    for group in (*statistics.groups, statistics.total):
        style = "bold" if group is statistics.total else ""
        table.add_row(
            _text(group.group or "(none)"),
            f"{group.cases:,}",
            *(f"{world.mean_words:.2f}" if world.questions else "–" for world in group.worlds),
            f"{group.changed / group.pairs:.1%}" if group.pairs else "–",
            *_top(group),
            style=style,
        )
    return table


def _top(group: GroupStatistics) -> list[Text]:
    cells = []
    for world in group.worlds:
        most = [f"{answer[:20]} {n / world.questions:.0%}" for answer, n in frequent_answers(world)[:_TOP]]
        cells.append(_text(", ".join(most) or "–"))
    return cells


def _bars(title: str, heading: str, bars: list[Bar]) -> Table:
    table = Table(title=title, box=box.SIMPLE_HEAD, title_justify="left")
    table.add_column(heading, justify="right")
    for words in TWO_WORLDS:
        table.add_column(words, min_width=_WIDTH)
        table.add_column("%", justify="right")
    longest = max((max(bar.shares) for bar in bars), default=0) or 1
    for bar in bars:
        cells: list[Text] = []
        for share, style in zip(bar.shares, _STYLES, strict=True):
            cells += [Text(_drawn(share / longest), style=style), Text(f"{100 * share:.1f}")]
        table.add_row(_text(bar.label[:24]), *cells)
    return table


def _text(words: str) -> Text:
    """Words of the dataset: neither markup nor signs that would steer the terminal."""
    return Text("".join(c if c.isprintable() else " " for c in words))


def _drawn(share: float) -> str:
    whole, rest = divmod(round(share * _WIDTH * 8), 8)
    return "█" * whole + (_EIGHTHS[rest] if rest else "")


def _balance(statistics: Counted) -> Table:
    table = Table(title="Balance of right answers", box=box.SIMPLE_HEAD, title_justify="left")
    table.add_column("group")
    table.add_column("world")
    table.add_column("share of each")
    for balance in balances(statistics):
        shares = "  ".join(f"{label} {100 * share:.1f}%" for label, share in balance.parts)
        table.add_row(_text(balance.group or "(none)"), balance.world, shares)
    return table
