"""Reverse questions: find the smallest change that reaches a goal, by trying all changes."""

from collections.abc import Callable, Iterable
from itertools import groupby
from typing import TypeVar

GROUPS = ("usual", "least-change", "several-changes")
"""The groups of generated questions: the usual ones, the smallest change, or two changes in one question."""
WORDINGS = ("first", "second")
"""The wordings of causal questions; the second one also has the options in another order."""

Candidate = TypeVar("Candidate")


def smallest(
    candidates: Iterable[tuple[int, Candidate]], reaches: Callable[[Candidate], bool], most: int = 1
) -> list[Candidate]:
    """Return every candidate of the least size that reaches the goal; candidates are given with their sizes.

    All candidates of a size are tried before larger ones, so the result is provably minimal, and unique if it has one
    candidate. Sizes above `most` are not tried.
    """
    ordered = sorted(candidates, key=lambda sized: sized[0])
    for size, alike in groupby(ordered, key=lambda sized: sized[0]):
        if size > most:
            break
        found = [candidate for _, candidate in alike if reaches(candidate)]
        if found:
            return found
    return []
