"""Format numbers and untrusted text for display."""

import re
from collections.abc import Callable
from typing import Protocol

_UNPRINTABLE = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f\ud800-\udfff\ufdd0-\ufdef\ufffe\uffff]")
_DIRECTIONS = re.compile("[\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]")


def clean(text: str) -> str:
    """Return the text with unprintable characters made visible."""
    return _UNPRINTABLE.sub(_visible, text.replace("\r\n", "\n"))


def without_direction_marks(text: str) -> str:
    """Return the text like `clean`, and also make characters that change the writing direction visible."""
    return _DIRECTIONS.sub("\ufffd", clean(text))


def name(text: str) -> str:
    """Return the text as a name on one line, with unprintable and direction-changing characters made visible."""
    return " ".join(without_direction_marks(text).split())


def _visible(found: re.Match[str]) -> str:
    code = ord(found.group())
    # Unicode has a symbol for each ASCII control character, such as ␀ for NUL.
    return chr(0x2400 + code) if code < 0x20 else "\ufffd"


def percent(share: float, digits: int = 1) -> str:
    """Format a share as a percentage without the % sign; negative values have a real minus sign."""
    text = f"{100 * share:.{digits}f}"
    if float(text) == 0:
        return text.removeprefix("-")
    return text.replace("-", "−")


def number(value: float, digits: int = 2) -> str:
    """Format a number that is not a share, such as a correlation; negative values have a real minus sign."""
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
    """Format an end of an interval; a value other than zero is never rounded to zero."""
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


def csv_safe(text: str) -> str:
    """Return text that a spreadsheet does not treat as a formula."""
    plain = name(text)
    return "'" + plain if plain.startswith(("=", "+", "-", "@", "'")) else plain


def count(number: int) -> str:
    """Format a whole number with thousands separators."""
    return f"{number:,}"
