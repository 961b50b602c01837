"""Records of what goes past the paper: checks of edits, doses of one edit, and changed thoughts. Pure data."""

from typing import Literal

import msgspec

from countersight.editing import Instruction

Intervene = Literal["picture", "thought", "both"]
"""What is changed before the question is asked again: the picture (EDCT), the model's own explanation, or each."""
Controls = Literal["nothing", "uncited", "both"]
"""Edits under which the answer should stay: one that changes nothing, and those of things that are not cited."""
STRENGTHS = 4
"""The whole edit is of this strength; weaker ones are blends of the picture before and after it."""


class Check(msgspec.Struct, frozen=True, tag="check", omit_defaults=True):
    """Whether an edit did what was asked, by one who looked at the picture."""

    checker: str
    asked: str
    """What was checked, as a question: "Is the dog gone?"."""
    done: bool | None
    """None where this checker cannot tell."""
    seen: str
    """What it saw, in a sentence that starts in lower case."""
    said: tuple[str, ...] = ()
    """What a model said of the picture before and of the one after, where it is a model."""
    measures: dict[str, float] = {}
    """The figures that decided, where there are some."""


class Dose(msgspec.Struct, frozen=True, tag="dose", omit_defaults=True):
    """A weaker edit: so many quarters of the way from the picture before to the picture after."""

    strength: int
    before: str
    full: str
    after: str
    """Digests of the picture before, of the whole edit, and of this one."""


class Thought(msgspec.Struct, frozen=True, tag="thought", omit_defaults=True):
    """The model's own explanation with one concept changed, to be put back into its mouth."""

    instruction: Instruction
    text: str
    """The changed explanation; empty where none could be written."""
    expected: str = ""
    """The answer that follows from it, where that is known."""
    reason: str = ""
    """Why there is none, where there is none."""
    said: tuple[str, ...] = ()
    """What a model wrote, where a model rewrote it."""
