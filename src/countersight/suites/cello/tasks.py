"""The twelve causal tasks on four rungs (CELLO 4.2): their questions about a causal graph, and the gold answers.

The paths of the graph determine the possible questions. A structural model of the graph determines the answer, by
simulation and intervention.

A thing is lost when it is no longer as shown in the picture. Every cause in a graph is needed: a thing stays as it is
only as long as all its causes do.
"""

from collections.abc import Callable, Iterator
from itertools import combinations
from typing import Final

from countersight.causal import (
    CausalGraph,
    GraphKind,
    StructuralModel,
    adjusted_probability,
    ancestors,
    association,
    causes,
    controlled_direct_effect,
    counterfactual_value,
    descendants,
    is_necessary,
    is_sufficient,
    mediators,
    natural_direct_effect,
    natural_indirect_effect,
    probability,
)
from countersight.suites.cello.queries import ChoiceQuery, Query, Shape, Task, YesNoQuery
from countersight.suites.cello.rules import (
    any_food,
    changes_nothing,
    is_force,
    is_ground,
    is_obvious_support,
    is_part_or_garment,
    is_paved,
    is_writing,
    may_hang_on_a_nail,
    may_leave,
    needs_another,
    one_may_suffice,
)

RUNGS = ("discovery", "association", "intervention", "counterfactual")
"""The rungs of the ladder of causation, by number."""
_UNDISTURBED: Final = 0.9
"""The probability that a thing is left undisturbed, for effects that depend on one; no gold answer depends on its
value."""
_ZERO: Final = 1e-12
"""Effects smaller than this count as zero; results are exact except for rounding."""
_NESTING = frozenset({"support", "containment"})
"""Transitive kinds of cause: what stands on a table also stands indirectly on the floor."""


Supposition = tuple[str, str, tuple[str, ...]]
"""The content of a yes/no question: a possible cause, the effect asked about, and things whose state is fixed."""


def _yes_no(
    find: Callable[[Shape], Iterator[Supposition]], goes: Callable[[StructuralModel, str, str, tuple[str, ...]], bool]
) -> Callable[[Shape, StructuralModel], Iterator[Query]]:
    """Return a function for the yes/no queries of a task, from its suppositions and their answers."""

    def queries(shape: Shape, model: StructuralModel) -> Iterator[Query]:
        return (YesNoQuery(*supposed, goes(model, *supposed)) for supposed in find(shape))

    return queries


def _choice(
    find: Callable[[Shape], Iterator[ChoiceQuery]], holds: Callable[[StructuralModel, ChoiceQuery], bool]
) -> Callable[[Shape, StructuralModel], Iterator[Query]]:
    """Return a function for the queries of a task with options; it yields those whose answer the model confirms."""

    def queries(shape: Shape, model: StructuralModel) -> Iterator[Query]:
        return (query for query in find(shape) if holds(model, query))

    return queries


def _is_lost(model: StructuralModel, effect: str, cause: str) -> bool:
    """Return whether the effect would be lost if the cause were, with everything else as in the picture."""
    return counterfactual_value(model, effect, {cause: False}, dict.fromkeys(model.causes, True)) is False


def _chances(model: StructuralModel) -> dict[str, float]:
    return dict.fromkeys(model.causes, _UNDISTURBED)


# Questions with options


def _find_cause(shape: Shape) -> Iterator[ChoiceQuery]:
    """Yield queries for the only cause of a thing."""
    for effect in shape.names:
        found = ancestors(shape.edges, effect)
        if len(found) == 1:
            (cause,) = found
            others = [thing for thing in shape.names if thing not in (cause, effect)]
            yield ChoiceQuery((effect,), (cause,), tuple(others))


def _is_only_cause(model: StructuralModel, query: ChoiceQuery) -> bool:
    (effect,), (cause,) = query.about, query.answer
    return _is_lost(model, effect, cause) and not any(_is_lost(model, effect, other) for other in query.partial)


def _find_far_cause(shape: Shape) -> Iterator[ChoiceQuery]:
    """Yield queries for a cause that acts on a thing only through another."""
    for effect in shape.names:
        direct = causes(shape.edges, effect)
        for cause in sorted(ancestors(shape.edges, effect) - direct):
            for between in sorted(direct & descendants(shape.edges, cause)):
                yield ChoiceQuery((effect,), (cause,), (between,))


def _find_far_effect(shape: Shape) -> Iterator[ChoiceQuery]:
    """Yield queries for a thing on which a cause acts only through another."""
    return (ChoiceQuery(far.answer, far.about, far.partial) for far in _find_far_cause(shape))


def _is_far_cause(model: StructuralModel, query: ChoiceQuery) -> bool:
    (effect,), (cause,), (between,), chances = query.about, query.answer, query.partial, _chances(model)
    alone = controlled_direct_effect(model, chances, cause, effect, {between: True})
    near = controlled_direct_effect(model, chances, between, effect, {cause: True})
    return _is_lost(model, effect, cause) and abs(alone) < _ZERO < abs(near)


def _is_far_effect(model: StructuralModel, query: ChoiceQuery) -> bool:
    return _is_far_cause(model, ChoiceQuery(query.answer, query.about, query.partial))


def _find_two_causes(shape: Shape) -> Iterator[ChoiceQuery]:
    """Yield queries for two causes that are independent until their common effect is observed."""
    for effect in shape.names:
        direct = [thing for thing in shape.names if thing in causes(shape.edges, effect)]
        for causes_of_both in combinations(direct, 2):
            yield ChoiceQuery((effect,), causes_of_both)


def _is_collision(model: StructuralModel, query: ChoiceQuery) -> bool:
    (effect,), (one, other), chances = query.about, query.answer, _chances(model)
    opened = (association(model, chances, one, other, {effect: seen}) for seen in (True, False))
    return (
        abs(association(model, chances, one, other)) < _ZERO
        and any(abs(together) > _ZERO for together in opened)
        and all(_is_lost(model, effect, cause) for cause in query.answer)
    )


def _find_confounder(shape: Shape) -> Iterator[ChoiceQuery]:
    """Yield queries for a cause of a thing, and a common cause of both."""
    for cause, effect in sorted(shape.edges):
        around = frozenset(edge for edge in shape.edges if cause not in edge)
        for common in sorted(ancestors(shape.edges, cause)):
            if effect in descendants(around, common):
                yield ChoiceQuery((effect,), (common, cause))


def _is_confounded(model: StructuralModel, query: ChoiceQuery) -> bool:
    (effect,), (common, cause) = query.about, query.answer
    both_lost = _is_lost(model, cause, common) and _is_lost(model, effect, common)
    return both_lost and _is_biased(model, cause, effect, ())


def _find_backdoor_set(shape: Shape) -> Iterator[ChoiceQuery]:
    """Yield queries about the one thing to control for; effects of the cause are excluded (Pearl 1993)."""
    for cause, effect in sorted(shape.edges):
        for other in sorted(set(shape.names) - {cause, effect} - descendants(shape.edges, cause)):
            yield ChoiceQuery((cause, effect), (other,))


def _is_backdoor_set(model: StructuralModel, query: ChoiceQuery) -> bool:
    cause, effect = query.about
    return _is_biased(model, cause, effect, ()) and not _is_biased(model, cause, effect, query.answer)


def _is_biased(model: StructuralModel, cause: str, effect: str, controlled: tuple[str, ...]) -> bool:
    """Return whether the association, with these things controlled for, differs from the effect of an intervention."""
    chances = _chances(model)
    return any(
        abs(
            adjusted_probability(model, chances, cause, effect, value, controlled)
            - probability(model, chances, {effect: True}, do={cause: value})
        )
        > _ZERO
        for value in (True, False)
    )


# Yes/no questions: what they suppose


def _one_held(shape: Shape) -> Iterator[Supposition]:
    """Yield the loss of a cause while its mediator is held in place, and the reverse.

    The cause may be held too, as in the paper's "if the state of the wall is not changed and the shelves become
    unstable". Only the picture shows which of the two is nearer to the effect. A direct edge must not merely follow
    from the other two: "cup on table", "table on floor" and "cup on floor" describe a single stack, and with the table
    held in place, the floor has no further effect on the cup.
    """
    for effect in shape.names:
        for cause in sorted(ancestors(shape.edges, effect)):
            for between in sorted(mediators(shape.edges, cause, effect)):
                if shape.kind(cause, effect) not in _NESTING:
                    yield cause, effect, (between,)
                    yield between, effect, (cause,)


def _one_changed(shape: Shape) -> Iterator[Supposition]:
    """Yield a cause and its mediator: one is kept, and the other is as it would be without it.

    In a fork the other effect changes as well, and the thing asked about does not depend on it.
    """
    if shape.graph.kind == "fork":
        cause, changed, effect = shape.names
        yield cause, effect, (changed,)
    else:
        yield from _one_held(shape)


def _one_lost(shape: Shape) -> Iterator[Supposition]:
    """Yield the loss of one thing and another thing asked about: an effect of it, a cause of it, or neither.

    In a collision only the common effect is lost. It is never the thing asked about: the graph does not say whether one
    of its causes would be enough. Questions about one cause after the loss of another are excluded too: without an
    edge between them, one may still support the other, as a table supports the can that contains the soda. In a fork,
    one of the two effects is lost and the other is asked about.
    """
    if shape.graph.kind == "fork":
        _, lost, effect = shape.names
        yield lost, effect, ()
        return
    for effect in shape.names:
        behind, after = ancestors(shape.edges, effect), descendants(shape.edges, effect)
        if shape.graph.kind == "collision" and behind:
            continue
        for lost in (*shape.names, *shape.bystanders):
            if lost in behind | after or (behind and lost in shape.bystanders):
                yield lost, effect, ()


def _one_kept(shape: Shape) -> Iterator[Supposition]:
    """Yield a thing that stays, whatever happens to the rest, and one of its effects."""
    for effect in shape.names:
        behind = ancestors(shape.edges, effect)
        for kept in (*shape.names, *shape.bystanders) if behind else ():
            if kept in behind or kept in shape.bystanders:
                yield kept, effect, ()


def _effect_lost(shape: Shape) -> Iterator[Supposition]:
    """Yield a lost effect, and a thing that may have been lost before it."""
    for effect in shape.names:
        behind = ancestors(shape.edges, effect)
        for cause in (*sorted(behind), *shape.bystanders) if behind else ():
            # Losing a part also changes the whole: a house without its roof.
            besides = behind - {cause} - ancestors(shape.edges, cause)
            if not any(shape.kind(cause, one) == "attachment" for one in besides):
                yield cause, effect, ()


# Yes/no questions: whether the effect goes


def _goes_if_lost(model: StructuralModel, cause: str, effect: str, _held: tuple[str, ...]) -> bool:
    return _is_lost(model, effect, cause)


def _goes_directly(model: StructuralModel, cause: str, effect: str, held: tuple[str, ...]) -> bool:
    state = dict.fromkeys(held, True)
    return abs(controlled_direct_effect(model, _chances(model), cause, effect, state)) > _ZERO


def _goes_naturally(model: StructuralModel, cause: str, effect: str, held: tuple[str, ...]) -> bool:
    return abs(natural_direct_effect(model, _chances(model), cause, effect, held)) > _ZERO


def _goes_indirectly(model: StructuralModel, cause: str, effect: str, held: tuple[str, ...]) -> bool:
    return abs(natural_indirect_effect(model, _chances(model), cause, effect, held)) > _ZERO


def _goes_if_only_kept(model: StructuralModel, cause: str, effect: str, _held: tuple[str, ...]) -> bool:
    return not is_sufficient(model, cause, effect)


def _went_before(model: StructuralModel, cause: str, effect: str, _held: tuple[str, ...]) -> bool:
    return is_necessary(model, cause, effect)


_THREE: Final[tuple[GraphKind, ...]] = ("chain", "confounding")
_ANY: Final[tuple[GraphKind, ...]] = ("direct", "chain", "confounding", "collision")
_FOR_SURE: Final = (one_may_suffice, may_leave, needs_another, may_hang_on_a_nail)
"""The rules of tasks that ask about everything that could matter."""
TASKS = {
    task.name: task
    for task in (
        Task(
            "causality_identification", "CaI", 0, _ANY[:3], _choice(_find_cause, _is_only_cause),
            acting_kinds=("direct",), rules=(one_may_suffice,),
        ),
        Task(
            "causal_attribution", "CA", 0, ("chain",), _choice(_find_far_cause, _is_far_cause),
            acting_kinds=("chain",),
        ),
        Task(
            "abstract_reasoning", "AR", 0, ("chain",), _choice(_find_far_effect, _is_far_effect),
            asks_for_effect=True, acting_kinds=("chain",), rules=(any_food, is_part_or_garment),
        ),
        Task(
            "collider_bias", "CB", 1, ("collision",), _choice(_find_two_causes, _is_collision),
            rules=(may_leave,),
        ),
        Task("confounder_identification", "CoI", 2, ("confounding",), _choice(_find_confounder, _is_confounded)),
        Task("backdoor_adjustment_set", "BAS", 2, ("confounding",), _choice(_find_backdoor_set, _is_backdoor_set)),
        Task(
            "controlled_direct_effect", "CDE", 2, _THREE, _yes_no(_one_held, _goes_directly),
            is_choice=False, rules=(one_may_suffice,),
        ),
        Task(
            "counterfactual_reasoning", "CR", 3, (*_ANY, "fork"), _yes_no(_one_lost, _goes_if_lost),
            is_choice=False, acting_kinds=("direct", "fork"), rules=(one_may_suffice, is_obvious_support, is_force),
        ),
        Task(
            "natural_direct_effect", "NDE", 3, _THREE, _yes_no(_one_held, _goes_naturally),
            is_choice=False, rules=(one_may_suffice,),
        ),
        Task(
            "natural_indirect_effect", "NIE", 3, (*_THREE, "fork"),
            _yes_no(_one_changed, _goes_indirectly),
            is_choice=False, rules=(one_may_suffice, changes_nothing, is_ground),
        ),
        Task(
            "sufficient_cause", "SC", 3, _ANY, _yes_no(_one_kept, _goes_if_only_kept),
            is_choice=False, rules=(*_FOR_SURE, is_ground),
        ),
        Task(
            "necessary_cause", "NC", 3, _ANY, _yes_no(_effect_lost, _went_before),
            is_choice=False, rules=(*_FOR_SURE, is_writing, is_paved),
        ),
    )
}  # fmt: skip
"""The tasks by their published names, in the order of the rungs."""


def queries(task: Task, graph: CausalGraph, bystanders: tuple[str, ...] = ()) -> list[Query]:
    """Return all queries of a task for a graph and bystanders."""
    if graph.kind not in task.kinds:
        return []
    shape = Shape.of(graph, bystanders)
    return list(task.queries(shape, shape.model()))
