"""Drafts of cases about worlds, and the groups of questions and suites that they belong to."""

import re
from collections import Counter
from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping, Sequence
from random import Random
from typing import Any

import msgspec

from countersight.case import AnswerKind, Option
from countersight.picture import Pixels
from countersight.worlds import COLOURS, LEVELS, Difficulty, Disc, RemoveDisc, RemoveThing, WorldThing

YES_NO_TARGETS = (("yes", "yes"), ("yes", "no"), ("no", "yes"), ("no", "no"))
"""The targets of a yes/no question: its answers in both worlds."""
_COLOUR = re.compile(rf"(?:\ban? )?\b(?:{'|'.join(COLOURS)}) ")
_MOST_CHANGES = 10
"""The maximum number of changes tried for one world."""


class WordedChange(msgspec.Struct, frozen=True):
    """A change to a world, and its wording after "if"."""

    change: Any
    """The change: a WorldChange or a DiscChange."""
    words: str
    about: WorldThing | Disc
    """The changed thing, or the thing on which something is put."""
    kind: str
    """The kind of change: remove, add, replace, move, turn or speed."""


def removal(gone: WorldThing | Disc, words: str = "") -> WordedChange:
    """Return the change that takes a thing away."""
    change = RemoveThing(gone.id) if isinstance(gone, WorldThing) else RemoveDisc(gone.id)
    return WordedChange(change, words or f"the {gone.name} were taken away", gone, "remove")


class WorldQuestion(msgspec.Struct, frozen=True):
    """A question about one world and its answer."""

    text: str
    answer: str


class WorldDraft(msgspec.Struct, frozen=True, kw_only=True):
    """A case before its pictures are drawn and its options are ordered."""

    world: Any
    """The world: Supports or Discs."""
    worded_change: WordedChange | None = None
    second_change: Any = None
    """The second of two changes."""
    after: Any = None
    """The changed world that is shown; None if there is none."""
    show: Callable[[Any], Pixels] | None = None
    """Draws the changed world; None to draw it as usual in the suite."""
    facts: tuple[tuple[Any, Callable[[Any], Hashable]], ...] = ()
    """Worlds with functions whose values determine the answers and must be the same in slightly different worlds."""
    doubt: Callable[[], str] | None = None
    """Returns why the answers in the world itself are uncertain, or "" if they are certain. It may be slow: it is
    called only for drafts that would be used."""

    kind: AnswerKind = "boolean"
    factual: WorldQuestion | None = None
    counterfactual: WorldQuestion = WorldQuestion("", "")
    shown: WorldQuestion | None = None
    second_wording: WorldQuestion | None = None
    """The question under the change in other words; None if a suite has one wording."""
    options: tuple[Option, ...] = ()
    """The options in any order; the answers are their texts."""
    says_change: bool = True
    """Whether the case may state its change; if the question asks for a change, it is the answer."""
    graph: dict[str, Any] | None = None
    """The causal graph, in the published format."""
    extra_provenance: dict[str, str | int] = {}
    """Further facts recorded in the case's provenance."""

    target: Hashable = None
    """The answers in both worlds, or the rank of the right option; in a group, each is equally frequent."""
    found_by: dict[str, float] = {}
    """For each shortcut, the probability that it finds the answer; empty in groups that do not use shortcuts."""


def plan_draft(
    chosen: Sequence[WorldThing | Disc],
    factual: WorldQuestion,
    asked: str,
    shown: str,
    wrong: Iterable[str],
    **more: Any,
) -> WorldDraft:
    """Return a draft that asks which thing must be taken away: the first one in `chosen`.

    `wrong` has the roles of the other options, and `more` the other fields of the draft.
    """
    options = tuple(Option(f"the {each.name}", role) for each, role in zip(chosen, ("answer", *wrong), strict=True))
    return WorldDraft(
        kind="choice",
        factual=factual,
        counterfactual=WorldQuestion(asked, options[0].text),
        shown=WorldQuestion(shown, options[0].text),
        worded_change=removal(chosen[0]),
        options=options,
        says_change=False,
        **more,
    )


def without_colours(text: str) -> str:
    """Return a text in which every thing is named only by its kind.

    Colours do not affect what happens, so only the rest could reveal an answer.
    """
    return _COLOUR.sub("", text)


Drafting = Callable[[Any, str, Random, Counter[str]], Iterable[WorldDraft]]
"""Returns drafts for a world under changes of a kind; dropped candidates are counted by reason."""


def under_changes(
    changes: Mapping[str, Callable[[Any, Random], Iterable[WordedChange]]],
    solve: Callable[[Any, WordedChange, Counter[str]], WorldDraft | None],
    ask: Callable[[WorldDraft, WordedChange, Random], Iterable[WorldDraft]],
) -> Drafting:
    """Return a function that drafts questions about a world under some of its changes.

    `changes` has the possible changes by kind, `solve` returns a draft with both worlds, and `ask` adds questions.
    """

    def drafts(world: Any, kind: str, rng: Random, dropped: Counter[str]) -> Iterator[WorldDraft]:
        possible = list(changes[kind](world, rng))
        for worded_change in rng.sample(possible, min(_MOST_CHANGES, len(possible))):
            solved = solve(world, worded_change, dropped)
            if solved:
                found = list(ask(solved, worded_change, rng))
                yield from rng.sample(found, len(found))

    return drafts


class Group(msgspec.Struct, frozen=True):
    """A group of questions, made in units: cases that differ in their answers but not in their words."""

    name: str
    drafts: Drafting
    targets: tuple[Hashable, ...] = (None,)
    """The targets of the cases in one unit."""
    same_words: bool = True
    """Whether the cases of a unit must have the same question except for colours."""
    kinds: tuple[str, ...] = ("remove",)
    """The kinds of change; each unit uses one of them, chosen at random."""
    structures: dict[str, tuple[tuple[str, ...], ...]] = {}
    """Sets of structures in which the question can often be asked, by kind of change. Each world is built from one of
    these sets, chosen at random; without an entry, any structures are used."""
    pool: int = 0
    """The number of candidate worlds for each case; one is chosen so that shortcuts do not find the answers. 0 in
    groups without shortcuts."""
    found_share: float = 1 / 4
    """The share of questions whose answer each shortcut may find; below chance if few drafts contradict it."""


class WorldSuite(msgspec.Struct, frozen=True):
    """A suite of worlds: how to build one, ask about it and draw it."""

    name: str
    description: str
    groups: tuple[Group, ...]
    build: Callable[..., Any]
    """Builds a random world of a difficulty, with given structures if requested."""
    vary: Callable[[Any, Random], Iterable[tuple[str, Any]]]
    """Returns slightly different worlds, each with the reason that the card gives if the answers differ in it."""
    draw: Callable[[Any], Pixels]
    show: Callable[[Any], Pixels]
    """Draws the changed world."""
    levels: tuple[Difficulty, ...] = LEVELS
    """The default difficulties."""
    optional_levels: tuple[Difficulty, ...] = ()
    """Additional difficulties, used only on request."""
    optional_groups: dict[str, tuple[Group, ...]] = {}
    """Groups that are made only on request, by name."""
    follows: str = ""
    """The work that the suite follows, for its card."""
