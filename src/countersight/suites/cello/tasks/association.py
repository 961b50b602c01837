"""Rung 1, association: what is seen together."""

from collections.abc import Iterator
from itertools import combinations

from countersight.causal import StructuralModel, association, causes, is_separated
from countersight.suites.cello.tasks.query import NOTHING, Query, Shape, Sought, Task, even_chances, is_lost


def _collided(shape: Shape) -> Iterator[Query]:
    """Two causes that have nothing to do with each other until their common effect is looked at."""
    for effect in shape.names:
        for one, other in combinations(sorted(causes(shape.edges, effect)), 2):
            if is_separated(shape.edges, one, other) and not is_separated(shape.edges, one, other, (effect,)):
                first, second = sorted((one, other), key=list(shape.names).index)
                why = (
                    f"{shape.does(effect, 'depend')} on {shape.the(first)} and on {shape.the(second)}, which do not "
                    f"depend on each other; once {shape.does(effect, 'be')} looked at, the one tells of the other"
                )
                yield Sought((effect,), (first, second), (), why)


def _collided_agrees(model: StructuralModel, query: Query) -> bool:
    assert isinstance(query, Sought)
    (effect,), (one, other), chances = query.about, query.answer, even_chances(model)
    apart = abs(association(model, chances, one, other)) < NOTHING
    opened = (association(model, chances, one, other, {effect: seen}) for seen in (True, False))
    return (
        apart
        and any(abs(together) > NOTHING for together in opened)
        and all(is_lost(model, effect, cause) for cause in query.answer)
    )


COLLIDER_BIAS = Task(
    name="collider_bias",
    short="CB",
    rung=1,
    kinds=("collision",),
    is_choice=True,
    queries=_collided,
    agrees=_collided_agrees,
)
