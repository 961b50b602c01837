"""The analyses of the CFMM paper (section 4.2), for any run in both worlds."""

from math import comb
from statistics import NormalDist
from typing import ClassVar

import msgspec
import numpy as np
from numpy.typing import NDArray

from countersight.case import TWO_WORLDS, QuestionVariant
from countersight.figures import Figure
from countersight.scoring.comparing import compare, shared_cases
from countersight.scoring.estimates import Difference, difference, share
from countersight.scoring.intervals import (
    CONFIDENCE,
    difference_of,
    mean_interval,
    score_quantile,
    student_below,
    student_quantile,
)
from countersight.scoring.outcome import Outcomes
from countersight.scoring.paired_accuracy import accuracy, correctness

MAX_GROUPS = 100
"""The maximum number of groups for rankings."""

MIN_MARGINAL_COUNT = 10
"""The minimum number of right answers, and of other answers, in each world for a correlation."""


class Phi(Figure, frozen=True):
    """A correlation of right and wrong, from -1 to 1, with the interval and p of the Mantel-Haenszel test."""

    is_share: ClassVar[bool] = False


class Correlation(msgspec.Struct, frozen=True):
    """The correlation between right answers in the two worlds, over cases scored in both.

    In the paper it is slightly negative: models that see well are misled by what they see.
    """

    phi: Phi | None
    """The correlation; None if either world has fewer than MIN_MARGINAL_COUNT right answers, or fewer other answers."""
    n: int
    after_right: Figure
    """The counterfactual accuracy of cases that are right in the factual world."""
    after_wrong: Figure


class Ranking(msgspec.Struct, frozen=True):
    """The groups of a run from best to worst, and the difference between the two."""

    variant: QuestionVariant
    rates: tuple[tuple[str, Figure], ...]
    spread: Figure
    """Best minus worst, with an interval that accounts for their selection among all pairs."""


def correlation(outcomes: Outcomes) -> Correlation | None:
    """Return the correlation between right answers in the two worlds; None if no case was scored in both."""
    both = _scored_and_read(outcomes, "factual") & _scored_and_read(outcomes, "counterfactual")
    n = int(both.sum())
    if not n:
        return None
    before, after = outcomes.right("factual")[both], outcomes.right("counterfactual")[both]
    return Correlation(
        _phi(before, after, outcomes.pictures[both]),
        n,
        share(int((before & after).sum()), int(before.sum())),
        share(int((~before & after).sum()), int((~before).sum())),
    )


def _scored_and_read(outcomes: Outcomes, variant: QuestionVariant) -> NDArray[np.bool_]:
    """Return the scored cases, without groups in which no reply could be read."""
    scored = outcomes.scored(variant)
    read = np.bincount(outcomes.groups[scored & ~outcomes.unread(variant)], minlength=len(outcomes.group_names)) > 0
    return scored & read[outcomes.groups]


def _phi(before: NDArray[np.bool_], after: NDArray[np.bool_], pictures: NDArray[np.int32]) -> Phi | None:
    """Return the correlation of two answers to the same cases.

    The standard error is that of zero correlation with the shares as observed (Mantel and Haenszel, 1959). It is never
    zero, and the interval contains zero if and only if the test does not reject it. Cases of one picture are summed,
    and Student's distribution accounts for few pictures.
    """
    n, right = before.size, (int(before.sum()), int(after.sum()))
    if min(*right, n - right[0], n - right[1]) < MIN_MARGINAL_COUNT:
        return None
    one, other = (side - side.mean() for side in (before, after))
    product = float((one**2).sum() * (other**2).sum())
    spread, exact = product**0.5, product / (n - 1)
    products = one * other
    value = float(products.sum()) / spread
    count = np.unique(pictures).size
    if count == n:
        error = float(np.sqrt(exact)) / spread
        reach, p = score_quantile(CONFIDENCE) * error, 2 * NormalDist().cdf(-abs(value / error))
    else:
        freedom = max(count - 1, 1)
        clustered = float((np.bincount(pictures, weights=products - products.mean()) ** 2).sum()) * count / freedom
        error = float(np.sqrt(max(exact, clustered))) / spread
        reach, p = student_quantile(CONFIDENCE, freedom) * error, 2 * student_below(-abs(value / error), freedom)
    low, high = max(-1.0, value - reach), min(1.0, value + reach)
    return Phi(value, low, high, n, p, method="Mantel-Haenszel score")


def ranking(outcomes: Outcomes, variant: QuestionVariant) -> Ranking | None:
    """Rank the groups by accuracy on one variant; None for one group, too many groups, or equal accuracies."""
    places = np.unique(outcomes.groups[_scored_and_read(outcomes, variant)])
    if not 2 <= places.size <= MAX_GROUPS:
        return None
    rates = [(place, accuracy(outcomes, variant, outcomes.groups == place)) for place in places]
    rates.sort(key=lambda each: (-(each[1].value or 0.0), outcomes.group_names[each[0]]))
    values = [rates[end][1].value or 0.0 for end in (0, -1)]
    if values[0] == values[1]:
        return None
    # The interval is corrected for the selection of best and worst among all pairs of groups.
    confidence = 1 - (1 - CONFIDENCE) / comb(len(rates), 2)
    ends = []
    for place in (rates[0][0], rates[-1][0]):
        scored = outcomes.scored(variant) & (outcomes.groups == place)
        ends.append(mean_interval(correctness(outcomes, variant)[scored], outcomes.pictures[scored], confidence))
    apart = difference_of(ends[0], values[0], ends[1], values[1])
    spread = Figure(values[0] - values[1], apart.low, apart.high, sum(each.n for _, each in rates))
    return Ranking(variant, tuple((outcomes.group_names[place], rate) for place, rate in rates), spread)


def compare_prompts(other: Outcomes, first: Outcomes) -> dict[str, Difference | None]:
    """Return the results with another prompt minus those with the first prompt, by measure, over cases scored in both.

    The change of the drop is positive if the drop is larger with the other prompt.
    """
    total = compare(other, first)[-1]
    here, there = shared_cases(other, first)
    scored = np.ones(here.size, dtype=np.bool_)
    for variant in TWO_WORLDS:
        scored &= other.scored(variant)[here] & first.scored(variant)[there]
    one, two = (
        (each.credit("factual").astype(np.float64) - each.credit("counterfactual"))[places][scored]
        for each, places in ((other, here), (first, there))
    )
    # If a case is a loss with one prompt and a gain with the other, the difference is two.
    drop = difference(one, two, other.pictures[here][scored], reach=2.0)
    both: dict[str, Difference | None] = {"both_right": total.both_right, "drop": drop}
    return {"factual": total.factual, "counterfactual": total.counterfactual} | both
