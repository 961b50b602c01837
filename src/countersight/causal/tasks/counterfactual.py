"""Rung 3, counterfactual: what would have been."""

from collections.abc import Iterator
from itertools import permutations

from countersight.causal.paths import ancestors, causes, descendants, effects, mediators
from countersight.causal.structural import (
    StructuralModel,
    is_necessary,
    is_sufficient,
    natural_direct_effect,
    natural_indirect_effect,
)
from countersight.causal.tasks.intervention import is_direct_beyond_doubt
from countersight.causal.tasks.query import NOTHING, Query, Shape, Supposed, Task, even_chances, is_lost

_PASSING = frozenset({"covering", "force", "source"})
"""Kinds of cause whose effects come to an end by themselves: nothing follows from their having done so."""


def _lost_or_not(shape: Shape) -> Iterator[Query]:
    """What becomes of one thing when another, on which it depends or which depends on it, is lost.

    In a collision nothing is asked of the common effect: the graph does not say whether one of its causes would do.
    """
    for lost, effect in permutations(shape.names, 2):
        if effect in descendants(shape.edges, lost) and shape.graph.kind != "collision":
            by = ""
            if effect not in effects(shape.edges, lost):
                by = " through " + " and ".join(map(shape.the, sorted(mediators(shape.edges, lost, effect))))
            why = f"{shape.does(effect, 'depend')} on {shape.the(lost)}{by}"
            yield Supposed(lost, effect, (), True, why)
        elif effect in ancestors(shape.edges, lost):
            why = f"{shape.does(lost, 'depend')} on {shape.the(effect)}, not the other way about"
            yield Supposed(lost, effect, (), False, why)


def _reasoned_agrees(model: StructuralModel, query: Query) -> bool:
    assert isinstance(query, Supposed)
    return is_lost(model, query.effect, query.lost) == query.follows


def _sufficed_agrees(model: StructuralModel, query: Query) -> bool:
    assert isinstance(query, Supposed)
    return is_sufficient(model, query.lost, query.effect) == query.follows


def _direct(shape: Shape) -> Iterator[Query]:
    """One thing lost, while the other is as it would have been anyway."""
    for lost, effect, held in permutations(shape.names, 3):
        if effect not in descendants(shape.edges, lost) or held in descendants(shape.edges, effect):
            continue
        if effect not in effects(shape.edges, lost):
            why = f"{shape.does(lost, 'act')} on {shape.the(effect)} only through {shape.the(held)}"
            yield Supposed(lost, effect, (held,), False, why)
        elif is_direct_beyond_doubt(shape, lost, effect):
            why = f"{shape.does(effect, 'depend')} on {shape.the(lost)} directly"
            yield Supposed(lost, effect, (held,), True, why)


def _direct_agrees(model: StructuralModel, query: Query) -> bool:
    assert isinstance(query, Supposed)
    effect = natural_direct_effect(model, even_chances(model), query.lost, query.effect, query.held)
    return (abs(effect) > NOTHING) == query.follows


def _indirect(shape: Shape) -> Iterator[Query]:
    """One thing kept, while the other is as it would have been without it."""
    for kept, effect, between in permutations(shape.names, 3):
        if not {kept, between} <= ancestors(shape.edges, effect):
            continue
        if between in descendants(shape.edges, kept):
            why = (
                f"without {shape.the(kept)}, {shape.the(between)} would be lost, and {shape.does(effect, 'depend')} "
                f"on {shape.the(between)}"
            )
            yield Supposed(kept, effect, (between,), True, why)
        else:
            why = f"{shape.does(between, 'do')} not depend on {shape.the(kept)} and would be as before"
            yield Supposed(kept, effect, (between,), False, why)


def _indirect_agrees(model: StructuralModel, query: Query) -> bool:
    assert isinstance(query, Supposed)
    effect = natural_indirect_effect(model, even_chances(model), query.lost, query.effect, query.held)
    return (abs(effect) > NOTHING) == query.follows


def _needed(shape: Shape) -> Iterator[Query]:
    """Whether the effect cannot have been lost without the cause."""
    for effect in shape.names:
        behind = ancestors(shape.edges, effect)
        if any(shape.kind(cause, effect) in _PASSING for cause in causes(shape.edges, effect)):
            continue
        for cause in sorted(behind):
            besides = behind - {cause} - ancestors(shape.edges, cause)
            if any(_is_part(shape, one, cause) for one in besides):
                continue
            if besides:
                why = f"{shape.the(effect)} would be lost as well if {shape.the(min(besides))} alone were"
            elif behind == {cause}:
                why = f"{shape.does(effect, 'depend')} on nothing but {shape.the(cause)}"
            else:
                why = f"whatever else {shape.does(effect, 'depend')} on acts through {shape.the(cause)}"
            yield Supposed(cause, effect, (), not besides, why)


def _is_part(shape: Shape, thing: str, whole: str) -> bool:
    """Whether a thing may be part of another, which is then not as it was when the part is lost: roof and house."""
    return (whole, thing) in shape.edges and shape.kind(whole, thing) == "attachment"


def _needed_agrees(model: StructuralModel, query: Query) -> bool:
    assert isinstance(query, Supposed)
    return is_necessary(model, query.lost, query.effect) == query.follows


COUNTERFACTUAL_REASONING = Task(
    name="counterfactual_reasoning",
    short="CR",
    rung=3,
    kinds=("direct", "chain", "confounding", "collision"),
    is_choice=False,
    queries=_lost_or_not,
    agrees=_reasoned_agrees,
)
NATURAL_DIRECT_EFFECT = Task(
    name="natural_direct_effect",
    short="NDE",
    rung=3,
    kinds=("chain", "confounding"),
    is_choice=False,
    queries=_direct,
    agrees=_direct_agrees,
)
NATURAL_INDIRECT_EFFECT = Task(
    name="natural_indirect_effect",
    short="NIE",
    rung=3,
    kinds=("chain", "confounding"),
    is_choice=False,
    queries=_indirect,
    agrees=_indirect_agrees,
)
SUFFICIENT_CAUSE = Task(
    name="sufficient_cause",
    short="SC",
    rung=3,
    kinds=("direct", "chain", "confounding"),
    is_choice=False,
    queries=_lost_or_not,
    agrees=_sufficed_agrees,
)
NECESSARY_CAUSE = Task(
    name="necessary_cause",
    short="NC",
    rung=3,
    kinds=("direct", "chain", "confounding"),
    is_choice=False,
    queries=_needed,
    agrees=_needed_agrees,
)
