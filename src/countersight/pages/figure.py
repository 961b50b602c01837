"""A figure that people read: never without its interval and how many it is about."""

import msgspec


class Figure(msgspec.Struct, frozen=True):
    """A share or a difference of shares, with its interval; `p` only where two things were compared."""

    value: float | None
    low: float
    high: float
    n: int
    p: float | None = None
    right: int | None = None
    """How many of the n were right, where the figure is such a share."""
    method: str = ""
    """How the interval and p were got, where it is not the usual way: Wilson's, and Tango's with McNemar's test."""
    confidence: float | None = None
    """Of its interval, where that is not the report's: several comparisons have wider ones."""
    unread: int = 0
    """How many replies there are, where not one of them could be read: there is no value then."""
