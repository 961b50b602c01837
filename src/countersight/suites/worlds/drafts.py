"""The nouns of making questions about worlds: words with and without colours, and drafts of cases."""

from collections.abc import Hashable

import msgspec

from countersight.case import AnswerKind, Option
from countersight.worlds import Supports, Thing, WorldChange


class Worded(msgspec.Struct, frozen=True):
    """A text, and the same with every thing named by its kind alone.

    Colours have nothing to do with what happens, so all that words could give away is in the second. Cases are made
    such that every answer comes as often with each of these.
    """

    text: str
    skeleton: str


def worded(template: str, **things: Thing) -> Worded:
    """A template with things in it: "{X}" becomes "the red block"."""
    return Worded(
        template.format(**{name: f"the {thing.name}" for name, thing in things.items()}),
        template.format(**{name: f"the {thing.kind}" for name, thing in things.items()}),
    )


class Told(msgspec.Struct, frozen=True):
    """A change of a world, and the words for it behind an "if"."""

    change: WorldChange
    words: Worded
    about: Thing
    """The thing that is changed, or that something is put on."""

    @property
    def kind(self) -> str:
        """Of which kind the change is: remove, add, replace, move or turn."""
        return type(self.change).__name__.casefold()


class Asked(msgspec.Struct, frozen=True):
    """A question about one world and its answer."""

    text: str
    answer: str


class Draft(msgspec.Struct, frozen=True):
    """A case before its pictures are drawn and its options are put in order."""

    skeleton: str
    target: Hashable
    """The answers in both worlds: every one of a group's is made as often with the same skeleton."""
    kind: AnswerKind
    factual: Asked
    counterfactual: Asked
    shown: Asked | None
    world: Supports
    told: Told | None
    after: Supports | None
    """The world after the change came to rest."""
    fallen: frozenset[str] = frozenset()
    options: tuple[Option, ...] = ()
    """In any order; the answers are texts of theirs."""
