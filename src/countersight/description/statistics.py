"""The statistics of a dataset, counted in one pass, and their SVG figure."""

from collections import Counter
from collections.abc import Iterable
from pathlib import Path
from typing import Final, Literal

import msgspec

from countersight.authoring import Funnel
from countersight.case import LETTERS, TWO_WORLDS, VARIANT_DESCRIPTIONS, Case, Question, World
from countersight.html import Markup, fragment, sheet, shortened
from countersight.suites import SuiteTally, known_suite, words
from countersight.text import several

ALL: Final = "all"
OTHER: Final = "(other)"
"""The name under which rare open answers are counted together."""
_MAX_DISTINCT_ANSWERS = 10_000
"""The number of distinct open answers counted separately; others are counted as OTHER, to limit memory."""
_RARE_SHARE = 0.005
"""Answers to fewer questions than this share are not listed as frequent."""
_MAX_ANSWERS = 40
"""The maximum number of answers in a chart or table."""
_STYLE: Final = " .factual { fill: var(--one) } .counterfactual { fill: var(--two) } .rule { stroke: var(--rule) }"


class WorldStatistics:
    """The statistics of one group's questions in one world, updated question by question."""

    def __init__(self, world: World) -> None:
        self.world = world
        self.questions = 0
        self.lengths = Counter[int]()
        """The number of questions by length in words."""
        self.answers = Counter[str]()
        """How often each answer is right; for a choice, the text of the right option."""
        self.options = Counter[str]()
        """How often each letter is right, for every offered letter, and how often yes and no are."""

    def add(self, question: Question) -> None:
        """Count a question."""
        self.questions += 1
        self.lengths[words(question)] += 1
        if question.hidden:
            return
        answer = question.right_text
        self.answers[answer if len(self.answers) < _MAX_DISTINCT_ANSWERS or answer in self.answers else OTHER] += 1
        if question.kind == "choice":
            self.options.update(dict.fromkeys(LETTERS[: len(question.options)], 0))
        if question.kind in ("choice", "boolean"):
            self.options[question.answer] += 1

    @property
    def mean_words(self) -> float:
        """The mean length of a question in words."""
        return sum(length * n for length, n in self.lengths.items()) / self.questions if self.questions else 0.0

    @property
    def frequent_answers(self) -> list[tuple[str, int]]:
        """The frequent right answers with their counts; empty if nearly every question has a different answer."""
        found = sorted(self.answers.items(), key=lambda item: (-item[1], item[0]))
        return [(answer, n) for answer, n in found if n >= _RARE_SHARE * self.questions]

    @property
    def balance(self) -> str:
        """The shares of the letters, or of yes and no, among the right answers of closed questions."""
        total = self.options.total()
        order = (*LETTERS, "yes", "no")
        listed = [(option, self.options[option]) for option in order if option in self.options]
        return "  ".join(f"{option} {100 * n / total:.1f}%" for option, n in listed) if total else ""


class GroupStatistics:
    """The statistics of one group's cases, updated case by case."""

    def __init__(self, group: str) -> None:
        self.group = group
        self.cases = self.pairs = self.changed = 0
        self.factual, self.counterfactual = WorldStatistics("factual"), WorldStatistics("counterfactual")

    @property
    def worlds(self) -> tuple[WorldStatistics, WorldStatistics]:
        """The factual world, then the counterfactual one."""
        return self.factual, self.counterfactual

    def add(self, case: Case) -> None:
        """Count a case; a pair has questions in both worlds, and is changed if their right answers differ."""
        self.cases += 1
        for world, question in zip(self.worlds, (case.factual, case.counterfactual), strict=True):
            if question:
                world.add(question)
        if case.factual and case.counterfactual and not case.factual.hidden:
            self.pairs += 1
            self.changed += case.factual.right_text != case.counterfactual.right_text


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


class WorldShares(msgspec.Struct, frozen=True):
    """One category and its share of the questions in each world, factual first."""

    label: str
    shares: tuple[float, ...]


def answer_bars(group: GroupStatistics) -> list[WorldShares]:
    """Return the share of each right answer: words by frequency, then numbers in order; empty if none is frequent."""
    if not any(world.frequent_answers for world in group.worlds):
        return []
    both = group.factual.answers + group.counterfactual.answers
    kept = sorted(both.keys() - {OTHER}, key=lambda answer: (-both[answer], answer))[:_MAX_ANSWERS]
    kept.sort(key=lambda answer: (_is_number(answer), float(answer) if _is_number(answer) else 0.0))
    bars = [_bar(group, answer, "answers", [answer]) for answer in kept]
    rest = both.keys() - set(kept)
    return [*bars, _bar(group, OTHER, "answers", rest)] if rest else bars


def length_bars(group: GroupStatistics, most: int = 40) -> list[WorldShares]:
    """Return the share of questions of each length in words, with lengths grouped into at most `most` bars."""
    lengths = group.factual.lengths + group.counterfactual.lengths
    if not lengths:
        return []
    low, high = min(lengths), max(lengths)
    step = -(-(high - low + 1) // most)
    ranges = (range(start, start + step) for start in range(low, high + 1, step))
    return [_bar(group, f"{each[0]}–{each[-1]}" if step > 1 else str(each[0]), "lengths", each) for each in ranges]


def _bar(
    group: GroupStatistics, label: str, counter: Literal["answers", "lengths"], keys: Iterable[int | str]
) -> WorldShares:
    """Return the share of the questions with one of these answers or lengths, in each world."""
    keys = list(keys)
    counts = [sum(getattr(world, counter)[key] for key in keys) for world in group.worlds]
    shares = (n / (world.questions or 1) for n, world in zip(counts, group.worlds, strict=True))
    return WorldShares(label, tuple(shares))


def _is_number(text: str) -> bool:
    try:
        return float(text) == float(text)
    except ValueError:
        return False


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
        return next((step for step in (0.01, 0.02, 0.05, 0.1, 0.2) if self._highest <= 5 * step), 0.25)

    @property
    def ticks(self) -> int:
        """The number of steps of the axis."""
        return max(1, round(-(-self._highest // self.step)))

    @property
    def _highest(self) -> float:
        return max((share for bar in self.bars for share in bar.shares), default=0.0)


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
