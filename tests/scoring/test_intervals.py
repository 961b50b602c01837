"""Intervals that cover, tests that agree with them, and other people's programs as oracles."""

import gc
from collections.abc import Callable, Iterator
from itertools import product
from math import lgamma

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from lazily import Lazy
from numpy.typing import ArrayLike
from scipy import special, stats

from benchmarks.coverage import clustered
from countersight.figures import Interval
from countersight.scoring import paired
from countersight.scoring.intervals import (
    CONFIDENCE,
    EffectiveCounts,
    difference_of,
    effective,
    holm,
    interval_of_test,
    mcnemar,
    mean_interval,
    share_interval,
)

contingency = Lazy("statsmodels.stats.contingency_tables")
multitest = Lazy("statsmodels.stats.multitest")
proportion = Lazy("statsmodels.stats.proportion")

SHARES = st.integers(0, 5_000).flatmap(lambda n: st.tuples(st.integers(0, n), st.just(n)))
DISCORDANCE = (0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.35, 0.5)
LEANING = (0.5, 0.6, 0.75, 0.9, 1.0)
"""Of the cases that differ, how many do so in one direction."""


def interval_of(only_first: int, only_second: int, n: int) -> Interval:
    return interval_of_test(EffectiveCounts(only_first, only_second, n), mcnemar(only_first, only_second))


def coverage(n: int, tables: list[tuple[int, int]], discordance: float, leaning: float) -> float:
    """How often the interval holds the true difference, over tables weighed by how likely they are."""
    first, second = discordance * leaning, discordance * (1 - leaning)
    true = first - second
    covered = 0.0
    for b, c in tables:
        interval = _cached(b, c, n)
        if interval.low <= true + 1e-12 and true - 1e-12 <= interval.high:
            ways = lgamma(n + 1) - lgamma(b + 1) - lgamma(c + 1) - lgamma(n - b - c + 1)
            likely = special.xlogy(b, first) + special.xlogy(c, second) + special.xlogy(n - b - c, 1 - discordance)
            covered += np.exp(ways + likely)
    return float(covered)


_KNOWN: dict[tuple[int, int, int], Interval] = {}


def _cached(b: int, c: int, n: int) -> Interval:
    if (b, c, n) not in _KNOWN:
        found = interval_of(b, c, n)
        _KNOWN[b, c, n], _KNOWN[c, b, n] = found, Interval(-found.high, -found.low)
    return _KNOWN[b, c, n]


@pytest.mark.parametrize("n", [3, 5, 10, 40])
def test_the_interval_of_a_drop_covers_it_whatever_the_discordance(n: int) -> None:
    """Exact: every table that n cases can make, weighed."""
    tables = [(b, c) for b in range(n + 1) for c in range(n + 1 - b)]
    worst = min(coverage(n, tables, *what) for what in product(DISCORDANCE, LEANING))
    assert worst >= 0.94


@pytest.mark.parametrize(("pictures", "each"), [(10, 3), (40, 3), (150, 4)])
def test_cases_that_share_a_picture_are_covered_too(pictures: int, each: int) -> None:
    """Half of what a case does it does with the others of its picture, or all of it."""
    generator = np.random.default_rng(1)
    of = np.repeat(np.arange(pictures), each)
    for discordance, leaning, alike in ((0.05, 0.9, 0.5), (0.3, 0.5, 1.0), (0.3, 0.9, 0.5)):
        shares = [discordance * leaning, discordance * (1 - leaning), 1 - discordance]
        held = 0
        for _ in range(400):
            own, shared = (generator.choice([1, -1, 0], size=size, p=shares) for size in (of.size, pictures))
            found = paired(np.where(generator.random(of.size) < np.sqrt(alike), shared[of], own), of)
            held += found.low <= shares[0] - shares[1] <= found.high
        assert held / 400 >= 0.925, (pictures, discordance, leaning, alike)  # 0.95 less two standard errors


def test_no_small_table_at_all_contradicts_its_test() -> None:
    for n in range(1, 31):
        for b in range(n + 1):
            for c in range(n + 1 - b):
                interval, p = _cached(b, c, n), mcnemar(b, c)
                assert (interval.low <= 0 <= interval.high) == (p >= 0.05), (b, c, n)
                assert -1 <= interval.low <= (b - c) / n <= interval.high <= 1
                # The rule about zero only ever widens at this confidence: what the score interval leaves out stays out.
                assert p < 0.05 or interval.low <= 0 <= interval.high


@given(
    st.lists(st.tuples(st.sampled_from([-1.0, -0.6, 0.0, 0.3, 1.0]), st.integers(0, 8)), min_size=1, max_size=60),
    st.sampled_from([0.9, 0.95, 0.99, 0.9999]),
)
@settings(max_examples=200, deadline=None)
def test_clusters_and_parts_of_a_right_answer_do_not_contradict_either(
    cases: list[tuple[float, int]], confidence: float
) -> None:
    differences, clusters = zip(*cases, strict=True)
    found = paired(differences, clusters, confidence=confidence)
    assert (found.low <= 0 <= found.high) == (found.p >= 1 - confidence)
    assert -1 <= found.low <= found.value + 1e-9
    assert found.value - 1e-9 <= found.high <= 1


@given(SHARES.filter(lambda share: share[1] > 0), st.floats(0.5, 0.999))
def test_the_interval_of_a_share_is_that_of_statsmodels(share: tuple[int, int], confidence: float) -> None:
    low, high = proportion.proportion_confint(*share, alpha=1 - confidence, method="beta")
    found = share_interval(*share, confidence)
    assert (found.low, found.high) == pytest.approx((low, high), abs=1e-9)


@pytest.mark.parametrize("clusters", [None, np.repeat(np.arange(10), 3), np.repeat([0, 1, 2, 3], [15, 8, 4, 3])])
def test_one_more_right_answer_never_lowers_the_lower_end_of_a_perfect_result(clusters: ArrayLike | None) -> None:
    perfect = mean_interval([1] * 30, clusters).low
    for wrong in range(30):
        assert mean_interval([place != wrong for place in range(30)], clusters).low <= perfect


@pytest.mark.parametrize(
    ("shape", "share", "alike"), [("even", 0.9, 0.5), ("uneven", 0.95, 1.0), ("long tail", 0.9, 0.5)]
)
def test_a_share_of_cases_in_clusters_is_covered(shape: str, share: float, alike: float) -> None:
    """The points of benchmarks/coverage.py at which the interval of version 0.1 covered 0.87, 0.88 and 0.84."""
    assert clustered(shape, (100, 500), share, alike, draws=800, seed=0) >= 0.93  # 0.94 less one standard error


def test_a_share_of_nothing_may_be_anything() -> None:
    assert (share_interval(0, 0).low, share_interval(0, 0).high) == (0.0, 1.0)


@given(st.integers(0, 700), st.integers(0, 700))
@settings(deadline=None)
def test_the_exact_p_is_that_of_statsmodels_and_scipy(b: int, c: int) -> None:
    p = mcnemar(b, c)
    assert p == pytest.approx(contingency.mcnemar([[0, b], [c, 0]], exact=True).pvalue, rel=1e-9, abs=1e-300)
    if b + c:
        assert p == pytest.approx(stats.binomtest(b, b + c).pvalue, rel=1e-9, abs=1e-300)
    assert p == mcnemar(c, b)


def test_a_million_discordant_pairs_have_a_p() -> None:
    # 1,000 off the middle of a million coins is two standard deviations (500 each): p is near 0.0455.
    assert mcnemar(499_000, 501_000) == pytest.approx(2 * stats.binom.cdf(499_000, 1_000_000, 0.5), rel=1e-6)
    assert mcnemar(0, 1_000_000) == 0.0


@pytest.mark.parametrize(
    ("compute", "reason"),
    [
        (lambda: share_interval(3, 2), "3 right out of 2"),
        (lambda: mcnemar(-1, 3), "negative"),
        (lambda: paired([]), "at least one case"),
    ],
)
def test_what_cannot_be_is_refused(compute: Callable[[], object], reason: str) -> None:
    with pytest.raises(ValueError, match=reason):
        compute()


@pytest.fixture(scope="module")
def light_to_sweep() -> Iterator[None]:
    """What is there already is not gone through when memory is given back, as statsmodels asks for at every call."""
    gc.freeze()
    yield
    gc.unfreeze()


@pytest.mark.usefixtures("light_to_sweep")
@given(st.lists(st.floats(1e-9, 1.0), min_size=1, max_size=12))
@settings(max_examples=25, deadline=None)
def test_holm_is_that_of_statsmodels(ps: list[float]) -> None:
    assert [each.p for each in holm(ps)] == pytest.approx(list(multitest.multipletests(ps, method="holm")[1]))


@given(st.lists(st.tuples(st.integers(0, 40), st.integers(0, 40)), min_size=1, max_size=12))
@settings(deadline=None, max_examples=50)
def test_the_intervals_of_several_comparisons_say_what_holm_says(tables: list[tuple[int, int]]) -> None:
    ps = [mcnemar(*table) for table in tables]
    for (b, c), p, adjusted in zip(tables, ps, holm(ps), strict=True):
        interval = interval_of_test(EffectiveCounts(b, c, 100), p, adjusted.confidence)
        assert (interval.low <= 0 <= interval.high) == (adjusted.p >= 0.05)
        assert adjusted.confidence >= CONFIDENCE


def test_cases_that_say_the_same_again_count_once_and_independent_ones_each() -> None:
    for clusters in (None, [0, 1, 2, 3]):
        assert effective([1, 0, -1, 0], clusters) == EffectiveCounts(1, 1, 4)
    assert effective([1, 1, 0, 1], [7, 7, 7, 7]).n == 1
    once = [1, 0, -1, 0, 1, 1, 0, 0] * 5
    twice = effective(np.repeat(once, 2), np.repeat(np.arange(40), 2))
    assert 30 < twice.n < 41  # as many as there are pictures, a little less since the design effect is guessed
    assert effective(np.repeat(once, 2)).n == 80


def test_the_mean_of_credits_has_an_interval_about_as_wide_as_a_bootstrap_gives() -> None:
    generator = np.random.default_rng(3)
    credits = generator.choice([0, 0.3, 0.6, 0.9, 1.0], size=400, p=[0.3, 0.1, 0.1, 0.1, 0.4])
    means = credits[generator.integers(0, 400, size=(4_000, 400))].mean(axis=1)
    interval = mean_interval(credits)
    low, high = np.quantile(means, [0.025, 0.975])
    assert interval.high - interval.low == pytest.approx(high - low, rel=0.15)
    assert interval.low == pytest.approx(low, abs=0.01)


def test_the_interval_of_a_gap_is_made_of_two() -> None:
    gap = difference_of(Interval(0.4, 0.6), 0.5, Interval(0.1, 0.3), 0.2)
    assert (gap.low, gap.high) == (pytest.approx(0.3 - np.sqrt(0.02)), pytest.approx(0.3 + np.sqrt(0.02)))
