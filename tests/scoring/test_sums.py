"""Scores that are added up."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from countersight.figures import Figure
from countersight.scoring import share_interval
from countersight.scoring.estimates import summed


def rate(right: int, n: int) -> Figure:
    interval = share_interval(right, n)
    return Figure(right / n if n else None, interval.low, interval.high, n)


def test_shares_are_added_whatever_their_number_of_cases() -> None:
    total = summed([rate(1, 2), rate(30, 100)])
    assert total
    assert (total.value, total.n) == (pytest.approx(0.8), 102)


def test_one_share_keeps_its_own_interval() -> None:
    total = summed([rate(7, 20)])
    interval = share_interval(7, 20)
    assert total
    assert (total.low, total.high) == (pytest.approx(interval.low), pytest.approx(interval.high))


def test_nothing_is_added_where_a_share_is_not_known() -> None:
    assert summed([rate(1, 2), rate(0, 0)]) is None
    assert summed([]) is None


rates = st.integers(1, 500).flatmap(lambda n: st.builds(rate, st.integers(0, n), st.just(n)))


@given(st.lists(rates, min_size=1, max_size=8))
def test_the_interval_holds_the_sum_and_stays_within_what_is_possible(parts: list[Figure]) -> None:
    total = summed(parts)
    assert total
    assert -1e-9 <= total.low <= total.value <= total.high <= len(parts) + 1e-9
    assert total.low < total.high
    # Adding shares of other cases makes the sum less sure, but never as unsure as if all erred the same way.
    assert max(part.high - part.low for part in parts) <= total.high - total.low + 1e-9
    assert total.high - total.low <= sum(part.high - part.low for part in parts) + 1e-9
