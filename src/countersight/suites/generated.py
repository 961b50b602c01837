"""Code shared by generated suites: groups and wordings of questions, and splits by picture."""

import hashlib
from collections import Counter
from collections.abc import Callable
from pathlib import Path

from countersight.case import Case
from countersight.dataset import Dataset

GROUPS = ("usual", "least-change", "several-changes")
"""The groups of generated questions: the usual ones, smallest changes, or two changes in one question."""
WORDINGS = ("first", "second")
"""The wordings of causal questions; the second one also has the options in another order."""


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
