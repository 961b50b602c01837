"""Scores as the figures that a report shows."""

from countersight.pages import Figure
from countersight.scoring import Difference, Rate


def as_share(rate: Rate) -> Figure:
    """A share of right answers, or the mean of what answers are worth."""
    soft = rate.credit is not None
    return Figure(
        rate.value,
        rate.low,
        rate.high,
        rate.n,
        right=None if soft else rate.right,
        method="bootstrap" if soft else "",
    )


def as_difference(found: Difference) -> Figure:
    """A difference of shares over the same cases."""
    method = "" if found.test == "McNemar exact" else f"paired bootstrap; {found.test}"
    return Figure(found.value, found.low, found.high, found.n, found.p, method=method)
