"""Select the causal graphs that make sound questions, and combine the graphs of one picture.

A scene graph tells what somebody marked, not all there is. These rules leave out what cannot be asked without doubt:
things that names do not tell apart, dependences that do not carry on, effects with causes outside the graph.
"""

from collections.abc import Iterable, Iterator, Sequence
from functools import lru_cache
from itertools import combinations, groupby, permutations

import msgspec

from countersight.causal.catalogue import catalogue
from countersight.causal.graph import CausalEdge, CausalGraph, GraphKind, Thing
from countersight.causal.lexicon import (
    entry,
    forms,
    head,
    is_listed,
    is_plural,
    may_be_the_same,
    plain,
    singular,
    words_in,
)
from countersight.causal.merging import TELLING

_MOST_FORKED = 6
"""Effects of one cause that are looked at: a floor bears fifty things, and a few are enough to choose from."""
_MOST_WORDS = 3
_LONGEST_NAME = 40
_VAGUE = frozenset({
    "bunch", "bundle", "decoration", "edge", "group", "it", "item", "lot", "material", "object", "one", "other", "part",
    "pattern", "piece", "pile", "row", "section", "set", "shape", "side", "someone", "something", "stack", "stuff",
    "roll", "horseback", "them", "thing", "top",
})  # fmt: skip
"""Names that do not tell what the thing is."""

PLACE_KINDS = frozenset({"support", "attachment", "holding", "wearing", "containment"})
"""Kinds of cause that keep a thing in place. In graphs of three things, only these pass on a loss."""
ACTING_KINDS = frozenset({"force", "source"})
"""Kinds of cause that act on a thing or emit it."""
_BEARING = ("support", "containment")
_MOVING = frozenset({"carry", "drag", "draw", "drive", "lead", "move", "pull", "push", "steer", "tow"})
"""What is done to a thing and, through it, to whatever it bears or pulls: who pushes a cart moves the boxes on it."""
_UNSEEN = frozenset({"camera", "photo", "photograph", "photographer", "picture"})
"""What descriptions name and the picture does not show: "with her back facing the camera"."""
_FLYING = frozenset({"ball", "baseball", "basketball", "disc", "football", "frisbee", "kite", "volleyball"})
"""What is "on the court" or "on the beach" in the air."""

_TIES = frozenset({"cord", "leash", "rein", "strap", "tether"})
"""What is fixed to a thing so as to hold it: the kite depends on its string, and the string on nothing but the hand."""
_THIN = frozenset(
    {"cardboard", "coaster", "doily", "foil", "mat", "napkin", "newspaper", "paper", "placemat", "plastic"}
)
"""What lies between a thing and what bears it: without it the thing would be where it is."""
_DRAWN = ("draw", "engrave", "etch", "paint", "print")
_HAVING = frozenset({"have", "has", "having", "with", "of"})
"""Relations of a whole and its part: beside another cause of the part they tell of no second one."""

_EDGES: dict[GraphKind, frozenset[tuple[int, int]]] = {
    "direct": frozenset({(0, 1)}),
    "chain": frozenset({(0, 1), (1, 2)}),
    "confounding": frozenset({(0, 1), (0, 2), (1, 2)}),
    "collision": frozenset({(0, 2), (1, 2)}),
    "fork": frozenset({(0, 1), (0, 2)}),
}
"""From which letter to which an edge runs, by the kind of graph."""


def fault(graph: CausalGraph) -> str | None:
    """Return the error in a graph that was read from a file, or None."""
    letters = {thing.id: place for place, thing in enumerate(graph.things)}
    if len(letters) != len(graph.things):
        return "two things have the same id"
    if not all(thing.name.strip() for thing in graph.things):
        return "a thing has no name"
    for edge in graph.edges:
        if {edge.cause, edge.effect} != {edge.subject, edge.object} or not {edge.cause, edge.effect} <= letters.keys():
            return "an edge is not between two things of the graph"
    edges = [(letters[edge.cause], letters[edge.effect]) for edge in graph.edges]
    if len(graph.things) != (2 if graph.kind == "direct" else 3) or sorted(edges) != sorted(_EDGES[graph.kind]):
        return f"its edges are not those of the kind {graph.kind}"
    return None


def doubt(graph: CausalGraph) -> str | None:
    """Return the reason why a graph is unfit for unambiguous questions, or None."""
    names = {thing.id: thing.name for thing in graph.things}
    if not all(is_plain(name) for name in names.values()):
        return "a name does not say what the thing is"
    if graph.namesakes:
        return "another thing of the picture has the same name"
    if any(may_be_the_same(one, other) for one, other in combinations(names.values(), 2)):
        return "two names may stand for the same thing"
    allowed = PLACE_KINDS | ACTING_KINDS if _acts_for_sure(graph) else PLACE_KINDS
    if not all(edge.kind in allowed for edge in graph.edges):
        return "a dependence is not spatial"
    if graph.kind in ("chain", "confounding") and any(
        edge.kind == "wearing" for edge in graph.edges if edge.effect == graph.things[-1].id
    ):
        return "a dependence is not transitive"  # whoever falls off a bench still has the coat on
    if graph.kind == "fork" and any(edge.kind == "wearing" for edge in graph.edges) and not acting_kind(graph):
        return "a dependence is not transitive"
    if len(names) > 2 and sum("ground" in catalogue().classes(name) for name in names.values()) > 1:
        return "two names may stand for the same thing"  # who skis on snow on the ground is on the ground
    if graph.kind == "chain" and _stands_by_itself(graph):
        return "a dependence is not transitive"
    if graph.kind == "confounding" and any(edge.kind in _BEARING and edge.relation == "with" for edge in graph.edges):
        return "a relation says where a thing is, not what keeps it there"  # a soap tray with a glass, on a ledge
    if graph.kind == "collision" and _are_somebody_and_their_hand(graph):
        return "two names may stand for the same thing"
    if graph.kind == "collision" and _are_one_of_a_kind(graph):
        return "two names may stand for the same thing"
    if graph.kind == "collision" and _may_rest_on_each_other(graph):
        return "one of the causes may be sufficient"  # a pizza on a tray on a table
    if graph.kind == "collision" and _is_held_where_it_rests(graph):
        return "one of the causes may be sufficient"  # a chair on the beach that somebody holds stands without the hand
    if graph.kind == "collision" and any(edge.relation in _HAVING for edge in graph.edges):
        return "a relation says where a thing is, not what keeps it there"
    if graph.kind == "collision" and _is_distributive(graph):
        return "each cause may have its own effect"  # a man and a woman wear a shirt
    if any(edge.kind == "holding" and edge.relation in _HAVING for edge in graph.edges) and any(
        "in front of" in text for text in graph.descriptions
    ):
        return "a relation says where a thing is, not what keeps it there"  # she has a plate in front of her
    if any(_is_doubtful(edge, names) for edge in graph.edges):
        return "a relation says where a thing is, not what keeps it there"
    return None


def _is_distributive(graph: CausalGraph) -> bool:
    """Whether what is said of both causes of a collision in the same words may be true of each by itself."""
    one, other = graph.edges
    by_causes = one.subject == one.cause
    if (one.relation, one.kind, by_causes) != (other.relation, other.kind, other.subject == other.cause):
        return False
    return is_plural(graph.things[-1].name) or (by_causes and one.kind in ("wearing", "attachment"))


def _are_somebody_and_their_hand(graph: CausalGraph) -> bool:
    """Whether the causes of a collision are a creature and what it grips with: they are one cause."""
    one, other, _ = (catalogue().classes(thing.name) for thing in graph.things)
    return ("creature" in one and "grip" in other) or ("grip" in one and "creature" in other)


def _are_one_of_a_kind(graph: CausalGraph) -> bool:
    """Whether the causes of a collision are two of which a thing has one: a seat is not in a bus and in a train."""
    one, other, _ = (catalogue().classes(thing.name) for thing in graph.things)
    return bool(one & other & {"vehicle", "mount", "seat", "ground"})


def _is_held_where_it_rests(graph: CausalGraph) -> bool:
    kinds = {edge.kind for edge in graph.edges}
    return "holding" in kinds and not kinds.isdisjoint(_BEARING)


def _may_rest_on_each_other(graph: CausalGraph) -> bool:
    """Whether the causes of a collision bear its effect, and one of them may bear the other."""
    one, other, _ = (thing.name for thing in graph.things)
    return all(edge.kind in _BEARING for edge in graph.edges) and any(
        catalogue().decide(upper, word, lower).kind in _BEARING
        for upper, lower in permutations((one, other))
        for word in ("on", "in")
    )


def _stands_by_itself(graph: CausalGraph) -> bool:
    """Whether the last thing of a chain is fixed to what stands on the ground, and may stand there as well: a bicycle
    that is chained to a pole on the sidewalk."""
    first, _, last = (catalogue().classes(thing.name) for thing in graph.things)
    fixed = any(edge.kind == "attachment" for edge in graph.edges if edge.effect == graph.things[-1].id)
    return fixed and "ground" in first and not last.isdisjoint(("creature", "mount", "vehicle"))


def may_do_alone(graph: CausalGraph) -> bool:
    """Whether one of the two causes in a confounding graph may be enough: food on plates in a display case is in the
    case by its plates, and a child on an elephant is in somebody's arms. Parts need both: plane, wing, engine."""
    if graph.kind != "confounding" or all(edge.kind == "attachment" for edge in graph.edges):
        return False
    _, nearer, last = graph.things
    borne = any(edge.kind in _BEARING for edge in graph.edges if (edge.cause, edge.effect) == (nearer.id, last.id))
    return not borne or all(edge.kind in _BEARING for edge in graph.edges)


def acting_kind(graph: CausalGraph) -> str:
    """Return how things in the graph act on each other, "force" or "source"; "" if all edges keep things in place."""
    return next((edge.kind for edge in graph.edges if edge.kind in ACTING_KINDS), "")


def _acts_for_sure(graph: CausalGraph) -> bool:
    """Whether what one thing does to another, or gives off, also holds of the third: a cart that is pushed and the
    boxes on it, a train with a chimney that smokes."""
    kinds = [edge.kind for edge in graph.edges]
    if graph.kind == "direct" or (graph.kind == "fork" and kinds[0] not in ACTING_KINDS):
        return True
    if graph.kind == "chain" and kinds[0] == "force":
        first, last = graph.edges
        on = last.kind in (*_BEARING, "attachment") or (last.kind == "force" and last.relation in _MOVING)
        return first.relation in _MOVING and on
    return graph.kind == "chain" and kinds == ["attachment", "source"]


@lru_cache(maxsize=1 << 16)
def is_plain(name: str) -> bool:
    """Whether a name says what the thing is, in words that fit into a sentence."""
    if not (name.isascii() and name == name.lower() and len(name) <= _LONGEST_NAME):
        return False
    if not 1 <= len(words_in(name)) <= _MOST_WORDS or singular(head(name)) in _VAGUE:
        return False
    if f"{head(name)}s" in forms().always_plural and "worn" in catalogue().classes(name):
        return False  # a pant, a short
    # Else a slip of the pen, what somebody alone calls it ("dunkin donuts" on a bag), or nothing we know.
    said = [word for word in words_in(name) if word not in TELLING] or [name]
    return is_listed(name) or all(entry(word) or catalogue().classes(word) for word in said)


def _is_doubtful(edge: CausalEdge, names: dict[str, str]) -> bool:
    cause, effect = names[edge.cause], names[edge.effect]
    of_cause, of_effect = catalogue().classes(cause), catalogue().classes(effect)
    on_vehicle = "vehicle_part" in of_effect and not of_cause.isdisjoint(("vehicle", "vehicle_part"))
    if "immaterial" in of_cause | of_effect or ("body" in of_effect and not on_vehicle):
        return True
    if "body" in of_cause and not on_vehicle and not (singular(head(cause)) == "hand" and edge.kind == "holding"):
        return True
    if "ground" in of_cause and singular(head(effect)) in _FLYING:
        return True
    if edge.relation in _HAVING and singular(head(effect)) in _UNSEEN:
        return True
    if edge.kind == "attachment" and ("fastener" in of_effect or singular(head(effect)) in _TIES):
        return True
    if "creature" in of_effect and edge.relation.startswith(_DRAWN):
        return True  # a tiger on a shirt is a picture of one
    if edge.kind == "support" and ("cloth" in of_cause or singular(head(cause)) in _THIN):
        return True
    return "plant" in of_cause and "plant" in of_effect  # weeds in the grass grow from the soil


def is_one_way(graph: CausalGraph, lost: str, effect: str) -> bool:
    """Whether the graph alone decides the fate of a cause when a thing that depends on it is lost.

    Who rides a bicycle depends on it, and keeps it upright and going as well; a rivet that holds a sign is held by it,
    and the wheels of a bus bear it.
    """
    names = {thing.id: thing.name for thing in graph.things}
    if (effect, lost) not in {(edge.cause, edge.effect) for edge in graph.edges}:
        return True
    of_lost, of_effect = (catalogue().classes(names[thing]) for thing in (lost, effect))
    ridden = "creature" in of_lost and of_effect & {"mount", "vehicle"}
    return not (ridden or "fastener" in of_effect or "underpart" in of_lost)


def settled(graphs: Iterable[CausalGraph]) -> Iterator[CausalGraph]:
    """Return the graphs fit for questions, each with the unrelated other things of its picture.

    Graphs of one picture stand together, as mining writes them, and are followed by the forks that they make. An effect
    that has further causes in its scene is not asked about with some of them alone.
    """
    for _, group in groupby(graphs, key=lambda graph: graph.image or graph.scene):
        yield from _of_one_picture(list(group))


def _of_one_picture(graphs: list[CausalGraph]) -> Iterator[CausalGraph]:
    neighbours: dict[str, set[str]] = {}
    causes: dict[tuple[str, str], set[str]] = {}
    for graph in graphs:
        names = {thing.id: plain(thing.name) for thing in graph.things}
        for edge in graph.edges:
            causes.setdefault((graph.scene, edge.effect), set()).add(edge.cause)
            for one, other in permutations((names[edge.cause], names[edge.effect])):
                neighbours.setdefault(one, set()).add(other)
    told = {text for graph in graphs for text in graph.descriptions}
    described = [{singular(word) for word in words_in(text)} for text in sorted(told)]
    sound = [graph for graph in graphs if doubt(graph) is None and not _has_outer_causes(graph, causes)]
    for graph in sound:
        related = _connected(neighbours, [plain(thing.name) for thing in graph.things])
        others = tuple(
            thing
            for thing in graph.others
            if plain(thing.name) not in related and not _are_told_together(thing, graph, described)
        )
        yield msgspec.structs.replace(graph, others=others)
    yield from (fork for fork in _forks(graphs, sound) if doubt(fork) is None)


def _forks(graphs: Sequence[CausalGraph], sound: Iterable[CausalGraph]) -> Iterator[CausalGraph]:
    """The sound direct graphs of one picture two by two, where they share their cause and no edge joins their effects.

    Mining does not look for forks, which are none of CELLO's four kinds; they are where an indirect effect is nothing.
    """
    joined = {frozenset((edge.cause, edge.effect)) for graph in graphs for edge in graph.edges}
    sharing: dict[tuple[str, str], list[CausalGraph]] = {}
    for graph in sound:
        if graph.kind == "direct":
            sharing.setdefault((graph.scene, graph.things[0].id), []).append(graph)
    for group in sharing.values():
        for one, other in permutations(group[:_MOST_FORKED], 2):
            held, effect = one.things[1], other.things[1]
            if held.id != effect.id and frozenset((held.id, effect.id)) not in joined:
                yield CausalGraph(
                    "fork", (*one.things, effect), (*one.edges, *other.edges), one.scene, one.image, one.descriptions
                )


def _are_told_together(other: Thing, graph: CausalGraph, described: list[set[str]]) -> bool:
    """Whether a description speaks of a thing and of one of the graph: it may tell what the graph does not, as of the
    chair in "the frame of the chair that the cat sits in"."""
    heads = {singular(head(thing.name)) for thing in graph.things}
    return any(singular(head(other.name)) in said and not heads.isdisjoint(said) for said in described)


def _has_outer_causes(graph: CausalGraph, causes: dict[tuple[str, str], set[str]]) -> bool:
    inside = {thing.id for thing in graph.things}
    return any(not causes.get((graph.scene, edge.effect), inside) <= inside for edge in graph.edges)


def _connected(neighbours: dict[str, set[str]], names: list[str]) -> set[str]:
    found, waiting = set(names), list(names)
    while waiting:
        new = neighbours.get(waiting.pop(), set()) - found
        found |= new
        waiting += new
    return found
