"""A run as it stands now: judged again when its journal has grown, and not before."""

from collections.abc import Iterator
from itertools import islice
from pathlib import Path

import numpy as np

from countersight.case import ASKINGS, Asking, Case, Reply
from countersight.runs import RunFolder
from countersight.scoring import OUTCOMES, JudgedRun, Scores, counted_replies, judge_run

JOURNAL = "replies.jsonl"
PER_PAGE = 24


class WatchedRun:
    """One run folder, finished or not."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self._size = -1
        self._judged: JudgedRun | None = None

    def judged(self) -> JudgedRun:
        """What became of every question by now."""
        journal = self.path / JOURNAL
        size = journal.stat().st_size if journal.exists() else 0
        if self._judged is None or size != self._size:
            self._judged, self._size = judge_run(RunFolder.open(self.path)), size
        return self._judged

    def scores(self) -> Scores:
        """Its scores by now."""
        return self.judged().scores()

    def positions(self, outcome: str, asking: Asking) -> list[int]:
        """Which cases came to that outcome; all of them where none is named."""
        codes = self.judged().outcomes.codes[:, ASKINGS.index(asking)]
        if outcome not in OUTCOMES:
            return list(range(len(codes)))
        return [int(place) for place in np.flatnonzero(codes == OUTCOMES.index(outcome))]

    def shown(self, positions: list[int]) -> Iterator[tuple[int, Case, dict[Asking, Reply]]]:
        """These cases with what was said about each; the others are gone past and not kept."""
        judged = self.judged()
        wanted = {place for place in positions if place < len(judged.outcomes.codes)}
        said = counted_replies(judged.outcomes, wanted, judged.run.replies())
        for place, (_, case) in enumerate(islice(judged.cases(), max(wanted, default=-1) + 1)):
            if place in wanted:
                yield place, case, {asking: reply for asking in ASKINGS if (reply := said.get((place, asking)))}

    def verdict(self, position: int, asking: Asking) -> str | None:
        """What became of one question."""
        judged = self.judged()
        found: str | None = OUTCOMES[judged.outcomes.codes[position, ASKINGS.index(asking)]]
        return found
