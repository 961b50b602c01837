"""Tests and intervals for paired answers."""

from fractions import Fraction
from math import comb

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from countersight.scoring.pairs import RESAMPLES, mcnemar, paired_bootstrap, sign_flips

counts = st.integers(0, 60)
bits = st.lists(st.tuples(st.booleans(), st.booleans()), min_size=1, max_size=200)


@pytest.mark.parametrize(
    ("only_first", "only_second", "p"),
    [
        (0, 0, 1.0),
        (5, 5, 1.0),
        (0, 5, 2 / 32),  # by hand: two of the 32 outcomes of five coins are this lopsided
        (1, 5, 14 / 64),  # (C(6,0) + C(6,1)) / 2^6, twice
        (2, 12, 2 * (1 + 14 + 91) / 2**14),
        (10, 0, 2 / 1024),
    ],
)
def test_the_exact_p_is_a_count_of_coin_tosses(only_first: int, only_second: int, p: float) -> None:
    assert mcnemar(only_first, only_second) == pytest.approx(p, rel=1e-12)


@given(counts, counts)
def test_the_p_is_a_share_and_does_not_depend_on_the_order(one: int, other: int) -> None:
    p = mcnemar(one, other)
    assert 0 < p <= 1
    assert p == mcnemar(other, one)


@given(st.integers(1_001, 1_400), st.data())
@settings(max_examples=25)
def test_many_pairs_are_counted_as_exactly_as_few(n: int, data: st.DataObject) -> None:
    fewer = data.draw(st.integers(n // 3, n // 2))
    exact = min(Fraction(1), Fraction(2 * sum(comb(n, k) for k in range(fewer + 1)), 2**n))
    assert mcnemar(fewer, n - fewer) == pytest.approx(float(exact), rel=1e-9)


def test_a_million_discordant_pairs_have_a_p() -> None:
    # 1,000 off the middle of a million coins is two standard deviations (500 each): p is near 0.0455.
    assert mcnemar(499_000, 501_000) == pytest.approx(0.0455, abs=2e-4)
    assert mcnemar(0, 1_000_000) == 0.0


def test_a_negative_count_is_refused() -> None:
    with pytest.raises(ValueError, match="negative"):
        mcnemar(-1, 3)


@given(bits, st.integers(0, 2**32))
@settings(max_examples=40)
def test_a_bootstrap_interval_stays_within_what_was_seen(pairs: list[tuple[bool, bool]], seed: int) -> None:
    first, second = zip(*pairs, strict=True)
    interval = paired_bootstrap(first, second, seed=seed, resamples=500)
    differences = [int(a) - int(b) for a, b in pairs]
    assert min(differences) <= interval.low <= interval.high <= max(differences)


@given(bits, st.integers(0, 2**32))
@settings(max_examples=40)
def test_the_same_seed_gives_the_same_interval_in_any_order_of_cases(pairs: list[tuple[bool, bool]], seed: int) -> None:
    one = paired_bootstrap(*zip(*pairs, strict=True), seed=seed, resamples=200)
    other = paired_bootstrap(*zip(*reversed(pairs), strict=True), seed=seed, resamples=200)
    assert one == other


def test_drawing_differences_is_drawing_cases() -> None:
    generator = np.random.default_rng(1)
    first, second = generator.random(300) < 0.8, generator.random(300) < 0.5
    draws = generator.integers(0, 300, size=(10_000, 300))
    means = (first[draws].astype(float) - second[draws]).mean(axis=1)
    interval = paired_bootstrap(first, second, seed=3)
    assert interval.low == pytest.approx(np.quantile(means, 0.025), abs=0.01)
    assert interval.high == pytest.approx(np.quantile(means, 0.975), abs=0.01)


def test_a_million_pairs_give_an_interval_around_their_difference() -> None:
    first = np.arange(1_000_000) % 10 < 7
    second = np.arange(1_000_000) % 10 < 6
    interval = paired_bootstrap(first, second, seed=0)
    # The standard error of a difference that is 1 in a tenth of the cases and else 0 is sqrt(0.09 / n) = 0.0003.
    assert interval.low == pytest.approx(0.1 - 1.96 * 0.0003, abs=3e-5)
    assert interval.high == pytest.approx(0.1 + 1.96 * 0.0003, abs=3e-5)


def test_values_other_than_right_and_wrong_are_resampled_too() -> None:
    generator = np.random.default_rng(2)
    first, second = generator.normal(1, 1, 2_000), generator.normal(0, 1, 2_000)
    interval = paired_bootstrap(first, second, seed=0, resamples=500)
    assert interval.low < float(np.mean(first - second)) < interval.high


def test_no_pairs_are_refused() -> None:
    with pytest.raises(ValueError, match="at least one case"):
        paired_bootstrap([], [], seed=0)


@settings(max_examples=40)
@given(bits)
def test_flipping_signs_is_mcnemar_where_answers_are_right_or_wrong(pairs: list[tuple[bool, bool]]) -> None:
    first, second = map(np.array, zip(*pairs, strict=True))
    exact = mcnemar(int((first & ~second).sum()), int((second & ~first).sum()))
    drawn = sign_flips(first, second, seed=1)
    assert drawn == pytest.approx(exact, abs=4 * np.sqrt(exact * (1 - exact) / RESAMPLES) + 2 / RESAMPLES)


def test_flipping_signs_weighs_differences_by_their_size() -> None:
    # Eight signs can fall in 256 ways; only all up and all down are as extreme.
    assert sign_flips([0.6] * 8, [0.3] * 8, seed=0) == pytest.approx(2 / 256, abs=0.004)
    # One large difference against three small ones: the sign of the large one decides, whichever way it falls.
    assert sign_flips([1.0, 0.0, 0.0, 0.0], [0.0, 0.3, 0.3, 0.3], seed=0) == pytest.approx(1.0, abs=0.001)


def test_flipping_signs_never_finds_what_is_there_impossible() -> None:
    assert sign_flips([1.0] * 500, [0.3] * 500, seed=0) == 1 / (RESAMPLES + 1)
    assert sign_flips([0.3, 0.9], [0.3, 0.9], seed=0) == 1.0


def test_credits_that_differ_only_by_rounding_are_one_difference() -> None:
    first = np.array([0.6, 0.9, 1.0, 0.3] * 50, dtype=np.float32)
    second = np.array([0.3, 0.6, 0.7, 0.0] * 50, dtype=np.float32)
    interval = paired_bootstrap(first, second, seed=0)
    assert (interval.low, interval.high) == (pytest.approx(0.3), pytest.approx(0.3))
