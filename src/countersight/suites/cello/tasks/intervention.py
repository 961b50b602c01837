"""Rung 2, intervention: the effects of actions."""

from collections.abc import Iterator

from countersight.causal import (
    StructuralModel,
    adjusted,
    ancestors,
    backdoor_set,
    controlled_direct_effect,
    descendants,
    effects,
    mediators,
    probability,
)
from countersight.suites.cello.tasks.query import NOTHING, Query, Shape, Sought, Supposed, Task, even_chances, is_lost

_NESTING = frozenset({"support", "containment"})
"""Kinds of cause that carry on: what stands on a table stands, through it, on the floor."""


def is_direct_beyond_doubt(shape: Shape, cause: str, effect: str) -> bool:
    """Whether an edge says more than that one thing bears another that bears the third.

    "Cup on table", "table on floor" and "cup on floor" tell of one pile: with the table held, the floor does nothing
    more for the cup.
    """
    between = descendants(shape.edges, cause) & ancestors(shape.edges, effect)
    return not between or shape.kind(cause, effect) not in _NESTING


def _confounded(shape: Shape) -> Iterator[Query]:
    """What acts on a thing and on another cause of it."""
    for cause, effect in sorted(shape.edges):
        around = frozenset(edge for edge in shape.edges if cause not in edge)
        for common in sorted(ancestors(shape.edges, cause)):
            if effect in descendants(around, common):
                why = (
                    f"{shape.does(effect, 'depend')} on {shape.the(cause)}, and both depend on {shape.the(common)}, "
                    "which is behind what is seen of the two together"
                )
                yield Sought((effect,), (common, cause), (), why)


def _confounded_agrees(model: StructuralModel, query: Query) -> bool:
    assert isinstance(query, Sought)
    (effect,), (common, cause) = query.about, query.answer
    return is_lost(model, cause, common) and is_lost(model, effect, common) and _is_biased(model, cause, effect, ())


def _adjusted(shape: Shape) -> Iterator[Query]:
    """What to control for, by the backdoor criterion."""
    for cause, effect in sorted(shape.edges):
        controlled = backdoor_set(shape.edges, cause, effect)
        if controlled:
            answer = tuple(sorted(controlled, key=list(shape.names).index))
            listed = " and ".join(map(shape.the, answer))
            why = (
                f"{shape.does(answer[0], 'act')} on {shape.the(cause)} and on {shape.the(effect)}: only with {listed} "
                f"unchanged does a comparison show what {shape.does(cause, 'do')}"
            )
            yield Sought((cause, effect), answer, (), why)


def _adjusted_agrees(model: StructuralModel, query: Query) -> bool:
    assert isinstance(query, Sought)
    cause, effect = query.about
    return _is_biased(model, cause, effect, ()) and not _is_biased(model, cause, effect, query.answer)


def _is_biased(model: StructuralModel, cause: str, effect: str, controlled: tuple[str, ...]) -> bool:
    """Whether what is seen, controlled for so much, is not what comes of doing."""
    chances = even_chances(model)
    return any(
        abs(
            adjusted(model, chances, cause, effect, value, controlled)
            - probability(model, chances, {effect: True}, do={cause: value})
        )
        > NOTHING
        for value in (True, False)
    )


def _controlled(shape: Shape) -> Iterator[Query]:
    """One thing lost while another is held where it is, of a cause and a true mediator of it.

    Either may be held: the mediator, or what is before it, as in the paper's "if the state of the wall is not changed
    and the shelves become unstable". Which of the two is nearer is what the picture tells and the words do not.
    """
    for effect in shape.names:
        for cause in sorted(ancestors(shape.edges, effect)):
            for between in sorted(mediators(shape.edges, cause, effect)):
                if effect not in effects(shape.edges, cause):
                    why = f"with {shape.the(between)} held, {shape.does(cause, 'do')} nothing to {shape.the(effect)}"
                    yield Supposed(cause, effect, (between,), False, why)
                elif is_direct_beyond_doubt(shape, cause, effect):
                    why = f"{shape.does(effect, 'depend')} on {shape.the(cause)} directly as well"
                    yield Supposed(cause, effect, (between,), True, why)
                else:
                    continue
                why = f"{shape.does(effect, 'depend')} on {shape.the(between)} directly"
                yield Supposed(between, effect, (cause,), True, why)


def _controlled_agrees(model: StructuralModel, query: Query) -> bool:
    assert isinstance(query, Supposed)
    held = dict.fromkeys(query.held, True)
    effect = controlled_direct_effect(model, even_chances(model), query.lost, query.effect, held)
    return (abs(effect) > NOTHING) == query.follows


CONFOUNDER_IDENTIFICATION = Task(
    name="confounder_identification",
    short="CoI",
    rung=2,
    kinds=("confounding",),
    is_choice=True,
    queries=_confounded,
    agrees=_confounded_agrees,
)
BACKDOOR_ADJUSTMENT_SET = Task(
    name="backdoor_adjustment_set",
    short="BAS",
    rung=2,
    kinds=("confounding",),
    is_choice=True,
    queries=_adjusted,
    agrees=_adjusted_agrees,
)
CONTROLLED_DIRECT_EFFECT = Task(
    name="controlled_direct_effect",
    short="CDE",
    rung=2,
    kinds=("chain", "confounding"),
    is_choice=False,
    queries=_controlled,
    agrees=_controlled_agrees,
)
