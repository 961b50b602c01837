"""A case's causal graph in words, for prompts that tell it."""

from typing import Any

MOST_EDGES = 64
LONGEST_NAME = 80


Graph = dict[str, Any] | None
"""As a case has it: nobody has checked what is in it."""


def graph_in_words(graph: Graph) -> str:
    """The edges of a graph in one line, or nothing where there is none to tell."""
    return "; ".join(edges_in_words(graph))


def edges_in_words(graph: Graph) -> list[str]:
    """The edges of a graph, each a few words: "shelf supports books".

    The nodes have an `id` and a `name` (or, as published, an `obj_name`), the edges a `source`, a `target` and a
    `relation`; where the relation is said of them the other way about, as "books on shelf", also a `subject` and an
    `object`. Things of the same name are told apart by a number.
    """
    names = names_of(graph)
    told: dict[str, None] = {}  # each relation once, in order
    for edge in _entries(graph, "edges"):
        ends = ("subject", "object") if {"subject", "object"} <= edge.keys() else ("source", "target")
        source, target = (names.get(str(edge.get(end))) for end in ends)
        relation = _short(edge.get("relation"))
        if source and target and relation and len(told) < MOST_EDGES:
            told[f"{source} {relation} {target}"] = None
    return list(told)


def nodes_of(graph: Graph) -> list[dict[str, Any]]:
    """The nodes of a graph."""
    return _entries(graph, "nodes")


def names_of(graph: Graph) -> dict[str, str]:
    """What each node is called, by its id; one that has no name is called nothing."""
    names = {str(node.get("id")): _short(node.get("name")) or _short(node.get("obj_name")) for node in nodes_of(graph)}
    alike: dict[str, int] = {}
    for name in names.values():
        alike[name] = alike.get(name, 0) + 1
    seen: dict[str, int] = {}
    for key, name in names.items():
        if name and alike[name] > 1:
            seen[name] = seen.get(name, 0) + 1
            names[key] = f"{name} {seen[name]}"
    return names


def _entries(graph: Graph, name: str) -> list[dict[str, Any]]:
    entries = (graph or {}).get(name)
    return [entry for entry in entries if isinstance(entry, dict)] if isinstance(entries, list) else []


def _short(value: object) -> str:
    return " ".join(value.split())[:LONGEST_NAME] if isinstance(value, str) else ""
