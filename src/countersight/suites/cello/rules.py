"""What can be asked about a causal graph: queries whose answers are certain and require the picture.

Each rule excludes queries for a reason, which is its docstring. Rules only use the names of things.
"""

from typing import Final

from countersight.causal import (
    CausalGraph,
    Thing,
    acting_kind,
    classes_of,
    descendants,
    head,
    is_one_way,
    is_plain,
    may_be_the_same,
    may_suffice_alone,
    singular,
    verdict_on,
    words_in,
)
from countersight.suites.cello.queries import Candidate, Query, Rule, Shape, Task

OPTIONS = frozenset({
    "animal", "cloth", "container", "device", "fastener", "fixture", "food", "furniture", "handheld", "item", "mount",
    "person", "plant", "structure", "surface", "upright", "vehicle", "worn",
})  # fmt: skip
"""Classes of things that can be options."""
NO_OPTIONS = frozenset({"body", "emission", "ground", "immaterial", "lap", "place", "water"})
"""Classes of parts, of immaterial things, and of things that support everything in the picture."""
ONE_OF_A_KIND = frozenset({"animal", "food", "mount", "person", "seat", "vehicle", "worn"})
"""Classes in which two names in one picture may refer to the same thing, such as a man and a player."""
_NOT_SEEN = frozenset({
    "board", "brick", "camera", "carpet", "pane", "panel", "photo", "photograph", "photographer", "picture", "plank",
    "shingle", "sill", "tile",
})  # fmt: skip
"""Materials of floors and walls, and things that descriptions mention but pictures do not show."""
_UNMOVED = frozenset({"ground", "place", "tile", "water"})
"""Classes of things that support everything."""
_SELF_MOVING = frozenset({"creature", "emission", "leafage", "liquid", "mount", "vehicle"})
"""Classes of things that can leave by themselves."""
_CARRIED = frozenset({"creature", "figure", "movable"})
"""Classes of things that others may support; only the picture shows whether they do."""
_BEARING = frozenset({"bearer", "creature", "figure", "mount", "structure", "vehicle"})
_PARTS = ("attachment", "wearing")
"""Kinds of cause between a thing and its part, and between a person and a garment."""


def can_be_chosen(name: str) -> bool:
    """Return whether a name refers to a thing that can be an option."""
    classes = classes_of(name)
    return bool(classes & OPTIONS) and not classes & NO_OPTIONS and singular(head(name)) not in _NOT_SEEN


def can_be_the_answer(task: Task, kind: str) -> bool:
    """Return whether a cause of that kind may link the answer of a task to the thing next to it."""
    return not (task.asks_for_effect and kind in _PARTS)


def may_keep(keeper: str, kept: str) -> bool:
    """Return whether one thing may support, contain, hold or have the other as a part, by the relation catalogue."""
    if any(verdict_on(kept, relation, keeper).cause == "object" for relation in ("on", "in")):
        return True
    may_hold = "creature" in classes_of(keeper) and "movable" in classes_of(kept)
    return may_hold or verdict_on(keeper, "have", kept).cause == "subject"


def bystanders(graph: CausalGraph) -> list[Thing]:
    """Return other things in the picture that are certainly neither causes nor effects of the graph's things."""
    inside = [thing.name for thing in graph.things]
    kinds = frozenset().union(*(classes_of(name) for name in inside)) & ONE_OF_A_KIND
    found: dict[str, Thing] = {}
    for thing in graph.others:
        if not can_be_chosen(thing.name) or classes_of(thing.name) & kinds or not is_plain(thing.name):
            continue
        if not any(
            may_be_the_same(thing.name, name) or may_keep(thing.name, name) or may_keep(name, thing.name)
            for name in inside
        ):
            found.setdefault(thing.name, thing)
    return list(found.values())


def allowed_queries(task: Task, graph: CausalGraph) -> list[Query]:
    """Return the queries of a task about a graph, and about its bystanders, that no rule excludes."""
    acts = bool(acting_kind(graph))
    if graph.kind not in (task.acting_kinds if acts else task.kinds):
        return []
    rules = (
        *_ALL_RULES,
        *(() if acts else _KEEPING_RULES),
        *(_FORK_RULES if graph.kind == "fork" else ()),
        *task.rules,
    )
    beside = () if task.is_choice else tuple(thing.id for thing in bystanders(graph))
    shape = Shape.of(graph, beside)
    return [
        query
        for query in task.queries(shape, shape.model())
        for candidate in [Candidate.of(task, shape, query)]
        if not any(rule(candidate) for rule in rules)
    ]


# Rules of single tasks


def one_may_suffice(candidate: Candidate) -> bool:
    """One of several causes may be sufficient on its own."""
    return may_suffice_alone(candidate.shape.graph)


def may_leave(candidate: Candidate) -> bool:
    """The effect can leave by itself: nothing certainly keeps it, and its absence proves nothing."""
    return any(candidate.shape.classes(thing) & _SELF_MOVING for thing in candidate.effects)


def needs_another(candidate: Candidate) -> bool:
    """What leans on a wall also stands on the floor, and what hangs has a hook or a string."""
    relations = (edge.relation for edge in candidate.shape.graph.edges)
    return any("against" in relation or relation.startswith(("lean", "prop", "hang")) for relation in relations)


def is_ground(candidate: Candidate) -> bool:
    """The cause, or the mediator, is the ground or a place; it is implausible that it moves or is gone."""
    return any(candidate.shape.classes(thing) & _UNMOVED for thing in (*candidate.causes, *candidate.between))


def is_paved(candidate: Candidate) -> bool:
    """The cause is a floor, a road or a pavement; it is implausible that something happened to it."""
    return any("laid_ground" in candidate.shape.classes(thing) for thing in candidate.causes)


def is_force(candidate: Candidate) -> bool:
    """It is unclear from the graph what would no longer happen to the thing."""
    return any(edge.kind == "force" for edge in candidate.shape.graph.edges)


def may_hang_on_a_nail(candidate: Candidate) -> bool:
    """A thing fixed to a wall may hang on a hidden nail; writing cannot."""
    (cause,), (effect,) = candidate.causes, candidate.effects
    is_attached = candidate.shape.kind(cause, effect) == "attachment"
    return is_attached and "mark" not in candidate.shape.classes(effect)


def is_writing(candidate: Candidate) -> bool:
    """Writing stays on its surface whatever is lost."""
    return any("mark" in candidate.shape.classes(thing) for thing in candidate.effects)


def any_food(candidate: Candidate) -> bool:
    """Any of several things on a dish could be the right answer."""
    return any("food" in candidate.shape.classes(between) for between in candidate.between)


def is_part_or_garment(candidate: Candidate) -> bool:
    """A thing has several parts, and a person several garments, so no single one is the right answer."""
    return any(edge.kind in _PARTS for edge in candidate.shape.graph.edges if edge.effect in candidate.effects)


def changes_nothing(candidate: Candidate) -> bool:
    """The loss must affect the held thing; a table without its bottles is still the same."""
    return (candidate.causes[0], candidate.between[0]) not in candidate.shape.edges


def is_obvious_support(candidate: Candidate) -> bool:
    """It is obvious that a table stays without its bottle, and a shirt without its pocket; it is not obvious for a
    remote control without the cat that lies on it."""
    (lost,), (effect,), shape = candidate.causes, candidate.effects, candidate.shape
    if lost not in descendants(shape.edges, effect):
        return False
    one, other = shape.name(lost), shape.name(effect)
    could = classes_of(one) & _BEARING and classes_of(other) & _CARRIED and may_keep(one, other)
    return not could or shape.kind(effect, lost) != "support"


# Rules of all tasks


def _is_no_option(candidate: Candidate) -> bool:
    """Only some kinds of things can be options."""
    return not all(can_be_chosen(candidate.shape.name(thing)) for thing in candidate.asked_for)


def _is_two_way(candidate: Candidate) -> bool:
    """The effect may also keep the cause in place."""
    return not is_one_way(candidate.shape.graph, candidate.causes[0], candidate.effects[0])


def _is_a_place(candidate: Candidate) -> bool:
    """The effect is a place, and nothing keeps a place where it is; for example, snow only covers a roof."""
    shape = candidate.shape
    is_ground = any("ground" in shape.classes(thing) for thing in candidate.effects)
    return is_ground and not may_suffice_alone(shape.graph)


def _is_on_ground(candidate: Candidate) -> bool:
    """Whether the candidate depends on the ground.

    Everything on the ground needs it, and a question about removing it from under one of two things sounds unnatural.
    """
    shape = candidate.shape
    has_one_step = shape.graph.kind in ("direct", "fork")
    return has_one_step and any(shape.classes(thing) & _UNMOVED for thing in candidate.causes)


_ALL_RULES: Final[tuple[Rule, ...]] = (_is_no_option, _is_two_way)
_KEEPING_RULES: Final[tuple[Rule, ...]] = (_is_a_place, _is_on_ground)
"""The rules for graphs whose causes keep things in place."""


# Rules of forks: two effects of a common cause must clearly not depend on each other


def _pair(candidate: Candidate) -> tuple[str, str]:
    """Return the two effects in a fork: the one supposed to change, and the one asked about."""
    return (*candidate.between, *candidate.causes)[0], candidate.effects[0]


def _are_told_together(candidate: Candidate) -> bool:
    """A description says that one is with the other, or uses it: "toothbrush with toothpaste"."""
    nouns = {candidate.shape.noun(thing) for thing in _pair(candidate)}
    for text in candidate.shape.graph.descriptions:
        words = [singular(word) for word in words_in(text)]
        places = [place for place, word in enumerate(words) if word in nouns]
        if len(places) > 1 and {"with", "using"} & set(words[places[0] : places[-1]]):
            return True
    return False


def _may_keep_the_other(candidate: Candidate) -> bool:
    """One of the two may keep the other in place."""
    return may_keep(*map(candidate.shape.name, _pair(candidate)))


def _are_contained(candidate: Candidate) -> bool:
    """Things in a container may lie on each other: ice floats on the water in a glass."""
    return any(edge.kind == "containment" for edge in candidate.shape.graph.edges)


_FORK_RULES: Final[tuple[Rule, ...]] = (_are_told_together, _may_keep_the_other, _are_contained)
