"""A query of a causal graph becomes a case: question, options, graph and the reason for the gold answer."""

from random import Random
from typing import Any

import msgspec

from countersight.case import LETTERS, Case, Option, Question
from countersight.causal.distractors import options
from countersight.causal.graph import CausalGraph
from countersight.causal.leaks import leaked
from countersight.causal.tasks.asked import RUNGS
from countersight.causal.tasks.query import Query, Shape, Sought, Task
from countersight.causal.wording import does, question

SUITE = "cello"


class Drafted(msgspec.Struct, frozen=True):
    """A case, and what a language model must know to word its question otherwise."""

    case: Case
    graph: CausalGraph
    task: Task
    forbidden: tuple[str, ...]
    """Names that the question must not give away."""
    named: tuple[str, ...]
    """Names that it must have."""
    asks_stays: bool | None
    """What a question for yes or no asks: whether the effect stays, or whether it goes."""


def draft(task: Task, graph: CausalGraph, query: Query, number: int, answer: str, rng: Random) -> Drafted | None:
    """The case of a query, with its right answer at this letter, or with this yes or no; None where it has none."""
    shape = Shape.of(graph)
    if isinstance(query, Sought):
        return _choice(task, query, shape, number, answer, rng)
    asks_stays = query.follows == (answer == "no")
    text = question(task, query, shape, rng, stays=asks_stays)
    named = [shape.names[thing] for thing in (query.lost, query.effect, *query.held)]
    case = _case(task, shape, number, Question(text, answer, "boolean"), query.why)
    return Drafted(case, graph, task, (), tuple(named), asks_stays)


def _choice(task: Task, query: Sought, shape: Shape, number: int, letter: str, rng: Random) -> Drafted | None:
    offered = options(query, shape, rng)
    if offered is None:
        return None
    text = question(task, query, shape, rng)
    named = tuple(shape.names[thing] for thing in query.named)
    forbidden = tuple(name for option in offered for name in option.text.split(" and ") if name not in named)
    if leaked(text, forbidden, named):
        return None
    placed = _placed(offered, LETTERS.index(letter), rng)
    case = _case(task, shape, number, Question(text, letter, "choice", placed), query.why)
    return Drafted(case, shape.graph, task, forbidden, named, None)


def _placed(offered: tuple[Option, ...], place: int, rng: Random) -> tuple[Option, ...]:
    """The options with the answer, which comes first, at a place, and the others in any order."""
    answer, *others = offered
    rng.shuffle(others)
    return (*others[:place], answer, *others[place:])


def _case(task: Task, shape: Shape, number: int, asked: Question, why: str) -> Case:
    graph = shape.graph
    return Case(
        id=f"{SUITE}-{number:06d}",
        suite=SUITE,
        group=task.name,
        counterfactual=asked,
        graph=_as_published(graph),
        provenance={
            "graph_type": graph.kind,
            "task": task.short,
            "rung": RUNGS[task.rung],
            "why": why,
            "scene": graph.scene,
            "img_id": graph.image,
            "wording": "template",
        },
    )


def _as_published(graph: CausalGraph) -> dict[str, Any]:
    """The graph in the shape of the published data, as the importer keeps it; edges run from cause to effect."""
    names = {thing.id: thing.name for thing in graph.things}
    return {
        "nodes": [
            {
                "id": thing.id,
                "obj_name": thing.name,
                "obj_synsets": [thing.synset] if thing.synset else [],
                "boxes": [list(thing.box)] if thing.box else [],
            }
            for thing in graph.things
        ],
        "edges": [
            {
                "source": edge.cause,
                "target": edge.effect,
                "relation": does(names[edge.cause], edge.kind),
                "kind": edge.kind,
                "scene_relation": f"{names[edge.subject]} {edge.relation} {names[edge.object]}",
            }
            for edge in graph.edges
        ],
        "objs": [thing.id for thing in graph.things],
    }
