"""What is counted in a dataset: the nouns that counting fills in, and that the terminal and the figure show."""

from typing import Final

import msgspec

from countersight.authoring import Funnel
from countersight.case import World
from countersight.suites import SuiteStatistics

OTHER: Final = "(other)"
"""Open answers beyond those that are told apart."""


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


class Counted(msgspec.Struct, frozen=True):
    """What was counted in a dataset."""

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
