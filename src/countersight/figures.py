"""Statistical figures: a value with its interval and its number of cases."""

from typing import ClassVar, Final

import msgspec

from countersight.number_formats import interval, number, p_value, plain_interval


class Interval(msgspec.Struct, frozen=True):
    """A confidence interval, or the smallest and the largest possible value of a figure."""

    low: float
    high: float


TOO_FEW: Final = 10
"""A difference over fewer cases than this is marked as having too few cases."""


class Figure(msgspec.Struct, frozen=True, omit_defaults=True):
    """A share, a difference of shares or a correlation, with its 95 % interval and its number of cases."""

    value: float | None
    """The figure itself; None if nothing was scored, or if no reply could be read."""
    low: float
    high: float
    n: int
    p: float | None = None
    """The two-sided p value of a difference."""
    right: int | None = msgspec.field(default=None, name="hits")
    """The number of right answers among the n, if this is a share of right answers."""
    bounds: Interval | None = None
    """The smallest and the largest value possible, depending on the unread replies; absent if all were read."""
    method: str = ""
    """The method of the interval and p; empty for the defaults (exact binomial; Tango's interval with McNemar's test).
    """
    confidence: float = 0.95
    """The confidence of the interval, which is larger for multiple comparisons."""
    is_share: ClassVar[bool] = True
    """Whether the figure is shown in per cent or points; False for a correlation."""

    @property
    def too_few(self) -> bool:
        """Whether this is a difference over too few cases to conclude anything."""
        return self.p is not None and self.n < TOO_FEW

    @property
    def if_right(self) -> float | None:
        """The share if every unread reply were right (`value` counts them as wrong); None if all were read."""
        return self.bounds.high if self.bounds and self.p is None else None

    @property
    def is_clear(self) -> bool:
        """Whether there are enough cases and the interval excludes 0, however the unread replies are counted."""
        value, bounds = self.value or 0.0, self.bounds or Interval(self.value or 0.0, self.value or 0.0)
        return not self.too_few and (self.low - (value - bounds.low) > 0 or self.high + (bounds.high - value) < 0)

    def __repr__(self) -> str:
        if self.value is None:
            return f"Figure(0 of {self.n} read)" if self.n else "Figure(nothing scored)"
        if not self.is_share:
            return f"Figure({number(self.value)}, {plain_interval(self)}, n={self.n})"
        if self.p is None:
            return f"Figure({100 * self.value:.1f}%, {interval(self)}, n={self.n})"
        return f"Figure({100 * self.value:+.1f} points, {interval(self)}, n={self.n}, {p_value(self.p)})"


class Count(msgspec.Struct, frozen=True):
    """A number without an interval, as written to files: a count, a bound, or a value printed in a paper."""

    value: float
    n: int | None
    method: str = "count"


class Record(msgspec.Struct, frozen=True):
    """A figure as written to files: its measure, and its group if that differs from the line's."""

    measure: str
    figure: Figure | Count
    group: str = ""
