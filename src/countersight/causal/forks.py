"""Two things that depend on a third and not on each other: what becomes of the one tells nothing of the other."""

from collections.abc import Iterable, Iterator, Sequence
from itertools import permutations

from countersight.causal.graph import CausalGraph

_MOST = 6
"""Effects of one cause that are looked at: a floor bears fifty things, and a few are enough to choose from."""


def forks(graphs: Sequence[CausalGraph], sound: Iterable[CausalGraph]) -> Iterator[CausalGraph]:
    """The sound direct graphs of one picture two by two, where they share their cause and no edge joins their effects.

    Mining does not look for forks, which are none of CELLO's four kinds; they are where an indirect effect is nothing.
    """
    joined = {frozenset((edge.cause, edge.effect)) for graph in graphs for edge in graph.edges}
    sharing: dict[tuple[str, str], list[CausalGraph]] = {}
    for graph in sound:
        if graph.kind == "direct":
            sharing.setdefault((graph.scene, graph.things[0].id), []).append(graph)
    for group in sharing.values():
        for one, other in permutations(group[:_MOST], 2):
            held, effect = one.things[1], other.things[1]
            if held.id != effect.id and frozenset((held.id, effect.id)) not in joined:
                yield CausalGraph(
                    "fork", (*one.things, effect), (*one.edges, *other.edges), one.scene, one.image, one.descriptions
                )
