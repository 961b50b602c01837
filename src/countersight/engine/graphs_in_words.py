"""Causal graphs of cases in words, for prompts: "shelf supports books; books weigh down shelf"."""

from collections import Counter
from typing import Any

MOST_EDGES = 64
LONGEST_NODE_NAME = 80
Graph = dict[str, Any] | None
"""The causal graph of a case; its contents are not validated."""


def graph_in_words(graph: Graph) -> str:
    """Return the edges of a graph on one line; empty if there are none."""
    return "; ".join(edges_in_words(graph))


def edges_in_words(graph: Graph) -> list[str]:
    """Return the edges of a graph as short phrases: "shelf supports books".

    Nodes have an `id` and a `name` (or, as published, an `obj_name`), edges a `source`, a `target` and a `relation`. If
    the relation reads in the other direction, as in "books on shelf", edges also have a `subject` and an `object`.
    Nodes with the same name are numbered.
    """
    nodes = _entries(graph, "nodes")
    names = {str(node.get("id")): _short(node.get("name")) or _short(node.get("obj_name")) for node in nodes}
    alike, seen = Counter(names.values()), Counter[str]()
    for key, name in names.items():
        if name and alike[name] > 1:
            seen[name] += 1
            names[key] = f"{name} {seen[name]}"
    phrases: dict[str, None] = {}  # without duplicates, in order
    for edge in _entries(graph, "edges"):
        ends = ("subject", "object") if {"subject", "object"} <= edge.keys() else ("source", "target")
        source, target = (names.get(str(edge.get(end))) for end in ends)
        relation = _short(edge.get("relation"))
        if source and target and relation and len(phrases) < MOST_EDGES:
            phrases[f"{source} {relation} {target}"] = None
    return list(phrases)


def _entries(graph: Graph, name: str) -> list[dict[str, Any]]:
    entries = (graph or {}).get(name)
    return [entry for entry in entries if isinstance(entry, dict)] if isinstance(entries, list) else []


def _short(value: object) -> str:
    return " ".join(value.split())[:LONGEST_NODE_NAME] if isinstance(value, str) else ""
