"""Small causal graphs for tests."""

from collections.abc import Sequence

from countersight.causal.graph import CausalEdge, CausalGraph, GraphKind, Thing

EDGES: dict[str, tuple[tuple[int, int], ...]] = {
    "direct": ((0, 1),),
    "chain": ((0, 1), (1, 2)),
    "confounding": ((0, 1), (0, 2), (1, 2)),
    "collision": ((0, 2), (1, 2)),
    "fork": ((0, 1), (0, 2)),
}
NAMES = {
    "direct": ("table", "plate"),
    "chain": ("table", "plate", "pizza"),
    "confounding": ("wall", "shelf", "books"),
    "collision": ("woman", "ribbon", "balloons"),
    "fork": ("bench", "bag", "newspaper"),
}
CAUSES = {
    "direct": ("support",),
    "chain": ("support", "support"),
    "confounding": ("attachment", "attachment", "support"),
    "collision": ("holding", "attachment"),
    "fork": ("support", "support"),
}


def graph(
    kind: GraphKind,
    names: Sequence[str] = (),
    causes: Sequence[str] = (),
    others: Sequence[str] = (),
    **changes: object,
) -> CausalGraph:
    """A causal graph of that kind; its things are named by letters inside, so that tests can speak of A, B and C."""
    names, causes = names or NAMES[kind], causes or CAUSES[kind]
    things = tuple(Thing("ABC"[place], name) for place, name in enumerate(names))
    edges = tuple(
        CausalEdge(things[cause].id, things[effect].id, "on", things[effect].id, things[cause].id, why)
        for (cause, effect), why in zip(EDGES[kind], causes, strict=True)
    )
    fields: dict[str, object] = {
        "kind": kind,
        "things": things,
        "edges": edges,
        "scene": f"scene of {' '.join(names)}",
        "image": "1",
        "others": tuple(Thing(f"other {name}", name) for name in others),
    }
    return CausalGraph(**(fields | changes))


def every_kind() -> list[CausalGraph]:
    return [graph(kind) for kind in EDGES]
