"""What is in a dataset: how many cases, how long the questions are, which answers are right how often."""

from collections import Counter
from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING, Final

import msgspec

from countersight.build import Funnel
from countersight.case import LETTERS, Case, Question, World
from countersight.describe.papers import PAIRED, PairStatistics, PairTally, pair_statistics, words
from countersight.suites.cello import NAME as CELLO
from countersight.suites.cello import CelloStatistics, CelloTally
from countersight.suites.cosim import NAME as COSIM
from countersight.suites.cosim import CosimStatistics, CosimTally
from countersight.text import several

__all__ = [
    "CelloStatistics",
    "CosimStatistics",
    "GroupStatistics",
    "PairStatistics",
    "Statistics",
    "WorldStatistics",
    "describe",
    "render",
    "words",
    "write_svg",
]

if TYPE_CHECKING:
    from rich.console import Console

ALL: Final = "all"
_DISTINCT = 10_000  # open answers told apart; the rest are counted as OTHER, so that memory stays bounded
OTHER: Final = "(other)"


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
    cosim: CosimStatistics | None = None
    """What CoSIm's paper tells of its instances; None where no case is one."""
    cello: CelloStatistics | None = None
    """Cases by causal task and graph; None where no case is of CELLO."""
    papers: tuple[PairStatistics, ...] = ()
    """What CFMM's and C-VQA's papers tell of their pairs, for each of these suites that there are pairs of."""
    funnel: Funnel | None = None
    """How questions became pairs; None where the dataset was not built."""
    controls: int = 0
    """Cases whose change does not touch what is asked, apart from all that is counted above."""

    def __repr__(self) -> str:
        in_groups = ", ".join(f"{group.group or 'no group'} {group.cases:,}" for group in self.groups)
        controls = f" and {several(self.controls, 'control')}" if self.controls else ""
        return f"Statistics of {several(self.cases, 'case')}{controls}: {in_groups}"

    def _repr_svg_(self) -> str:
        from countersight.describe.figure import figure

        return figure(self)


def describe(cases: Iterable[Case], funnel: Funnel | None = None) -> Statistics:
    """The statistics of cases, in one pass that holds none of them; with the funnel of a dataset that was built."""
    groups: dict[str, _Tally] = {}
    total, cosim, cello = _Tally(), CosimTally(), CelloTally()
    papers: dict[str, PairTally] = {}
    controls = 0
    for case in cases:
        if case.control_of:
            controls += 1
            continue
        if case.suite == COSIM:
            cosim.add(case)
        elif case.suite == CELLO:
            cello.add(case)
        elif case.suite in PAIRED:
            papers.setdefault(case.suite, PairTally(case.suite)).add(case)
        for tally in (groups.setdefault(case.group, _Tally()), total):
            tally.add(case)
    return Statistics(
        cases=total.cases,
        groups=tuple(tally.statistics(group) for group, tally in groups.items()),
        total=total.statistics(ALL),
        cosim=cosim.statistics(),
        cello=cello.statistics(),
        papers=tuple(pair_statistics(suite, tally) for suite, tally in papers.items()),
        funnel=funnel,
        controls=controls,
    )


def render(statistics: Statistics, console: "Console") -> None:
    """Prints tables and small bars to the terminal."""
    from countersight.describe.terminal import printed

    for part in printed(statistics):
        console.print(part)


def write_svg(statistics: Statistics, path: Path) -> None:
    """Writes the statistics as one self-contained figure."""
    from countersight.describe.figure import figure

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
