"""Queries of causal graphs: the data types of the twelve tasks."""

from collections.abc import Callable, Iterator
from typing import Any, Literal

import msgspec

from countersight.causal import (
    CausalGraph,
    Edges,
    GraphKind,
    StructuralModel,
    ancestors,
    causes,
    counterfactual_value,
    every_cause_needed,
    the,
    verb,
)

UNDISTURBED_PROBABILITY = 0.9
"""The probability that a thing is left undisturbed, for effects that depend on one; no gold answer depends on its
value."""
ZERO_TOLERANCE = 1e-12
"""Effects smaller than this count as zero: figures are exact except for rounding."""


class ChoiceQuery(msgspec.Struct, frozen=True):
    """A question with four options that asks for things in the graph. Things are given by their ids."""

    about: tuple[str, ...]
    """The things whose causes or effects are asked for; the question names them."""
    answer: tuple[str, ...]
    partial: tuple[str, ...]
    """The graph distractor: things in the graph that are only part of the answer. Empty if there are none."""
    why: str


class YesNoQuery(msgspec.Struct, frozen=True):
    """A yes/no question: if one thing were lost while others are held, would another be lost too?"""

    lost: str
    """The thing that is lost. For SC, the thing that is kept; for NIE, the thing without which the held thing is
    imagined."""
    effect: str
    held: tuple[str, ...]
    follows: bool
    """Whether the effect is lost too. For SC, whether it can be; for NC, whether it cannot have been lost otherwise."""
    why: str


Query = ChoiceQuery | YesNoQuery


class Shape(msgspec.Struct, frozen=True):
    """A causal graph as the tasks use it, with unrelated other things in the picture."""

    graph: CausalGraph
    edges: Edges
    names: dict[str, str]
    """The names of things by their ids, in the order of the letters of the graph."""
    bystanders: dict[str, str]
    """The names of bystanders by their ids."""

    @classmethod
    def of(cls, graph: CausalGraph, bystanders: tuple[str, ...] = ()) -> "Shape":
        """Return the shape of a graph, with the given bystanders of its picture."""
        edges = frozenset((edge.cause, edge.effect) for edge in graph.edges)
        present = {thing.id: thing.name for thing in graph.others if thing.id in bystanders}
        return cls(graph, edges, {thing.id: thing.name for thing in graph.things}, present)

    def model(self) -> StructuralModel:
        """Return the structural model in which every cause is needed; a bystander is neither cause nor effect."""
        order = sorted(self.names, key=lambda name: len(ancestors(self.edges, name)))
        return every_cause_needed(
            {name: tuple(sorted(causes(self.edges, name))) for name in (*self.bystanders, *order)}
        )

    def name(self, thing: str) -> str:
        """Return the name of a thing."""
        return self.names[thing] if thing in self.names else self.bystanders[thing]

    def the(self, thing: str) -> str:
        """Return the name of a thing with the article."""
        return the(self.name(thing))

    def does(self, thing: str, plain: str) -> str:
        """Return the name of a thing with a verb: "the books depend"."""
        return f"{self.the(thing)} {verb(self.name(thing), plain)}"

    def kind(self, cause: str, effect: str) -> str:
        """Return the kind of a direct cause."""
        return next(edge.kind for edge in self.graph.edges if (edge.cause, edge.effect) == (cause, effect))


class Task(msgspec.Struct, frozen=True):
    """One of the twelve tasks."""

    name: str
    """Its name in the published data."""
    short: str
    rung: Literal[0, 1, 2, 3]
    kinds: tuple[GraphKind, ...]
    """The kinds of graphs that it applies to."""
    queries: Callable[[Shape], Iterator[Query]]
    """Returns the queries of a graph, with the gold answers that follow from its paths."""
    agrees: Callable[[StructuralModel, Any], bool]
    """Whether interventions in a structural model of the graph give the same answer to a query."""
    is_choice: bool = True
    """Whether it has four options; the others are yes/no questions."""


def is_lost(model: StructuralModel, effect: str, cause: str) -> bool:
    """Return whether the effect would be lost if the cause were, with everything else as in the picture."""
    return counterfactual_value(model, effect, {cause: False}, dict.fromkeys(model.causes, True)) is False


def uniform_probabilities(model: StructuralModel) -> dict[str, float]:
    """Return the same probability of being undisturbed for every thing."""
    return dict.fromkeys(model.causes, UNDISTURBED_PROBABILITY)
