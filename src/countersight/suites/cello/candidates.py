"""Find what can be asked about a causal graph: queries whose answers are certain and need the picture.

The supposition must change something, and the names alone must not decide the answer. Other things that are asked about
or offered must certainly be neither causes nor effects of the graph's things.
"""

from countersight.causal import (
    CausalEdge,
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
from countersight.suites.cello.tasks.definitions import queries
from countersight.suites.cello.tasks.query import ChoiceQuery, Task, YesNoQuery

OPTIONS = frozenset({
    "animal", "cloth", "container", "device", "fastener", "fixture", "food", "furniture", "handheld", "item", "mount",
    "person", "plant", "structure", "surface", "upright", "vehicle", "worn",
})  # fmt: skip
"""Classes of things that can be options."""
NO_OPTIONS = frozenset({"body", "emission", "ground", "immaterial", "lap", "place", "water"})
"""Classes of parts, of immaterial things, and of things that support everything in the picture."""
ONE_OF_A_KIND = frozenset({"animal", "food", "mount", "person", "seat", "vehicle", "worn"})
"""Classes in which two names in one picture may refer to the same thing: a man and a player, a meal and meat."""
_NOT_SEEN = frozenset({
    "board", "brick", "camera", "carpet", "pane", "panel", "photo", "photograph", "photographer", "picture", "plank",
    "shingle", "sill", "tile",
})  # fmt: skip
"""Materials of floors and walls, and things that descriptions mention but pictures do not show."""
_UNMOVED = frozenset({"ground", "place", "water"})
"""Classes of things that support everything: in a graph of two things, a question about their removal is trivial."""
_SELF_MOVING = frozenset({"creature", "emission", "leafage", "liquid", "mount", "vehicle"})
"""Classes of things that can leave by themselves: nothing certainly keeps them, and their absence proves nothing."""
_CARRIED = frozenset({"creature", "figure", "movable"})
"""Classes of things that others may support; only the picture shows whether they do."""
_BEARING = frozenset({"bearer", "creature", "figure", "mount", "structure", "vehicle"})
_MIXING = frozenset({"edible", "layer", "liquid"})
"""Classes of things that may be inside each other: broth and chicken, ice and water."""
_FOR_SURE = frozenset({"CB", "SC", "NC"})
"""Tasks that ask what certainly keeps a thing in place, or why it left."""
_FASTENING = frozenset({
    "bolt", "button", "clasp", "nail", "pin", "rivet", "screw", "staple", "tack", "thumbtack", "zip", "zipper",
})  # fmt: skip
"""Parts that fasten a thing together with others of their kind, so that no single one keeps it in place. Only CB, which
also names the other cause, and SC, which asks whether one cause is enough, ask about them."""
_STICKING = frozenset({"magnet", "sticker", "tape"})
"""Things that may hold what hangs beside them."""
_BABIES = frozenset({"baby", "infant", "toddler"})
"""Words for people who are usually held by others."""
_OF_ACTING = {"direct": ("CaI", "CR"), "chain": ("CA", "AR"), "fork": ("CR",)}
"""Tasks that ask about force and source, by kind of graph."""


def find_choice_queries(task: Task, graph: CausalGraph) -> list[ChoiceQuery]:
    """Return the queries with options that a task asks of a graph."""
    names = {thing.id: thing.name for thing in graph.things}
    return [
        query
        for query in queries(task, graph)
        if isinstance(query, ChoiceQuery)
        # Any of several things on a dish could be right.
        and not (task.short == "AR" and any("food" in classes_of(names[between]) for between in query.partial))
        and all(can_be_the_answer(task, edge.kind) for edge in graph.edges if edge.effect in query.answer)
        and all(can_be_chosen(names[thing]) for thing in query.answer)
        and _has_one_answer(task, graph, query.about[-1], query.answer)
    ]


def find_yes_no_queries(task: Task, graph: CausalGraph) -> list[YesNoQuery]:
    """Return the yes/no queries that a task asks of a graph and its bystanders."""
    return [
        query
        for query in queries(task, graph, tuple(thing.id for thing in bystanders(graph)))
        if isinstance(query, YesNoQuery)
        and is_one_way(graph, query.lost, query.effect)
        and _has_one_answer(task, graph, query.effect, (query.lost,))
        and _is_worth_asking(task, graph, query)
    ]


def _has_one_answer(task: Task, graph: CausalGraph, effect: str, behind: tuple[str, ...]) -> bool:
    """Return whether a question about these things needs thought and has one answer."""
    if acting_kind(graph):
        return task.short in _OF_ACTING.get(graph.kind, ())
    names = {thing.id: singular(head(thing.name)) for thing in graph.things}
    if task.short not in ("CB", "SC") and any(names[edge.cause] in _FASTENING for edge in graph.edges):
        return False
    if may_suffice_alone(graph):
        return task.short in ("CoI", "BAS")
    classes = {thing.id: classes_of(thing.name) for thing in (*graph.things, *graph.others)}
    if task.short in _FOR_SURE and classes[effect] & _SELF_MOVING:
        return False
    if task.short in ("SC", "NC") and any(_needs_another(edge) for edge in graph.edges):
        return False
    kept = behind if task.short == "AR" else (effect,)
    if any("ground" in classes[thing] for thing in kept):  # snow on a roof is not kept in a place
        return False
    return not (graph.kind == "direct" and any(classes[thing] & _UNMOVED for thing in behind))


def _needs_another(edge: CausalEdge) -> bool:
    """Return whether something besides the named cause certainly keeps a thing in place: what leans on a wall also
    stands on the floor, and what hangs has a hook or a string."""
    return "against" in edge.relation or edge.relation.startswith(("lean", "prop", "hang"))


def _is_worth_asking(task: Task, graph: CausalGraph, query: YesNoQuery) -> bool:
    """Return whether the supposition changes something, and the effect might plausibly depend on it.

    Removing the bottles from a table does not affect the table, so NIE is asked only if the loss changes the held
    thing. It is obvious that a table stays without a bottle, or a shirt without its pocket; whether a remote control
    stays without the cat that lies on it is worth asking.
    """
    kinds = {(edge.cause, edge.effect): edge.kind for edge in graph.edges}
    names = {thing.id: thing.name for thing in graph.things}
    if graph.kind == "fork":
        return _are_apart(graph, names, query)
    if task.short in ("SC", "NC") and query.follows == (task.short == "NC"):
        # A thing fixed to a wall may hang on a hidden nail; writing does not.
        return kinds[query.lost, query.effect] != "attachment" or "mark" in classes_of(names[query.effect])
    if task.short == "NIE":
        return (query.lost, query.held[0]) in kinds
    if task.short == "CR" and query.lost in descendants(frozenset(kinds), query.effect):
        lost, effect = names[query.lost], names[query.effect]
        could = classes_of(lost) & _BEARING and classes_of(effect) & _CARRIED and may_keep(lost, effect)
        return bool(could) and kinds.get((query.effect, query.lost)) == "support"
    return True


def _are_apart(graph: CausalGraph, names: dict[str, str], query: YesNoQuery) -> bool:
    """Return whether two things with a common cause clearly do not depend on each other: neither may hold or pull the
    other, they must not mix, both or neither must be parts, and no description mentions one with the other. Things on a
    dish are excluded, because they may lie on each other."""
    cause = graph.things[0]
    attached = {edge.effect: edge.kind == "attachment" for edge in graph.edges if edge.cause == cause.id}
    lost = query.held[0] if query.held else query.lost
    one, other = classes_of(names[lost]), classes_of(names[query.effect])
    on_dish = "food" in classes_of(cause.name) or ("dish" in classes_of(cause.name) and "edible" in one | other)
    mixed = one & other & _MIXING or (one | other) & {"frame", "pane"} or ("mount" in one and "vehicle" in other)
    if on_dish or mixed or attached[lost] != attached[query.effect]:
        return False
    heads = {singular(head(names[thing])) for thing in (lost, query.effect)}
    if heads & _STICKING or (heads & _BABIES and "person" in one & other):
        return False
    if ("leafage" in one and "plant" in other) or ("plant" in one and "leafage" in other):  # leaves of the tree
        return False
    if {*heads, singular(head(cause.name))} & _NOT_SEEN or any(_says_with(text, heads) for text in graph.descriptions):
        return False
    return not may_keep(names[lost], names[query.effect])


def _says_with(text: str, heads: set[str]) -> bool:
    """Return whether a text says that one of two things is with the other, or uses it: "toothbrush with toothpaste"."""
    words = [singular(word) for word in words_in(text)]
    places = [place for place, word in enumerate(words) if word in heads]
    return len(places) > 1 and bool({"with", "using"} & set(words[places[0] : places[-1]]))


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


def can_be_the_answer(task: Task, kind: str) -> bool:
    """Return whether a cause of that kind may link the answer of a task to the thing next to it. In AR, no single part
    of a thing and no single garment of a person is the right answer."""
    return task.short != "AR" or kind not in ("attachment", "wearing")


def can_be_chosen(name: str) -> bool:
    """Return whether a name refers to a thing that can be an option."""
    classes = classes_of(name)
    return bool(classes & OPTIONS) and not classes & NO_OPTIONS and singular(head(name)) not in _NOT_SEEN


def may_keep(keeper: str, kept: str) -> bool:
    """Return whether one thing may support, contain, hold or have the other as a part, by the catalogue."""
    if any(verdict_on(kept, relation, keeper).cause == "object" for relation in ("on", "in")):
        return True
    may_hold = "creature" in classes_of(keeper) and "movable" in classes_of(kept)
    return may_hold or verdict_on(keeper, "have", kept).cause == "subject"
