"""Which runs of a dataset can be told apart on a line of a board: tiers in the place of a false order."""

from collections.abc import Sequence
from itertools import combinations
from math import sqrt

import msgspec
import numpy as np
from numpy.typing import NDArray

from countersight.scoring import Difference, Dividing, Interval, Measure, Outcomes, compare_on, holm, p_of, tiers
from countersight.suites import ALL, TOTAL

Line = tuple[str, str]
"""An axis (empty for groups) and a line of it."""


class Lined(msgspec.Struct, frozen=True, eq=False):
    """What became of a run's cases, and how they are divided."""

    outcomes: Outcomes
    dividing: Dividing

    def cases(self, line: Line) -> NDArray[np.bool_]:
        """Which cases count on a line."""
        axis, name = line
        count = len(self.outcomes)
        if axis:
            divisions = (division for division in self.dividing.divisions() if division.name == axis)
            masks = {words: mask for division in divisions for words, mask in division.masks(count)}
            return masks.get(name, np.zeros(count, dtype=np.bool_))
        if name == ALL:
            return np.ones(count, dtype=np.bool_)
        return self._group(name)

    def groups(self) -> list[NDArray[np.bool_]]:
        """The cases of each group."""
        return [self._group(name) for name in self.outcomes.group_names]

    def _group(self, name: str) -> NDArray[np.bool_]:
        names = self.outcomes.group_names
        return np.equal(self.outcomes.groups, names.index(name) if name in names else -1)


def standings(runs: Sequence[Lined], values: Sequence[float], line: Line, measure: Measure) -> tuple[int, ...]:
    """The tier of each run, by a measure on a line; all pairs are compared case by case, and corrected by Holm."""
    pairs = list(combinations(range(len(runs)), 2))
    adjusted = holm([_p(runs[i], runs[j], line, measure) for i, j in pairs])
    apart = {frozenset(pair) for pair, each in zip(pairs, adjusted, strict=True) if each.p < 0.05}
    return tiers(values, lambda above, below: frozenset((above, below)) in apart and values[above] > values[below])


def _p(one: Lined, other: Lined, line: Line, measure: Measure) -> float:
    if line == ("", TOTAL):
        return _p_of_sum([compare_on(one.outcomes, other.outcomes, mask, measure) for mask in one.groups()])
    found = compare_on(one.outcomes, other.outcomes, one.cases(line), measure)
    return found.p if found else 1.0


def _p_of_sum(parts: Sequence[Difference | None]) -> float:
    """The p of a sum of differences of different cases, out of the intervals of each (Zou and Donner, 2008)."""
    known = [part for part in parts if part is not None]
    total = sum(part.value for part in known)

    def between(confidence: float) -> Interval:
        ends = [part.at(confidence, part.p).interval for part in known]
        below = sqrt(sum((part.value - end.low) ** 2 for part, end in zip(known, ends, strict=True)))
        above = sqrt(sum((end.high - part.value) ** 2 for part, end in zip(known, ends, strict=True)))
        return Interval(total - below, total + above)

    return p_of(between) if known else 1.0
