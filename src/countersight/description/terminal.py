"""The statistics as tables for the terminal: one screen, or everything."""

from collections.abc import Iterator

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
from countersight.html import Cell, Grid, Line, name
from countersight.text import several

_EIGHTHS = " ▏▎▍▌▋▊▉█"
_WIDTH = 24
_TOP = 3
_FEW_GROUPS = 10
"""So many groups stand on one screen, the largest first to stay."""


def summary(statistics: Counted) -> Iterator[Grid]:
    """What fits on one screen: the groups, and how even the right options are over all cases."""
    shown = sorted(statistics.groups, key=lambda group: -group.cases)[:_FEW_GROUPS]
    groups = [group for group in statistics.groups if group in shown]
    left = len(statistics.groups) - len(groups)
    yield _groups(statistics, groups, f"{several(left, 'smaller group')} not shown" if left else "", top=1)
    even = [balance for balance in balances(statistics) if balance.group == statistics.total.group]
    if even:
        cells = ((Cell(each.world), Cell(_spread(each.parts))) for each in even)
        yield Grid("Balance of right answers", ("world", "share of each"), tuple(map(Line, cells)))


def everything(statistics: Counted) -> Iterator[Grid]:
    """Every table, one after the other."""
    yield _groups(statistics, statistics.groups, "", top=_TOP)
    if statistics.cases:
        if bars := answer_bars(statistics.total):
            yield _bars("Right answers", "answer", bars)
        yield _bars("Words in a question, its options included", "words", length_bars(statistics.total, most=20))
    if even := balances(statistics):
        lines = ((Cell(name(each.group) or "(none)"), Cell(each.world), Cell(_spread(each.parts))) for each in even)
        yield Grid("Balance of right answers", ("group", "world", "share of each"), tuple(map(Line, lines)))
    for suite in statistics.suites.values():
        yield from suite.tables()
    if statistics.funnel:
        yield funnel_table(statistics.funnel)


def _groups(
    statistics: Counted, groups: tuple[GroupStatistics, ...] | list[GroupStatistics], note: str, *, top: int
) -> Grid:
    most = "most frequent answer" if top == 1 else "most frequent answers"
    head = ("group", "cases", "words factual", "words counterf.", "answer changes", f"{most} factual", "counterfactual")
    if statistics.controls:
        note = f"and {several(statistics.controls, 'control')}: {CONTROLLED}{f'; {note}' if note else ''}"
    lines = tuple(
        Line(
            (
                Cell(name(group.group) or "(none)"),
                Cell(f"{group.cases:,}"),
                *(Cell(f"{world.mean_words:.2f}" if world.questions else "–") for world in group.worlds),
                Cell(f"{group.changed / group.pairs:.1%}" if group.pairs else "–"),
                *(
                    Cell(", ".join(f"{name(answer)[:20]} {n / world.questions:.0%}" for answer, n in found) or "–")
                    for world in group.worlds
                    for found in [frequent_answers(world)[:top]]
                ),
            ),
            total=group is statistics.total,
        )
        for group in (*groups, statistics.total)
    )
    return Grid(several(statistics.cases, "case"), head, lines, note)


def _bars(title: str, heading: str, bars: list[Bar]) -> Grid:
    longest = max((max(bar.shares) for bar in bars), default=0) or 1
    head = (heading, *(words for world in TWO_WORLDS for words in (world, "%")))
    return Grid(
        title,
        head,
        tuple(
            Line(
                (
                    Cell(name(bar.label)[:24]),
                    *(Cell(words) for share in bar.shares for words in (_drawn(share / longest), f"{100 * share:.1f}")),
                )
            )
            for bar in bars
        ),
    )


def _drawn(share: float) -> str:
    whole, rest = divmod(round(share * _WIDTH * 8), 8)
    return ("█" * whole + (_EIGHTHS[rest] if rest else "")).ljust(_WIDTH)


def _spread(parts: tuple[tuple[str, float], ...]) -> str:
    return "  ".join(f"{label} {100 * share:.1f}%" for label, share in parts)
