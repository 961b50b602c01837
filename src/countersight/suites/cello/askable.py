"""Select questions worth asking: the supposition changes something, and the names alone do not decide."""

from countersight.causal import CausalGraph, acting_kind, classes_of, descendants, may_do_alone
from countersight.suites.cello.bystanders import can_be_chosen, may_keep
from countersight.suites.cello.likely import can_be_the_answer
from countersight.suites.cello.tasks.query import Sought, Supposed, Task

_UNMOVED = frozenset({"ground", "place", "water"})
"""What bears everything: of two things alone, nothing is learned from its being gone."""
_SELF_MOVING = frozenset({"creature", "emission", "leafage", "liquid", "mount", "vehicle"})
"""What walks, falls or flows away by itself: nothing follows from its having left, and nothing keeps it for sure."""
_CARRIED = frozenset({"creature", "figure", "movable"})
"""What other things may bear: somebody may have to look whether they do."""
_BEARING = frozenset({"bearer", "creature", "figure", "mount", "structure", "vehicle"})
_FRAMES = frozenset({"frame", "pane"})
_MIXING = frozenset({"edible", "layer", "liquid"})
"""Classes of which one thing may be in another: the broth and the chicken, the ice and the water."""
_FOR_SURE = frozenset({"CB", "SC", "NC"})
"""Tasks that ask what keeps a thing for sure, or why it left."""
_OF_ACTING = {"direct": ("CaI", "CR"), "chain": ("CA", "AR"), "fork": ("CR",)}
"""Tasks that ask about force and source, by kind of graph."""


def is_worth_asking(task: Task, graph: CausalGraph, query: Supposed) -> bool:
    """Whether the supposition changes something, and the effect might depend on it as far as one knows.

    What becomes of a table without the bottles on it is nothing: an indirect effect is asked about only of a loss that
    changes what is held. Nor does anybody ask whether a table stays without a bottle or a shirt without its pocket, but
    whether a remote does that a cat lies on.
    """
    kinds = {(edge.cause, edge.effect): edge.kind for edge in graph.edges}
    if graph.kind == "fork":
        return _are_apart(graph, query)
    if task.short == "NIE":
        return (query.lost, query.held[0]) in kinds
    if task.short == "CR" and query.lost in descendants(frozenset(kinds), query.effect):
        names = {thing.id: thing.name for thing in graph.things}
        lost, effect = names[query.lost], names[query.effect]
        could = classes_of(lost) & _BEARING and classes_of(effect) & _CARRIED and may_keep(lost, effect)
        return bool(could) and kinds.get((query.effect, query.lost)) == "support"
    return True


def _are_apart(graph: CausalGraph, query: Supposed) -> bool:
    """Whether of two things that share their cause the one has plainly nothing to do with the other: it is no place for
    it, they do not mix, and either both are parts or none is. What is on a dish may lie on the rest of it."""
    cause, *_ = graph.things
    if "food" in classes_of(cause.name):
        return False
    kinds = {edge.effect: edge.kind == "attachment" for edge in graph.edges if edge.cause == cause.id}
    lost = query.held[0] if query.held else query.lost
    names = {thing.id: thing.name for thing in graph.things}
    one, other = classes_of(names[lost]), classes_of(names[query.effect])
    mixed = one & other & _MIXING or (one | other) & _FRAMES
    return not mixed and kinds[lost] == kinds[query.effect] and not may_keep(names[lost], names[query.effect])


def is_choosable(task: Task, graph: CausalGraph, query: Sought) -> bool:
    """Whether the answer is certain and has plausible wrong options: of several things on a dish, all may be right."""
    names = {thing.id: thing.name for thing in graph.things}
    if task.short == "AR" and any("food" in classes_of(names[between]) for between in query.partial):
        return False
    if not all(can_be_the_answer(task, edge.kind) for edge in graph.edges if edge.effect in query.answer):
        return False
    chosen = all(can_be_chosen(names[thing]) for thing in query.answer)
    return chosen and is_askable(task, graph, query.about[-1], query.answer)


def is_askable(task: Task, graph: CausalGraph, effect: str, behind: tuple[str, ...]) -> bool:
    """Whether a question about these things needs thought and has one answer."""
    if acting_kind(graph):
        return task.short in _OF_ACTING.get(graph.kind, ())
    if may_do_alone(graph):
        return task.short in ("CoI", "BAS")
    classes = {thing.id: classes_of(thing.name) for thing in (*graph.things, *graph.others)}
    if task.short in _FOR_SURE and classes[effect] & _SELF_MOVING:
        return False
    return not (graph.kind == "direct" and any(classes[thing] & _UNMOVED for thing in behind))
