"""A run as it stands now: judged again when its journal has grown, and not before."""

import time
from array import array
from collections.abc import Iterable, Iterator
from pathlib import Path

import numpy as np

from countersight.case import ASKINGS, Asking, Case, Reply
from countersight.engine import read_placed, reply_at
from countersight.runs import JOURNAL, RunFolder
from countersight.scoring import OUTCOMES, JudgedRun, Scores, judge_run

PER_PAGE = 24
_QUICK = 1.0
"""Seconds; a run that takes longer to judge is not judged again at once."""
_REST = 5
"""So many times as long as judging took, a large run that grows is shown as it was judged last."""


class WatchedRun:
    """One run folder, finished or not. It is judged as a whole; cases and replies are read where they stand."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self._size = -1
        self._judged: JudgedRun | None = None
        self._scores: Scores | None = None
        self._places: array[int] = array("q")
        """Where each reply begins in the journal, in bytes."""
        self._again = 0.0
        """Before this moment it is not judged again."""

    @property
    def size(self) -> int:
        """How long the journal is: it grows with every reply."""
        journal = self.path / JOURNAL
        return journal.stat().st_size if journal.exists() else 0

    @property
    def seen(self) -> int:
        """How long it was when it was judged last: what is shown is shown of that much."""
        return self._size

    def judged(self) -> JudgedRun:
        """What became of every question by now."""
        size = self.size
        if self._judged is None or (size != self._size and time.monotonic() >= self._again):
            begun = time.monotonic()
            places: array[int] = array("q")
            self._judged = judge_run(RunFolder.open(self.path), watch_replies=lambda _: self._placed(places))
            self._places, self._size, self._scores = places, size, None
            took = time.monotonic() - begun
            self._again = time.monotonic() + (_REST * took if took > _QUICK else 0.0)
        return self._judged

    def _placed(self, places: "array[int]") -> Iterable[Reply]:
        for place, reply in read_placed(self.path / JOURNAL):
            places.append(place)
            yield reply

    def scores(self) -> Scores:
        """Its scores by now."""
        judged = self.judged()
        if self._scores is None:
            self._scores = judged.scores()
        return self._scores

    def positions(self, outcome: str, asking: Asking) -> list[int]:
        """Which cases came to that outcome; all of them where none is named."""
        codes = self.judged().outcomes.codes[:, ASKINGS.index(asking)]
        if outcome not in OUTCOMES:
            return list(range(len(codes)))
        return [int(place) for place in np.flatnonzero(codes == OUTCOMES.index(outcome))]

    def case(self, position: int) -> Case | None:
        """The case at a position, or None where there is none; no other is read."""
        judged = self.judged()
        rows = judged.outcomes.rows
        return judged.dataset.case_at(int(rows[position])) if 0 <= position < len(rows) else None

    def shown(self, positions: list[int]) -> Iterator[tuple[int, Case, dict[Asking, Reply]]]:
        """These cases with what was said about each."""
        for position in positions:
            case = self.case(position)
            if case is not None:
                yield position, case, self._said(position)

    def _said(self, position: int) -> dict[Asking, Reply]:
        numbers = self.judged().outcomes.replies[position].tolist()
        said = {
            asking: reply_at(self.path / JOURNAL, self._places[number])
            for asking, number in zip(ASKINGS, numbers, strict=True)
            if number >= 0
        }
        return {asking: reply for asking, reply in said.items() if reply is not None}

    def verdict(self, position: int, asking: Asking) -> str | None:
        """What became of one question; None where the run did not mean to ask it."""
        found: str | None = OUTCOMES[self.judged().outcomes.codes[position, ASKINGS.index(asking)]]
        return found
