"""Annotated scene graphs, small causal graphs among their things, and the paths in causal graphs."""

from collections.abc import Callable, Iterable
from itertools import combinations
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


class SceneRelation(msgspec.Struct, frozen=True, omit_defaults=True):
    """A relation of one thing to another."""

    subject: str
    relation: str
    """In the annotator's words: "on", "sitting on", "ON", "pv:attach to"."""
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
    """Counted from 1: the element of a JSON file, the line of a CSV or JSONL file."""
    field: str
    reason: str

    def __str__(self) -> str:
        return f"{self.file} entry {self.entry}: {self.field}: {self.reason}"


Edges = frozenset[tuple[str, str]]
"""Pairs of a cause and its effect."""


def causes(edges: Edges, name: str) -> set[str]:
    """Return the direct causes."""
    return {cause for cause, effect in edges if effect == name}


def effects(edges: Edges, name: str) -> set[str]:
    """Return the direct effects."""
    return {effect for cause, effect in edges if cause == name}


def ancestors(edges: Edges, name: str) -> set[str]:
    """Return all causes, direct or indirect."""
    return _reached(name, lambda one: causes(edges, one))


def descendants(edges: Edges, name: str) -> set[str]:
    """Return all effects, direct or indirect."""
    return _reached(name, lambda one: effects(edges, one))


def mediators(edges: Edges, cause: str, effect: str) -> set[str]:
    """Return the variables on directed paths from the cause to the effect."""
    return descendants(edges, cause) & ancestors(edges, effect)


def is_separated(edges: Edges, one: str, other: str, given: Iterable[str] = ()) -> bool:
    """Return whether every path between two variables is blocked by `given` (d-separation).

    Uses the moral graph of the ancestors: parents of a common child are joined, directions are dropped, and `given` is
    removed. The variables are separated if no path is left between them.
    """
    given = set(given)
    kept = {one, other, *given}
    for name in tuple(kept):
        kept |= ancestors(edges, name)
    joined: dict[str, set[str]] = {name: set() for name in kept}
    for name in kept:
        parents = causes(edges, name)
        for parent in parents:
            joined[name] |= {parent}
            joined[parent] |= {name, *parents} - {parent}
    return other not in _reached(one, lambda name: joined[name] - given)


def backdoor_set(edges: Edges, cause: str, effect: str) -> frozenset[str] | None:
    """Return the smallest set of variables to control for, by the backdoor criterion; None if there is none.

    No member is an effect of the cause, and together they block every path that enters the cause (Pearl 1993).
    """
    names = {name for edge in edges for name in edge}
    candidates = sorted(names - {cause, effect} - descendants(edges, cause))
    entering = frozenset((source, target) for source, target in edges if source != cause)
    for size in range(len(candidates) + 1):
        for chosen in combinations(candidates, size):
            if is_separated(entering, cause, effect, chosen):
                return frozenset(chosen)
    return None


def _reached(start: str, steps: Callable[[str], set[str]]) -> set[str]:
    """Return everything that can be reached in one step or more."""
    found: set[str] = set()
    waiting = [start]
    while waiting:
        new = steps(waiting.pop()) - found
        found |= new
        waiting += new
    return found
