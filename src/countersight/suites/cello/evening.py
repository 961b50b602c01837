"""Which questions to take, so that the answers to the others tell nothing of one.

A name that goes with yes more often than with no gives the answer away. So does one that goes with each exactly as
often: whoever knows the others knows the last. What tells nothing is a coin: of n questions about a name, the square of
yes less no is n on average. Questions are taken so that it is n over all names, and that no name leans far.
"""

from collections import Counter
from collections.abc import Callable, Hashable, Sequence
from math import sqrt
from typing import TypeVar

Item = TypeVar("Item")
Signs = tuple[tuple[str, str, int], ...]
"""Of each name that stands in a question, its role and how: +1 where it goes with a loss that follows, else -1."""

_WINDOW = 80
"""Candidates compared at each step."""
_FAR = 1.5
"""Standard deviations of a coin that a name may lean."""


class Coins:
    """How far each name leans so far in its role, and all names of a role together."""

    def __init__(self) -> None:
        self._leaning: Counter[tuple[str, str]] = Counter()
        self._number: Counter[tuple[str, str]] = Counter()
        self._excess: Counter[str] = Counter()
        """Over the names of a role, the squares of what they lean less how often they were asked about."""

    def strain(self, signs: Signs) -> tuple[int, int]:
        """How many names would lean too far with one more question, and how far off coins all would be."""
        far = sum(
            abs(self._leaning[role, name] + sign) > _FAR * sqrt(self._number[role, name] + 1)
            for role, name, sign in signs
        )
        off = self._excess.copy()
        off.update(self._added(signs))
        return far, sum(map(abs, off.values()))

    def take(self, signs: Signs) -> None:
        """One more question."""
        self._excess.update(self._added(signs))
        for role, name, sign in signs:
            self._leaning[role, name] += sign
            self._number[role, name] += 1

    def _added(self, signs: Signs) -> Counter[str]:
        added: Counter[str] = Counter()
        for role, name, sign in signs:
            added[role] += 2 * sign * self._leaning[role, name]
        return added


def taken(
    queues: Sequence[Sequence[Item]], wanted: int, signs: Callable[[Item], Signs], scene: Callable[[Item], Hashable]
) -> list[Item]:
    """So many items, from the queues in turn and each in its order as far as coins allow; one of a scene.

    It ends when a queue has nothing left that keeps its names from leaning too far: the others would then be uneven.
    """
    coins, used, found = Coins(), set[Hashable](), list[Item]()
    left = [list(queue) for queue in queues]
    while len(found) < wanted:
        waiting = left[len(found) % len(left)]
        waiting[:] = [item for item in waiting if scene(item) not in used]
        best = min(range(len(waiting[:_WINDOW])), key=lambda place: coins.strain(signs(waiting[place])), default=None)
        if best is None or coins.strain(signs(waiting[best]))[0]:
            further = (place for place in range(_WINDOW, len(waiting)) if not coins.strain(signs(waiting[place]))[0])
            best = next(further, None)
            if best is None:
                break
        item = waiting.pop(best)
        coins.take(signs(item))
        used.add(scene(item))
        found.append(item)
    return found[: len(found) - len(found) % len(left)]
