"""Choose questions so that the answers to the other questions reveal nothing about the answer to one.

If a name occurs with yes more often than with no, it gives the answer away. If every name occurs equally often with
both, the last answer follows from the others. Fair coin flips reveal nothing: over n questions about a name, the
expected square of (yes - no) is n. Questions are chosen so that the mean square is n over all names that occur equally
often, and no single name is far from balance. Without the distinction by frequency, unbalanced rare names would
compensate for frequent ones: in CDE, four in five names that occurred twice were unbalanced, and counting them
predicted 64% of the answers.
"""

from collections import Counter
from collections.abc import Callable, Hashable, Sequence
from math import sqrt
from typing import TypeVar

Item = TypeVar("Item")
SignedNames = tuple[tuple[str, str, int], ...]
"""The names in a question, with their role and sign: +1 if a loss follows, else -1."""

_COMPARED_CANDIDATES = 80
"""Candidates compared at each step."""
_MAX_NAME_IMBALANCE = 1.5
"""How far a name may be from balance, in standard deviations of fair coin flips."""
KNOWLEDGE_ROLE = "knowledge"
"""The role of hints from common knowledge; its limit is tighter than that of names."""
_MAX_HINT_IMBALANCE, _ALWAYS_ALLOWED_HINTS, _FEW_HINTS = 0.4, 2, 10
_MAX_CLASS_IMBALANCE, _ALWAYS_ALLOWED_EXCESS = 1.0, 8
"""The limit for all equally frequent names together, and a deviation that is always allowed, because a few names
reveal little."""
_TOP_FREQUENCY = 8
"""Names that occur at least this often are counted together."""

FrequencyClass = tuple[str, int]
"""A role, and how often a name occurs in it."""


class NameBalance:
    """The balance of each name in its role, and of all equally frequent names of a role together."""

    def __init__(self) -> None:
        self._leaning: Counter[tuple[str, str]] = Counter()
        self._number: Counter[tuple[str, str]] = Counter()
        self._excess: Counter[FrequencyClass] = Counter()
        """For each class, the sum over names of squared balance minus frequency."""
        self._spread: Counter[FrequencyClass] = Counter()
        """The expected square of the excess for fair coins."""

    def imbalance_with(self, signs: SignedNames) -> tuple[int, int]:
        """Return how many names and classes would be out of balance with this question, and the total deviation."""
        far = sum(
            abs(self._leaning[role, name] + sign) > _MAX_NAME_IMBALANCE * sqrt(self._number[role, name] + 1)
            for role, name, sign in signs
            if role != KNOWLEDGE_ROLE
        )
        excess, spread = self._with(signs)
        far += sum(
            abs(found) > max(_ALWAYS_ALLOWED_EXCESS, abs(self._excess[kind]), _MAX_CLASS_IMBALANCE * sqrt(spread[kind]))
            for kind, found in excess.items()
        )
        hinted: Counter[str] = Counter()
        for role, name, sign in signs:
            hinted[name] += sign if role == KNOWLEDGE_ROLE else 0
        for name, sign in hinted.items():
            before, after = abs(self._leaning[KNOWLEDGE_ROLE, name]), abs(self._leaning[KNOWLEDGE_ROLE, name] + sign)
            number = self._number[KNOWLEDGE_ROLE, name]
            far += after > max(
                _ALWAYS_ALLOWED_HINTS + (number < _FEW_HINTS), before, _MAX_HINT_IMBALANCE * sqrt(number)
            )
        return far, sum(map(abs, excess.values()))

    def add(self, signs: SignedNames) -> None:
        """Count a chosen question in the balance of its names."""
        self._excess, self._spread = self._with(signs)
        for role, name, sign in signs:
            self._leaning[role, name] += sign
            self._number[role, name] += 1

    def _with(self, signs: SignedNames) -> tuple[Counter[FrequencyClass], Counter[FrequencyClass]]:
        """Return excess and spread with one more question, which moves its names to the next frequency."""
        excess, spread = self._excess.copy(), self._spread.copy()
        for role, name, sign in signs:
            if role == KNOWLEDGE_ROLE:
                continue
            number, leaning = self._number[role, name], self._leaning[role, name]
            for side, n, leans in ((-1, number, leaning), (1, number + 1, leaning + sign)):
                kind = role, min(n, _TOP_FREQUENCY)
                excess[kind] += side * (leans * leans - n)
                spread[kind] += side * 2 * n * (n - 1)
        return excess, spread


def choose_balanced(
    queues: Sequence[Sequence[Item]],
    wanted: int,
    signs: Callable[[Item], SignedNames],
    scene: Callable[[Item], Hashable],
) -> list[Item]:
    """Return items from the queues in turn, at most one per scene, in order as far as the balance allows.

    Stop when a queue has no item left that keeps its names balanced, so that every queue contributes equally.
    """
    balance, used, found = NameBalance(), set[Hashable](), list[Item]()
    left = [list(queue) for queue in queues]
    while len(found) < wanted:
        waiting = left[len(found) % len(left)]
        waiting[:] = [item for item in waiting if scene(item) not in used]
        best = min(
            range(len(waiting[:_COMPARED_CANDIDATES])),
            key=lambda place: balance.imbalance_with(signs(waiting[place])),
            default=None,
        )
        if best is None or balance.imbalance_with(signs(waiting[best]))[0]:
            further = (
                place
                for place in range(_COMPARED_CANDIDATES, len(waiting))
                if not balance.imbalance_with(signs(waiting[place]))[0]
            )
            best = next(further, None)
            if best is None:
                break
        item = waiting.pop(best)
        balance.add(signs(item))
        used.add(scene(item))
        found.append(item)
    return found[: len(found) - len(found) % len(left)]
