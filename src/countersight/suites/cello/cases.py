"""Turn a query of a causal graph into a case: question, options and graph."""

from random import Random
from typing import Any

import msgspec
from msgspec.structs import replace

from countersight.case import LETTERS, Case, Option, Question
from countersight.causal import CausalGraph
from countersight.suites.cello.files import NAME
from countersight.suites.cello.options import Answers, options
from countersight.suites.cello.queries import ChoiceQuery, Query, Shape, Task, YesNoQuery
from countersight.suites.cello.tasks import RUNGS
from countersight.suites.cello.terms import PriorVerdict
from countersight.suites.cello.wording import is_explained, leaked_names, question, verb_for_kind, wordings
from countersight.suites.generated import split_of


class CaseDraft(msgspec.Struct, frozen=True):
    """A case, with the information that a language model needs to reword its question."""

    case: Case
    graph: CausalGraph
    task: Task
    forbidden: tuple[str, ...]
    """Names that the question must not reveal."""
    named: tuple[str, ...]
    """Names that it must contain."""
    query: Query | None = None
    spare: tuple[str, ...] = ()
    """Names that can replace options that are not in the picture."""


def draft_choice(
    task: Task, query: ChoiceQuery, shape: Shape, letter: str, number: int, answers: Answers, rng: Random
) -> CaseDraft | None:
    """Return the case of a query with options, the right one at the given letter; None if no wrong options are
    suitable."""
    found = options(task, query, shape, answers, rng)
    if found is None:
        return None
    offered, absent = found
    # Check every wording: the options are the same in each.
    texts = [question(task, query, shape, nth) for nth in range(wordings(task))]
    named = tuple(shape.names[thing] for thing in query.about)
    names = {shape.names[thing] for thing in (*query.answer, *query.partial)}
    forbidden = tuple(sorted(names if is_explained(task) else {option.text for option in offered}))
    if any(leaked_names(text, forbidden, named) for text in texts):
        return None
    spare = tuple(name for name in absent if not any(leaked_names(text, (name,), named) for text in texts))
    answer, *others = offered
    rng.shuffle(others)
    place = LETTERS.index(letter)
    placed = (*others[:place], answer, *others[place:])
    case = _case(task, shape, Question(texts[number % len(texts)], letter, "choice", placed))
    return CaseDraft(case, shape.graph, task, forbidden, named, query, spare)


def with_options(drafted: CaseDraft, renamed: dict[str, str], verdict: PriorVerdict) -> CaseDraft:
    """Return the draft with other names for its options, and whether common knowledge agrees with the answer."""
    asked = drafted.case.counterfactual
    assert asked is not None
    options = tuple(Option(renamed[option.text], option.role) for option in asked.options)
    provenance = {**drafted.case.provenance, "knowledge": verdict}
    case = replace(drafted.case, counterfactual=replace(asked, options=options), provenance=provenance)
    forbidden = tuple(sorted(option.text for option in options)) if drafted.spare else drafted.forbidden
    return replace(drafted, case=case, forbidden=forbidden)


def draft_yes_no(
    task: Task, query: YesNoQuery, shape: Shape, number: int, asks_stays: bool, verdict: PriorVerdict = "silent"
) -> CaseDraft:
    """Return the case of a yes/no query in the wording with this number; it asks whether the effect stays or goes."""
    text = question(task, query, shape, number, stays=asks_stays)
    answer = "no" if query.effect_goes == asks_stays else "yes"
    named = tuple(shape.name(thing) for thing in (query.cause, query.effect, *query.held))
    case = _case(task, shape, Question(text, answer, "boolean"))
    case = replace(case, provenance={**case.provenance, "knowledge": verdict})
    return CaseDraft(case, shape.graph, task, (), named)


def _case(task: Task, shape: Shape, asked: Question) -> Case:
    graph = shape.graph
    # 1: two things; 2: three things; 3: three things, one of which is held.
    difficulty = 1 if len(graph.things) == 2 else 3 if task.short in ("CDE", "NDE", "NIE") else 2
    return Case(
        id=NAME,
        suite=NAME,
        group=task.name,
        counterfactual=asked,
        graph=graph_as_published(graph),
        provenance={
            "graph_type": graph.kind,
            "task": task.short,
            "rung": RUNGS[task.rung],
            "scene": graph.scene,
            "img_id": graph.image,
            "wording": "template",
            "split": split_of(graph.image or graph.scene),
            "difficulty": difficulty,
        },
    )


def graph_as_published(graph: CausalGraph) -> dict[str, Any]:
    """Return the graph in the format of the published data; edges run from cause to effect."""
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
                "relation": verb_for_kind(names[edge.cause], edge.kind),
                "kind": edge.kind,
                "scene_relation": f"{names[edge.subject]} {edge.relation} {names[edge.object]}",
            }
            for edge in graph.edges
        ],
        "objs": [thing.id for thing in graph.things],
    }
