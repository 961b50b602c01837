"""A case's causal graph in words, for prompts that tell it."""

from typing import Any

MOST_EDGES = 64
LONGEST_NAME = 80


def graph_in_words(graph: dict[str, Any] | None) -> str:
    """The edges of a graph, each a few words ("shelf supports books"), or nothing where there is none to tell.

    The nodes have an `id` and a `name` (or, as published, an `obj_name`), the edges a `source`, a `target` and a
    `relation`. Things of the same name are told apart by a number.
    """
    names = _names(_entries(graph, "nodes"))
    told: dict[str, None] = {}  # each relation once, in order
    for edge in _entries(graph, "edges"):
        source, target = names.get(str(edge.get("source"))), names.get(str(edge.get("target")))
        relation = _short(edge.get("relation"))
        if source and target and relation and len(told) < MOST_EDGES:
            told[f"{source} {relation} {target}"] = None
    return "; ".join(told)


def _names(nodes: list[dict[str, Any]]) -> dict[str, str]:
    """What each node is called, by its id."""
    names = {str(node.get("id")): _short(node.get("name")) or _short(node.get("obj_name")) for node in nodes}
    alike: dict[str, int] = {}
    for name in names.values():
        alike[name] = alike.get(name, 0) + 1
    seen: dict[str, int] = {}
    for key, name in names.items():
        if name and alike[name] > 1:
            seen[name] = seen.get(name, 0) + 1
            names[key] = f"{name} {seen[name]}"
    return names


def _entries(graph: dict[str, Any] | None, name: str) -> list[dict[str, Any]]:
    """The nodes or edges of a graph. What a graph is in a dataset nobody has checked."""
    entries = (graph or {}).get(name)
    return [entry for entry in entries if isinstance(entry, dict)] if isinstance(entries, list) else []


def _short(value: object) -> str:
    return " ".join(value.split())[:LONGEST_NAME] if isinstance(value, str) else ""
