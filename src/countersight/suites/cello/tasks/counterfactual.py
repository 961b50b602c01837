"""Rung 3, counterfactual: what would have been."""

from collections.abc import Iterator

from countersight.causal import (
    StructuralModel,
    ancestors,
    causes,
    descendants,
    effects,
    is_necessary,
    is_sure,
    mediators,
    natural_direct_effect,
    natural_indirect_effect,
    verb,
)
from countersight.suites.cello.tasks.intervention import is_direct_beyond_doubt
from countersight.suites.cello.tasks.query import NOTHING, Query, Shape, Supposed, Task, even_chances, is_lost


def _lost_or_not(shape: Shape) -> Iterator[Query]:
    """What becomes of one thing when another is lost: one that it depends on, one that depends on it, or neither.

    In a collision only the common effect is lost. Nothing is asked of it: the graph does not say whether one of its
    causes would do. Nor is one cause lost for the other: that no edge joins them does not tell that none bears the
    other, as a table bears the can in which the soda is. In a fork one of the two effects is lost and the other asked
    about.
    """
    if shape.graph.kind == "fork":
        _, lost, effect = shape.names
        yield Supposed(lost, effect, (), False, _why_not(shape, lost, effect))
        return
    for effect in shape.names:
        behind, after = ancestors(shape.edges, effect), descendants(shape.edges, effect)
        if shape.graph.kind == "collision" and behind:
            continue
        for lost in (*shape.names, *shape.beside):
            if lost in behind:
                yield Supposed(
                    lost, effect, (), True, f"{shape.does(effect, 'depend')} on {_by_way_of(shape, lost, effect)}"
                )
            elif lost in after or (behind and lost in shape.beside):
                yield Supposed(lost, effect, (), False, _why_not(shape, lost, effect))


def _by_way_of(shape: Shape, cause: str, effect: str) -> str:
    if effect in effects(shape.edges, cause):
        return shape.the(cause)
    return f"{shape.the(cause)} through " + " and ".join(map(shape.the, sorted(mediators(shape.edges, cause, effect))))


def _why_not(shape: Shape, thing: str, effect: str) -> str:
    """Why a thing does not matter to another."""
    if thing in descendants(shape.edges, effect):
        return f"{shape.does(thing, 'depend')} on {shape.the(effect)}, not the other way about"
    return f"{shape.does(effect, 'do')} not depend on {shape.the(thing)}"


def _reasoned_agrees(model: StructuralModel, query: Query) -> bool:
    assert isinstance(query, Supposed)
    return is_lost(model, query.effect, query.lost) == query.follows


def _sufficed(shape: Shape) -> Iterator[Query]:
    """Whether it is enough for a thing to stay that another does, whatever becomes of the rest.

    Not that a loss is enough, which counterfactual reasoning asks already: enough is the last of a chain, and none of
    several causes.
    """
    for effect in shape.names:
        direct, behind = causes(shape.edges, effect), ancestors(shape.edges, effect)
        if not direct:
            continue
        for kept in (*shape.names, *shape.beside):
            if direct == {kept}:
                why = f"{shape.does(effect, 'depend')} directly on {shape.the(kept)} and on nothing else"
                yield Supposed(kept, effect, (), False, why)
            elif kept in behind:
                rest = " and ".join(map(shape.the, sorted((direct | mediators(shape.edges, kept, effect)) - {kept})))
                yield Supposed(kept, effect, (), True, f"{shape.does(effect, 'depend')} on {rest} as well")
            elif kept != effect and kept in shape.beside:
                yield Supposed(kept, effect, (), True, _why_not(shape, kept, effect))


def _sufficed_agrees(model: StructuralModel, query: Query) -> bool:
    assert isinstance(query, Supposed)
    return is_sure(model, query.lost, query.effect) != query.follows


def _natural(shape: Shape) -> Iterator[tuple[str, str, str]]:
    """A cause, its mediator and the effect of both, where there is a true mediator and the direct edges matter."""
    for effect in shape.names:
        for cause in sorted(ancestors(shape.edges, effect)):
            for between in sorted(mediators(shape.edges, cause, effect)):
                if effect not in effects(shape.edges, cause) or is_direct_beyond_doubt(shape, cause, effect):
                    yield cause, between, effect


def _direct(shape: Shape) -> Iterator[Query]:
    """One thing lost, while the other is as it would have been anyway: the first cause, or its mediator."""
    for cause, between, effect in _natural(shape):
        if effect in effects(shape.edges, cause):
            why = f"{shape.does(effect, 'depend')} on {shape.the(cause)} directly"
            yield Supposed(cause, effect, (between,), True, why)
        else:
            why = f"{shape.does(cause, 'act')} on {shape.the(effect)} only through {shape.the(between)}"
            yield Supposed(cause, effect, (between,), False, why)
        why = f"{shape.does(effect, 'depend')} on {shape.the(between)} directly"
        yield Supposed(between, effect, (cause,), True, why)


def _direct_agrees(model: StructuralModel, query: Query) -> bool:
    assert isinstance(query, Supposed)
    effect = natural_direct_effect(model, even_chances(model), query.lost, query.effect, query.held)
    return (abs(effect) > NOTHING) == query.follows


def _indirect(shape: Shape) -> Iterator[Query]:
    """One thing kept, while the other is as it would have been without it: the mediator, or what is before it.

    In a fork the other changes as well, and what is asked about does not depend on it.
    """
    if shape.graph.kind == "fork":
        cause, changed, effect = shape.names
        kept = f"{shape.the(cause)}, which {verb(shape.name(cause), 'stay')}"
        why = f"{shape.does(effect, 'depend')} on {kept}, and not on {shape.the(changed)}"
        yield Supposed(cause, effect, (changed,), False, why)
        return
    for cause, between, effect in _natural(shape):
        why = (
            f"without {shape.the(cause)}, {shape.the(between)} would be lost, and {shape.does(effect, 'depend')} "
            f"on {shape.the(between)}"
        )
        yield Supposed(cause, effect, (between,), True, why)
        why = f"{shape.does(cause, 'do')} not depend on {shape.the(between)} and would be as before"
        yield Supposed(between, effect, (cause,), False, why)


def _indirect_agrees(model: StructuralModel, query: Query) -> bool:
    assert isinstance(query, Supposed)
    effect = natural_indirect_effect(model, even_chances(model), query.lost, query.effect, query.held)
    return (abs(effect) > NOTHING) == query.follows


def _needed(shape: Shape) -> Iterator[Query]:
    """Whether the effect cannot have been lost without the cause."""
    for effect in shape.names:
        behind = ancestors(shape.edges, effect)
        if not behind:
            continue
        for cause in (*sorted(behind), *shape.beside):
            besides = behind - {cause} - ancestors(shape.edges, cause)
            if any(_is_part(shape, one, cause) for one in besides):
                continue
            if cause not in behind:
                why = _why_not(shape, cause, effect)
            elif besides:
                why = f"{shape.the(effect)} would be lost as well if {shape.the(min(besides))} alone were"
            elif behind == {cause}:
                why = f"{shape.does(effect, 'depend')} on nothing but {shape.the(cause)}"
            else:
                why = f"whatever else {shape.does(effect, 'depend')} on acts through {shape.the(cause)}"
            yield Supposed(cause, effect, (), cause in behind and not besides, why)


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
    kinds=("direct", "chain", "confounding", "collision", "fork"),
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
    kinds=("chain", "confounding", "fork"),
    is_choice=False,
    queries=_indirect,
    agrees=_indirect_agrees,
)
SUFFICIENT_CAUSE = Task(
    name="sufficient_cause",
    short="SC",
    rung=3,
    kinds=("direct", "chain", "confounding", "collision"),
    is_choice=False,
    queries=_sufficed,
    agrees=_sufficed_agrees,
)
NECESSARY_CAUSE = Task(
    name="necessary_cause",
    short="NC",
    rung=3,
    kinds=("direct", "chain", "confounding", "collision"),
    is_choice=False,
    queries=_needed,
    agrees=_needed_agrees,
)
