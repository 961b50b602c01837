"""The value of an instruction in words: a direction, such as “left”, or a size, such as “twice”."""

import re
from collections.abc import Sequence

from countersight.errors import EditFailed

_DIRECTIONS = {
    **{"left": (-1, 0), "right": (1, 0), "up": (0, -1), "down": (0, 1), "top": (0, -1), "bottom": (0, 1)},
    **{"upwards": (0, -1), "downwards": (0, 1)},
}
_FACTORS = {"double": 2.0, "twice": 2.0, "triple": 3.0, "half": 0.5, "halve": 0.5}
_GROWING = frozenset(("larger", "bigger", "large", "big", "huge"))
_SHRINKING = frozenset(("smaller", "small", "tiny", "little"))


def direction_in(value: str) -> tuple[tuple[int, int] | None, int | None]:
    """Return the direction (right and down are positive) and the distance in pixels; None for either if missing."""
    words = re.findall(r"[a-z]+|\d{1,5}", value.casefold())
    ways = [_DIRECTIONS[word] for word in words if word in _DIRECTIONS]
    lengths = [int(word) for word in words if word.isdecimal()]
    length = lengths[0] if lengths else None
    if not ways:
        return None, length
    dx, dy = (min(1, max(-1, sum(way))) for way in zip(*ways, strict=True))
    return (dx, dy), length


def factors_in(value: str, larger: Sequence[float], smaller: Sequence[float]) -> Sequence[float]:
    """Return the scale factors in the words; without a number, the given values for "larger" and "smaller"."""
    words = re.findall(r"[a-z]+|\d+(?:\.\d+)?|%", value.casefold())
    numbers = [float(word) for word in words if word[0].isdigit()]
    named = [factor for word, factor in _FACTORS.items() if word in words]
    if numbers:
        factor = numbers[0] / (100 if {"%", "percent"} & set(words) else 1)
        if 0.1 <= factor <= 10 and factor != 1:
            return (factor,)
    elif named:
        return (named[0],)
    elif _GROWING & set(words):
        return larger
    elif _SHRINKING & set(words):
        return smaller
    raise EditFailed(f"“{value[:80]}” is not a size: write larger, smaller, twice, half, or a factor from 0.1 to 10")
