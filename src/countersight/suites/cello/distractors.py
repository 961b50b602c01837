"""Choose wrong options so that how often a name is right or offered elsewhere reveals nothing about a question.

Names drawn from the right answers of other questions are right at least once elsewhere, so an answer that is right only
once would stand out. Therefore names that are never right are offered as well, and options are exchanged until the
answer has each rank as often as expected by chance. Options are ranked by how often a name is right elsewhere, how
often it is offered, and the share of these offers in which it is right. In addition, no name may be right far more or
less often than in one of four offers.
"""

from bisect import bisect_left, bisect_right
from collections import Counter
from collections.abc import Callable, Sequence
from functools import cache, partial
from random import Random

from countersight.causal import Knowledge, may_be_the_same
from countersight.suites.cello.cases import Drafted, with_options, with_standing
from countersight.suites.cello.prior import figures, standing_of
from countersight.suites.cello.tasks.query import Shape, Sought

_TRIES = 50
"""Exchanges tried for every question."""

_NOTICES = 6
"""Observations per option: its ranks by five figures, and by the first two together."""
_RIGHT = 3
"""The weight of an observation about the answer; for each of the three wrong options it is -1."""
_FAR = 4
"""The weight of an unbalanced name relative to an observation."""
_RANKS = 16
"""The number of possible ranks among four options, including ties."""

Ranks = list[int]
"""The observations about a question's options, the answer's first: a number for each figure and rank."""


def evened(drafts: Sequence[Drafted], known: Knowledge, rng: Random) -> list[Drafted]:
    """Return the questions after exchanging options that are not in their pictures until they are balanced."""
    ordered, counted = [], []
    for drafted in drafts:
        asked, query = drafted.case.counterfactual, drafted.query
        assert asked is not None
        assert isinstance(query, Sought)
        ordered.append(sorted(asked.options, key=lambda option: option.role != "answer"))
        counted.append(cache(partial(figures, known, drafted.task, Shape.of(drafted.graph), query)))
    board = _Board([[option.text for option in options] for options in ordered], counted)
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
    for drafted, options, names, count in zip(drafts, ordered, board.names, counted, strict=True):
        renamed = {option.text: name for option, name in zip(options, names, strict=True)}
        verdict = standing_of([sum(count(name)) for name in names])
        found.append(with_standing(with_options(drafted, renamed) if drafted.spare else drafted, verdict))
    return found


class _Board:
    """All questions, and counts of how often each observation is about the answer and about the other options."""

    def __init__(self, names: list[list[str]], counted: Sequence[Callable[[str], tuple[int, int]]]) -> None:
        self.names = names
        self._counted = counted
        self._right = Counter(options[0] for options in names)
        self._shown = Counter(name for options in names for name in options)
        self._having: dict[str, set[int]] = {}
        for number, options in enumerate(names):
            for name in options:
                self._having.setdefault(name, set()).add(number)
        self._excess: Counter[int] = Counter()
        self.unevenness = 0
        """The sum of squared deviations from chance of how often each observation is about the answer."""
        self._told = [self._tells(number) for number in range(len(names))]
        for told in self._told:
            self._add(told, 1)

    def exchange(self, number: int, place: int, name: str) -> None:
        """Offer another name in a question if that makes observations more even."""
        old = self.names[number][place]
        if name in self.names[number]:
            return
        touched = list(self._having[old] | self._having.setdefault(name, set()))
        before, told = self.unevenness + self._leaning(old, name), [self._told[one] for one in touched]
        self._rename(number, place, name)
        self._retell(touched, [self._tells(one) for one in touched])
        if self.unevenness + self._leaning(old, name) >= before:
            self._rename(number, place, old)
            self._retell(touched, told)

    def _leaning(self, *names: str) -> int:
        """Return how much more or less often names are right than expected from one in four by chance: the expected
        square of (4 * right - offered) is 3 * offered."""
        far = ((4 * self._right[name] - self._shown[name]) ** 2 - 3 * self._shown[name] for name in names)
        return _FAR * sum(max(0, off) for off in far)

    def _rename(self, number: int, place: int, name: str) -> None:
        old, self.names[number][place] = self.names[number][place], name
        self._shown[old] -= 1
        self._shown[name] += 1
        self._having[old].discard(number)
        self._having[name].add(number)

    def _retell(self, numbers: list[int], told: list[Ranks]) -> None:
        for number, notices in zip(numbers, told, strict=True):
            if notices != self._told[number]:
                self._add(self._told[number], -1)
                self._add(notices, 1)
                self._told[number] = notices

    def _add(self, told: Ranks, times: int) -> None:
        for place, notice in enumerate(told):
            added = times * (_RIGHT if place < _NOTICES else -1)
            self.unevenness += added * (2 * self._excess[notice] + added)
            self._excess[notice] += added

    def _tells(self, number: int) -> Ranks:
        """Return the observations about each option: its ranks by how often it is right elsewhere, how often it is
        offered, its share of right offers, and how often it supports the thing asked about, directly or through
        another, in other pictures."""
        options = self.names[number]
        direct, through = zip(*map(self._counted[number], options), strict=True)
        right = [self._right[name] for name in options]
        right[0] -= 1
        shown = [self._shown[name] for name in options]
        shares = [one / both for one, both in zip(right, shown, strict=True)]
        return [
            notice
            for one, two, three, four, five in zip(
                *(_ranks(counts) for counts in (right, shown, shares, direct, through)), strict=True
            )
            for notice in (
                one,
                two + _RANKS,
                three + 2 * _RANKS,
                (one + 1) * 3 * _RANKS + two,
                (four + 100) * _RANKS,
                (five + 200) * _RANKS,
            )
        ]


def _ranks(figures: Sequence[float]) -> list[int]:
    """Return for each figure how many others it is above and below, as one number."""
    ordered = sorted(figures)
    last = len(ordered)
    return [bisect_left(ordered, figure) * last + last - bisect_right(ordered, figure) for figure in figures]
