"""Figures as people read them."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from countersight.figures import Interval
from countersight.number_formats import interval, plain_interval


@pytest.mark.parametrize("written", [interval, plain_interval])
@given(value=st.floats(1e-12, 0.02))
def test_an_end_that_is_not_zero_is_never_rounded_to_it(written, value: float) -> None:
    """Zero inside or outside is what the test beside it decides: "−0.37 (−0.74 to 0.00; p = 0.048)" is neither."""
    above, below = written(Interval(value, 1.0)).split(" to ")[0], written(Interval(-1.0, -value)).split(" to ")[1]
    assert above == "just above 0" or float(above) > 0
    assert below == "just below 0" or float(below.replace("−", "-")) < 0


def test_zero_itself_is_zero() -> None:
    assert interval(Interval(0.0, 0.125)) == "0.0 to 12.5"
    assert plain_interval(Interval(-0.5, 0.0)) == "−0.50 to 0.00"
