"""What CFMM observed of its models (CFMM 4.2), computed for any run that was asked in both worlds."""

import msgspec
import numpy as np
from numpy.typing import NDArray

from countersight.scoring.outcome import ASKED, Asked, Outcomes
from countersight.scoring.pairs import RESAMPLES, paired_bootstrap, sign_flips
from countersight.scoring.scores import (
    CONFIDENCE,
    Comparison,
    Difference,
    Rate,
    accuracy,
    compare,
    share,
    shared_cases,
)

MOST_GROUPS = 100
"""With more groups than this there is neither a ranking nor a correlation within them: they are no groups."""

_Floats = NDArray[np.float64]


class Phi(msgspec.Struct, frozen=True):
    """A correlation of right and wrong, from -1 to 1, with its bootstrap interval."""

    value: float
    low: float
    high: float


class Correlation(msgspec.Struct, frozen=True):
    """How being right as it is goes with being right after the change, over the cases scored in both worlds.

    The paper finds it slightly negative: who sees well is led astray by what it sees.
    """

    phi: Phi | None
    """None where one of the two worlds is all right or all wrong."""
    within: Phi | None
    """The same within groups: that some groups are easier in both worlds makes a correlation of its own."""
    n: int
    after_right: Rate
    """Right after the change, of those that were right as it is."""
    after_wrong: Rate


class Standing(msgspec.Struct, frozen=True):
    """A group among the others, by its share of right answers."""

    group: str
    rate: Rate
    best: float
    """How likely it is that no other group does better, given the answers."""
    worst: float
    rank_low: int
    rank_high: int
    """Between which places it stands; the first is the best."""


class Ranking(msgspec.Struct, frozen=True):
    """The groups of a run from the best to the worst, and how far apart these are."""

    asked: Asked
    standings: tuple[Standing, ...]
    spread: float
    """Best minus worst."""
    spread_low: float
    spread_high: float

    @property
    def n(self) -> int:
        """Answers in all groups."""
        return sum(standing.rate.n for standing in self.standings)


class Effect(msgspec.Struct, frozen=True):
    """What another way of asking changes: the other way minus the first, over the cases both answered."""

    factual: Difference | None
    counterfactual: Difference | None
    both_right: Difference | None
    drop: Difference | None
    """The change of the drop: above zero, the drop is larger the other way."""


def correlation(outcomes: Outcomes, *, seed: int = 0) -> Correlation | None:
    """The correlation of being right in the two worlds; None where no case was scored in both."""
    both = outcomes.scored("factual") & outcomes.scored("counterfactual")
    n = int(both.sum())
    if not n:
        return None
    before, after = outcomes.right("factual")[both], outcomes.right("counterfactual")[both]
    places, group = np.unique(outcomes.groups[both], return_inverse=True)
    if places.size > MOST_GROUPS:
        places, group = places[:1], np.zeros_like(group)
    counts = np.bincount(4 * group + 2 * before + after, minlength=4 * places.size)
    drawn = np.random.default_rng(seed).multinomial(n, counts / n, size=RESAMPLES).reshape(RESAMPLES, -1, 4)
    # For each group: neither, only after, only before, both.
    table = counts.reshape(1, -1, 4)
    neither, only_after, only_before, right_both = map(int, table.sum(axis=(0, 1)))
    return Correlation(
        _phi(table.sum(axis=1, keepdims=True), drawn.sum(axis=1, keepdims=True)),
        _phi(table, drawn) if places.size > 1 else None,
        n,
        share(right_both, right_both + only_before),
        share(only_after, only_after + neither),
    )


def _phi(found: NDArray[np.int64], drawn: NDArray[np.int64]) -> Phi | None:
    """The correlation within the groups of a table of counts, with the interval that draws of it give."""
    [value] = _within_groups(found)
    phis = _within_groups(drawn)
    phis = phis[~np.isnan(phis)]
    if np.isnan(value) or not phis.size:
        return None
    low, high = np.quantile(phis, [0.5 - CONFIDENCE / 2, 0.5 + CONFIDENCE / 2])
    return Phi(float(value), float(low), float(high))


def _within_groups(tables: NDArray[np.int64]) -> _Floats:
    """For each table (groups × four counts) the correlation of what is left when each group's means are taken off."""
    neither, only_after, only_before, both = np.moveaxis(tables.astype(np.float64), -1, 0)
    n = neither + only_after + only_before + both
    before, after = both + only_before, both + only_after
    with np.errstate(divide="ignore", invalid="ignore"):
        shares = [np.where(n > 0, part / n, 0.0) for part in (before * after, before**2, after**2)]
        covariance = (both - shares[0]).sum(axis=1)
        spread = np.sqrt((before - shares[1]).sum(axis=1) * (after - shares[2]).sum(axis=1))
        phi: _Floats = np.clip(covariance / spread, -1.0, 1.0)  # rounding must not carry it past its ends
    phi[spread < 1e-9] = np.nan
    return phi


def ranking(outcomes: Outcomes, asked: Asked, *, seed: int = 0) -> Ranking | None:
    """The groups by how well they were answered in one kind of asking; None where there is one, or too many.

    How sure their order is comes from drawing each share from what its answers leave likely (Jeffreys' prior): a
    bootstrap would take three right answers of three for certainty.
    """
    places = np.unique(outcomes.groups[outcomes.scored(asked)])
    if not 2 <= places.size <= MOST_GROUPS:
        return None
    rates = [
        (outcomes.group_names[place], accuracy(outcomes, asked, outcomes.groups == place, seed=seed))
        for place in places
    ]
    rates.sort(key=lambda each: (-(each[1].value or 0.0), each[0]))
    hits, sizes = (np.array([getattr(rate, what) for _, rate in rates]) for what in ("worth", "n"))
    drawn = np.random.default_rng(seed).beta(hits + 0.5, sizes - hits + 0.5, size=(RESAMPLES, len(rates)))
    ranks = 1 + np.argsort(np.argsort(-drawn, axis=1), axis=1)
    ends = [0.5 - CONFIDENCE / 2, 0.5 + CONFIDENCE / 2]
    lows, highs = np.quantile(ranks, ends, axis=0, method="nearest")
    low, high = np.quantile(drawn[:, 0] - drawn[:, -1], ends)
    return Ranking(
        asked,
        tuple(
            Standing(
                group,
                rate,
                best=float((ranks[:, place] == 1).mean()),
                worst=float((ranks[:, place] == len(rates)).mean()),
                rank_low=int(lows[place]),
                rank_high=int(highs[place]),
            )
            for place, (group, rate) in enumerate(rates)
        ),
        (rates[0][1].value or 0.0) - (rates[-1][1].value or 0.0),
        float(low),
        float(high),
    )


def effect(other: Outcomes, first: Outcomes, *, seed: int = 0) -> Effect:
    """What asking another way changes against the first way, case by case."""
    total: Comparison = compare(other, first, seed=seed)[-1]
    return Effect(total.factual, total.counterfactual, total.both_right, _change_of_drop(other, first, seed))


def _change_of_drop(other: Outcomes, first: Outcomes, seed: int) -> Difference | None:
    here, there = shared_cases(other, first)
    scored = np.ones(here.size, dtype=np.bool_)
    for asked in ASKED[:2]:
        scored &= other.scored(asked)[here] & first.scored(asked)[there]
    if not scored.any():
        return None
    one, two = _drops(other)[here][scored], _drops(first)[there][scored]
    interval = paired_bootstrap(one, two, seed=seed, confidence=CONFIDENCE)
    return Difference(
        value=float((one - two).mean()),
        low=interval.low,
        high=interval.high,
        p=sign_flips(one, two, seed=seed),
        n=one.size,
        only_first=int((one > two).sum()),
        only_second=int((two > one).sum()),
        test="sign flips",
    )


def _drops(outcomes: Outcomes) -> _Floats:
    drops: _Floats = outcomes.credit("factual").astype(np.float64) - outcomes.credit("counterfactual")
    return drops
