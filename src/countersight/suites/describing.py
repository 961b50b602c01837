"""What a suite adds to `describe`: its cases counted as its paper counts them, as tables and as charts."""

from collections.abc import Iterator
from typing import Protocol

import msgspec

from countersight.case import Case
from countersight.pages import Grid


class ChartBar(msgspec.Struct, frozen=True):
    """One line of a chart: its name, its parts one after the other, and what is told behind them."""

    label: str
    parts: tuple[int, ...]
    words: str
    under: str = ""
    """The heading it stands under, where lines are told apart by headings."""
    aside: str = ""
    """What is said of it before its bar."""


class Chart(msgspec.Struct, frozen=True):
    """Bars beside each other, drawn to the scale of the longest."""

    title: str
    note: str
    bars: tuple[ChartBar, ...]
    legend: tuple[str, ...] = ()
    """What each part of a bar stands for, where bars have several."""


class SuiteStatistics(Protocol):
    """What was counted of a suite's cases, as it is shown."""

    def tables(self) -> Iterator[Grid]:
        """For the terminal."""

    def charts(self) -> Iterator[Chart]:
        """For the figure."""


class SuiteTally(Protocol):
    """Counts cases of one suite, while they stream by."""

    def add(self, case: Case) -> None:
        """Count a case."""

    def statistics(self) -> SuiteStatistics:
        """What was counted."""
