"""The nouns of causal mining: things in a picture, and the small causal graphs that hold among them. Pure data."""

from typing import Literal

import msgspec

GraphKind = Literal["direct", "chain", "confounding", "collision", "fork"]
"""A→B; A→B→C; A→B, A→C with B→C; A→C←B (CELLO 3.2); and A→B, A→C, which is not mined but made of two direct ones."""

Box = tuple[int, int, int, int]
"""Left, top, width and height in pixels."""


class Thing(msgspec.Struct, frozen=True, omit_defaults=True):
    """An object of a scene graph."""

    id: str
    name: str
    synset: str = ""
    box: Box | None = None
    attributes: tuple[str, ...] = ()
    """What it is said to be: white, wooden, large."""


class CausalEdge(msgspec.Struct, frozen=True):
    """One thing that another depends on: "book on shelf" says that the shelf holds the book."""

    cause: str
    effect: str
    """Ids of things."""
    relation: str
    """The relation as the scene graph has it, between `subject` and `object`."""
    subject: str
    object: str
    kind: str
    """Of which kind the cause is, by the catalogue: support, holding, containment, …"""


class CausalGraph(msgspec.Struct, frozen=True):
    """A causal graph found in a picture."""

    kind: GraphKind
    things: tuple[Thing, ...]
    """In the order of the letters of the kind: A, B and, where there is one, C."""
    edges: tuple[CausalEdge, ...]
    scene: str
    """The scene graph it was found in."""
    image: str = ""
    """The id of the picture, where known."""
    descriptions: tuple[str, ...] = ()
    """What people wrote about the picture or the region."""
    others: tuple[Thing, ...] = ()
    """Things in the same picture that are not in the graph."""
    namesakes: tuple[str, ...] = ()
    """Names of its things that other things of the same scene have as well."""
