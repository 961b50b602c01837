"""Rung 0, discovery: which thing depends on which."""

from collections.abc import Iterator

from countersight.causal import (
    StructuralModel,
    ancestors,
    causes,
    controlled_direct_effect,
    descendants,
    effects,
)
from countersight.suites.cello.tasks.query import NOTHING, Query, Shape, Sought, Task, even_chances, is_lost


def _identified(shape: Shape) -> Iterator[Query]:
    """The one cause of a thing."""
    for effect in shape.names:
        found = ancestors(shape.edges, effect)
        if len(found) != 1:
            continue
        (cause,) = found
        why = f"{shape.does(effect, 'depend')} on {shape.the(cause)} and on nothing else in the graph"
        others = [thing for thing in shape.names if thing not in (cause, effect)]
        yield Sought((effect,), (cause,), tuple(others), why)


def _identified_agrees(model: StructuralModel, query: Query) -> bool:
    assert isinstance(query, Sought)
    (effect,), (cause,) = query.about, query.answer
    return is_lost(model, effect, cause) and not any(is_lost(model, effect, other) for other in query.partial)


def _attributed(shape: Shape) -> Iterator[Query]:
    """The cause that acts on a thing only through another."""
    for effect in shape.names:
        direct = causes(shape.edges, effect)
        for cause in sorted(ancestors(shape.edges, effect) - direct):
            for nearer in sorted(direct & descendants(shape.edges, cause)):
                yield Sought((effect,), (cause,), (nearer,), _through(shape, cause, effect, nearer))


def _attributed_agrees(model: StructuralModel, query: Query) -> bool:
    assert isinstance(query, Sought)
    (effect,), (cause,), (nearer,) = query.about, query.answer, query.partial
    return _acts_only_through(model, cause, effect, nearer)


def _abstracted(shape: Shape) -> Iterator[Query]:
    """The effect that a thing has only through another."""
    for cause in shape.names:
        direct = effects(shape.edges, cause)
        for effect in sorted(descendants(shape.edges, cause) - direct):
            for nearer in sorted(direct & ancestors(shape.edges, effect)):
                yield Sought((cause,), (effect,), (nearer,), _through(shape, cause, effect, nearer))


def _abstracted_agrees(model: StructuralModel, query: Query) -> bool:
    assert isinstance(query, Sought)
    (cause,), (effect,), (nearer,) = query.about, query.answer, query.partial
    return _acts_only_through(model, cause, effect, nearer)


def _through(shape: Shape, cause: str, effect: str, nearer: str) -> str:
    return f"{shape.does(cause, 'act')} on {shape.the(effect)} through {shape.the(nearer)} alone"


def _acts_only_through(model: StructuralModel, cause: str, effect: str, nearer: str) -> bool:
    chances = even_chances(model)
    alone = controlled_direct_effect(model, chances, cause, effect, {nearer: True})
    near = controlled_direct_effect(model, chances, nearer, effect, {cause: True})
    return is_lost(model, effect, cause) and abs(alone) < NOTHING < abs(near)


CAUSALITY_IDENTIFICATION = Task(
    name="causality_identification",
    short="CaI",
    rung=0,
    kinds=("direct", "chain", "confounding"),
    is_choice=True,
    queries=_identified,
    agrees=_identified_agrees,
)
CAUSAL_ATTRIBUTION = Task(
    name="causal_attribution",
    short="CA",
    rung=0,
    kinds=("chain",),
    is_choice=True,
    queries=_attributed,
    agrees=_attributed_agrees,
)
ABSTRACT_REASONING = Task(
    name="abstract_reasoning",
    short="AR",
    rung=0,
    kinds=("chain",),
    is_choice=True,
    queries=_abstracted,
    agrees=_abstracted_agrees,
)
