"""Comparisons of runs over shared cases, tiers of runs without significant differences, and repeated runs."""

from collections.abc import Callable, Mapping, Sequence
from itertools import combinations
from math import ceil, sqrt
from statistics import NormalDist
from typing import Final, Literal, get_args

import msgspec
import numpy as np
from numpy.typing import NDArray

from countersight.case import TWO_WORLDS, VARIANTS, QuestionVariant
from countersight.scoring.accuracy import correctness
from countersight.scoring.estimates import Difference, difference
from countersight.scoring.intervals import holm
from countersight.scoring.outcome import RIGHT, UNREAD, Outcomes

Measure = Literal["factual", "counterfactual", "both_right", "shown"]
"""The measures by which runs are compared."""
COMPARED: Final[tuple[Measure, ...]] = get_args(Measure)
NOTABLE_UNREAD_DIFFERENCE: Final = 0.03
"""If the unread rates of two runs differ by more than this, the comparison also reflects how readable replies are."""


class Comparison(msgspec.Struct, frozen=True):
    """The differences of two runs in one group, first minus second; None if no case was scored in both."""

    group: str
    n: int
    """The number of cases in both runs."""
    factual: Difference | None
    counterfactual: Difference | None
    both_right: Difference | None
    shown: Difference | None
    unread: tuple[float, float] = (0.0, 0.0)
    """For each run, the share of replies to these cases that are unread."""


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
        unread = _unread_share(first, a), _unread_share(second, b)
        rows.append(Comparison(name, len(a), **differences, unread=unread))
    return tuple(rows)


def compare_on(first: Outcomes, second: Outcomes, mask: NDArray[np.bool_], measure: Measure) -> Difference | None:
    """Compare two runs in one measure, over selected cases of the first that the second has too."""
    here, there = shared_cases(first, second)
    inside = mask[here]
    return _paired_difference(first, second, here[inside], there[inside], measure)


def _unread_share(outcomes: Outcomes, positions: NDArray[np.intp]) -> float:
    codes = outcomes.codes[positions]
    return float((codes == UNREAD).sum() / max(1, (codes >= UNREAD).sum()))


def _paired_difference(
    first: Outcomes, second: Outcomes, here: NDArray[np.intp], there: NDArray[np.intp], measure: Measure
) -> Difference | None:
    """Return first minus second over the cases at these positions that are scored in both."""
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
    """Compare each pair of runs; each group and measure is corrected for multiple comparisons (Holm)."""
    pairs = [(i, j, compare(runs[i], runs[j])) for i, j in combinations(runs, 2)]
    if len(pairs) < 2:
        return tuple(ComparedRuns(i, j, rows) for i, j, rows in pairs)
    found: dict[str, list[tuple[int, Comparison]]] = {}
    for number, (_, _, rows) in enumerate(pairs):
        for row in rows:
            found.setdefault(row.group, []).append((number, row))
    corrected: list[list[Comparison]] = [[] for _ in pairs]
    for numbered in found.values():
        for (number, _), row in zip(numbered, _corrected([row for _, row in numbered]), strict=True):
            corrected[number].append(row)
    return tuple(ComparedRuns(i, j, tuple(rows)) for (i, j, _), rows in zip(pairs, corrected, strict=True))


def _corrected(rows: list[Comparison]) -> list[Comparison]:
    """Correct the comparisons of one group for the number of pairs, for each measure."""
    for measure in COMPARED:
        places = [place for place, row in enumerate(rows) if getattr(row, measure) is not None]
        for place, adjusted in zip(places, holm([getattr(rows[place], measure).p for place in places]), strict=True):
            found: Difference = getattr(rows[place], measure)
            wider = {measure: found.at(adjusted.confidence, adjusted.p)}
            rows[place] = msgspec.structs.replace(rows[place], **wider)
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

    `better` says whether one run is significantly better than another. Starting at the best score, a run
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


LEVEL, POWER = 0.05, 0.8
TYPICAL_DISCORDANT_SHARES = (0.1, 0.2, 0.3, 0.5)
"""Typical shares of cases on which two models differ: 0.1 for versions of one model, 0.5 for models that guess."""


def cases_needed(difference: float, discordant: float, *, level: float = LEVEL, power: float = POWER) -> int:
    """Return the number of cases that McNemar's test needs to detect a difference of two accuracies (Connor 1987).

    `discordant` is the share of cases that exactly one of the two answers correctly.
    """
    if not 0 < difference <= discordant <= 1:
        raise ValueError("the difference must be above 0 and at most the share of cases on which the two models differ")
    normal = NormalDist()
    reach = normal.inv_cdf(1 - level / 2) * sqrt(discordant)
    reach += normal.inv_cdf(power) * sqrt(discordant - difference**2)
    return ceil(reach**2 / difference**2)


class Repeatability(msgspec.Struct, frozen=True):
    """The results of one way of asking over several runs, on cases scored in all of them."""

    variant: QuestionVariant
    runs: int
    cases: int
    expected: float
    """The mean accuracy of a run."""
    flips: float
    """The share of cases whose answer differs between runs."""
    variance_within: float
    """The variance of correctness within a case, which is due to chance."""
    variance_between: float
    """The variance between cases, which is due to their difficulty."""

    def __str__(self) -> str:
        return (
            f"{self.variant}: {self.runs} times {self.cases:,} cases, {self.expected:.1%} right on average, "
            f"{self.flips:.1%} flip, "
            f"variance {self.variance_within:.4f} within a case and {self.variance_between:.4f} between"
        )


def repeats(runs: Sequence[Outcomes]) -> tuple[Repeatability, ...]:
    """Return the results for each way of asking that has cases scored in every run."""
    return tuple(found for nth in range(len(VARIANTS)) if (found := _repeated(runs, nth)) is not None)


def _repeated(runs: Sequence[Outcomes], nth: int) -> Repeatability | None:
    shared = sorted(set.intersection(*(set(run.rows.tolist()) for run in runs)))
    places = [np.searchsorted(run.rows, shared) for run in runs]
    codes = np.stack([run.codes[place, nth] for run, place in zip(runs, places, strict=True)])
    variant = VARIANTS[nth]
    scored = np.logical_and.reduce([run.scored(variant)[place] for run, place in zip(runs, places, strict=True)])
    if not scored.any():
        return None
    right = codes[:, scored] == RIGHT
    answers = [[run.answer_texts[n] for n in run.answers[p, nth][scored]] for run, p in zip(runs, places, strict=True)]
    share = right.mean(axis=0)
    within = float((share * (1 - share)).mean()) * len(runs) / max(1, len(runs) - 1)
    return Repeatability(
        variant,
        len(runs),
        right.shape[1],
        float(right.mean()),
        float(np.mean([len({answer[case] for answer in answers}) > 1 for case in range(right.shape[1])])),
        within,
        max(0.0, float(share.var(ddof=1)) - within / len(runs)) if right.shape[1] > 1 else 0.0,
    )
