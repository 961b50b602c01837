"""A share as a figure with its interval, and in words."""

from countersight.pages import Figure, count, interval, percent
from countersight.scoring import CONFIDENCE, share_interval


def share(number: int, n: int) -> Figure:
    """So many of n, with its exact binomial interval; no value where there are none to share."""
    if not n:
        return Figure(None, 0.0, 0.0, 0)
    between = share_interval(number, n, CONFIDENCE)
    return Figure(number / n, between.low, between.high, n, right=number)


def told(figure: Figure) -> str:
    """A share in words: "3 of 19 (15.8%; 5.5 to 37.6)"."""
    return f"{count(figure.right or 0)} of {count(figure.n)} ({percent(figure.value or 0.0)}%; {interval(figure)})"
