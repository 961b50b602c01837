"""What is in a dataset: how many cases, how long the questions are, which answers are right how often."""

from collections import Counter
from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING, Final

from countersight.authoring import Funnel
from countersight.case import LETTERS, Case, Question, World
from countersight.description.counted import OTHER, Counted, GroupStatistics, WorldStatistics
from countersight.suites import SuiteTally, known_suite, words
from countersight.text import several

if TYPE_CHECKING:
    from rich.console import Console

ALL: Final = "all"
_DISTINCT = 10_000  # open answers told apart; the rest are counted as OTHER, so that memory stays bounded


class Statistics(Counted, frozen=True):
    """The statistics of a dataset."""

    def __repr__(self) -> str:
        in_groups = ", ".join(f"{group.group or 'no group'} {group.cases:,}" for group in self.groups)
        controls = f" and {several(self.controls, 'control')}" if self.controls else ""
        return f"Statistics of {several(self.cases, 'case')}{controls}: {in_groups}"

    def _repr_svg_(self) -> str:
        from countersight.description.figure import figure

        return figure(self)


def describe(cases: Iterable[Case], funnel: Funnel | None = None) -> Statistics:
    """The statistics of cases, in one pass that holds none of them; with the funnel of a dataset that was built."""
    groups: dict[str, _Tally] = {}
    total, controls = _Tally(), 0
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
        for tally in (groups.setdefault(case.group, _Tally()), total):
            tally.add(case)
    return Statistics(
        cases=total.cases,
        groups=tuple(tally.statistics(group) for group, tally in groups.items()),
        total=total.statistics(ALL),
        suites={name: own.statistics() for name, own in suites.items() if own},
        funnel=funnel,
        controls=controls,
    )


def render(statistics: Statistics, console: "Console", *, everything: bool = True) -> None:
    """Print tables to the terminal: all of them, or what fits on one screen."""
    from countersight.description.terminal import everything as all_tables
    from countersight.description.terminal import summary
    from countersight.html import print_grids

    print_grids(all_tables(statistics) if everything else summary(statistics), console)


def write_svg(statistics: Statistics, path: Path) -> None:
    """Writes the statistics as one self-contained figure."""
    from countersight.description.figure import figure

    path.write_text(figure(statistics), encoding="utf-8")


class _Tally:
    """Counts of one group, while cases stream by."""

    def __init__(self) -> None:
        self.cases = self.pairs = self.changed = 0
        self.factual, self.counterfactual = _WorldTally(), _WorldTally()

    def add(self, case: Case) -> None:
        self.cases += 1
        if case.factual:
            self.factual.add(case.factual)
        if case.counterfactual:
            self.counterfactual.add(case.counterfactual)
        if case.factual and case.counterfactual and not case.factual.hidden:
            self.pairs += 1
            self.changed += case.factual.right_text != case.counterfactual.right_text

    def statistics(self, group: str) -> GroupStatistics:
        return GroupStatistics(
            group=group,
            cases=self.cases,
            factual=self.factual.statistics("factual"),
            counterfactual=self.counterfactual.statistics("counterfactual"),
            pairs=self.pairs,
            changed=self.changed,
        )


class _WorldTally:
    def __init__(self) -> None:
        self.words: Counter[int] = Counter()
        self.answers: Counter[str] = Counter()
        self.letters: Counter[str] = Counter()
        self.truths: Counter[str] = Counter()
        self.offered = 0

    def add(self, question: Question) -> None:
        self.words[words(question)] += 1
        if question.hidden:
            return
        answer = question.right_text
        self.answers[answer if len(self.answers) < _DISTINCT or answer in self.answers else OTHER] += 1
        if question.kind == "choice":
            self.letters[question.answer] += 1
            self.offered = max(self.offered, len(question.options))
        elif question.kind == "boolean":
            self.truths[question.answer] += 1

    def statistics(self, world: World) -> WorldStatistics:
        questions = self.words.total()
        return WorldStatistics(
            world=world,
            questions=questions,
            mean_words=sum(length * n for length, n in self.words.items()) / questions if questions else 0.0,
            words=tuple(sorted(self.words.items())),
            answers=tuple(sorted(self.answers.items(), key=lambda item: (-item[1], item[0]))),
            yes=self.truths["yes"],
            no=self.truths["no"],
            letters=tuple((letter, self.letters[letter]) for letter in LETTERS[: self.offered]),
        )
