"""Operations, answers and wordings that come out even: which are wanted most, and which there are enough of."""

from collections import Counter
from random import Random
from typing import Final

from countersight.build.drafts import OPERATIONS, Draft
from countersight.build.evening import Evening
from countersight.build.sources import Group
from countersight.build.wordings import Wordings

_SHARE: Final = {"operation": 0.3, "number": 0.4}
_FREE = 5
"""So many of anything are never too many."""


class Balance:
    """What was taken so far in one group, beside what is to be taken."""

    def __init__(self, group: Group, size: int, seed: int) -> None:
        self._group = group
        self._size = size
        self._operations: Counter[str] = Counter()
        self._answers: Counter[str] = Counter()
        self._wordings = Wordings()
        self._evening = Evening()
        self._order = list(OPERATIONS)
        Random(f"{seed}/operations").shuffle(self._order)

    def wanted(self) -> tuple[str, ...]:
        """Operations, those of which there are fewest first."""
        return tuple(sorted(self._order, key=lambda operation: self._operations[operation]))

    def too_many(self, draft: Draft) -> str:
        """What there is enough of already, or nothing; yes and no are evened out once all are there."""
        if self._group == "boolean":
            return ""
        if self._operations[draft.operation] >= self._most("operation"):
            return f"enough of the operation {draft.operation}"
        if self._answers[draft.answer] >= self._most("number"):
            return f"enough answers {draft.answer}"
        is_told = bool(draft.pattern) and self._wordings.would_tell(draft.pattern, draft.answer)
        return "enough of this wording with that answer" if is_told else ""

    @property
    def kept(self) -> int:
        """How many of those that were taken are kept in the end."""
        return self._evening.kept if self._group == "boolean" else self._answers.total()

    def take(self, draft: Draft) -> bool:
        """Count a draft that became a pair, and say whether more are kept by it."""
        self._operations[draft.operation] += 1
        self._answers[draft.answer] += 1
        self._wordings.take(draft.pattern, draft.answer)
        return self._evening.take(draft) if self._group == "boolean" else True

    def _most(self, what: str) -> int:
        return max(_FREE, -(-int(self._size * _SHARE[what] * 100) // 100))
