"""Scores that are added up."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from countersight.figures import Figure
from countersight.scoring import share, summed

RATES = st.integers(1, 500).flatmap(lambda n: st.builds(share, st.integers(0, n), st.just(n)))


def test_shares_are_added_whatever_their_number_of_cases_if_all_are_known() -> None:
    total = summed([share(1, 2), share(30, 100)])
    assert total
    assert (total.value, total.n) == (pytest.approx(0.8), 102)
    assert summed([share(1, 2), share(0, 0)]) is None
    assert summed([]) is None


@given(st.lists(RATES, min_size=1, max_size=8))
def test_the_interval_holds_the_sum_and_stays_within_what_is_possible(parts: list[Figure]) -> None:
    total = summed(parts)
    assert total
    assert total.value is not None
    assert -1e-9 <= total.low <= total.value <= total.high <= len(parts) + 1e-9
    assert total.low < total.high
    # Adding shares of other cases makes the sum less sure, but never as unsure as if all erred the same way.
    widths = [part.high - part.low for part in parts]
    assert max(widths) - 1e-9 <= total.high - total.low <= sum(widths) + 1e-9
