"""The first replies of a writer, looked at before the others are paid for: where none is a question, it stops."""

import sys
from collections import Counter
from typing import Final

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
