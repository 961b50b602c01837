"""Path analysis of a causal graph: causes and effects, d-separation, and backdoor sets."""

from collections.abc import Callable, Iterable
from itertools import combinations

Edges = frozenset[tuple[str, str]]
"""Pairs of a cause and its effect."""


def causes(edges: Edges, name: str) -> set[str]:
    """Return the direct causes."""
    return {cause for cause, effect in edges if effect == name}


def effects(edges: Edges, name: str) -> set[str]:
    """Return the direct effects."""
    return {effect for cause, effect in edges if cause == name}


def ancestors(edges: Edges, name: str) -> set[str]:
    """Return all causes, direct or indirect."""
    return _reached(name, lambda one: causes(edges, one))


def descendants(edges: Edges, name: str) -> set[str]:
    """Return all effects, direct or indirect."""
    return _reached(name, lambda one: effects(edges, one))


def mediators(edges: Edges, cause: str, effect: str) -> set[str]:
    """Return the variables on directed paths from the cause to the effect."""
    return descendants(edges, cause) & ancestors(edges, effect)


def is_separated(edges: Edges, one: str, other: str, given: Iterable[str] = ()) -> bool:
    """Return whether every path between two variables is blocked by `given` (d-separation).

    Uses the moral graph of the ancestors: parents of a common child are joined, directions are dropped, and `given` is
    removed. The variables are separated if no path is left between them.
    """
    given = set(given)
    kept = {one, other, *given}
    for name in tuple(kept):
        kept |= ancestors(edges, name)
    joined: dict[str, set[str]] = {name: set() for name in kept}
    for name in kept:
        parents = causes(edges, name)
        for parent in parents:
            joined[name] |= {parent}
            joined[parent] |= {name, *parents} - {parent}
    return other not in _reached(one, lambda name: joined[name] - given)


def backdoor_set(edges: Edges, cause: str, effect: str) -> frozenset[str] | None:
    """Return the smallest set of variables to control for, by the backdoor criterion; None if there is none.

    No member is an effect of the cause, and together they block every path that enters the cause (Pearl 1993).
    """
    names = {name for edge in edges for name in edge}
    candidates = sorted(names - {cause, effect} - descendants(edges, cause))
    entering = frozenset((source, target) for source, target in edges if source != cause)
    for size in range(len(candidates) + 1):
        for chosen in combinations(candidates, size):
            if is_separated(entering, cause, effect, chosen):
                return frozenset(chosen)
    return None


def _reached(start: str, steps: Callable[[str], set[str]]) -> set[str]:
    """Return everything that can be reached in one step or more."""
    found: set[str] = set()
    waiting = [start]
    while waiting:
        new = steps(waiting.pop()) - found
        found |= new
        waiting += new
    return found
