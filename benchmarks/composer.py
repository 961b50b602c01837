"""Measure how often the composer is right on the questions of C-VQA-Real.

    python -m benchmarks.composer C-VQA-Real_questions.csv

Prints how many direct and indirect questions it answers right or wrong, and on how many it abstains. A hash of each row
splits the file into a development part (60 %), which was read while the grammar was written, and a held-out part.
"""

import csv
import hashlib
import sys
from collections import Counter
from pathlib import Path

from countersight.composer import compose

PARTS = ("development", "held out")
KINDS = ("direct", "indirect")


def main(questions: Path) -> None:
    """Print one table."""
    with questions.open(encoding="utf-8-sig", newline="") as file:
        rows = list(csv.DictReader(file))
    found = Counter((_part(row), row["type"], _outcome(row)) for row in rows if row["type"] in KINDS)
    print(f"{'part':<14}{'type':<10}{'questions':>10}{'right':>15}{'wrong':>15}{'abstains':>15}")
    for part in PARTS:
        for kind in KINDS:
            counts = [found[part, kind, outcome] for outcome in ("right", "wrong", "abstains")]
            shares = [f"{count} ({count / max(1, sum(counts)):.1%})" for count in counts]
            print(f"{part:<14}{kind:<10}{sum(counts):>10}" + "".join(f"{share:>15}" for share in shares))


def _part(row: dict[str, str]) -> str:
    text = "\x1f".join(str(value) for value in row.values())
    return PARTS[int(hashlib.sha256(text.encode()).hexdigest(), 16) % 10 >= 6]


def _outcome(row: dict[str, str]) -> str:
    answer = compose(int(row["answer"]), row["new query"], row["query"])
    return "abstains" if answer is None else "right" if answer == int(row["new answer"]) else "wrong"


if __name__ == "__main__":
    main(Path(sys.argv[1]))
