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
    """How the interval and p were computed, where it is not exact binomial, or Tango's with McNemar's test."""
    confidence: float | None = None
    """Of its interval, where that is not the report's: several comparisons have wider ones."""
    unread: int = 0
    """How many of the n would be right if every unread reply were; all replies where there is no value."""

    @property
    def unheard(self) -> int:
        """How many replies there are, where not one of them could be read."""
        return self.unread if self.value is None else 0

    @property
    def if_right(self) -> float | None:
        """The share if every unread reply were right; if every one were wrong, it is `value`."""
        return self.value + self.unread / self.n if self.value is not None and self.unread else None
