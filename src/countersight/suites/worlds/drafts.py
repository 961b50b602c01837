"""Data types for questions about worlds: texts with and without colours, and drafts of cases."""

from collections import Counter
from collections.abc import Callable, Hashable, Iterable, Sequence
from random import Random
from typing import Any, Literal

import msgspec

from countersight.case import AnswerKind, Option
from countersight.errors import Unclear
from countersight.picture import Pixels
from countersight.random_choice import balanced
from countersight.worlds import (
    LEVELS,
    Difficulty,
    Disc,
    DiscChange,
    Motion,
    RemoveDisc,
    RemoveThing,
    WorldChange,
    WorldThing,
)

YES_NO_TARGETS = (("yes", "yes"), ("yes", "no"), ("no", "yes"), ("no", "no"))
"""The targets of a yes/no question: its answers in both worlds."""


class TextAndSkeleton(msgspec.Struct, frozen=True):
    """A text, and the same text with every thing named by its kind alone.

    Colours do not affect what happens, so only the second text could give an answer away. Cases are made so that every
    answer is equally frequent with each such text.
    """

    text: str
    skeleton: str


def fill_template(template: str, **things: WorldThing | Disc) -> TextAndSkeleton:
    """Fill a template with things: "{X}" becomes "the red block"."""
    return TextAndSkeleton(
        template.format(**{name: f"the {thing.name}" for name, thing in things.items()}),
        template.format(**{name: f"the {thing.kind}" for name, thing in things.items()}),
    )


class WordedChange(msgspec.Struct, frozen=True):
    """A change of a world, and its wording after "if"."""

    change: WorldChange | DiscChange
    words: TextAndSkeleton
    about: WorldThing | Disc
    """The changed thing, or the thing on which something is put."""
    kind: str
    """The kind of change: remove, add, replace, move, turn or speed."""


def removal(gone: WorldThing | Disc, words: str = "{X} were taken away", **others: WorldThing | Disc) -> WordedChange:
    """Return the change that takes a thing away."""
    change = RemoveThing(gone.id) if isinstance(gone, WorldThing) else RemoveDisc(gone.id)
    return WordedChange(change, fill_template(words, X=gone, **others), gone, "remove")


class WorldQuestion(msgspec.Struct, frozen=True):
    """A question about one world and its answer."""

    text: str
    answer: str


class WorldDraft(msgspec.Struct, frozen=True, kw_only=True):
    """A case before its pictures are drawn and its options are ordered."""

    world: Any
    """Supports or Discs."""
    worded_change: WordedChange | None = None
    after: Any = None
    """The changed world that is shown; None if there is none."""
    fallen: frozenset[str] = frozenset()
    skeleton: str = ""
    target: Hashable = None
    """The answers in both worlds; in a group, each is equally frequent with the same skeleton."""
    kind: AnswerKind = "boolean"
    factual: WorldQuestion | None = None
    counterfactual: WorldQuestion = WorldQuestion("", "")
    shown: WorldQuestion | None = None
    second_wording: WorldQuestion | None = None
    """The question under the change in other words; None if a suite has one wording."""
    options: tuple[Option, ...] = ()
    """The options in any order; the answers are their texts."""
    graph: dict[str, Any] | None = None
    """The causal graph, in the published format."""
    extra_provenance: dict[str, str | int] = {}
    """Further facts recorded in the case's provenance."""
    fact: Callable[[Motion], Hashable] | None = None
    """The fact behind answers about discs, which must be the same in slightly different worlds."""
    rivals: tuple[str, ...] = ()
    """The things that the wrong options of a plan would remove: these outcomes must be equally certain."""
    proof: Callable[[Any], Hashable] | None = None
    """Recomputes the answer in a slightly different world, if the draft has a method of its own."""
    second_change: WorldChange | DiscChange | None = None
    """The second of two changes."""
    says_change: bool = True
    """Whether the case may state its change; in a plan the change is the answer."""
    found_by: dict[str, float] = {}
    """For each shortcut to the answer, the probability that it finds it; empty in groups that are not chosen by
    that."""
    view: Literal["strip", "end", "both"] = "strip"
    """How discs are shown: four moments; the end with the paths; or four moments above four of the changed table."""

    def is_proved(self, worlds: Iterable[Any]) -> bool:
        """Return whether a draft with its own proof has the same answer in all of these worlds."""
        assert self.proof
        answer = self.proof(self.world)
        try:
            return answer is not None and all(self.proof(world) == answer for world in worlds)
        except Unclear:
            return False


def plan_draft(
    chosen: Sequence[WorldThing | Disc],
    factual: WorldQuestion,
    asked: str,
    shown: str,
    wrong: Iterable[str],
    **more: Any,
) -> WorldDraft:
    """Return a draft that asks which thing must be taken away: the first one in `chosen`. `wrong` has the other
    roles."""
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
