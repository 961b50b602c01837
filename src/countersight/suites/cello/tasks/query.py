"""Queries of causal graphs, and the rules that exclude them: the data types of the twelve tasks."""

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
    classes_of,
    counterfactual_value,
    every_cause_needed,
    head,
    singular,
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
    """A yes/no question: does the effect go, or stay, given something about a possible cause of it?"""

    cause: str
    """The possible cause: the thing whose part in what happens to the effect is asked about, whether or not it has
    one. A question supposes that it is lost; only SC supposes that it is kept."""
    effect: str
    held: tuple[str, ...]
    """Things whose state the question fixes."""
    effect_goes: bool
    """The gold answer to the wording that asks whether the effect goes; the wording that asks whether it stays has the
    opposite answer."""
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


class Candidate(msgspec.Struct, frozen=True):
    """A query with its graph, as the rules see it. Things are given by their ids."""

    graph: CausalGraph
    query: Query
    causes: tuple[str, ...]
    effects: tuple[str, ...]
    names: dict[str, str]
    """The names of all things in the picture."""
    kinds: dict[tuple[str, str], str]
    """The kinds of the edges, by cause and effect."""

    @classmethod
    def of(cls, task: "Task", graph: CausalGraph, query: Query) -> "Candidate":
        """Return a query of a task as the rules see it."""
        ends: tuple[tuple[str, ...], tuple[str, ...]]
        if isinstance(query, YesNoQuery):
            ends = (query.cause,), (query.effect,)
        elif task.asks_for_effect:
            ends = query.about, query.answer
        else:
            ends = query.answer, query.about[-1:]
        names = {thing.id: thing.name for thing in (*graph.others, *graph.things)}
        return cls(graph, query, *ends, names, {(edge.cause, edge.effect): edge.kind for edge in graph.edges})

    @property
    def yes_no(self) -> YesNoQuery:
        """The query, if it is a yes/no question."""
        assert isinstance(self.query, YesNoQuery)
        return self.query

    @property
    def choice(self) -> ChoiceQuery:
        """The query, if it has options."""
        assert isinstance(self.query, ChoiceQuery)
        return self.query

    def classes(self, thing: str) -> frozenset[str]:
        """Return the classes of a thing."""
        return classes_of(self.names[thing])

    def noun(self, thing: str) -> str:
        """Return the main word of the name of a thing."""
        return singular(head(self.names[thing]))


class Rule(msgspec.Struct, frozen=True):
    """A rule that excludes queries."""

    reason: str
    """Why, in a sentence."""
    excludes: Callable[[Candidate], bool]


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
    asks_for_effect: bool = False
    """Whether the right option is an effect of the thing asked about; otherwise it is a cause."""
    acting_kinds: tuple[GraphKind, ...] = ()
    """The kinds of graphs of force and source that it applies to."""
    keeping_rules: tuple[Rule, ...] = ()
    """Its rules for graphs whose causes keep things in place."""
    rules: tuple[Rule, ...] = ()
    """Its rules for all graphs but forks, which have their own."""


def is_lost(model: StructuralModel, effect: str, cause: str) -> bool:
    """Return whether the effect would be lost if the cause were, with everything else as in the picture."""
    return counterfactual_value(model, effect, {cause: False}, dict.fromkeys(model.causes, True)) is False


def uniform_probabilities(model: StructuralModel) -> dict[str, float]:
    """Return the same probability of being undisturbed for every thing."""
    return dict.fromkeys(model.causes, UNDISTURBED_PROBABILITY)
