"""What a task asks of a causal graph: the nouns of the twelve tasks."""

from collections.abc import Callable, Iterator
from typing import Literal

import msgspec

from countersight.causal import (
    CausalGraph,
    Edges,
    GraphKind,
    StructuralModel,
    ancestors,
    causes,
    every_cause_needed,
    the,
    verb,
    would_be,
)

LIKELY = 0.9
"""The chance that a thing is left undisturbed, where a reference needs one; no gold answer depends on it."""
NOTHING = 1e-12
"""Effects smaller than this are none: figures are exact but for rounding."""


class Sought(msgspec.Struct, frozen=True):
    """A question for things of the graph, with four options. Things are given by their ids."""

    about: tuple[str, ...]
    """The things whose dependence is asked for; the question names them."""
    answer: tuple[str, ...]
    partial: tuple[str, ...]
    """What is in the graph, and only part of the answer: the graph distractor. Empty where the graph has none."""
    why: str


class Supposed(msgspec.Struct, frozen=True):
    """A question for yes or no: were one thing lost while others are held, would another be lost too?"""

    lost: str
    """The thing that is lost; of a sufficient cause the one that is kept, of a natural indirect effect the one without
    which the held thing is thought."""
    effect: str
    held: tuple[str, ...]
    follows: bool
    """Whether the effect is lost too; of a sufficient cause, whether it can be; of a necessary one, whether it cannot
    have been lost otherwise."""
    why: str


Query = Sought | Supposed


class Shape(msgspec.Struct, frozen=True):
    """A causal graph as its tasks see it, and what stands beside it in the picture and has nothing to do with it."""

    graph: CausalGraph
    edges: Edges
    names: dict[str, str]
    """The names of things by their ids, in the order of the letters of the graph."""
    beside: dict[str, str]
    """The names of bystanders by their ids."""

    @classmethod
    def of(cls, graph: CausalGraph, bystanders: tuple[str, ...] = ()) -> "Shape":
        """The shape of a graph, with those of the other things of its picture that may be asked about."""
        edges = frozenset((edge.cause, edge.effect) for edge in graph.edges)
        beside = {thing.id: thing.name for thing in graph.others if thing.id in bystanders}
        return cls(graph, edges, {thing.id: thing.name for thing in graph.things}, beside)

    def model(self) -> StructuralModel:
        """The structural model in which every cause is needed; a bystander is neither cause nor effect."""
        order = sorted(self.names, key=lambda name: len(ancestors(self.edges, name)))
        return every_cause_needed({name: tuple(sorted(causes(self.edges, name))) for name in (*self.beside, *order)})

    def name(self, thing: str) -> str:
        """What a thing is called."""
        return self.names[thing] if thing in self.names else self.beside[thing]

    def the(self, thing: str) -> str:
        """A thing by its name, with the article."""
        return the(self.name(thing))

    def does(self, thing: str, plain: str) -> str:
        """A thing and what it does: "the books depend"."""
        return f"{self.the(thing)} {verb(self.name(thing), plain)}"

    def kind(self, cause: str, effect: str) -> str:
        """Of which kind a direct cause is."""
        return next(edge.kind for edge in self.graph.edges if (edge.cause, edge.effect) == (cause, effect))


class Task(msgspec.Struct, frozen=True, kw_only=True):
    """One of the twelve."""

    name: str
    """As the published data call it."""
    short: str
    rung: Literal[0, 1, 2, 3]
    kinds: tuple[GraphKind, ...]
    """The graphs it fits."""
    is_choice: bool
    """Whether it has four options; the others ask for yes or no."""
    queries: Callable[[Shape], Iterator[Query]]
    """What can be asked of a graph, with the gold answers that follow from its paths."""
    agrees: Callable[[StructuralModel, Query], bool]
    """Whether a structural model of the graph, simulated and intervened in, gives the same answer."""


def is_lost(model: StructuralModel, effect: str, cause: str) -> bool:
    """Whether the effect would be lost, had the cause been: the picture as it is, and one thing set otherwise."""
    return would_be(model, effect, {cause: False}, dict.fromkeys(model.causes, True)) is False


def even_chances(model: StructuralModel) -> dict[str, float]:
    """Every thing is left undisturbed with the same chance."""
    return dict.fromkeys(model.causes, LIKELY)
