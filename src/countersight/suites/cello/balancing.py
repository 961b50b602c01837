"""Choose questions and wrong options so that the answer to a question cannot be guessed from the other questions.

Yes/no questions: if a name occurs more often with yes than with no, it reveals the answer. If every name occurs
equally often with both, the last answer follows from the others. Fair coin flips reveal nothing: over n questions about
a name, the expected square of (yes - no) is n. Questions are chosen so that the mean square is n over all names that
occur equally often, and no single name is far from balance. If names were not grouped by frequency, unbalanced rare
names would offset frequent ones.

Options: names drawn from the right answers of other questions are right at least once elsewhere, so an answer that is
right only once would stand out. Therefore names that are never right are offered as well, and options are exchanged
until the answer has each rank as often as expected by chance. Options are ranked by how often a name is right
elsewhere, how often it is offered, and the share of these offers in which it is right. In addition, no name may be
right in far more or far less than a quarter of its offers.
"""

from bisect import bisect_left, bisect_right
from collections import Counter
from collections.abc import Callable, Hashable, Sequence
from functools import cache, partial
from math import sqrt
from random import Random
from typing import TypeVar

from countersight.causal import Knowledge, may_be_the_same
from countersight.suites.cello.cases import CaseDraft, with_options
from countersight.suites.cello.common_knowledge import support_counts, verdict_on_choice
from countersight.suites.cello.queries import ChoiceQuery, Shape

Item = TypeVar("Item")
SignedNames = tuple[tuple[str, str, int], ...]
"""The names in a question, with their role and sign: +1 if a loss follows, else -1."""

_COMPARED_CANDIDATES = 80
"""The number of candidates compared at each step."""
_MAX_NAME_IMBALANCE = 1.5
"""How far a name may be from balance, in standard deviations of fair coin flips."""
KNOWLEDGE_ROLE = "knowledge"
"""The role of hints from common knowledge; its limit is tighter than the limit for names."""
_MAX_HINT_IMBALANCE, _ALWAYS_ALLOWED_HINTS, _FEW_HINTS = 0.4, 2, 10
_MAX_CLASS_IMBALANCE, _ALWAYS_ALLOWED_EXCESS = 1.0, 8
"""The limit for all equally frequent names together, and a deviation that is always allowed, because a few names
reveal little."""
_TOP_FREQUENCY = 8
"""The minimum frequency of names that are counted together."""

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
        """Return the excess and the spread with one more question, which moves its names to the next frequency."""
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


_TRIES = 50
"""The number of exchanges tried for every question."""

_OBSERVATIONS_PER_OPTION = 6
"""The number of observations per option: its rank by each of the five counts in `_observe`, and its joint rank by the
first two."""
_ANSWER_WEIGHT = 3
"""The weight of an observation about the answer; for each of the three wrong options it is -1."""
_IMBALANCE_WEIGHT = 4
"""The weight of an unbalanced name relative to an observation."""
_RANKS = 16
"""The number of possible ranks among four options, including ties."""

Observations = list[int]
"""The observations about a question's options, the answer's first: one number per count and rank."""


def balance_options(drafts: Sequence[CaseDraft], known: Knowledge, rng: Random) -> list[CaseDraft]:
    """Return the questions after exchanging options that are not in their pictures until they are balanced."""
    ordered, support = [], []
    for drafted in drafts:
        asked, query = drafted.case.counterfactual, drafted.query
        assert asked is not None
        assert isinstance(query, ChoiceQuery)
        ordered.append(sorted(asked.options, key=lambda option: option.role != "answer"))
        support.append(cache(partial(support_counts, known, drafted.task, Shape.of(drafted.graph), query)))
    board = _OptionBoard([[option.text for option in options] for options in ordered], support)
    open_ = [
        (number, place)
        for number, options in enumerate(ordered)
        for place, option in enumerate(options)
        if option.role == "text" and drafts[number].spare
    ]
    for _ in range(_TRIES * len(drafts) if open_ else 0):
        number, place = rng.choice(open_)
        name = rng.choice(drafts[number].spare)
        others = (other for at, other in enumerate(board.names[number]) if at != place)
        if not any(may_be_the_same(name, other) for other in others):
            board.exchange(number, place, name)
    found = []
    for drafted, options, names, count in zip(drafts, ordered, board.names, support, strict=True):
        renamed = {option.text: name for option, name in zip(options, names, strict=True)}
        verdict = verdict_on_choice([sum(count(name)) for name in names])
        found.append(with_options(drafted, renamed, verdict))
    return found


class _OptionBoard:
    """All questions, and how often each observation is about the answer or about another option."""

    def __init__(self, names: list[list[str]], support: Sequence[Callable[[str], tuple[int, int]]]) -> None:
        self.names = names
        self._support = support
        self._right = Counter(options[0] for options in names)
        self._offered = Counter(name for options in names for name in options)
        self._questions_with: dict[str, set[int]] = {}
        for number, options in enumerate(names):
            for name in options:
                self._questions_with.setdefault(name, set()).add(number)
        self._excess: Counter[int] = Counter()
        self.imbalance = 0
        """The sum of squares of how far the counts of each observation deviate from chance."""
        self._observations = [self._observe(number) for number in range(len(names))]
        for observations in self._observations:
            self._add(observations, 1)

    def exchange(self, number: int, place: int, name: str) -> None:
        """Offer another name in a question if this reduces the imbalance."""
        old = self.names[number][place]
        if name in self.names[number]:
            return
        touched = list(self._questions_with[old] | self._questions_with.setdefault(name, set()))
        before, observations = (
            self.imbalance + self._name_imbalance(old, name),
            [self._observations[one] for one in touched],
        )
        self._rename(number, place, name)
        self._replace_observations(touched, [self._observe(one) for one in touched])
        if self.imbalance + self._name_imbalance(old, name) >= before:
            self._rename(number, place, old)
            self._replace_observations(touched, observations)

    def _name_imbalance(self, *names: str) -> int:
        """Return how far the number of times that names are right deviates from chance, which is one in four: the
        expected square of (4 * right - offered) is 3 * offered."""
        far = ((4 * self._right[name] - self._offered[name]) ** 2 - 3 * self._offered[name] for name in names)
        return _IMBALANCE_WEIGHT * sum(max(0, off) for off in far)

    def _rename(self, number: int, place: int, name: str) -> None:
        old, self.names[number][place] = self.names[number][place], name
        self._offered[old] -= 1
        self._offered[name] += 1
        self._questions_with[old].discard(number)
        self._questions_with[name].add(number)

    def _replace_observations(self, numbers: list[int], observations: list[Observations]) -> None:
        for number, new in zip(numbers, observations, strict=True):
            if new != self._observations[number]:
                self._add(self._observations[number], -1)
                self._add(new, 1)
                self._observations[number] = new

    def _add(self, observations: Observations, times: int) -> None:
        for place, observation in enumerate(observations):
            added = times * (_ANSWER_WEIGHT if place < _OBSERVATIONS_PER_OPTION else -1)
            self.imbalance += added * (2 * self._excess[observation] + added)
            self._excess[observation] += added

    def _observe(self, number: int) -> Observations:
        """Return the observations about each option: its ranks by how often it is right elsewhere, how often it is
        offered, its share of right offers, and how often it supports the thing asked about, directly or through
        another, in other pictures."""
        options = self.names[number]
        direct, through = zip(*map(self._support[number], options), strict=True)
        right = [self._right[name] for name in options]
        right[0] -= 1
        shown = [self._offered[name] for name in options]
        shares = [one / both for one, both in zip(right, shown, strict=True)]
        return [
            observation
            for one, two, three, four, five in zip(
                *(_ranks(counts) for counts in (right, shown, shares, direct, through)), strict=True
            )
            for observation in (
                one,
                two + _RANKS,
                three + 2 * _RANKS,
                (one + 1) * 3 * _RANKS + two,
                (four + 100) * _RANKS,
                (five + 200) * _RANKS,
            )
        ]


def _ranks(values: Sequence[float]) -> list[int]:
    """Return the rank of each value as one number: how many others are below it, and how many above."""
    ordered = sorted(values)
    last = len(ordered)
    return [bisect_left(ordered, value) * last + last - bisect_right(ordered, value) for value in values]
