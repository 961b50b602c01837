"""CELLO's tasks for worlds of supports: the questions about each causal graph, and the options."""

from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from functools import cache, partial
from random import Random

from msgspec.structs import replace

from countersight.case import Option
from countersight.causal import CausalGraph
from countersight.errors import Unclear
from countersight.suites.cello.cases import graph_as_published
from countersight.suites.cello.queries import ChoiceQuery, Query, Shape, Task, YesNoQuery
from countersight.suites.cello.tasks import RUNGS, TASKS, queries
from countersight.suites.cello.wording import explanation, is_explained, question
from countersight.suites.worlds.drafts import Group, WorldDraft, WorldQuestion, WorldSuite
from countersight.suites.worlds.suite import CAUSAL_NAME
from countersight.suites.worlds.support_graphs import graphs, is_confirmed
from countersight.suites.worlds.support_questions import SUPPORTS
from countersight.worlds import COLOURS, Supports, fallen, yes_or_no


def is_told_by_colour(world: Supports, query: Query) -> bool:
    """Return whether two things of a query have the same colour, which reveals that they do not touch."""
    named = (
        {*query.about, *query.answer} if isinstance(query, ChoiceQuery) else {query.cause, query.effect, *query.held}
    )
    return len(_colours(world, named)) < len(named)


def options_of(
    task: Task, query: ChoiceQuery, shape: Shape, bystanders: list[str], world: Supports, rng: Random
) -> tuple[Option, ...] | None:
    """Return four options, the right one first; None if the world has too few things."""
    return (_explained if is_explained(task) else _named)(task, query, shape, bystanders, world, rng)


def _named(
    task: Task, query: ChoiceQuery, shape: Shape, bystanders: list[str], world: Supports, rng: Random
) -> tuple[Option, ...] | None:
    """Return four things of one kind: the answer, a thing that is only part of the answer, a thing in the picture that
    is not in the graph, and a thing that is not in the picture; None if there are too few."""
    kind = world.thing(query.answer[0]).kind
    used_colours = _colours(world, query.about)
    wrong = [Option(name, "graph") for name in _there(world, query.partial, kind, used_colours)][:1]
    others = _there(world, bystanders, kind, used_colours)
    wrong += [Option(name, "image") for name in rng.sample(others, min(2 - len(wrong), len(others)))]
    absent = _absent(world, kind, used_colours)
    if len(wrong) < 2 or not absent:
        return None
    return (Option(shape.names[query.answer[0]], "answer"), *wrong, Option(rng.choice(absent), "text"))


def _explained(
    task: Task, query: ChoiceQuery, shape: Shape, bystanders: list[str], world: Supports, rng: Random
) -> tuple[Option, ...] | None:
    """Return four explanations: two reasons, each with the right or a wrong name. Every name occurs in two of them."""
    used_colours = _colours(world, (*query.about, *query.answer))
    others: list[str] = []
    for name in query.answer:
        kind = world.thing(name).kind
        absent = _absent(world, kind, used_colours)
        like = _there(world, bystanders, kind, used_colours) + rng.sample(absent, min(1, len(absent)))
        if not like:
            return None
        others.append(rng.choice(like))
        used_colours.add(_colour(others[-1]))
    effect, first, second = (shape.names[name] for name in (query.about[-1], *query.answer))
    pairs = [(one, two) for one in (first, others[0]) for two in (second, others[1])]
    roles = ("answer", "graph", "graph", "image")
    return tuple(Option(explanation(task, effect, *pair), role) for pair, role in zip(pairs, roles, strict=True))


def _there(world: Supports, names: Iterable[str], kind: str, used_colours: set[str]) -> list[str]:
    """Return the names of those things that are of a kind and of no colour in `used_colours`."""
    things = map(world.thing, names)
    return [thing.name for thing in things if thing.kind == kind and thing.colour not in used_colours]


def _absent(world: Supports, kind: str, used_colours: set[str]) -> list[str]:
    """Return names of a kind and of no colour in `used_colours` that the world does not have."""
    there = {thing.name for thing in world.things}
    return [name for colour in COLOURS if colour not in used_colours and (name := f"{colour} {kind}") not in there]


def _colours(world: Supports, names: Iterable[str]) -> set[str]:
    return {world.thing(name).colour for name in names}


def _colour(name: str) -> str:
    return name.split()[0]


_WORDINGS = 2
_ANY, _BESIDE_THE_MEDIATOR, _ONE_OF_SEVERAL = "any", "direct", "collision"
_KINDS = {
    "CDE": (_ANY, _BESIDE_THE_MEDIATOR),
    "NDE": (_ANY, _BESIDE_THE_MEDIATOR),
    "NC": (_ANY, _ONE_OF_SEVERAL),
}
"""Kinds of queries per task, each made in separate units; otherwise nearly all graphs would be chains."""
_FOR_SURE = frozenset({"SC", "NC"})
"""Tasks that ask about all possible influences, so nothing outside the graph may have an influence."""


def drafts_of(task: Task, world: Supports, kind: str, rng: Random, dropped: Counter[str]) -> Iterator[WorldDraft]:
    """Yield the drafts of a task for a world, with one kind of query."""
    falls_with = cache(partial(fallen, world))
    try:
        found = [graph for graph in graphs(world, "world") if graph.kind in task.kinds]
        untouched = {graph: _bystanders(graph, falls_with) for graph in found}
    except Unclear:
        dropped["margin"] += 1
        return
    for graph in rng.sample(found, len(found)):
        bystanders = tuple(untouched[graph][:1])
        if task.short in _FOR_SURE and _is_open(graph, falls_with):
            continue
        asked = [
            query
            for query in queries(task, graph, bystanders)
            if _is_of_kind(kind, graph, query)
            and _changes_something(task, graph, query)
            and not is_told_by_colour(world, query)
        ]
        doubt = cache(partial(_doubt, world, graph, bystanders))
        for query in rng.sample(asked, len(asked)):
            draft = _draft(task, query, Shape.of(graph, bystanders), untouched[graph], world, rng)
            if draft:
                yield replace(draft, doubt=doubt)


def _doubt(world: Supports, graph: CausalGraph, bystanders: tuple[str, ...]) -> str:
    """Return why the answers are uncertain; "" if the world confirms the structural model."""
    return "" if is_confirmed(world, graph, Shape.of(graph, bystanders).model(), bystanders) else "model"


def _is_of_kind(kind: str, graph: CausalGraph, query: Query) -> bool:
    """Return whether a query is of a kind. The kinds are: any query; one that removes the first cause while its
    mediator is held, which tests for a direct edge; and a removal after which another cause could still explain the
    effect.
    """
    if kind == _ANY or not isinstance(query, YesNoQuery):
        return True
    if kind == _BESIDE_THE_MEDIATOR:
        return query.cause == graph.things[0].id
    return query.effect_goes or graph.kind == "collision"


def _changes_something(task: Task, graph: CausalGraph, query: Query) -> bool:
    """Return whether a query is not about an indirect effect, or its removed cause affects the held thing."""
    if task.short != "NIE" or not isinstance(query, YesNoQuery):
        return True
    return any((edge.cause, edge.effect) == (query.cause, *query.held) for edge in graph.edges)


def _bystanders(graph: CausalGraph, falls_with: Callable[[str], frozenset[str]]) -> list[str]:
    """Return things that do not affect those of the graph and are not affected by them."""
    names = {thing.id for thing in graph.things}
    touched = names.union(*map(falls_with, sorted(names)))
    return [thing.id for thing in graph.others if thing.id not in touched and not falls_with(thing.id) & names]


def _is_open(graph: CausalGraph, falls_with: Callable[[str], frozenset[str]]) -> bool:
    """Return whether removing something outside the graph would make something in the graph fall."""
    names = {thing.id for thing in graph.things}
    return any(falls_with(thing.id) & names for thing in graph.others)


def _draft(
    task: Task, query: Query, shape: Shape, bystanders: list[str], world: Supports, rng: Random
) -> WorldDraft | None:
    """Return the draft of a query in two wordings; None if the world has too few things for the options."""
    options: tuple[Option, ...] = ()
    target, stays = None, False
    if isinstance(query, YesNoQuery):
        stays = rng.random() < 0.5
        answer = target = yes_or_no(query.effect_goes != stays)
    else:
        found = options_of(task, query, shape, bystanders, world, rng)
        if found is None:
            return None
        options, answer = found, found[0].text
    number = rng.randrange(_WORDINGS)
    first, second = (
        WorldQuestion(question(task, query, shape, way, stays=stays), answer) for way in (number, number + 1)
    )
    return WorldDraft(
        target=target,
        kind="choice" if options else "boolean",
        counterfactual=first,
        second_wording=second,
        world=world,
        facts=((world, lambda other: fallen(other, margin=0)),),
        options=options,
        graph=graph_as_published(shape.graph),
        extra_provenance={
            "graph_type": shape.graph.kind,
            "task": task.short,
            "rung": RUNGS[task.rung],
            "things": len(world.things),
        },
    )


def _group(task: Task) -> Group:
    targets = (None,) if task.is_choice else ("yes", "no")
    return Group(task.name, partial(drafts_of, task), targets, kinds=_KINDS.get(task.short, (_ANY,)))


CAUSES = WorldSuite(
    name=CAUSAL_NAME,
    description=(
        "CELLO's twelve causal tasks asked of small worlds of blocks, planks, cups and strings: the causal graphs "
        "and all answers are computed by intervening in the world and solving its static equilibrium."
    ),
    groups=tuple(map(_group, TASKS.values())),
    build=SUPPORTS.build,
    vary=SUPPORTS.vary,
    draw=SUPPORTS.draw,
    show=SUPPORTS.show,
    levels=("medium", "hard"),  # easy worlds have too few bystanders for the options
    follows="Tasks and causal graphs follow CELLO (Chen et al., 2024).\n",
)
