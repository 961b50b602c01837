"""Keep operations, answers and wordings balanced, so that none of them predicts the answer."""

from collections import Counter
from collections.abc import Sequence
from random import Random
from typing import Final

from countersight.authoring.sources import OPERATIONS, Group, PairDraft

_SHARE: Final = 3
"""At most one third of the pairs with the same wording may have the same answer."""
_FEWEST: Final = 3
"""A wording with fewer pairs is never treated as one that predicts its answer."""


class Wordings:
    """Counts of the answers of each wording; a wording is a supposition without its numbers and names."""

    def __init__(self) -> None:
        self._pairs: Counter[str] = Counter()
        self._answers: Counter[tuple[str, str]] = Counter()

    def take(self, wording: str, answer: str) -> None:
        """Count a pair."""
        self._pairs[wording] += 1
        self._answers[wording, answer] += 1

    def would_tell(self, wording: str, answer: str) -> bool:
        """Whether one more pair with this wording and this answer would let the wording predict the answer."""
        pairs, same = self._pairs[wording] + 1, self._answers[wording, answer] + 1
        return pairs >= _FEWEST and same > -(-pairs // _SHARE)

    def told(self, wording: str, answer: str) -> tuple[bool, int]:
        """Return a sort key: wordings that do not predict the answer come first, then those used least with it."""
        return self.would_tell(wording, answer), self._answers[wording, answer]


def evened(drafts: Sequence[PairDraft], most: int) -> list[int]:
    """Return the positions of at most `most` yes/no drafts in which yes and no are balanced."""
    number = _even(Counter(draft.answer for draft in drafts), most)
    places = {answer: [place for place, draft in enumerate(drafts) if draft.answer == answer] for answer in number}
    return sorted(place for answer, kept in number.items() for place in places[answer][:kept])


def _even(answers: Counter[str], most: int) -> dict[str, int]:
    """Return the number of drafts to keep for each answer: nearly equal, and at most `most` in total."""
    fewer, more = sorted(("yes", "no"), key=lambda answer: answers[answer])
    kept = min(answers[fewer], most // 2)
    return {fewer: kept, more: min(answers[more], kept + 1, most - kept)}


_MOST_SHARE: Final = {"operation": 0.3, "number": 0.4}
_FREE = 5
"""The minimum quota of an operation or an answer."""


class GroupBalance:
    """Counts of the drafts accepted so far in one group, and their quotas."""

    def __init__(self, group: Group, size: int, seed: int) -> None:
        self._group = group
        self._size = size
        self._operations: Counter[str] = Counter()
        self._answers: Counter[str] = Counter()
        self._wordings = Wordings()
        self._order = list(OPERATIONS)
        Random(f"{seed}/operations").shuffle(self._order)

    def wanted(self) -> tuple[str, ...]:
        """Return the operations, the least frequent first."""
        return tuple(sorted(self._order, key=lambda operation: self._operations[operation]))

    def too_many(self, draft: PairDraft) -> str:
        """Return why the draft exceeds a quota, or "" if it does not; yes and no are balanced at the end."""
        if self._group == "boolean":
            return ""
        if self._operations[draft.operation] >= self._most("operation"):
            return f"the quota for the operation {draft.operation} has been reached"
        if self._answers[draft.answer] >= self._most("number"):
            return f"enough answers {draft.answer}"
        is_told = bool(draft.pattern) and self._wordings.would_tell(draft.pattern, draft.answer)
        return "the quota of this wording with that answer is reached" if is_told else ""

    @property
    def kept(self) -> int:
        """The number of accepted drafts that will be kept."""
        if self._group == "boolean":
            return sum(_even(self._answers, self._size).values())
        return self._answers.total()

    def take(self, draft: PairDraft) -> bool:
        """Count an accepted draft, and return whether it increases the number of drafts that are kept."""
        before = self.kept
        self._operations[draft.operation] += 1
        self._answers[draft.answer] += 1
        self._wordings.take(draft.pattern, draft.answer)
        return self.kept > before

    def _most(self, what: str) -> int:
        return max(_FREE, -(-int(self._size * _MOST_SHARE[what] * 100) // 100))
