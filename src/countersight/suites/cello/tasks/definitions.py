"""The twelve causal tasks on four rungs (CELLO 4.2): what each can ask of a causal graph, and the gold answer.

Gold answers follow from the paths of the graph. Each task also puts the same question to a structural model of the
graph, by simulation and intervention; only questions on which both agree are asked.

A thing is lost when it is no longer as the picture shows it. Every cause in a graph is needed: a thing stays as it is
only while all its causes do.
"""

from collections.abc import Iterator
from itertools import combinations
from typing import Final

from countersight.causal import (
    CausalGraph,
    GraphKind,
    StructuralModel,
    adjusted_probability,
    ancestors,
    association,
    backdoor_set,
    causes,
    controlled_direct_effect,
    descendants,
    effects,
    is_necessary,
    is_separated,
    is_sufficient,
    mediators,
    natural_direct_effect,
    natural_indirect_effect,
    probability,
    verb,
)
from countersight.suites.cello.tasks.query import (
    ZERO_TOLERANCE,
    ChoiceQuery,
    Query,
    Shape,
    Task,
    YesNoQuery,
    is_lost,
    uniform_probabilities,
)
from countersight.suites.cello.tasks.rules import (
    ANY_FOOD,
    ENOUGH_WITHOUT_NAIL,
    FASTENED,
    HELD_UNCHANGED,
    MAY_LEAVE,
    NEEDED_WITHOUT_NAIL,
    NEEDS_ANOTHER,
    OBVIOUS_SUPPORT,
    ONE_MAY_SUFFICE,
    PART_OR_GARMENT,
)

RUNGS = ("discovery", "association", "intervention", "counterfactual")
"""The rungs of the ladder of causation, by number."""
_NESTING = frozenset({"support", "containment"})
"""Transitive kinds of cause: what stands on a table also stands, through it, on the floor."""


def _identify_cause(shape: Shape) -> Iterator[ChoiceQuery]:
    """Yield queries for the only cause of a thing."""
    for effect in shape.names:
        found = ancestors(shape.edges, effect)
        if len(found) == 1:
            (cause,) = found
            why = f"{shape.does(effect, 'depend')} on {shape.the(cause)} and on nothing else in the graph"
            others = [thing for thing in shape.names if thing not in (cause, effect)]
            yield ChoiceQuery((effect,), (cause,), tuple(others), why)


def _is_only_cause(model: StructuralModel, query: ChoiceQuery) -> bool:
    (effect,), (cause,) = query.about, query.answer
    return is_lost(model, effect, cause) and not any(is_lost(model, effect, other) for other in query.partial)


def _chains(shape: Shape) -> Iterator[tuple[str, str, str, str]]:
    """Yield a cause that acts on a thing only through another, the thing between, the effect, and the reason."""
    for effect in shape.names:
        direct = causes(shape.edges, effect)
        for cause in sorted(ancestors(shape.edges, effect) - direct):
            for between in sorted(direct & descendants(shape.edges, cause)):
                why = f"{shape.does(cause, 'act')} on {shape.the(effect)} through {shape.the(between)} alone"
                yield cause, between, effect, why


def _far_cause(shape: Shape) -> Iterator[ChoiceQuery]:
    """Yield queries for a cause that acts on a thing only through another."""
    for cause, between, effect, why in _chains(shape):
        yield ChoiceQuery((effect,), (cause,), (between,), why)


def _is_far_cause(model: StructuralModel, query: ChoiceQuery) -> bool:
    return _acts_only_through(model, *query.answer, *query.partial, *query.about)


def _far_effect(shape: Shape) -> Iterator[ChoiceQuery]:
    """Yield queries for a thing on which a cause acts only through another."""
    for cause, between, effect, why in _chains(shape):
        yield ChoiceQuery((cause,), (effect,), (between,), why)


def _is_far_effect(model: StructuralModel, query: ChoiceQuery) -> bool:
    return _acts_only_through(model, *query.about, *query.partial, *query.answer)


def _acts_only_through(model: StructuralModel, cause: str, between: str, effect: str) -> bool:
    chances = uniform_probabilities(model)
    alone = controlled_direct_effect(model, chances, cause, effect, {between: True})
    near = controlled_direct_effect(model, chances, between, effect, {cause: True})
    return is_lost(model, effect, cause) and abs(alone) < ZERO_TOLERANCE < abs(near)


def _collide(shape: Shape) -> Iterator[ChoiceQuery]:
    """Yield queries for two causes that are independent until their common effect is observed."""
    for effect in shape.names:
        for one, other in combinations(sorted(causes(shape.edges, effect)), 2):
            if is_separated(shape.edges, one, other) and not is_separated(shape.edges, one, other, (effect,)):
                first, second = sorted((one, other), key=list(shape.names).index)
                why = (
                    f"{shape.does(effect, 'depend')} on {shape.the(first)} and on {shape.the(second)}, which do not "
                    f"depend on each other; once {shape.does(effect, 'be')} looked at, the one tells of the other"
                )
                yield ChoiceQuery((effect,), (first, second), (), why)


def _is_collision(model: StructuralModel, query: ChoiceQuery) -> bool:
    (effect,), (one, other), chances = query.about, query.answer, uniform_probabilities(model)
    opened = (association(model, chances, one, other, {effect: seen}) for seen in (True, False))
    return (
        abs(association(model, chances, one, other)) < ZERO_TOLERANCE
        and any(abs(together) > ZERO_TOLERANCE for together in opened)
        and all(is_lost(model, effect, cause) for cause in query.answer)
    )


def _confound(shape: Shape) -> Iterator[ChoiceQuery]:
    """Yield queries for a cause of a thing, and a common cause of both."""
    for cause, effect in sorted(shape.edges):
        around = frozenset(edge for edge in shape.edges if cause not in edge)
        for common in sorted(ancestors(shape.edges, cause)):
            if effect in descendants(around, common):
                why = (
                    f"{shape.does(effect, 'depend')} on {shape.the(cause)}, and both depend on {shape.the(common)}, "
                    "which is behind what is seen of the two together"
                )
                yield ChoiceQuery((effect,), (common, cause), (), why)


def _is_confounded(model: StructuralModel, query: ChoiceQuery) -> bool:
    (effect,), (common, cause) = query.about, query.answer
    return is_lost(model, cause, common) and is_lost(model, effect, common) and _is_biased(model, cause, effect, ())


def _adjust(shape: Shape) -> Iterator[ChoiceQuery]:
    """Yield queries about what to control for, by the backdoor criterion."""
    for cause, effect in sorted(shape.edges):
        controlled = backdoor_set(shape.edges, cause, effect)
        if controlled:
            answer = tuple(sorted(controlled, key=list(shape.names).index))
            listed = " and ".join(map(shape.the, answer))
            why = (
                f"{shape.does(answer[0], 'act')} on {shape.the(cause)} and on {shape.the(effect)}: only with {listed} "
                f"unchanged does a comparison show what {shape.does(cause, 'do')}"
            )
            yield ChoiceQuery((cause, effect), answer, (), why)


def _is_biased(model: StructuralModel, cause: str, effect: str, controlled: tuple[str, ...]) -> bool:
    """Return whether the association, with these things controlled for, differs from the effect of an intervention."""
    chances = uniform_probabilities(model)
    return any(
        abs(
            adjusted_probability(model, chances, cause, effect, value, controlled)
            - probability(model, chances, {effect: True}, do={cause: value})
        )
        > ZERO_TOLERANCE
        for value in (True, False)
    )


def _is_backdoor_set(model: StructuralModel, query: ChoiceQuery) -> bool:
    cause, effect = query.about
    return _is_biased(model, cause, effect, ()) and not _is_biased(model, cause, effect, query.answer)


def _mediated(shape: Shape) -> Iterator[tuple[str, str, str, bool]]:
    """Yield a cause, its mediator, their common effect, and whether the cause also acts directly.

    A direct edge must not merely follow from the other two: "cup on table", "table on floor" and "cup on floor"
    describe one pile, and with the table held in place, the floor has no further effect on the cup.
    """
    for effect in shape.names:
        for cause in sorted(ancestors(shape.edges, effect)):
            for between in sorted(mediators(shape.edges, cause, effect)):
                is_direct = effect in effects(shape.edges, cause)
                if not is_direct or shape.kind(cause, effect) not in _NESTING:
                    yield cause, between, effect, is_direct


def _hold(shape: Shape) -> Iterator[YesNoQuery]:
    """Yield queries in which either a cause or its mediator is lost while the other is held in place.

    The cause may be held too, as in the paper's "if the state of the wall is not changed and the shelves become
    unstable". Only the picture shows which of the two is nearer to the effect.
    """
    for cause, between, effect, is_direct in _mediated(shape):
        why = f"{shape.does(cause, 'act')} on {shape.the(effect)} only through {shape.the(between)}"
        if is_direct:
            why = f"{shape.does(effect, 'depend')} on {shape.the(cause)} directly as well"
        yield YesNoQuery(cause, effect, (between,), is_direct, why)
        yield YesNoQuery(
            between, effect, (cause,), True, f"{shape.does(effect, 'depend')} on {shape.the(between)} directly"
        )


def _is_controlled_effect(model: StructuralModel, query: YesNoQuery) -> bool:
    held = dict.fromkeys(query.held, True)
    effect = controlled_direct_effect(model, uniform_probabilities(model), query.cause, query.effect, held)
    return (abs(effect) > ZERO_TOLERANCE) == query.effect_goes


def _take_away(shape: Shape) -> Iterator[YesNoQuery]:
    """Yield queries about what happens to one thing when another is lost: a cause of it, an effect of it, or neither.

    In a collision only the common effect is lost. It is never the thing asked about: the graph does not say whether one
    of its causes would be enough. Nor does a query remove one cause and ask about the other: without an edge between
    them, one may still support the other, as a table supports the can that contains the soda. In a fork one of the two
    effects is lost and the other asked about.
    """
    if shape.graph.kind == "fork":
        _, lost, effect = shape.names
        yield YesNoQuery(lost, effect, (), False, _why_not(shape, lost, effect))
        return
    for effect in shape.names:
        behind, after = ancestors(shape.edges, effect), descendants(shape.edges, effect)
        if shape.graph.kind == "collision" and behind:
            continue
        for lost in (*shape.names, *shape.bystanders):
            if lost in behind:
                through = (
                    ""
                    if effect in effects(shape.edges, lost)
                    else " through " + " and ".join(map(shape.the, sorted(mediators(shape.edges, lost, effect))))
                )
                why = f"{shape.does(effect, 'depend')} on {shape.the(lost)}{through}"
                yield YesNoQuery(lost, effect, (), True, why)
            elif lost in after or (behind and lost in shape.bystanders):
                yield YesNoQuery(lost, effect, (), False, _why_not(shape, lost, effect))


def _is_loss(model: StructuralModel, query: YesNoQuery) -> bool:
    return is_lost(model, query.effect, query.cause) == query.effect_goes


def _why_not(shape: Shape, thing: str, effect: str) -> str:
    """Return the reason why a thing does not matter to another."""
    if thing in descendants(shape.edges, effect):
        return f"{shape.does(thing, 'depend')} on {shape.the(effect)}, not the other way about"
    return f"{shape.does(effect, 'do')} not depend on {shape.the(thing)}"


def _suffice(shape: Shape) -> Iterator[YesNoQuery]:
    """Yield queries on whether it is enough for a thing to stay that another stays, whatever happens to the rest.

    Counterfactual reasoning already asks whether a loss is enough. The last cause of a chain is enough to keep its
    effect; one of several causes is not.
    """
    for effect in shape.names:
        direct, behind = causes(shape.edges, effect), ancestors(shape.edges, effect)
        if not direct:
            continue
        for kept in (*shape.names, *shape.bystanders):
            if direct == {kept}:
                why = f"{shape.does(effect, 'depend')} directly on {shape.the(kept)} and on nothing else"
                yield YesNoQuery(kept, effect, (), False, why)
            elif kept in behind:
                rest = " and ".join(map(shape.the, sorted((direct | mediators(shape.edges, kept, effect)) - {kept})))
                yield YesNoQuery(kept, effect, (), True, f"{shape.does(effect, 'depend')} on {rest} as well")
            elif kept != effect and kept in shape.bystanders:
                yield YesNoQuery(kept, effect, (), True, _why_not(shape, kept, effect))


def _is_insufficient(model: StructuralModel, query: YesNoQuery) -> bool:
    return is_sufficient(model, query.cause, query.effect) != query.effect_goes


def _is_natural_direct(model: StructuralModel, query: YesNoQuery) -> bool:
    effect = natural_direct_effect(model, uniform_probabilities(model), query.cause, query.effect, query.held)
    return (abs(effect) > ZERO_TOLERANCE) == query.effect_goes


def _is_natural_indirect(model: StructuralModel, query: YesNoQuery) -> bool:
    effect = natural_indirect_effect(model, uniform_probabilities(model), query.cause, query.effect, query.held)
    return (abs(effect) > ZERO_TOLERANCE) == query.effect_goes


def _indirect(shape: Shape) -> Iterator[YesNoQuery]:
    """Yield queries in which, of a cause and its mediator, one is kept while the other is as it would be without the
    first.

    In a fork the other effect changes as well, and the thing asked about does not depend on it.
    """
    if shape.graph.kind == "fork":
        cause, changed, effect = shape.names
        kept = f"{shape.the(cause)}, which {verb(shape.name(cause), 'stay')}"
        why = f"{shape.does(effect, 'depend')} on {kept}, and not on {shape.the(changed)}"
        yield YesNoQuery(cause, effect, (changed,), False, why)
        return
    for cause, between, effect, _ in _mediated(shape):
        why = (
            f"without {shape.the(cause)}, {shape.the(between)} would be lost, and {shape.does(effect, 'depend')} "
            f"on {shape.the(between)}"
        )
        yield YesNoQuery(cause, effect, (between,), True, why)
        why = f"{shape.does(cause, 'do')} not depend on {shape.the(between)} and would be as before"
        yield YesNoQuery(between, effect, (cause,), False, why)


def _need(shape: Shape) -> Iterator[YesNoQuery]:
    """Yield queries on whether the effect cannot have been lost without the loss of the cause."""
    for effect in shape.names:
        behind = ancestors(shape.edges, effect)
        if not behind:
            continue
        for cause in (*sorted(behind), *shape.bystanders):
            besides = behind - {cause} - ancestors(shape.edges, cause)
            # Losing a part also changes the whole: a house without its roof.
            if any((cause, one) in shape.edges and shape.kind(cause, one) == "attachment" for one in besides):
                continue
            if cause not in behind:
                why = _why_not(shape, cause, effect)
            elif besides:
                why = f"{shape.the(effect)} would be lost as well if {shape.the(min(besides))} alone were"
            elif behind == {cause}:
                why = f"{shape.does(effect, 'depend')} on nothing but {shape.the(cause)}"
            else:
                why = f"whatever else {shape.does(effect, 'depend')} on acts through {shape.the(cause)}"
            yield YesNoQuery(cause, effect, (), cause in behind and not besides, why)


def _is_needed(model: StructuralModel, query: YesNoQuery) -> bool:
    return is_necessary(model, query.cause, query.effect) == query.effect_goes


_THREE: Final[tuple[GraphKind, ...]] = ("chain", "confounding")
_ANY: Final[tuple[GraphKind, ...]] = ("direct", "chain", "confounding", "collision")
TASKS = {
    task.name: task
    for task in (
        Task(
            "causality_identification",
            "CaI",
            0,
            _ANY[:3],
            _identify_cause,
            _is_only_cause,
            acting_kinds=("direct",),
            keeping_rules=(FASTENED, ONE_MAY_SUFFICE),
        ),
        Task(
            "causal_attribution",
            "CA",
            0,
            ("chain",),
            _far_cause,
            _is_far_cause,
            acting_kinds=("chain",),
            keeping_rules=(FASTENED, ONE_MAY_SUFFICE),
        ),
        Task(
            "abstract_reasoning",
            "AR",
            0,
            ("chain",),
            _far_effect,
            _is_far_effect,
            asks_for_effect=True,
            acting_kinds=("chain",),
            keeping_rules=(FASTENED, ONE_MAY_SUFFICE),
            rules=(ANY_FOOD, PART_OR_GARMENT),
        ),
        Task(
            "collider_bias",
            "CB",
            1,
            ("collision",),
            _collide,
            _is_collision,
            keeping_rules=(ONE_MAY_SUFFICE, MAY_LEAVE),
        ),
        Task(
            "confounder_identification",
            "CoI",
            2,
            ("confounding",),
            _confound,
            _is_confounded,
            keeping_rules=(FASTENED,),
        ),
        Task(
            "backdoor_adjustment_set",
            "BAS",
            2,
            ("confounding",),
            _adjust,
            _is_backdoor_set,
            keeping_rules=(FASTENED,),
        ),
        Task(
            "controlled_direct_effect",
            "CDE",
            2,
            _THREE,
            _hold,
            _is_controlled_effect,
            is_choice=False,
            keeping_rules=(FASTENED, ONE_MAY_SUFFICE),
        ),
        Task(
            "counterfactual_reasoning",
            "CR",
            3,
            (*_ANY, "fork"),
            _take_away,
            _is_loss,
            is_choice=False,
            acting_kinds=("direct", "fork"),
            keeping_rules=(FASTENED, ONE_MAY_SUFFICE),
            rules=(OBVIOUS_SUPPORT,),
        ),
        Task(
            "natural_direct_effect",
            "NDE",
            3,
            _THREE,
            _hold,
            _is_natural_direct,
            is_choice=False,
            keeping_rules=(FASTENED, ONE_MAY_SUFFICE),
        ),
        Task(
            "natural_indirect_effect",
            "NIE",
            3,
            (*_THREE, "fork"),
            _indirect,
            _is_natural_indirect,
            is_choice=False,
            keeping_rules=(FASTENED, ONE_MAY_SUFFICE),
            rules=(HELD_UNCHANGED,),
        ),
        Task(
            "sufficient_cause",
            "SC",
            3,
            _ANY,
            _suffice,
            _is_insufficient,
            is_choice=False,
            keeping_rules=(ONE_MAY_SUFFICE, MAY_LEAVE, NEEDS_ANOTHER),
            rules=(ENOUGH_WITHOUT_NAIL,),
        ),
        Task(
            "necessary_cause",
            "NC",
            3,
            _ANY,
            _need,
            _is_needed,
            is_choice=False,
            keeping_rules=(FASTENED, ONE_MAY_SUFFICE, MAY_LEAVE, NEEDS_ANOTHER),
            rules=(NEEDED_WITHOUT_NAIL,),
        ),
    )
}
"""The tasks by their published names, in the order of the rungs."""


def queries(task: Task, graph: CausalGraph, bystanders: tuple[str, ...] = ()) -> list[Query]:
    """Return all queries of a task for a graph and bystanders whose answers the structural model confirms."""
    if graph.kind not in task.kinds:
        return []
    shape = Shape.of(graph, bystanders)
    model = shape.model()
    return [query for query in task.queries(shape) if task.agrees(model, query)]
