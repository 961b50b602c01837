"""Numbers as shown to people: percentages, intervals, p values, counts and amounts of money."""

from collections.abc import Callable
from typing import Protocol


def percent(share: float, digits: int = 1) -> str:
    """Format a share as a percentage without the % sign."""
    return number(100 * share, digits)


def number(value: float, digits: int = 2) -> str:
    """Format a number that is not a share, such as a correlation; negative values have a minus sign, not a hyphen."""
    text = f"{value:.{digits}f}"
    return text.removeprefix("-") if float(text) == 0 else text.replace("-", "−")


class _Bounded(Protocol):
    @property
    def low(self) -> float: ...
    @property
    def high(self) -> float: ...


def interval(figure: _Bounded) -> str:
    """Format the interval of a figure, in per cent or points."""
    return f"{_end(figure.low, percent, 1)} to {_end(figure.high, percent, 1)}"


def plain_interval(figure: _Bounded) -> str:
    """Format the interval of a number that is not a share."""
    return f"{_end(figure.low, number, 2)} to {_end(figure.high, number, 2)}"


def _end(value: float, written: Callable[[float, int], str], digits: int) -> str:
    """Format an endpoint of an interval; a value other than zero is never rounded to zero."""
    for more in (digits, digits + 1):
        text = written(value, more)
        if not value or text.strip("0."):
            return text
    return "just above 0" if value > 0 else "just below 0"


def p_value(p: float) -> str:
    """Format a p value, never rounded to zero or across 0.05."""
    if p < 0.001:
        return "p < 0.001"
    return f"p = {p:.4f}" if 0.0495 <= p < 0.0505 else f"p = {p:.3f}"


def count(number: int) -> str:
    """Format a whole number with thousands separators."""
    return f"{number:,}"


def in_dollars(amount: float) -> str:
    """Format an amount of money: $1,234.50, or $0.005 if it is less than a cent."""
    return f"${amount:,.2f}" if amount >= 0.01 or not amount else f"${amount:.2g}"
