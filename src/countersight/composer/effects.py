"""Effects of changes on a count."""

from fractions import Fraction
from typing import Literal

import msgspec

Kind = Literal["add", "remove", "keep", "set", "set_if_none", "scale"]

_MOST = 10**9
"""A count above this is no count of things in a picture."""


class Effect(msgspec.Struct, frozen=True):
    """A change of a count: "3 more" adds 3, "half of them left" scales by a half, "no cats" sets 0."""

    kind: Kind
    by: Fraction = Fraction(0)
    given: int | None = None
    """The count required before the change: two for "both"."""


def apply(effect: Effect, count: int) -> int | None:
    """Return the count after a change, or None if the change is impossible: five birds of three cannot leave."""
    if effect.given is not None and count != effect.given:
        return None
    changed = _changed(effect, Fraction(count))
    if changed is None or changed.denominator != 1 or not 0 <= changed <= _MOST:
        return None
    return int(changed)


def _changed(effect: Effect, count: Fraction) -> Fraction | None:
    match effect.kind:
        case "add":
            return count + effect.by
        case "remove":
            return count - effect.by
        case "scale":
            return count * effect.by
        case "set":
            return effect.by
        case "keep":  # "only two remained"
            return effect.by if effect.by <= count else None
        case "set_if_none":  # "if there were 3 cows": of some it may be three or three more
            return effect.by if count == 0 else None
