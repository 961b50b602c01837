"""The data types of the twelve tasks: causal graphs as used by tasks, queries about them, and tasks themselves."""

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
    classes_of,
    every_cause_needed,
    head,
    singular,
)


class ChoiceQuery(msgspec.Struct, frozen=True):
    """A question with four options that asks for things in the graph. Things are given by their ids."""

    about: tuple[str, ...]
    """The things whose causes or effects are asked for; the question names them."""
    answer: tuple[str, ...]
    partial: tuple[str, ...] = ()
    """The graph distractor: things in the graph that are only part of the answer."""


class YesNoQuery(msgspec.Struct, frozen=True):
    """A yes/no question: given something about a possible cause, does the effect disappear or stay?"""

    cause: str
    """The possible cause. The question supposes that it is lost or, in SC only, that it is kept."""
    effect: str
    held: tuple[str, ...]
    """Things whose state the question fixes."""
    effect_goes: bool
    """The gold answer if the question asks whether the effect disappears; if it asks whether it stays, the opposite is
    right.
    """


Query = ChoiceQuery | YesNoQuery


class Shape(msgspec.Struct, frozen=True):
    """A causal graph in the form that tasks use, with other, unrelated things in the picture."""

    graph: CausalGraph
    edges: Edges
    names: dict[str, str]
    """The names of things by their ids, in the order of the letters of the graph."""
    bystanders: dict[str, str]
    """The names of bystanders by their ids."""

    @classmethod
    def of(cls, graph: CausalGraph, bystanders: tuple[str, ...] = ()) -> "Shape":
        """Return the shape of a graph, with the given bystanders from its picture."""
        edges = frozenset((edge.cause, edge.effect) for edge in graph.edges)
        present = {thing.id: thing.name for thing in graph.others if thing.id in bystanders}
        return cls(graph, edges, {thing.id: thing.name for thing in graph.things}, present)

    def model(self) -> StructuralModel:
        """Return the structural model in which every cause is needed; a bystander is neither a cause nor an effect."""
        order = sorted(self.names, key=lambda name: len(ancestors(self.edges, name)))
        return every_cause_needed(
            {name: tuple(sorted(causes(self.edges, name))) for name in (*self.bystanders, *order)}
        )

    def name(self, thing: str) -> str:
        """Return the name of a thing."""
        return self.names[thing] if thing in self.names else self.bystanders[thing]

    def kind(self, cause: str, effect: str) -> str:
        """Return the kind of a direct cause; "" if it is none."""
        return next((edge.kind for edge in self.graph.edges if (edge.cause, edge.effect) == (cause, effect)), "")

    def classes(self, thing: str) -> frozenset[str]:
        """Return the classes of a thing."""
        return classes_of(self.name(thing))

    def noun(self, thing: str) -> str:
        """Return the main word of the name of a thing."""
        return singular(head(self.name(thing)))


class Candidate(msgspec.Struct, frozen=True):
    """A query in the form that the rules use. Things are given by their ids."""

    shape: Shape
    causes: tuple[str, ...]
    effects: tuple[str, ...]
    asked_for: tuple[str, ...] = ()
    """The things that are the right option."""
    between: tuple[str, ...] = ()
    """Things between cause and effect: partial answers, or things whose state the question fixes."""

    @classmethod
    def of(cls, task: "Task", shape: Shape, query: Query) -> "Candidate":
        """Return a query of a task in the form that the rules use."""
        if isinstance(query, YesNoQuery):
            return cls(shape, (query.cause,), (query.effect,), (), query.held)
        ends = (query.about, query.answer) if task.asks_for_effect else (query.answer, query.about[-1:])
        return cls(shape, *ends, query.answer, query.partial)


Rule = Callable[[Candidate], bool]
"""Returns whether a query must not be asked; the docstring of the function gives the reason."""


class Task(msgspec.Struct, frozen=True):
    """One of the twelve tasks."""

    name: str
    """Its name in the published data."""
    short: str
    rung: Literal[0, 1, 2, 3]
    kinds: tuple[GraphKind, ...]
    """The kinds of graphs that it applies to."""
    queries: Callable[[Shape, StructuralModel], Iterator[Query]]
    """Returns the queries of a graph; the gold answers follow from interventions in the model."""
    is_choice: bool = True
    """Whether the task's questions have four options; otherwise they are yes/no questions."""
    asks_for_effect: bool = False
    """Whether the right option is an effect of the thing asked about; otherwise it is a cause."""
    acting_kinds: tuple[GraphKind, ...] = ()
    """The kinds of graphs of force and source that it applies to."""
    rules: tuple[Rule, ...] = ()
    """Its own rules, in addition to the rules for all tasks."""
