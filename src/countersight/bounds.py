"""The numbers that arguments accept: options of the command line and arguments of the library have the same bounds."""

from numbers import Integral, Real
from typing import Final, NamedTuple

from countersight.errors import CountersightError


class Bounds(NamedTuple):
    """The smallest and the largest accepted number, and a description for error messages."""

    least: float
    most: float
    words: str
    whole: bool = False

    def accept(self, value: object) -> bool:
        """Whether a value is a number of this kind within the bounds; booleans are not accepted."""
        return (
            isinstance(value, Integral if self.whole else Real)
            and not isinstance(value, bool)
            and self.least <= float(value) <= self.most
        )


def whole_from(least: int) -> Bounds:
    """Return the bounds of a whole number of at least `least`."""
    return Bounds(least, 10**9, f"a whole number of at least {least}", whole=True)


SECONDS: Final = Bounds(1e-3, 1e6, "a number of seconds above 0")
WAIT: Final = Bounds(0, 1e9, "a number of seconds of at least 0")
DOLLARS: Final = Bounds(1e-6, 1e9, "an amount of dollars above 0, such as 5.00 or 0.005")
PRICE: Final = Bounds(0, 1e6, "a price in dollars, such as 2.5")
TEMPERATURE: Final = Bounds(0, 2, "a number from 0 to 2, or None for the server's default")
COUNT: Final = whole_from(1)
SEED: Final = Bounds(-(2**63), 2**63 - 1, "a whole number", whole=True)


def check(bounds: Bounds, **values: object) -> None:
    """Raise an error for the first value outside its bounds; None stands for a value that is not given."""
    for name, value in values.items():
        if value is not None and not bounds.accept(value):
            raise CountersightError(f"{name} must be {bounds.words}, not {value!r}")
