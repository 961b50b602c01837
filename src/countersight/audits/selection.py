"""selection.json: which cases of the dataset an audit is about, written before the first of them is asked about.

What is missing from the log later was never done, or was taken out of it.
"""

from collections.abc import Callable
from pathlib import Path
from typing import Final

import msgspec

from countersight.dataset import BadRow, Dataset
from countersight.errors import AuditError
from countersight.files import write_whole

SELECTION: Final = "selection.json"


_THESE = "which of these"
"""An audit lists no options, since none of them may be right after an edit: such a question would ask nothing."""


class Selected(msgspec.Struct, frozen=True, array_like=True):
    """One case: its row in the dataset, counted from 0, and its id."""

    row: int
    case: str


class Selection(msgspec.Struct, frozen=True):
    """selection.json."""

    fingerprint: str
    """Of the dataset."""
    rows: int
    unreadable: int
    """Rows that are no case."""
    left_out: int
    """Cases that were chosen, but have no picture, or no question about the picture as it is that can be put without
    its options."""
    cases: tuple[Selected, ...]

    def expected(self, most: int | None) -> int:
        """How many cases there must be, by the rule, where at most so many were asked for."""
        readable = self.rows - self.unreadable
        if most is None or most >= self.rows:
            return readable - self.left_out
        chosen = max(0, min(most, -(-readable * most // self.rows)))  # as many as `_evenly` has, however many rows
        return chosen - self.left_out


def select(dataset: Dataset, most: int | None, on_bad: Callable[[BadRow], None] = lambda row: None) -> Selection:
    """All cases of a dataset, or so many evenly over its rows; the same for the same dataset."""
    bad = 0

    def count(row: BadRow) -> None:
        nonlocal bad
        bad += 1
        on_bad(row)

    count_all = dataset.count
    wanted = None if most is None or most >= count_all else _evenly(count_all, most, count_all)
    chosen, left_out = [], 0
    for nth, (row, case) in enumerate(dataset.cases(count)):
        if wanted is not None and nth not in wanted:
            continue
        if case.factual is None or case.image is None or _THESE in case.factual.text.casefold():
            left_out += 1
        else:
            chosen.append(Selected(row, case.id))
    return Selection(dataset.fingerprint, count_all, bad, left_out, tuple(chosen))


def write_selection(folder: Path, selection: Selection) -> None:
    """Put the selection into the folder of an audit."""
    write_whole(folder / SELECTION, msgspec.json.encode(selection) + b"\n")


def decode_selection(data: bytes) -> Selection:
    """A selection as it was written; AuditError where it is damaged."""
    try:
        return msgspec.json.decode(data, type=Selection)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
        raise AuditError(f"{SELECTION} is damaged: {error}") from None


def _evenly(count: int, most: int, below: int) -> frozenset[int]:
    places = (nth * count // most for nth in range(most))
    return frozenset(place for place in places if place < below)
