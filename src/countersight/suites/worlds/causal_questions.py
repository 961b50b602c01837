"""CELLO's twelve tasks on worlds of supports, with gold answers from interventions in the world.

Graphs and answers come from taking things away and holding others. Each query is also put to the structural model of
`causal`, and is asked only where world and model agree on every intervention.
"""

from collections import Counter
from collections.abc import Callable, Iterator
from functools import partial
from random import Random

from msgspec.structs import replace

from countersight.case import Option
from countersight.causal import CausalGraph
from countersight.errors import Unclear
from countersight.suites.cello.cases import graph_as_published
from countersight.suites.cello.tasks.definitions import RUNGS, TASKS, queries
from countersight.suites.cello.tasks.query import Query, Shape, Sought, Supposed, Task
from countersight.suites.cello.wording import question
from countersight.suites.worlds.causal_options import is_told_by_colour, options_of
from countersight.suites.worlds.causes import graphs, is_confirmed
from countersight.suites.worlds.drafts import Group, WorldDraft, WorldQuestion, WorldSuite
from countersight.suites.worlds.suite import CAUSAL_NAME
from countersight.suites.worlds.supports import SUPPORTS
from countersight.worlds import Supports, fallen_without

_WORDINGS = 2
_ANY, _BESIDE_THE_MEDIATOR, _ONE_OF_SEVERAL = "any", "direct", "collision"
_KINDS = {
    "CDE": (_ANY, _BESIDE_THE_MEDIATOR),
    "NDE": (_ANY, _BESIDE_THE_MEDIATOR),
    "NC": (_ANY, _ONE_OF_SEVERAL),
}
"""What is made together, for tasks whose graphs would else be chains nearly always."""
_FOR_SURE = frozenset({"SC", "NC"})
"""Tasks that ask for all that could matter: nothing outside the graph may."""


def drafts_of(task: Task, world: Supports, kind: str, rng: Random, dropped: Counter[str]) -> Iterator[WorldDraft]:
    """Return the drafts of a task for a world; only of one kind if one is named."""
    try:
        found = [graph for graph in graphs(world, "world") if graph.kind in task.kinds]
        untouched = {graph: _bystanders(world, graph) for graph in found}
    except Unclear:
        dropped["margin"] += 1
        return
    for graph in rng.sample(found, len(found)):
        beside = tuple(untouched[graph][:1])
        if task.short in _FOR_SURE and _is_open(world, graph):
            continue
        asked = [
            query
            for query in queries(task, graph, beside)
            if _is_of_kind(kind, graph, query)
            and _changes_something(task, graph, query)
            and not is_told_by_colour(world, query)
        ]
        if not asked:
            continue  # before the slow part
        if not is_confirmed(world, graph, Shape.of(graph, beside).model(), beside):
            dropped["model"] += 1
            continue
        for query in rng.sample(asked, len(asked)):
            draft = _draft(task, query, Shape.of(graph, beside), untouched[graph], world, rng)
            if draft:
                yield draft


def _is_of_kind(kind: str, graph: CausalGraph, query: Query) -> bool:
    """Whether a query is of a kind that is made together: any; of a first cause while its mediator is held, whose
    answer is whether there is an edge beside the mediator; or of a loss for which another cause would do."""
    if kind == _ANY or not isinstance(query, Supposed):
        return True
    if kind == _BESIDE_THE_MEDIATOR:
        return query.lost == graph.things[0].id
    return query.follows or graph.kind == "collision"


def _changes_something(task: Task, graph: CausalGraph, query: Query) -> bool:
    """Whether an indirect effect is asked about of a loss that changes what is held."""
    if task.short != "NIE" or not isinstance(query, Supposed):
        return True
    return any((edge.cause, edge.effect) == (query.lost, *query.held) for edge in graph.edges)


def _bystanders(world: Supports, graph: CausalGraph) -> list[str]:
    """Things that do nothing to those of the graph, and to which these do nothing."""
    names = [thing.id for thing in graph.things]
    touched = {other for name in names for other in fallen_without(world, name)}
    return [
        thing.id for thing in graph.others if thing.id not in touched and not fallen_without(world, thing.id) & {*names}
    ]


def _is_open(world: Supports, graph: CausalGraph) -> bool:
    """Whether something outside the graph would make something in it fall."""
    names = {thing.id for thing in graph.things}
    return any(fallen_without(world, thing.id) & names for thing in graph.others)


def _draft(
    task: Task, query: Query, shape: Shape, beside: list[str], world: Supports, rng: Random
) -> WorldDraft | None:
    if isinstance(query, Supposed):
        return _supposed(task, query, shape, world, rng)
    return _sought(task, query, shape, beside, world, rng)


def _supposed(task: Task, query: Supposed, shape: Shape, world: Supports, rng: Random) -> WorldDraft:
    number, stays = rng.randrange(_WORDINGS), rng.random() < 0.5
    answer = "no" if query.follows == stays else "yes"
    ways = tuple(WorldQuestion(question(task, query, shape, way, stays=stays), answer) for way in (number, number + 1))
    plain = question(task, query, _by_kind(shape), number, stays=stays)
    return _made(task, query, shape, world, ways, plain, answer, ())


def _by_kind(shape: Shape) -> Shape:
    """The same with all colours left out."""
    kinds = ({name: words.split()[-1] for name, words in each.items()} for each in (shape.names, shape.beside))
    return replace(shape, names=next(kinds), beside=next(kinds))


def _sought(
    task: Task, query: Sought, shape: Shape, beside: list[str], world: Supports, rng: Random
) -> WorldDraft | None:
    options = options_of(task, query, shape, beside, world, rng)
    if options is None:
        return None
    number = rng.randrange(_WORDINGS)
    ways = tuple(WorldQuestion(question(task, query, shape, way), options[0].text) for way in (number, number + 1))
    return _made(task, query, shape, world, ways, "", None, options)


def _made(
    task: Task,
    query: Query,
    shape: Shape,
    world: Supports,
    ways: tuple[WorldQuestion, ...],
    skeleton: str,
    target: str | None,
    options: tuple[Option, ...],
) -> WorldDraft:
    return WorldDraft(
        skeleton=skeleton,
        target=target,
        kind="choice" if options else "boolean",
        factual=None,
        counterfactual=ways[0],
        otherwise=ways[1],
        shown=None,
        world=world,
        told=None,
        after=None,
        options=options,
        graph=graph_as_published(shape.graph),
        remembered={
            "graph_type": shape.graph.kind,
            "task": task.short,
            "rung": RUNGS[task.rung],
            "why": query.why,
            "things": len(world.things),
        },
    )


def _group(task: Task) -> Group:
    drafting: Callable[..., Iterator[WorldDraft]] = partial(drafts_of, task)
    return Group(task.name, drafting, (None,) if task.is_choice else ("yes", "no"), _KINDS.get(task.short, (_ANY,)))


CAUSES = WorldSuite(
    name=CAUSAL_NAME,
    description=(
        "CELLO's twelve causal tasks asked of small worlds of blocks, planks, cups and strings: the causal graphs "
        "and all answers are computed by intervening in the world and solving its static equilibrium."
    ),
    groups=tuple(map(_group, TASKS.values())),
    build=SUPPORTS.build,
    doubt=SUPPORTS.doubt,
    hardness=lambda draft: draft.remembered,
    draw=SUPPORTS.draw,
    show=SUPPORTS.show,
    levels=("medium", "hard"),  # in an easy world too little stands beside a graph to choose from
    follows="Tasks and causal graphs follow CELLO (Chen et al., 2024).\n",
)
