"""Comparisons of runs over shared cases, and tiers of runs without significant differences."""

from collections.abc import Callable, Mapping, Sequence
from itertools import combinations
from typing import Final, Literal, get_args

import msgspec
import numpy as np
from numpy.typing import NDArray

from countersight.case import TWO_WORLDS, QuestionVariant
from countersight.scoring.estimates import Difference, difference
from countersight.scoring.intervals import holm
from countersight.scoring.outcome import Outcomes
from countersight.scoring.paired_accuracy import correctness

Measure = Literal["factual", "counterfactual", "both_right", "shown"]
"""The measures by which runs are compared."""
COMPARED: Final[tuple[Measure, ...]] = get_args(Measure)
NOTABLE_UNREAD_DIFFERENCE: Final = 0.03
"""If the unread rates of two runs differ by more than this, the comparison also depends on how readable replies are."""


class Comparison(msgspec.Struct, frozen=True):
    """The differences of two runs in one group, first minus second; None if no case was scored in both."""

    group: str
    n: int
    """The number of cases in both runs."""
    factual: Difference | None
    counterfactual: Difference | None
    both_right: Difference | None
    shown: Difference | None


class ComparedRuns(msgspec.Struct, frozen=True):
    """The comparison of two runs by group; the last entry is for all cases."""

    first: str
    second: str
    rows: tuple[Comparison, ...]


def compare(first: Outcomes, second: Outcomes) -> tuple[Comparison, ...]:
    """Compare two runs over the cases they share, by group and overall."""
    here, there = shared_cases(first, second)
    rows = []
    for name, mask in first.lines():
        inside = mask[here]
        a, b = here[inside], there[inside]
        differences = {measure: _paired_difference(first, second, a, b, measure) for measure in COMPARED}
        rows.append(Comparison(name, len(a), **differences))
    return tuple(rows)


def _paired_difference(
    first: Outcomes, second: Outcomes, here: NDArray[np.intp], there: NDArray[np.intp], measure: Measure
) -> Difference | None:
    """Return the first score minus the second over the cases at these positions that are scored in both."""
    if measure == "both_right":
        scored = first.in_both_worlds()[here] & second.in_both_worlds()[there]
        one, other = first.both_right()[here], second.both_right()[there]
    else:
        scored = first.scored(measure)[here] & second.scored(measure)[there]
        one, other = correctness(first, measure)[here], correctness(second, measure)[there]
    asked: tuple[QuestionVariant, ...] = TWO_WORLDS if measure == "both_right" else (measure,)
    if not all(first.is_read(each, here[scored]) and second.is_read(each, there[scored]) for each in asked):
        return None
    return difference(one[scored], other[scored], first.pictures[here][scored])


def compare_all(runs: Mapping[str, Outcomes]) -> tuple[ComparedRuns, ...]:
    """Compare each pair of runs of one dataset; each group and measure is corrected for the number of pairs (Holm)."""
    pairs = list(combinations(runs, 2))
    groups = zip(*(compare(runs[first], runs[second]) for first, second in pairs), strict=True)
    by_pair = zip(*(_corrected(list(rows)) for rows in groups), strict=True)
    return tuple(ComparedRuns(*pair, rows) for pair, rows in zip(pairs, by_pair, strict=True))


def _corrected(rows: list[Comparison]) -> list[Comparison]:
    """Correct the comparisons of one group for the number of pairs, for each measure."""
    for measure in COMPARED:
        known = {place: found for place, row in enumerate(rows) if (found := getattr(row, measure)) is not None}
        tests = holm([found.p for found in known.values()])
        for (place, found), test in zip(known.items(), tests, strict=True):
            rows[place] = msgspec.structs.replace(rows[place], **{measure: found.at(test.confidence, test.p)})
    return rows


def shared_cases(first: Outcomes, second: Outcomes) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
    """Return the positions of the shared cases in both runs."""
    if np.array_equal(first.ids, second.ids):
        everything = np.arange(len(first))
        return everything, everything
    _, here, there = np.intersect1d(first.ids, second.ids, return_indices=True)
    order = np.argsort(here)
    return here[order], there[order]


def tiers(values: Sequence[float], better: Callable[[int, int], bool]) -> tuple[int, ...]:
    """Return the tier of each run; tier 1 is the best.

    `better` returns whether one run is significantly better than another. Starting at the best score, a run
    begins a new tier if any run of the current tier is significantly better.
    """
    tier_of = [0] * len(values)
    tier: list[int] = []
    number = 1
    for place in sorted(range(len(values)), key=lambda each: -values[each]):
        if any(better(above, place) for above in tier):
            number += 1
            tier = []
        tier.append(place)
        tier_of[place] = number
    return tuple(tier_of)
