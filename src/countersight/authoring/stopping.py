"""Stops a writer that cannot write, or that hardly writes anything new, before it is paid for the whole file."""

import sys
from collections import Counter, deque
from typing import Final

from countersight.authoring.sources import Group

LOOKED_AT: Final = 20
"""Replies of which one at least must be a question that can be checked."""
_SHOWN = 80


class FirstDrafts:
    """Counts what is wrong with the first replies of a writer, until one is a question that can be checked."""

    def __init__(self, *, is_over: bool) -> None:
        self._wrong: Counter[str] = Counter()
        self._last = ""
        self._is_over = is_over

    @property
    def is_useless(self) -> bool:
        """Whether the first replies all came to nothing, so that the rest is not worth its price."""
        return not self._is_over and self._wrong.total() >= LOOKED_AT

    @property
    def room(self) -> int:
        """How many may be asked for before the next look."""
        return sys.maxsize if self._is_over else LOOKED_AT - self._wrong.total()

    def came(self) -> None:
        """Take in a question that can be checked: the writer can write."""
        self._is_over = True

    def failed(self, reason: str, said: str) -> None:
        """Take in a reply that is no question."""
        self._wrong[reason] += 1
        self._last = " ".join(said.split())[:_SHOWN]

    def sentence(self) -> str:
        """Why the writer was stopped, and what to do."""
        counted = ", ".join(f"{number} x {reason}" for reason, number in self._wrong.most_common())
        told = f" (the last: {self._last!r})" if self._last else ""
        return (
            f"none of the first {LOOKED_AT} replies is a question that can be checked: {counted}{told}; "
            "choose another `writer`, or start it once more to go on all the same"
        )


LOOKED_BACK: Final = 100
"""Drafts that are looked back on."""
_FEWEST: Final = 2
"""Pairs that so many drafts have to give."""
_PAIR: Final = ""


class LastDrafts:
    """What became of the last drafts of a writer that is paid for; of one that is free nothing is asked."""

    def __init__(self, *, is_free: bool) -> None:
        self._last: deque[str] = deque(maxlen=LOOKED_BACK)
        self._is_free = is_free

    @property
    def is_spent(self) -> bool:
        """Whether too few of the last drafts became pairs."""
        return not self._is_free and len(self._last) == LOOKED_BACK and self._last.count(_PAIR) < _FEWEST

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
            f"the last {LOOKED_BACK} {group} drafts gave {pairs}, so that the writer was asked for no more; "
            f"the commonest reason is: {reason} ({number} times)"
        )
