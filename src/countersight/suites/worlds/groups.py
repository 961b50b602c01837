"""Groups of questions about worlds, and the suites that consist of them."""

from collections import Counter
from collections.abc import Callable, Hashable, Iterable
from random import Random
from typing import Any

import msgspec

from countersight.picture import Pixels
from countersight.random_choice import balanced
from countersight.suites.worlds.drafts import WorldDraft
from countersight.worlds import LEVELS, Difficulty

YES_NO_TARGETS = (("yes", "yes"), ("yes", "no"), ("no", "yes"), ("no", "no"))
"""The targets of a yes/no question: its answers in both worlds."""


class Group(msgspec.Struct, frozen=True):
    """A group of questions."""

    name: str
    drafts: Callable[[Any, str, Random, Counter[str]], Iterable[WorldDraft]]
    """Returns the drafts for a world under changes of a kind; dropped candidates are counted by reason."""
    targets: tuple[Hashable, ...] = (None,)
    """The targets of the cases in one unit, which share the same words."""
    kinds: tuple[str, ...] = ("remove",)
    """The kinds of change; each unit uses one of them, chosen at random."""
    target_sets: dict[Difficulty, tuple[tuple[Hashable, ...], ...]] = {}
    """The targets by difficulty, if units differ: each set is used equally often. All have the same length."""
    structures: dict[Hashable, tuple[tuple[str, ...], ...]] = {}
    """Sets of structures in which the question can often be asked, by kind of change or by the first target. Each world
    is built from one of these sets, chosen at random; without an entry, from any structures."""
    pool: int = 0
    """The number of worlds of which one is chosen for each case, so that shortcuts do not find the answers; 0 in groups
    whose drafts do not say what shortcuts find."""
    found_share: float = 1 / 4
    """The share of questions whose answer each shortcut may find; less than chance if few drafts contradict it."""

    def of_unit(self, key: str, level: Difficulty, nth: int) -> "Group":
        """Return the group with the targets of a difficulty's nth unit."""
        if not self.target_sets:
            return self
        return msgspec.structs.replace(self, targets=balanced(self.target_sets[level], f"{key}/{level}/height", nth))


class WorldSuite(msgspec.Struct, frozen=True):
    """A suite of worlds: how to build, question and draw one."""

    name: str
    description: str
    groups: tuple[Group, ...]
    build: Callable[..., Any]
    """Builds a random world of a difficulty, with given structures if requested."""
    doubt: Callable[[WorldDraft, Random], str]
    """Returns why slightly different worlds have other answers, as a reason counted on the card; "" if they do not."""
    draw: Callable[[Any], Pixels]
    show: Callable[[WorldDraft], Pixels]
    """Returns the picture of the changed world."""
    levels: tuple[Difficulty, ...] = LEVELS
    """The default difficulties."""
    optional_levels: tuple[Difficulty, ...] = ()
    """Further difficulties, made on request."""
    optional_groups: dict[str, tuple[Group, ...]] = {}
    """Groups made on request, by name."""
    follows: str = ""
    """The work that the suite follows, for its card."""
