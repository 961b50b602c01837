"""Questions asked backwards: the smallest change that leads to a goal, found by looking at all changes."""

from collections.abc import Callable, Iterable
from itertools import groupby
from typing import TypeVar

GROUPS = ("usual", "least-change", "several-changes")
"""What a maker of scenes or worlds asks: its usual groups, the smallest change, or two changes in one question."""
WORDINGS = ("first", "second")
"""Causal questions as they are asked first, or the same in other words, with the options in another order."""

Candidate = TypeVar("Candidate")


def smallest(
    candidates: Iterable[tuple[int, Candidate]], reaches: Callable[[Candidate], bool], most: int = 1
) -> list[Candidate]:
    """Every candidate of the least size that reaches the goal; candidates are given with their sizes.

    All candidates of a size are tried before larger ones: what is found is proved to be minimal, and is unique where it
    is one. Nothing is found among sizes above `most`.
    """
    ordered = sorted(candidates, key=lambda sized: sized[0])
    for size, alike in groupby(ordered, key=lambda sized: sized[0]):
        if size > most:
            break
        found = [candidate for _, candidate in alike if reaches(candidate)]
        if found:
            return found
    return []
