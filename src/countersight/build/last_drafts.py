"""The last replies of a writer: where hardly any becomes a pair any more, the rest is not worth its price."""

from collections import Counter, deque
from typing import Final

from countersight.build.sources import Group

LOOKED_AT: Final = 100
"""Drafts that are looked back on."""
_FEWEST: Final = 2
"""Pairs that so many drafts have to give."""
_PAIR: Final = ""


class LastDrafts:
    """What became of the last drafts of a writer that is paid for; of one that is free nothing is asked."""

    def __init__(self, *, is_free: bool) -> None:
        self._last: deque[str] = deque(maxlen=LOOKED_AT)
        self._is_free = is_free

    @property
    def is_spent(self) -> bool:
        """Whether too few of the last drafts became pairs."""
        return not self._is_free and len(self._last) == LOOKED_AT and self._last.count(_PAIR) < _FEWEST

    def begin(self) -> None:
        """Forget the drafts of another group: who fails at numbers may do well at yes and no."""
        self._last.clear()

    def came(self) -> None:
        """Take in a draft that became a pair."""
        self._last.append(_PAIR)

    def failed(self, reason: str) -> None:
        """Take in a draft that became none, and why."""
        self._last.append(reason)

    def sentence(self, group: Group) -> str:
        """Why no more were asked for."""
        (reason, number), *_ = Counter(filter(None, self._last)).most_common(1)
        pairs = {0: "no pair", 1: "one pair"}[self._last.count(_PAIR)]
        return (
            f"the last {LOOKED_AT} {group} drafts gave {pairs}, so that the writer was asked for no more; "
            f"the commonest reason is: {reason} ({number} times)"
        )
