"""What is in a dataset: how many cases, how long the questions are, which answers are right how often."""

from collections import Counter
from collections.abc import Iterable
from typing import Final

import msgspec

from countersight.authoring import Funnel
from countersight.case import LETTERS, Case, Question, World
from countersight.suites import SuiteStatistics, SuiteTally, known_suite, words
from countersight.text import several

ALL: Final = "all"
OTHER: Final = "(other)"
"""Open answers beyond those that are told apart."""
_DISTINCT = 10_000  # open answers told apart; the rest are counted as OTHER, so that memory stays bounded


class WorldStatistics(msgspec.Struct, frozen=True):
    """The questions of one group in one world."""

    world: World
    questions: int
    mean_words: float
    words: tuple[tuple[int, int], ...]
    """How many questions have that many words, by number of words."""
    answers: tuple[tuple[str, int], ...]
    """How often each answer is right, the most frequent first; of a choice, the text of its right option."""
    yes: int
    no: int
    letters: tuple[tuple[str, int], ...]
    """How often each letter is right, for every letter that a question offers."""


class GroupStatistics(msgspec.Struct, frozen=True):
    """The cases of one group."""

    group: str
    cases: int
    factual: WorldStatistics
    counterfactual: WorldStatistics
    pairs: int
    """Cases asked about in both worlds."""
    changed: int
    """Pairs whose right answer is not the same in both."""

    @property
    def worlds(self) -> tuple[WorldStatistics, WorldStatistics]:
        """The factual world, then the counterfactual one."""
        return self.factual, self.counterfactual


class Statistics(msgspec.Struct, frozen=True):
    """The statistics of a dataset."""

    cases: int
    groups: tuple[GroupStatistics, ...]
    """In order of first appearance."""
    total: GroupStatistics
    suites: dict[str, SuiteStatistics] = {}
    """What the papers tell of their cases, told of these: for each suite that adds something, by its name."""
    funnel: Funnel | None = None
    """How questions became pairs; None where the dataset was not built."""
    controls: int = 0
    """Cases whose change does not touch what is asked, apart from all that is counted above."""

    def __repr__(self) -> str:
        in_groups = ", ".join(f"{group.group or 'no group'} {group.cases:,}" for group in self.groups)
        controls = f" and {several(self.controls, 'control')}" if self.controls else ""
        return f"Statistics of {several(self.cases, 'case')}{controls}: {in_groups}"

    def _repr_svg_(self) -> str:
        from countersight.description.showing import figure  # which imports what draws pages

        return figure(self)


def describe(cases: Iterable[Case], funnel: Funnel | None = None) -> Statistics:
    """The statistics of cases, in one pass that holds none of them; with the funnel of a dataset that was built."""
    groups: dict[str, _GroupTally] = {}
    total, controls = _GroupTally(), 0
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
        for tally in (groups.setdefault(case.group, _GroupTally()), total):
            tally.add(case)
    return Statistics(
        cases=total.cases,
        groups=tuple(tally.statistics(group) for group, tally in groups.items()),
        total=total.statistics(ALL),
        suites={name: own.statistics() for name, own in suites.items() if own},
        funnel=funnel,
        controls=controls,
    )


class _GroupTally:
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
