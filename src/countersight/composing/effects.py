"""What a change does to a number."""

from typing import Literal

import msgspec

Kind = Literal["add", "remove", "remove_all", "keep", "set", "at_least", "times", "part"]

_MOST = 10**9
"""A count above this is no count of things in a picture."""


class Effect(msgspec.Struct, frozen=True):
    """A change of a number: "3 more" adds 3, "half of them left" takes a part away, "no cats" sets 0."""

    kind: Kind
    by: int = 0
    """How many are added, removed or kept, what the number is set to, how many times it grows."""
    of: int = 1
    """For a part: `by` of `of` equal parts are left."""
    given: int = 0
    """How many there have to be before: two for "both", one for "a second cup"; 0 for any number."""


def apply(effect: Effect, number: int) -> int | None:
    """The number after the change, or None where the change cannot be: five birds of three cannot leave."""
    changed = _changed(effect, number) if effect.given in (0, number) else None
    return changed if changed is not None and 0 <= changed <= _MOST else None


def _changed(effect: Effect, number: int) -> int | None:
    match effect.kind:
        case "add":
            return number + effect.by
        case "remove":
            return number - effect.by
        case "remove_all":
            return 0
        case "keep":  # "only two remained"
            return effect.by if effect.by <= number else None
        case "set":
            return effect.by
        case "at_least":  # "if 3 cows were laying": of none it is three, of some it may be three or three more
            return effect.by if number == 0 else None
        case "times":
            return number * effect.by
        case "part":
            whole, rest = divmod(number * effect.by, effect.of)
            return None if rest else whole
