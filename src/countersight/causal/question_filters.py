"""Select the causal graphs that lead to sound questions, and combine the graphs of one picture.

A scene graph contains what people annotated, not everything in the picture. These rules exclude graphs that would lead
to doubtful questions, because of names that do not distinguish things, losses that are not passed on, or causes outside
the graph.
"""

from collections.abc import Iterable, Iterator, Sequence
from functools import lru_cache
from itertools import combinations, groupby, pairwise, permutations

import msgspec

from countersight.causal.catalogue import classes_of, verdict_on
from countersight.causal.graph import CausalEdge, CausalGraph, GraphKind
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
from countersight.causal.merging import DISTINGUISHING_ATTRIBUTES

_MAX_FORK_EFFECTS = 6
"""The maximum number of effects of one cause that are combined; a floor supports fifty things, and a few are enough."""
_MAX_NAME_WORDS = 3
_MAX_NAME_LENGTH = 40
_VAGUE_NAMES = frozenset({
    "bunch", "bundle", "decoration", "edge", "group", "it", "item", "lot", "material", "object", "one", "other", "part",
    "pattern", "piece", "pile", "row", "section", "set", "shape", "side", "someone", "something", "stack", "stuff",
    "roll", "horseback", "them", "thing", "top", "coach", "frisby", "peperoni", "rackett", "raquet", "raquette", "skii",
    "skiis", "surboard", "tre",
})  # fmt: skip
"""Names that do not identify the thing, and misspelt names."""

PLACE_KINDS = frozenset({"support", "attachment", "holding", "wearing", "containment"})
"""Kinds of cause that keep a thing in place. In graphs of three things, the loss of a cause is certain to remove its
effect only if the cause is of one of these kinds, or if it is certain that the cause acts on the effect."""
ACTING_KINDS = frozenset({"force", "source"})
"""Kinds of cause that act on a thing or emit it."""
_BEARING_KINDS = frozenset({"support", "containment"})
_MOVING_VERBS = frozenset({"carry", "drag", "draw", "drive", "lead", "move", "pull", "push", "steer", "tow"})
"""Verbs whose action is passed on to what the thing carries or pulls; pushing a cart moves the boxes on it."""
_FLYING_THINGS = frozenset({"ball", "baseball", "basketball", "disc", "football", "frisbee", "kite", "volleyball"})
"""Things that may be "on the court" while in the air, and that a person is "with" after throwing them."""
_THIN_THINGS = frozenset(
    {"cardboard", "coaster", "doily", "foil", "mat", "napkin", "newspaper", "paper", "placemat", "plastic"}
)
"""Things that lie between another thing and its support; without them, the other would stay where it is."""
_DETERMINERS = frozenset({"a", "an", "her", "his", "its", "that", "the", "their", "this"})
_DEPICTIONS = frozenset(
    {"design", "drawing", "figurine", "image", "painting", "picture", "print", "sculpture", "statue"}
)
_TOWARDS = frozenset({"face", "facing", "toward", "towards"})
_DRAWN_OR_LEANING = ("draw", "engrave", "etch", "lean", "paint", "print")
_PART_WHOLE_RELATIONS = frozenset({"have", "has", "having", "with", "of"})
"""Relations between a whole and its part; the whole is not a second cause if the part has another cause."""
_PARTS = frozenset({
    "arm", "balcony", "blade", "branch", "bumper", "button", "buttonhole", "chimney", "cockpit", "collar", "door",
    "drawer", "engine", "entrance", "faucet", "fender", "fin", "fringe", "glass", "handle", "handlebar", "headboard",
    "headlight", "hood", "hull", "key", "keyboard", "leaf", "leg", "lid", "pedal", "petal", "pocket", "propeller",
    "roof", "screen", "seat", "sleeve", "stem", "tail", "tile", "tire", "trunk", "wheel", "window", "windscreen",
    "windshield", "wing",
})  # fmt: skip
"""Parts of a whole, which does not keep them in place but consists of them."""

_EDGES: dict[GraphKind, frozenset[tuple[int, int]]] = {
    "direct": frozenset({(0, 1)}),
    "chain": frozenset({(0, 1), (1, 2)}),
    "confounding": frozenset({(0, 1), (0, 2), (1, 2)}),
    "collision": frozenset({(0, 2), (1, 2)}),
    "fork": frozenset({(0, 1), (0, 2)}),
}
"""The edges of each kind of graph; 0 stands for A, 1 for B and 2 for C."""


def graph_error(graph: CausalGraph) -> str | None:
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


def is_sound(graph: CausalGraph) -> bool:
    """Return whether a graph allows unambiguous questions."""
    names = {thing.id: thing.name for thing in graph.things}
    kinds = [edge.kind for edge in graph.edges]
    if graph.namesakes or not all(map(is_plain, names.values())):
        return False
    if any(may_be_the_same(one, other) for one, other in combinations(names.values(), 2)):
        return False
    if any(_names_a_part(text, names.values()) or _is_misread(text, names.values()) for text in graph.descriptions):
        return False
    if not (PLACE_KINDS | ACTING_KINDS if _acts_for_sure(graph) else PLACE_KINDS).issuperset(kinds):
        return False
    if len(names) > 2 and sum("ground" in classes_of(name) for name in names.values()) > 1:
        return False  # a skier on snow on the ground is on the ground
    if any(edge.kind == "holding" and edge.relation in _PART_WHOLE_RELATIONS for edge in graph.edges) and any(
        "in front of" in text for text in graph.descriptions
    ):
        return False  # "she has a plate in front of her": she does not hold it
    if any(_is_doubtful(edge, names, acting=bool(acting_kind(graph))) for edge in graph.edges):
        return False
    if graph.kind == "collision":
        return _has_two_causes(graph)
    return graph.kind == "direct" or _carries_on(graph)


def _names_a_part(text: str, names: Iterable[str]) -> bool:
    """Return whether a text describes one of the things as part of another: "the bowl of the sink"."""
    words, heads = [singular(word) for word in words_in(text)], {singular(head(name)) for name in names}
    return any(
        words[place - 1] in heads
        and words[place + 1] in _DETERMINERS
        and not heads.isdisjoint(words[place + 2 : place + 4])
        for place in range(1, len(words) - 2)
        if words[place] == "of"
    )


def _is_misread(text: str, names: Iterable[str]) -> bool:
    """Return whether a text names things that are not in the picture: a "girl drawing" is not a girl, and the camera
    that somebody faces takes the picture."""
    words, heads = [singular(word) for word in words_in(text)], {singular(head(name)) for name in names}
    if any(one in heads and other in _DEPICTIONS for one, other in pairwise(words)):
        return True
    return "camera" in heads and not _TOWARDS.isdisjoint(words)


def _carries_on(graph: CausalGraph) -> bool:
    """Return whether the loss of a cause also affects the things that depend on it only indirectly.

    For example, it does not if a person in a coat falls off a bench, or if a bicycle is chained to a pole on the
    sidewalk.
    """
    last = graph.things[-1]
    into_last = [edge.kind for edge in graph.edges if edge.effect == last.id]
    if graph.kind == "fork":
        return bool(acting_kind(graph)) or all(edge.kind != "wearing" for edge in graph.edges)
    if "wearing" in into_last:
        return False
    stands = "ground" in classes_of(graph.things[0].name) and classes_of(last.name) & {"creature", "mount", "vehicle"}
    return not (graph.kind == "chain" and "attachment" in into_last and stands)


def _has_two_causes(graph: CausalGraph) -> bool:
    """Return whether the effect of a collision needs both causes, and they are distinct."""
    (one, other, _), (first, second) = (thing.name for thing in graph.things), graph.edges
    of_one, of_other = classes_of(one), classes_of(other)
    if any("creature" in here and "grip" in there for here, there in permutations((of_one, of_other))):
        return False  # a person and their hand are one cause
    if (of_one | of_other) & {"ground"} or of_one & of_other & {"vehicle", "mount", "seat"}:
        return False  # the floor supports it either way, and no seat is both in a bus and in a train
    kinds = {first.kind, second.kind}
    if "wearing" in kinds:
        return False  # clothes depend on the wearer alone
    if kinds <= _BEARING_KINDS and any(
        verdict_on(upper, word, lower).kind in _BEARING_KINDS
        for upper, lower in permutations((one, other))
        for word in ("on", "in")
    ):
        return False  # a pizza on a tray on a table
    if "holding" in kinds and kinds & _BEARING_KINDS:
        return False  # a chair on the beach stands there even if nobody holds it
    if first.relation in _PART_WHOLE_RELATIONS or second.relation in _PART_WHOLE_RELATIONS:
        return False
    # The same relation may be true of each separately: a man and a woman each wear shirts.
    ways = {(edge.relation, edge.kind, edge.subject == edge.cause) for edge in graph.edges}
    return len(ways) == 2 or not is_plural(graph.things[-1].name)


def may_suffice_alone(graph: CausalGraph) -> bool:
    """Return whether one of the two causes in a confounding graph may be sufficient by itself.

    For example, plates alone can hold food in a display case. An attached part always needs both causes.
    """
    if graph.kind != "confounding" or all(edge.kind == "attachment" for edge in graph.edges):
        return False
    _, nearer, last = graph.things
    borne = any(
        edge.kind in _BEARING_KINDS for edge in graph.edges if (edge.cause, edge.effect) == (nearer.id, last.id)
    )
    return not borne or all(edge.kind in _BEARING_KINDS for edge in graph.edges)


def acting_kind(graph: CausalGraph) -> str:
    """Return how things in the graph act on each other, "force" or "source"; "" if all edges keep things in place."""
    return next((edge.kind for edge in graph.edges if edge.kind in ACTING_KINDS), "")


def _acts_for_sure(graph: CausalGraph) -> bool:
    """Return whether the action of one thing, or its emission, also involves the third thing: a cart is pushed with the
    boxes on it, or the chimney of a train smokes."""
    kinds = [edge.kind for edge in graph.edges]
    if graph.kind == "direct" or (graph.kind == "fork" and kinds[0] not in ACTING_KINDS):
        return True
    if graph.kind == "chain" and kinds[0] == "force":
        return graph.edges[0].relation in _MOVING_VERBS
    return graph.kind == "chain" and kinds == ["attachment", "source"]


@lru_cache(maxsize=1 << 16)
def is_plain(name: str) -> bool:
    """Return whether a name says what the thing is, in words that can be used in a sentence."""
    if not (name.isascii() and name == name.lower() and len(name) <= _MAX_NAME_LENGTH):
        return False
    if not 1 <= len(words_in(name)) <= _MAX_NAME_WORDS or singular(head(name)) in _VAGUE_NAMES:
        return False
    if f"{head(name)}s" in forms()["always_plural"] and "worn" in classes_of(name):
        return False  # "a pant", "a short"
    # Other names are misspelt, unusual ("dunkin donuts" for a bag), or unknown.
    words = [word for word in words_in(name) if word not in DISTINGUISHING_ATTRIBUTES] or [name]
    return is_listed(name) or all(entry(word) or classes_of(word) for word in words)


def _is_doubtful(edge: CausalEdge, names: dict[str, str], *, acting: bool) -> bool:
    """Return whether an edge says where a thing is rather than what keeps it there; set `acting` if the graph has a
    force."""
    cause, effect = (singular(head(names[thing])) for thing in (edge.cause, edge.effect))
    of_cause, of_effect = classes_of(names[edge.cause]), classes_of(names[edge.effect])
    is_attached = edge.kind == "attachment"
    return (
        "immaterial" in of_cause | of_effect
        or "body" in of_effect
        or ("body" in of_cause and not (cause == "hand" and edge.kind == "holding"))
        or ("ground" in of_cause and effect in _FLYING_THINGS)
        or (edge.relation == "with" and edge.kind == "holding" and effect in _FLYING_THINGS)
        or (is_attached and "fastener" in of_effect)
        or (is_attached and not acting and (edge.relation in _PART_WHOLE_RELATIONS or effect in _PARTS))
        # a tiger on a shirt is a picture of one, and a person who leans on a wall can stand without it
        or ("creature" in of_effect and edge.relation.startswith(_DRAWN_OR_LEANING))
        or (edge.kind == "support" and ("cloth" in of_cause or cause in _THIN_THINGS))
        or ("plant" in of_cause and "plant" in of_effect)  # weeds in the grass grow from the soil
    )


def is_one_way(graph: CausalGraph, lost: str, effect: str) -> bool:
    """Return whether the graph alone decides what happens to a cause when a thing that depends on it is lost.

    It does not if the cause also depends on that thing: riders keep their bicycles upright, rivets are held by the
    signs that they hold, and wheels carry their bus.
    """
    names = {thing.id: thing.name for thing in graph.things}
    if (effect, lost) not in {(edge.cause, edge.effect) for edge in graph.edges}:
        return True
    of_lost, of_effect = (classes_of(names[thing]) for thing in (lost, effect))
    ridden = "creature" in of_lost and of_effect & {"mount", "vehicle"}
    return not (ridden or "fastener" in of_effect or "underpart" in of_lost)


def select_graphs(graphs: Iterable[CausalGraph]) -> Iterator[CausalGraph]:
    """Yield the graphs that are suitable for questions, each with the other, unrelated things in its picture.

    Graphs of one picture must be adjacent, as mining writes them; the forks among them follow. Graphs are excluded if
    an effect has further causes in its scene.
    """
    for _, group in groupby(graphs, key=lambda graph: graph.image or graph.scene):
        yield from _select_graphs_of_picture(list(group))


def _select_graphs_of_picture(graphs: list[CausalGraph]) -> Iterator[CausalGraph]:
    neighbours: dict[str, set[str]] = {}
    causes: dict[tuple[str, str], set[str]] = {}
    for graph in graphs:
        names = {thing.id: plain(thing.name) for thing in graph.things}
        for edge in graph.edges:
            causes.setdefault((graph.scene, edge.effect), set()).add(edge.cause)
            for one, other in permutations((names[edge.cause], names[edge.effect])):
                neighbours.setdefault(one, set()).add(other)
    described = [
        {singular(word) for word in words_in(text)}
        for text in sorted({text for graph in graphs for text in graph.descriptions})
    ]
    sound = []
    for graph in filter(is_sound, graphs):
        ids = {thing.id for thing in graph.things}
        if any(not causes[graph.scene, edge.effect] <= ids for edge in graph.edges):
            continue
        sound.append(graph)
        related = {plain(thing.name) for thing in graph.things}
        waiting = list(related)
        while waiting:
            new = neighbours.get(waiting.pop(), set()) - related
            related |= new
            waiting += new
        # A description that mentions a thing and one of the graph may reveal another relation: "the frame of the
        # chair that the cat sits in".
        heads = {singular(head(thing.name)) for thing in graph.things}
        told = set().union(*(words for words in described if not heads.isdisjoint(words)))
        others = (t for t in graph.others if plain(t.name) not in related and singular(head(t.name)) not in told)
        yield msgspec.structs.replace(graph, others=tuple(others))
    yield from filter(is_sound, _forks(graphs, sound))


def _forks(graphs: Sequence[CausalGraph], sound: Iterable[CausalGraph]) -> Iterator[CausalGraph]:
    """Yield pairs of sound direct graphs of one picture that share their cause, if no edge joins their effects.

    Mining does not look for forks, which are not among CELLO's four kinds. Their indirect effects are zero.
    """
    joined = {frozenset((edge.cause, edge.effect)) for graph in graphs for edge in graph.edges}
    sharing: dict[tuple[str, str], list[CausalGraph]] = {}
    for graph in sound:
        if graph.kind == "direct":
            sharing.setdefault((graph.scene, graph.things[0].id), []).append(graph)
    for group in sharing.values():
        for one, other in permutations(group[:_MAX_FORK_EFFECTS], 2):
            held, effect = one.things[1], other.things[1]
            if held.id != effect.id and frozenset((held.id, effect.id)) not in joined:
                yield CausalGraph(
                    "fork", (*one.things, effect), (*one.edges, *other.edges), one.scene, one.image, one.descriptions
                )
