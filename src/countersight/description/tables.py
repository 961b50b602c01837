"""The statistics of a dataset as tables for the terminal."""

from collections.abc import Iterable, Iterator, Sequence
from typing import Final

from rich.console import Console

from countersight.authoring import Funnel
from countersight.case import TWO_WORLDS
from countersight.description.statistics import (
    DatasetStatistics,
    GroupStatistics,
    WorldShares,
    WorldStatistics,
    answer_bars,
    length_bars,
)
from countersight.html import Grid, TableCell, name, print_grids, shortened, table_line
from countersight.scoring import NO_GROUP
from countersight.text import several

CONTROLLED: Final = "the change must not affect the answer"
_MAX_GROUPS = 24
"""Datasets with more groups have no balance for each of them."""
_TOP_ANSWERS = _MAX_REASONS = 3
_MAX_GROUPS_ON_SCREEN = 10
"""The maximum number of groups on one screen; the largest groups are kept."""


def summary(statistics: DatasetStatistics) -> Iterator[Grid]:
    """Return tables for one screen: the groups, and the balance of right options over all cases."""
    shown = sorted(statistics.groups, key=lambda group: -group.cases)[:_MAX_GROUPS_ON_SCREEN]
    groups = [group for group in statistics.groups if group in shown]
    left = len(statistics.groups) - len(groups)
    yield _groups(statistics, groups, f"{several(left, 'smaller group')} not shown" if left else "", top=1)
    yield from _balance([statistics.total])


def all_tables(statistics: DatasetStatistics) -> Iterator[Grid]:
    """Yield every table."""
    yield _groups(statistics, statistics.groups, "", top=_TOP_ANSWERS)
    if statistics.cases:
        if bars := answer_bars(statistics.total):
            yield _bars("Right answers", "answer", bars)
        yield _bars("Words per question, including options", "words", length_bars(statistics.total, most=20))
    groups = statistics.groups if 1 < len(statistics.groups) <= _MAX_GROUPS else ()
    yield from _balance([*groups, statistics.total], by_group=True)
    for suite in statistics.suites.values():
        yield from suite.tables()
    if statistics.funnel:
        yield funnel_table(statistics.funnel)


def _balance(groups: Iterable[GroupStatistics], *, by_group: bool = False) -> Iterator[Grid]:
    """Yield a table of the balance of right answers, if there are closed questions."""
    rows = [[group.group or NO_GROUP, world.world, world.balance] for group in groups for world in group.worlds]
    first = 0 if by_group else 1
    lines = tuple(table_line(*row[first:]) for row in rows if row[-1])
    if lines:
        yield Grid("Balance of right answers", ("group", "world", "share of each")[first:], lines)


def _groups(statistics: DatasetStatistics, groups: Sequence[GroupStatistics], note: str, *, top: int) -> Grid:
    """Return a table of these groups and of all cases, with the `top` most frequent answers in each world."""

    def frequent(world: WorldStatistics) -> str:
        found = world.frequent_answers[:top]
        return ", ".join(f"{shortened(name(answer), 20)} {n / world.questions:.0%}" for answer, n in found)

    lines = (
        table_line(
            group.group or NO_GROUP,
            group.cases,
            *(f"{world.mean_words:.2f}" if world.questions else "" for world in group.worlds),
            f"{group.changed / group.pairs:.1%}" if group.pairs else "",
            *map(frequent, group.worlds),
            total=group is statistics.total,
        )
        for group in (*groups, statistics.total)
    )
    most = "most frequent answer" if top == 1 else "most frequent answers"
    head = ("group", "cases", "words factual", "words counterfactual", "answer changes", f"{most} factual")
    controls = f"and {several(statistics.controls, 'control')}: {CONTROLLED}" if statistics.controls else ""
    note = "; ".join(filter(None, (controls, note, "words: mean length of a question with its options")))
    return Grid(several(statistics.cases, "case"), (*head, "counterfactual"), tuple(lines), note)


def _bars(title: str, heading: str, bars: list[WorldShares]) -> Grid:
    lines = (
        table_line(shortened(name(bar.label), 24), *(f"{100 * share:.1f}%" for share in bar.shares)) for bar in bars
    )
    return Grid(title, (heading, *TWO_WORLDS), tuple(lines))


def funnel_table(funnel: Funnel) -> Grid:
    """Return a table of the steps, the number left after each, and the reasons for the losses."""
    steps = [(step.name, step.passed, step.reasons) for step in funnel.steps]
    steps.append(("different suppositions", funnel.patterns, funnel.operations))
    lines = (table_line(TableCell(name, (_why(reasons),)), left) for name, left, reasons in steps)
    return Grid(f"From questions to pairs, written by {funnel.writer}", ("step", "left"), tuple(lines))


def _why(reasons: tuple[tuple[str, int], ...]) -> str:
    listed = ", ".join(f"{count:,} {reason}" for reason, count in reasons[:_MAX_REASONS])
    return f"{listed}, …" if len(reasons) > _MAX_REASONS else listed


def render(statistics: DatasetStatistics, console: Console, *, everything: bool = True) -> None:
    """Print tables to the terminal: all of them, or those that fit on one screen."""
    print_grids(all_tables(statistics) if everything else summary(statistics), console)
