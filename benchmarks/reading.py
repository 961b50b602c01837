"""Read a folder of real replies (labelled.jsonl, authors.jsonl.gz) and print how many are right, wrong and unread.

`python -m benchmarks.reading FOLDER [FILE …]`: labelled.jsonl has the answer that a person read in each reply
(`reading`, and `also` for other acceptable ones); authors.jsonl.gz has the answers that the benchmarks' authors
extracted (`authors`). Each FILE has further labelled replies (`accept` lists all acceptable answers; `stop` is
"maxTokens" if the reply was cut off), for which only totals are printed.
"""

import argparse
import gzip
import hashlib
import json
import math
import re
import time
from collections import Counter
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from countersight.case import LETTERS, Option, Question
from countersight.reading import answer_in

Row = dict[str, Any]


def wilson(count: int, of: int) -> tuple[float, float]:
    """Return the 95 % Wilson interval of a rate."""
    rate, z = count / of, 1.96
    middle = (rate + z * z / (2 * of)) / (1 + z * z / of)
    half = z * math.sqrt(rate * (1 - rate) / of + z * z / (4 * of * of)) / (1 + z * z / of)
    return middle - half, middle + half


_KEPT_MODELS = frozenset(
    (
        ("mathvista", "llavar"),
        ("mathvista", "idefics_9b_instruct"),
        ("blink", "Yi_VL_34B"),
        ("blink", "QwenVLMax"),
        ("blink", "GeminiProVision"),
    )
)


def _byte(text: str, place: int = 0) -> int:
    return hashlib.sha256(text.encode()).digest()[place]


def unopened(row: Row) -> bool:
    """Return whether a labelled reply was never looked at while the rules were written.

    The rates of these replies were printed many times during development, so they are not an untouched test set.
    """
    if not row["reply"].strip() or _byte(row["reply"], 1) % 2:
        return False  # half of the replies that were first held out were looked at later
    if row["source"] == "eventhallusion" or (row["source"], row["model"]) in _KEPT_MODELS:
        return True
    if row["model"] == "bard":
        return _byte(row["question"]) % 2 == 0
    return _byte(row["question"] if row["model"] == "sample" else f"{row['source']}|{row['model']}") % 5 < 2


def outcome(row: Row) -> str:
    """Return how a reply was read: right, wrong or unread; if it contains no answer, unread counts as right."""
    question = Question(row["question"], "", row["kind"], tuple(map(Option, row["options"])))
    answer = answer_in(row["reply"], question, finished=row.get("stop") != "maxTokens")
    accepted = {_number(each) if row["kind"] == "number" else each for each in _accepted(row)}
    if (_number(answer) if row["kind"] == "number" else answer) in accepted:
        return "right"
    return "unread" if answer is None else "wrong"


def _accepted(row: Row) -> list[str | None]:
    if "accept" in row:
        return [None if each == "null" else each for each in row["accept"]]
    if "reading" in row:
        return [row["reading"], *row["also"]]
    said = row["authors"].strip()
    if row["kind"] == "number":
        return [said if re.fullmatch(r"-?[\d.]+", said) else None]
    letter = said if len(said) == 1 else (re.match(r"\(([A-Z])\)", said) or [None, None])[1]
    texts = [option.strip().lower() for option in row["options"]]
    if letter is None and said.lower() in texts:
        letter = LETTERS[texts.index(said.lower())]
    return [letter if letter and letter in LETTERS[: len(texts)] else None]


def _number(value: str | None) -> float | None:
    try:
        return None if value is None else float(value)
    except ValueError:
        return None


def print_rates(name: str, rows: Iterable[Row]) -> None:
    """Print one line: the number of replies, and the three rates with their intervals."""
    counts = Counter(map(outcome, rows))
    total = counts.total()
    if not total:
        return
    rates = []
    for each in ("right", "wrong", "unread"):
        low, high = wilson(counts[each], total)
        rates.append(f"{each} {counts[each] / total:6.1%} ({low:.1%} to {high:.1%})")
    print(f"{name:<40} {total:5}  {'  '.join(rates)}")


def main() -> None:
    """Print the figures of docs/reading.md."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path)
    parser.add_argument("further", type=Path, nargs="*")
    given = parser.parse_args()
    folder: Path = given.folder
    labelled = [json.loads(line) for line in (folder / "labelled.jsonl").read_text(encoding="utf-8").splitlines()]
    start = time.process_time()
    print_rates("labelled by a person", labelled)
    print_rates("  six words or more", (row for row in labelled if len(row["reply"].split()) >= 6))
    print_rates("  never looked at", filter(unopened, labelled))
    print_rates(
        "  never looked at, six words or more", (r for r in labelled if unopened(r) and len(r["reply"].split()) >= 6)
    )
    for source in sorted({row["source"] for row in labelled}):
        print_rates(f"  {source}", (row for row in labelled if row["source"] == source))
    with gzip.open(folder / "authors.jsonl.gz", "rt", encoding="utf-8") as lines:
        authors = [row for row in map(json.loads, lines) if row["reply"].strip()]
    for source, model in sorted({(row["source"], row["model"]) for row in authors}):
        print_rates(f"authors: {source} {model}", (r for r in authors if (r["source"], r["model"]) == (source, model)))
    spent = time.process_time() - start
    print(f"{1000 * spent / (3 * len(labelled) + len(authors)):.2f} ms of CPU per reply on average")
    for path in given.further:
        further = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]
        print_rates(path.stem, further)
        print_rates("  six words or more", (row for row in further if len(row["reply"].split()) >= 6))


if __name__ == "__main__":
    main()
