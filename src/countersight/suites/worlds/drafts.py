"""Drafts of cases about worlds: questions, changes in words, and what must be certain about the answers."""

from collections.abc import Callable, Hashable, Iterable, Sequence
from typing import Any, Literal

import msgspec

from countersight.case import AnswerKind, Option
from countersight.errors import Unclear
from countersight.worlds import (
    Disc,
    DiscChange,
    Motion,
    RemoveDisc,
    RemoveThing,
    WorldChange,
    WorldThing,
)


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

    # The worlds.
    world: Any
    """Supports or Discs."""
    worded_change: WordedChange | None = None
    second_change: WorldChange | DiscChange | None = None
    """The second of two changes."""
    after: Any = None
    """The changed world that is shown; None if there is none."""
    fallen: frozenset[str] = frozenset()
    """The things that fall under the change, by id; always empty for discs."""
    view: Literal["strip", "end", "both"] = "strip"
    """How discs are shown: four moments; the end with the paths; or four moments above four of the changed table."""

    # The questions.
    kind: AnswerKind = "boolean"
    factual: WorldQuestion | None = None
    counterfactual: WorldQuestion = WorldQuestion("", "")
    shown: WorldQuestion | None = None
    second_wording: WorldQuestion | None = None
    """The question under the change in other words; None if a suite has one wording."""
    options: tuple[Option, ...] = ()
    """The options in any order; the answers are their texts."""
    says_change: bool = True
    """Whether the case may state its change; in a plan the change is the answer."""
    graph: dict[str, Any] | None = None
    """The causal graph, in the published format."""
    extra_provenance: dict[str, str | int] = {}
    """Further facts recorded in the case's provenance."""

    # How the answers are balanced.
    skeleton: str = ""
    """The question without colours; see `TextAndSkeleton`."""
    target: Hashable = None
    """The answers in both worlds; in a group, each is equally frequent with the same skeleton."""
    found_by: dict[str, float] = {}
    """For each shortcut, the probability that it finds the answer; empty in groups that do not use this."""

    # What must be the same in slightly different worlds.
    fact: Callable[[Motion], Hashable] | None = None
    """The fact behind answers about discs."""
    proof: Callable[[Any], Hashable] | None = None
    """Recomputes the answer in another world, if the draft has a method of its own."""
    rivals: tuple[str, ...] = ()
    """The things that the wrong options of a plan would remove: these outcomes must be equally certain."""

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
