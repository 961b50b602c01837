"""Annotated scene graphs, small causal graphs among the things in them, and paths in causal graphs."""

from collections.abc import Callable
from typing import Literal

import msgspec

GraphKind = Literal["direct", "chain", "confounding", "collision", "fork"]
"""The kinds of causal graphs: A→B; A→B→C; A→B, A→C with B→C; A→C←B (CELLO 3.2); and A→B, A→C, which combines two direct
graphs.
"""

Box = tuple[int | float, int | float, int | float, int | float]
"""Left, top, width and height in pixels."""


class Thing(msgspec.Struct, frozen=True, omit_defaults=True):
    """An object of a scene graph."""

    id: str
    name: str
    synset: str = ""
    box: Box | None = None
    attributes: tuple[str, ...] = ()
    """Its attributes: white, wooden, large."""


class CausalEdge(msgspec.Struct, frozen=True):
    """The dependence of one thing on another: "book on shelf" says that the shelf holds the book."""

    cause: str
    effect: str
    """Ids of things."""
    relation: str
    """The relation between `subject` and `object` in the words of the scene graph."""
    subject: str
    object: str
    kind: str
    """The catalogue's kind of cause: support, holding, containment, …"""


class CausalGraph(msgspec.Struct, frozen=True):
    """A causal graph found in a picture."""

    kind: GraphKind
    things: tuple[Thing, ...]
    """The things A, B and, if present, C, as in the descriptions of the kinds."""
    edges: tuple[CausalEdge, ...]
    scene: str
    """The scene graph that contains it."""
    image: str = ""
    """The id of the picture, if known."""
    descriptions: tuple[str, ...] = ()
    """Descriptions of the picture or the region."""
    others: tuple[Thing, ...] = ()
    """Things in the same picture that are not in the graph."""
    namesakes: tuple[str, ...] = ()
    """Names of its things that are also names of other things in the same scene."""


class SceneRelation(msgspec.Struct, frozen=True, omit_defaults=True):
    """A relation of one thing to another."""

    subject: str
    relation: str
    """The relation in the annotator's words: "on", "sitting on", "ON", "pv:attach to"."""
    object: str
    """Subject and object are ids of things."""


class Description(msgspec.Struct, frozen=True, omit_defaults=True):
    """A description of a region of the picture."""

    text: str
    box: Box | None = None


class SceneGraph(msgspec.Struct, frozen=True, omit_defaults=True):
    """The annotated things and relations of a picture, or of a region of one."""

    id: str
    things: tuple[Thing, ...] = ()
    relations: tuple[SceneRelation, ...] = ()
    image: str = ""
    """The id of the picture, if known."""
    descriptions: tuple[Description, ...] = ()


class MalformedPart(msgspec.Struct, frozen=True):
    """An unreadable part of a file, which was skipped: its position and the reason."""

    file: str
    entry: int
    """The number of the element of a JSON file, or of the line of a CSV or JSONL file, counted from 1."""
    field: str
    reason: str

    def __str__(self) -> str:
        return f"{self.file} entry {self.entry}: {self.field}: {self.reason}"


Edges = frozenset[tuple[str, str]]
"""Pairs of a cause and its effect."""


def causes(edges: Edges, name: str) -> set[str]:
    """Return the direct causes."""
    return {cause for cause, effect in edges if effect == name}


def ancestors(edges: Edges, name: str) -> set[str]:
    """Return all causes, direct or indirect."""
    return _reached(name, lambda one: causes(edges, one))


def descendants(edges: Edges, name: str) -> set[str]:
    """Return all effects, direct or indirect."""
    return _reached(name, lambda one: {effect for cause, effect in edges if cause == one})


def mediators(edges: Edges, cause: str, effect: str) -> set[str]:
    """Return the variables on directed paths from the cause to the effect."""
    return descendants(edges, cause) & ancestors(edges, effect)


def _reached(start: str, steps: Callable[[str], set[str]]) -> set[str]:
    """Return everything that can be reached in one step or more."""
    found: set[str] = set()
    waiting = [start]
    while waiting:
        new = steps(waiting.pop()) - found
        found |= new
        waiting += new
    return found
