"""Intervals of shares."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from countersight.scoring.intervals import wilson

shares = st.integers(0, 5_000).flatmap(lambda n: st.tuples(st.integers(0, n), st.just(n)))


@pytest.mark.parametrize(
    ("right", "n", "low", "high"),
    [
        # Newcombe (1998), Statistics in Medicine 17:857-872, Table I, score method without continuity correction
        (81, 263, 0.2553, 0.3662),
        (15, 148, 0.0624, 0.1605),
        (0, 20, 0.0000, 0.1611),
        (1, 29, 0.0061, 0.1718),
    ],
)
def test_a_wilson_interval_is_the_published_one(right: int, n: int, low: float, high: float) -> None:
    interval = wilson(right, n)
    assert interval.low == pytest.approx(low, abs=5e-5)
    assert interval.high == pytest.approx(high, abs=5e-5)


def test_a_share_of_nothing_may_be_anything() -> None:
    assert (wilson(0, 0).low, wilson(0, 0).high) == (0.0, 1.0)


def test_more_right_than_asked_is_refused() -> None:
    with pytest.raises(ValueError, match="3 right out of 2"):
        wilson(3, 2)


@given(shares, st.floats(0.01, 0.999))
def test_an_interval_holds_its_share_and_stays_within_bounds(share: tuple[int, int], confidence: float) -> None:
    right, n = share
    interval = wilson(right, n, confidence)
    assert 0 <= interval.low <= interval.high <= 1
    assert n == 0 or interval.low <= right / n <= interval.high


@given(shares)
def test_an_interval_of_the_wrong_answers_mirrors_that_of_the_right_ones(share: tuple[int, int]) -> None:
    right, n = share
    one, other = wilson(right, n), wilson(n - right, n)
    assert one.low == pytest.approx(1 - other.high, abs=1e-12)


@given(shares)
def test_more_confidence_is_a_wider_interval(share: tuple[int, int]) -> None:
    sure, surer = wilson(*share, 0.9), wilson(*share, 0.99)
    assert surer.low <= sure.low
    assert sure.high <= surer.high
