"""The nouns of making questions about worlds: words with and without colours, and drafts of cases."""

from collections import Counter
from collections.abc import Callable, Hashable, Iterable
from random import Random
from typing import Any, Literal

import msgspec

from countersight.case import AnswerKind, Option
from countersight.errors import Unclear
from countersight.picture import Pixels
from countersight.random_choice import balanced
from countersight.worlds import LEVELS, Difficulty, Disc, DiscChange, Motion, World, WorldChange, WorldThing


class Worded(msgspec.Struct, frozen=True):
    """A text, and the same with every thing named by its kind alone.

    Colours have nothing to do with what happens, so all that words could give away is in the second. Cases are made
    such that every answer comes as often with each of these.
    """

    text: str
    skeleton: str


def worded(template: str, **things: WorldThing | Disc) -> Worded:
    """A template with things in it: "{X}" becomes "the red block"."""
    return Worded(
        template.format(**{name: f"the {thing.name}" for name, thing in things.items()}),
        template.format(**{name: f"the {thing.kind}" for name, thing in things.items()}),
    )


class Told(msgspec.Struct, frozen=True):
    """A change of a world, and its wording after "if"."""

    change: WorldChange | DiscChange
    words: Worded
    about: WorldThing | Disc
    """The thing that is changed, or that something is put on."""
    kind: str
    """Of which kind the change is: remove, add, replace, move, turn or speed."""


class WorldQuestion(msgspec.Struct, frozen=True):
    """A question about one world and its answer."""

    text: str
    answer: str


View = Literal["strip", "end", "both"]
"""Four moments; the end with the ways; or four moments of the table as it is above four of the changed one."""


class WorldDraft(msgspec.Struct, frozen=True):
    """A case before its pictures are drawn and its options are put in order."""

    skeleton: str
    target: Hashable
    """The answers in both worlds: every one of a group's is made as often with the same skeleton."""
    kind: AnswerKind
    factual: WorldQuestion | None
    counterfactual: WorldQuestion
    shown: WorldQuestion | None
    world: World
    told: Told | None
    after: World | None
    """The changed world that is shown; None where none is."""
    fallen: frozenset[str] = frozenset()
    options: tuple[Option, ...] = ()
    """In any order; the answers are texts of theirs."""
    graph: dict[str, Any] | None = None
    """The causal graph, as published ones are written."""
    remembered: dict[str, str | int] = {}
    """What the case remembers of it."""
    fact: Callable[[Motion], Hashable] | None = None
    """What the answers about discs depend on: it must be the same in slightly different worlds."""
    rivals: tuple[str, ...] = ()
    """What the wrong options of a plan would take away: what comes of that must be as sure."""
    proof: Callable[[Any], Hashable] | None = None
    """The answer worked out anew in a slightly different world, where a draft has its own way to do so."""
    then: WorldChange | DiscChange | None = None
    """The second of two changes."""
    says_change: bool = True
    """Whether the case may state its change; a plan's change is the answer itself."""
    otherwise: WorldQuestion | None = None
    """What is asked under the change, in other words; None where a suite has one wording."""
    view: View = "strip"
    """How what would happen to discs is shown."""


class Heights(msgspec.Struct, frozen=True):
    """At which places, counted from the highest option, the right one stands: at each as often, unit by unit.

    Supports are cleared from below and fall from above: without this the highest option would mostly be right.
    """

    places: dict[Difficulty, tuple[int, ...]]
    having: dict[int, tuple[tuple[str, ...], ...]]
    """Structures that a world is built of, one of these sets by chance, so that such a place is soon found."""


class Group(msgspec.Struct, frozen=True):
    """A group of questions."""

    name: str
    drafts: Callable[[Any, str, Random, Counter[str]], Iterable[WorldDraft]]
    """What can be asked of a world under changes of a kind; candidates that are left out are counted by reason."""
    targets: tuple[Hashable, ...]
    """The answers that are made together, in the same words."""
    kinds: tuple[str, ...] = ("remove",)
    """The kinds of change, one of which is chosen by chance for all that is made together."""
    heights: Heights | None = None
    """Where given, a unit is one case, and its target is one of these places."""
    having: dict[str, tuple[tuple[str, ...], ...]] = {}
    """Structures that its worlds are built of, by kind of change, one of these sets by chance: what is asked is met
    sooner in them. Of a kind that is not named, any."""

    def placed(self, key: str, level: Difficulty, nth: int) -> "Group":
        """The group with the place by height that the nth unit of a difficulty has; itself where no height counts."""
        if self.heights is None:
            return self
        place = balanced(self.heights.places[level], f"{key}/{level}/height", nth)
        having = dict.fromkeys(self.kinds, self.heights.having[place])
        return msgspec.structs.replace(self, targets=(place,), having=having)


def proved(draft: WorldDraft, worlds: Iterable[World]) -> bool:
    """Whether a draft with its own proof has the same answer in all of some worlds."""
    assert draft.proof
    answer = draft.proof(draft.world)
    try:
        return answer is not None and all(draft.proof(world) == answer for world in worlds)
    except Unclear:
        return False


class WorldSuite(msgspec.Struct, frozen=True):
    """A suite of worlds: how one is built, what is asked of it, and how it is drawn."""

    name: str
    description: str
    groups: tuple[Group, ...]
    build: Callable[..., Any]
    """A world by chance, of a difficulty, and of structures where these are asked for."""
    doubt: Callable[[WorldDraft, Random], str]
    """Why slightly different worlds have other answers, as the card counts it; nothing where they do not."""
    hardness: Callable[[WorldDraft], dict[str, str | int]]
    draw: Callable[[Any], Pixels]
    show: Callable[[WorldDraft], Pixels]
    """The picture of the changed world."""
    levels: tuple[Difficulty, ...] = LEVELS
    """The difficulties that are made where none is named."""
    by_name: tuple[Difficulty, ...] = ()
    """Further difficulties, which are made where they are named."""
    further: dict[str, tuple[Group, ...]] = {}
    """Groups that are made where they are asked for, by the name of what is asked."""
    follows: str = ""
    """Whose work it follows, for its card."""
