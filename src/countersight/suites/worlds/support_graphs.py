"""The causal graphs of worlds of supports, found by removing things and holding others in place."""

from collections.abc import Iterable, Iterator
from itertools import combinations, permutations, product

from countersight.causal import CausalEdge, CausalGraph, GraphKind, StructuralModel
from countersight.causal import Thing as Node
from countersight.errors import Unclear
from countersight.worlds import Supports, WorldThing, contacts, fallen

Edge = tuple[str, str]
_HOLDING = "holding"
"""The kind of every edge: one thing holds another, which is found by intervention."""


def direct_causes(world: Supports) -> frozenset[Edge]:
    """Return pairs of things in which the second falls without the first even if all others are held; can raise
    Unclear."""
    free = {thing.id for thing in world.free}
    touching = {(contact.lower, contact.upper) for contact in contacts(world) if contact.lower in free}
    return frozenset(
        (cause, effect)
        for cause, effect in sorted(touching)
        if effect in fallen(world, cause, held=sorted(free - {cause, effect}))
    )


def graphs(world: Supports, scene: str) -> Iterator[CausalGraph]:
    """Yield the causal graphs of two and three things in a world, with the other things of the world."""
    edges = direct_causes(world)
    nodes = {thing.id: _node(thing) for thing in world.free}
    for cause, effect in sorted(edges):
        yield _graph(nodes, scene, "direct", (cause, effect), {(cause, effect)})
    for names in combinations(sorted({name for edge in edges for name in edge}), 3):
        inside = edges.intersection(permutations(names, 2))
        yield from (_graph(nodes, scene, kind, order, inside) for kind, order in _motifs(inside))


def _motifs(edges: frozenset[Edge]) -> Iterator[tuple[GraphKind, tuple[str, ...]]]:
    """Yield the kind of a graph of three things, and the things in the order of that kind; a fork has two orders."""
    out = {cause: {effect for one, effect in edges if one == cause} for cause, _ in edges}
    if len(edges) == 3:
        first, second = sorted(out, key=lambda name: -len(out[name]))
        yield "confounding", (first, second, *(out[first] - {second}))
    if len(edges) != 2:
        return
    (one, two), (three, four) = sorted(edges)
    if two == four:
        yield "collision", (one, three, two)
    elif one == three:
        yield "fork", (one, two, four)
        yield "fork", (one, four, two)
    elif two == three or four == one:
        yield "chain", (one, two, four) if two == three else (three, four, two)


def _graph(
    nodes: dict[str, Node], scene: str, kind: GraphKind, names: tuple[str, ...], edges: Iterable[Edge]
) -> CausalGraph:
    return CausalGraph(
        kind=kind,
        things=tuple(nodes[name] for name in names),
        edges=tuple(CausalEdge(cause, effect, "holds", cause, effect, _HOLDING) for cause, effect in sorted(edges)),
        scene=scene,
        others=tuple(node for name, node in nodes.items() if name not in names),
    )


def _node(thing: WorldThing) -> Node:
    box = round(thing.left), round(thing.top), round(thing.width), round(thing.height)
    return Node(thing.id, thing.name, box=box)


def is_confirmed(world: Supports, graph: CausalGraph, model: StructuralModel, bystanders: tuple[str, ...] = ()) -> bool:
    """Return whether the world behaves like the structural model, whatever is removed or held.

    Every variable, including those of bystanders, is left alone, removed, or held in place, in all combinations.
    """
    names = [*(thing.id for thing in graph.things), *bystanders]
    undisturbed = dict.fromkeys(model.causes, True)
    for doing in product((None, True, False), repeat=len(names)):
        alone = [name for name, value in zip(names, doing, strict=True) if value is None]
        if not alone:
            continue  # every variable is set: there is nothing to compare
        do = {name: value for name, value in zip(names, doing, strict=True) if value is not None}
        gone = [name for name, value in do.items() if not value]
        held = [name for name, value in do.items() if value]
        try:
            down = fallen(world, *gone, held=held)
        except Unclear:
            return False
        said = model.solve(undisturbed, do)
        if any(said[name] == (name in down) for name in alone):
            return False
    return True
