"""The flow protocol: consecutive phases, each with a form, that lead to a case.

A flow does not access databases or pages. It makes items from pictures, cases or an audit, and defines what a phase
shows, how its form is read, and what follows when all its contributions are made.
"""

import hashlib
import tomllib
from collections.abc import Callable, Iterator, Mapping, Sequence
from importlib import import_module
from importlib.resources import files
from pathlib import Path
from typing import Any, Final, get_args

import msgspec

from countersight.case import Case
from countersight.collect.flows.forms import Field, Form, fields_in
from countersight.collect.settings import FlowName
from countersight.picture import Picture

FLOWS: Final[tuple[str, ...]] = get_args(FlowName)
"""The names of the flows; each has a module of the same name."""
Content = Any
"""A contribution to a phase: a frozen struct of that phase's own type."""
Past = Mapping[str, Sequence[Content]]
"""The contributions so far, by phase."""


class Instance(msgspec.Struct, frozen=True):
    """The description of a scene, and the responses to choose from; the first is right."""

    context: str
    change: str
    """The part of the context that describes the change."""
    responses: tuple[str, ...]


class Phase(msgspec.Struct, frozen=True):
    """One step of the work on an item."""

    name: str
    title: str
    about: str
    """A sentence that says what people do in this phase."""
    content: type[msgspec.Struct]
    """The type of the contributions to this phase."""
    verifies: bool = False
    """Whether the work of the previous phase may be flagged."""
    checked: bool = False
    """Whether the model in the loop is asked about the text."""
    several: bool = False
    """Whether several people may do this phase of one item."""
    adjudicates: bool = False
    """Whether this phase resolves disagreements; the conflicting answers are shown in random order."""
    fields: tuple[Field, ...] = ()
    """The fields of its form, if they do not depend on the item."""


class NewItem(msgspec.Struct, frozen=True):
    """An item to add to a campaign."""

    key: str
    source: dict[str, Any]
    phase: str
    gold: dict[str, Any] | None = None
    """The required content of the form if the answer is known; such items are sometimes given to people as checks."""


class Sources(msgspec.Struct, frozen=True):
    """The sources of new items."""

    pictures: Path | None = None
    """A folder of pictures."""
    source: Path | None = None
    """A dataset, a run or an audit."""
    gold: Path | None = None
    """A dataset with correct answers; its cases are sometimes given to people to check their care."""
    seed: int = 0
    on_bad: Callable[[str], None] = lambda words: None
    """Called with the reason why a picture or a case is skipped."""


KeepPicture = Callable[[Picture], str]
"""Stores a picture in the campaign, and returns its name there."""
Known = Mapping[str, dict[str, Any]]
"""The sources of the items that are already in a campaign, by key."""


class Item(msgspec.Struct, frozen=True):
    """The current state of an item."""

    id: int
    key: str
    split: str
    source: dict[str, Any]
    phase: str
    state: str
    gold: dict[str, Any] | None = None

    @property
    def number(self) -> str:
        """The number shown instead of the key, which would reveal whether the answer is known."""
        return neutral_number(self.key)


def item_key(*parts: str) -> str:
    """Return the key of an item; one of more than 200 characters is cut and ends in its digest."""
    key = "/".join(parts)
    return key if len(key) <= 200 else f"{key[:180]}~{hashlib.sha256(key.encode()).hexdigest()[:16]}"


def neutral_number(key: str) -> str:
    """Return a number for an item, which reveals neither its kind nor its position."""
    return str(int(hashlib.sha256(key.encode()).hexdigest()[:8], 16) % 1_000_000).zfill(6)


class Advance(msgspec.Struct, frozen=True):
    """Start the next phase."""

    phase: str


class Finish(msgspec.Struct, frozen=True):
    """Finish the item; it is removed if `kept` is false."""

    kept: bool = True


class Dispute(msgspec.Struct, frozen=True):
    """Ask for a reviewer."""

    reason: str
    words: str
    about: str
    """The phase of the disputed contribution, whose pay may be withheld."""


Step = Advance | Finish | Dispute


class Flow:
    """The base class of flows; subclasses override these defaults.

    The file `NAME.toml` declares the phases of a flow, with the fields of their forms.
    """

    name: str
    contents: tuple[type[msgspec.Struct], ...]
    """The type of the contributions to each phase."""
    uses: tuple[str, ...]
    """The sources that items are made from: `pictures`, `source`, `gold`."""
    balance: tuple[str, ...] = ()
    """Names of groups that should be balanced, if any."""
    grouped_in: str = ""
    """The phase in which the group is decided; empty if there is none."""

    def __init__(self) -> None:
        declared = tomllib.loads((files(__package__) / f"{self.name}.toml").read_text(encoding="utf-8"))
        self.about: str = declared["about"]
        typed = zip(declared["phases"], self.contents, strict=True)
        self.phases = tuple(
            Phase(**{**phase, "fields": fields_in(phase.get("fields", ()))}, content=content)
            for phase, content in typed
        )

    @property
    def names(self) -> list[str]:
        """The names of the phases, in order."""
        return [phase.name for phase in self.phases]

    def phase(self, name: str) -> Phase:
        """Return a phase by its name."""
        return self.phases[self.names.index(name)]

    def new_items(self, sources: Sources, keep: KeepPicture, known: Known) -> Iterator[NewItem]:
        """Yield new items for a campaign that already has the `known` ones."""
        raise NotImplementedError

    def fields(self, phase: str, item: Item, past: Past) -> Sequence[Field]:
        """Return the fields of the form of a phase, in the order in which they are shown."""
        return self.phase(phase).fields

    def read(self, phase: str, form: Form, item: Item, past: Past) -> Content:
        """Return the content of a form; errors are recorded in the form."""
        return self.phase(phase).content(**form.read(self.fields(phase, item, past)))

    def settle(self, item: Item, phase: str, past: Past) -> Step:
        """Return what follows when all seats of a phase are done: the next phase, or the end."""
        following = self.names[self.names.index(phase) + 1 :]
        return Advance(following[0]) if following else Finish()

    def shown(self, phase: str, item: Item, past: Past) -> dict[str, Any]:
        """Return what the page of a phase shows next to the form."""
        return {}

    def first_draft(self, phase: str, item: Item, past: Past) -> dict[str, str]:
        """Return the initial values of the form."""
        return {}

    def groups(self, content: Content) -> tuple[str, ...]:
        """Return the groups of an item, from its contribution in the phase `grouped_in`."""
        return ()

    def labels(self, phase: str, content: Content) -> dict[str, str]:
        """Return the decisions in a contribution that two people can agree on, by name."""
        return {}

    def instance(self, past: Past) -> Instance:
        """Return what a text-only model is asked, and learns from a finished item."""
        raise NotImplementedError

    def case(self, item: Item, past: Past) -> Case | None:
        """Return the case of an item; None if there is none."""
        return None


def flow_named(name: FlowName) -> Flow:
    """Return the flow with this name."""
    flow: Flow = import_module(f"countersight.collect.flows.{name}").FLOW
    return flow
