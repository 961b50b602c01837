"""Which answers go with which wording: one that always goes with the same gives it away without the picture."""

from collections import Counter
from typing import Final

_SHARE: Final = 3
"""Of the pairs with one wording, one in so many may have the same answer."""
_FEWEST: Final = 3
"""Of fewer pairs with a wording nothing can be told."""


class Wordings:
    """The answers of each wording so far, a wording being a supposition without its numbers and names."""

    def __init__(self) -> None:
        self._pairs: Counter[str] = Counter()
        self._answers: Counter[tuple[str, str]] = Counter()

    def take(self, wording: str, answer: str) -> None:
        """Count one pair."""
        self._pairs[wording] += 1
        self._answers[wording, answer] += 1

    def would_tell(self, wording: str, answer: str) -> bool:
        """Whether one more such pair would make the wording tell its answer."""
        pairs, same = self._pairs[wording] + 1, self._answers[wording, answer] + 1
        return pairs >= _FEWEST and same > -(-pairs // _SHARE)

    def told(self, wording: str, answer: str) -> tuple[bool, int]:
        """For sorting, the best first: whether one more pair would tell, then how many such pairs there are."""
        return self.would_tell(wording, answer), self._answers[wording, answer]
