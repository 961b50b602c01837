"""Code shared by generated suites: groups and wordings of questions, smallest changes, and splits by picture."""

import hashlib
from collections import Counter
from collections.abc import Callable, Iterable
from itertools import groupby
from pathlib import Path
from typing import TypeVar

from countersight.case import Case
from countersight.dataset import Dataset

GROUPS = ("usual", "least-change", "several-changes")
"""The groups of generated questions: the usual ones, smallest changes, or two changes in one question."""
WORDINGS = ("first", "second")
"""The wordings of causal questions; the second one also has the options in another order."""

Candidate = TypeVar("Candidate")


def smallest(
    candidates: Iterable[tuple[int, Candidate]], reaches: Callable[[Candidate], bool], most: int = 1
) -> list[Candidate]:
    """Return all candidates of the smallest size that reach the goal; candidates are given with their sizes.

    All candidates of a size are tried before larger ones, so the result is provably minimal, and unique if there is
    only one candidate. Sizes above `most` are not tried.
    """
    ordered = sorted(candidates, key=lambda sized: sized[0])
    for size, alike in groupby(ordered, key=lambda sized: sized[0]):
        found = [candidate for _, candidate in alike if reaches(candidate)] if size <= most else []
        if found:
            return found
    return []


def split_of(picture: str) -> str:
    """Return the split of a picture by a hash of its name: 10 % validation, 20 % test, the rest training."""
    part = int.from_bytes(hashlib.blake2b(picture.encode(), digest_size=4).digest()) % 10
    return "test" if part < 2 else "validation" if part < 3 else "train"


def division_table(folder: Path, heading: str, row_of: Callable[[Case], str]) -> str:
    """Return a table of cases by split and difficulty for a dataset card, with rows chosen by `row_of`."""
    counts: Counter[tuple[str, str]] = Counter()
    for _, case in Dataset.open(folder).cases():
        for name in ("split", "difficulty"):
            counts[row_of(case), f"{name} {case.provenance.get(name, '')}"] += 1
    columns = sorted({column for _, column in counts}, key=lambda name: (not name.startswith("split"), name))
    rows = [(heading, *columns), ("---",) * (len(columns) + 1)]
    rows += [
        (row, *(str(counts[row, column]) for column in columns)) for row in dict.fromkeys(row for row, _ in counts)
    ]
    return "\n".join(f"| {' | '.join(row)} |" for row in rows)
