"""Data types of causal mining: things in a picture, and small causal graphs among them."""

from typing import Literal

import msgspec

GraphKind = Literal["direct", "chain", "confounding", "collision", "fork"]
"""A→B; A→B→C; A→B, A→C with B→C; A→C←B (CELLO 3.2); and A→B, A→C, which combines two direct graphs."""

Box = tuple[int, int, int, int]
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
    """A dependence of one thing on another: "book on shelf" says that the shelf holds the book."""

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
    """In the order of the letters of the kind: A, B and, if present, C."""
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
    """Names of its things that other things in the same scene also have."""
