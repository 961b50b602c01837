"""The statistics of a dataset, counted in one pass, and their SVG figure."""

from collections.abc import Iterable
from pathlib import Path
from typing import Final

import msgspec

from countersight.authoring import Funnel
from countersight.case import TWO_WORLDS, VARIANT_DESCRIPTIONS, Case
from countersight.description.counting import ALL, GroupStatistics, WorldShares, answer_bars, length_bars
from countersight.html import Markup, fragment, sheet, shortened
from countersight.suites import SuiteTally, known_suite
from countersight.text import several

_STYLE: Final = " .factual { fill: var(--one) } .counterfactual { fill: var(--two) } .rule { stroke: var(--rule) }"


class DatasetStatistics(msgspec.Struct, frozen=True):
    """The statistics of a dataset."""

    cases: int
    groups: tuple[GroupStatistics, ...]
    """The groups in order of first appearance."""
    total: GroupStatistics
    suites: dict[str, SuiteTally] = {}
    """The statistics that the papers of these suites report, computed for these cases; by suite name."""
    funnel: Funnel | None = None
    """The steps from questions to pairs, with counts; None if the dataset was not built from questions."""
    controls: int = 0
    """The number of cases whose change does not affect the question; they are not counted above."""

    def __repr__(self) -> str:
        in_groups = ", ".join(f"{group.group or 'no group'} {group.cases:,}" for group in self.groups)
        controls = f" and {several(self.controls, 'control')}" if self.controls else ""
        return f"Statistics of {several(self.cases, 'case')}{controls}: {in_groups}"

    def _repr_svg_(self) -> str:
        return figure(self)


def describe(cases: Iterable[Case], funnel: Funnel | None = None) -> DatasetStatistics:
    """Return the statistics of cases in one pass, without storing them; datasets made by a build have a `funnel`."""
    groups: dict[str, GroupStatistics] = {}
    total, controls = GroupStatistics(ALL), 0
    suites: dict[str, SuiteTally | None] = {}
    for case in cases:
        if case.control_of:
            controls += 1
            continue
        if case.suite not in suites:
            suite = known_suite(case.suite)
            suites[case.suite] = suite.tally() if suite else None
        if own := suites[case.suite]:
            own.add(case)
        for each in (groups.setdefault(case.group, GroupStatistics(case.group)), total):
            each.add(case)
    of_suites = {name: own for name, own in suites.items() if own}
    return DatasetStatistics(total.cases, tuple(groups.values()), total, of_suites, funnel, controls)


def write_svg(statistics: DatasetStatistics, path: Path) -> None:
    """Write the statistics as a self-contained SVG file."""
    path.write_text(figure(statistics), encoding="utf-8")


class _Plot(msgspec.Struct, frozen=True):
    """A bar chart with two bars for each category, one per world, and a percentage axis."""

    title: str
    note: str
    bars: list[WorldShares]

    @property
    def step(self) -> float:
        """The distance between two ticks of the axis."""
        highest = max((share for bar in self.bars for share in bar.shares), default=0)
        return next((step for step in (0.01, 0.02, 0.05, 0.1, 0.2) if highest <= 5 * step), 0.25)

    @property
    def ticks(self) -> int:
        """The number of steps of the axis."""
        highest = max((share for bar in self.bars for share in bar.shares), default=0)
        return max(1, round(-(-highest // self.step)))


def figure(statistics: DatasetStatistics) -> Markup:
    """Return the figure: right answers and lengths of questions, as in C-VQA's Figure 3."""
    total = statistics.total
    means = ", ".join(f"{world.mean_words:.2f} {world.world}" for world in total.worlds if world.questions)
    lengths = "Words per question, including options", f"on average {means}" if means else "", length_bars(total)
    plots = [
        _Plot(*each)
        for each in (("Right answers", "share of the questions of each world", answer_bars(total)), lengths)
        if each[2] or not statistics.cases
    ]
    parts = fragment(
        __package__,
        "figure.svg",
        statistics=statistics,
        worlds=[(world, VARIANT_DESCRIPTIONS[world]) for world in TWO_WORLDS],
        plots=plots,
        shortened=shortened,
    )
    title = f"Statistics of a dataset of {several(statistics.cases, 'case')}"
    return sheet(title, 140 + 282 * len(plots), _STYLE, [parts])
