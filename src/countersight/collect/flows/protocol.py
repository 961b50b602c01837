"""The flow protocol: consecutive phases, each with a form, that lead to a case.

A flow does not access databases or pages. It makes items from pictures, cases or an audit, and defines what a phase
shows, how its form is read, and what follows when all its contributions are made.
"""

import hashlib
from collections.abc import Callable, Iterator, Mapping, Sequence
from importlib import import_module
from pathlib import Path
from typing import Any, Final, get_args

import msgspec

from countersight.case import Case
from countersight.collect.flows.forms import Field, Form
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
    responses: tuple[str, ...]


class Phase(msgspec.Struct, frozen=True):
    """One step of the work on an item."""

    name: str
    title: str
    about: str
    """A sentence that says what people do in this phase."""
    content: type[msgspec.Struct]
    sees: tuple[str, ...] = ()
    """Earlier phases that are shown; contributions to other phases are not read."""
    verifies: str = ""
    """The previous phase, which is shown first and may be flagged."""
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
    """The phase of the disputed contribution, which may lose its pay."""


Step = Advance | Finish | Dispute


class Flow:
    """The base class of flows; subclasses override these defaults."""

    name: str
    about: str
    phases: tuple[Phase, ...]
    uses: tuple[str, ...]
    """The sources that items are made from: `pictures`, `source`, `gold`."""
    balance: tuple[str, ...] = ()
    """Names of groups that should be balanced, if any."""
    grouped_in: str = ""
    """The phase in which the group is decided; empty if there is none."""

    def new_items(self, sources: Sources, keep: KeepPicture, known: Known) -> Iterator[NewItem]:
        """Yield new items for a campaign that already has the `known` ones."""
        raise NotImplementedError

    def fields(self, phase: str, item: Item, past: Past) -> Sequence[Field]:
        """Return the fields of the form of a phase, in the order in which they are shown."""
        return next(each.fields for each in self.phases if each.name == phase)

    def read(self, phase: str, form: Form, item: Item, past: Past) -> Content:
        """Return the content of a form; errors are recorded in the form."""
        content = next(each.content for each in self.phases if each.name == phase)
        return content(**form.read(self.fields(phase, item, past)))

    def settle(self, item: Item, phase: str, past: Past) -> Step:
        """Return what follows when all seats of a phase are done."""
        return Finish()

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

    def instance(self, past: Past) -> Instance | None:
        """Return what a text-only model can learn from a finished item; None if there is nothing."""
        return None

    def case(self, item: Item, past: Past) -> Case | None:
        """Return the case of an item; None if there is none."""
        return None


def flow_named(name: FlowName) -> Flow:
    """Return the flow with this name."""
    flow: Flow = import_module(f"countersight.collect.flows.{name}").FLOW
    return flow


def phase_of(flow: Flow, name: str) -> Phase | None:
    """Return a phase of a flow by its name, or None."""
    return next((phase for phase in flow.phases if phase.name == name), None)
