"""What a flow is: phases that people take one after another, each with a form, and how they end in a case.

A flow knows nothing of databases or pages. It says which items there are, what a phase shows, what a form means, and
what follows when the seats of a phase are taken.
"""

from collections.abc import Mapping, Sequence
from typing import Any, Protocol

import msgspec

from countersight.case import Case

Content = Any
"""What was contributed in a phase: a frozen struct of that phase's own type."""


class Instance(msgspec.Struct, frozen=True):
    """What was said of a scene, and the responses to choose from, of which the first is right."""

    context: str
    responses: tuple[str, ...]


class Phase(msgspec.Struct, frozen=True):
    """One kind of work."""

    name: str
    title: str
    about: str
    """What somebody does there, in a sentence."""
    content: type[msgspec.Struct]
    sees: tuple[str, ...] = ()
    """Earlier phases whose contributions are shown; of all others nothing is even read."""
    verifies: str = ""
    """The phase before, which is looked at first and may be flagged."""
    checked: bool = False
    """Whether the model in the loop is asked about what is written."""
    proposes: bool = False
    """Whether a model's proposal is shown to whoever has committed to a first try."""
    adjudicates: bool = False
    """Whether it decides between people who disagreed; it sees them in random order."""


class NewItem(msgspec.Struct, frozen=True):
    """An item to be worked on."""

    key: str
    source: dict[str, Any]
    phase: str
    gold: dict[str, Any] | None = None
    """What a form must say, where the answer is known: such items are drawn now and then to see who takes care."""


class Item(msgspec.Struct, frozen=True):
    """An item as it stands."""

    id: int
    key: str
    split: str
    source: dict[str, Any]
    phase: str
    state: str
    gold: dict[str, Any] | None = None


class Advance(msgspec.Struct, frozen=True):
    """The next phase begins."""

    phase: str


class Done(msgspec.Struct, frozen=True):
    """The item is complete, or it is thrown out where `kept` is false."""

    kept: bool = True


class Dispute(msgspec.Struct, frozen=True):
    """A reviewer has to look."""

    reason: str
    words: str
    about: str
    """The phase whose contribution is in doubt, and whose pay."""


Step = Advance | Done | Dispute
Past = Mapping[str, Sequence[Content]]
"""What was contributed so far, by phase."""


class Form:
    """Reads a posted form and gathers what is wrong with it, by the name of the field."""

    def __init__(self, values: Mapping[str, str]) -> None:
        self.values = values
        self.faults: dict[str, str] = {}

    def fail(self, name: str, fault: str) -> None:
        """Say what is wrong with a field; the first fault of a field is the one that is told."""
        self.faults.setdefault(name, fault)

    def text(self, name: str, label: str, *, least: int = 1, most: int = 2000, needed: bool = True) -> str:
        """A text with its spaces put in order; too few words or too many signs are faults."""
        text = " ".join(self.values.get(name, "").replace("\x00", "").split())
        if not text and needed:
            self.fail(name, f"{label} is missing.")
        elif text and len(text.split()) < least:
            self.fail(name, f"{label} needs at least {least} words.")
        if len(text) > most:
            self.fail(name, f"{label} is too long: at most {most:,} signs.")
        return text

    def choice(self, name: str, label: str, options: Sequence[str]) -> str:
        """One of several values."""
        value = self.values.get(name, "")
        if value not in options:
            self.fail(name, f"Choose {label}.")
            return ""
        return value

    def chosen(self, name: str) -> bool:
        """Whether a box is ticked."""
        return bool(self.values.get(name))

    def number(self, name: str, default: float, low: float, high: float) -> float:
        """A number within limits, or the default where there is none."""
        try:
            number = float(self.values.get(name, ""))
        except ValueError:
            return default
        return min(max(number, low), high) if number == number else default


class Flow(Protocol):
    """A way of collecting."""

    name: str
    about: str
    phases: tuple[Phase, ...]
    balance: tuple[str, ...]
    """Names of groups that ought to be balanced, where there are such."""
    grouped_in: str
    """The phase in which somebody decides on the group; nothing where nobody does."""

    def read(self, phase: str, form: Form, item: Item, past: Past) -> Content:
        """What a form contributes; its faults are in the form."""
        ...

    def settle(self, item: Item, phase: str, past: Past) -> Step:
        """What follows when all seats of a phase are taken."""
        ...

    def shown(self, phase: str, item: Item, past: Past) -> dict[str, Any]:
        """What the page of a phase shows beside the form."""
        ...

    def first_draft(self, phase: str, item: Item, past: Past) -> dict[str, str]:
        """What stands in the form before anybody typed."""
        ...

    def groups(self, content: Content) -> tuple[str, ...]:
        """The groups that a contribution of the phase `grouped_in` puts its item into."""
        ...

    def labels(self, phase: str, content: Content) -> dict[str, str]:
        """The decisions in a contribution that two people can agree on, by name."""
        ...

    def instance(self, past: Past) -> Instance | None:
        """What a model that reads only text can learn from a finished item; None where there is nothing."""
        ...

    def case(self, item: Item, past: Past) -> Case | None:
        """The case an item became; None where it became none."""
        ...
