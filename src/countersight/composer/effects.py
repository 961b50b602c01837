"""Effects of changes on a count."""

from fractions import Fraction
from typing import Literal

import msgspec

Kind = Literal["add", "remove", "keep", "set", "set_if_none", "scale"]

_MOST = 10**9
"""The maximum result; no picture shows more things."""


class Effect(msgspec.Struct, frozen=True):
    """A change of a count: "3 more" adds 3, "half of them left" scales by a half, "no cats" sets 0."""

    kind: Kind
    by: Fraction = Fraction(0)
    given: int | None = None
    """The factual count that the change requires: two for "both"."""


def apply(effect: Effect, count: int) -> int | None:
    """Return the count after a change, or None if the change is impossible: five of three birds cannot leave."""
    if effect.given is not None and count != effect.given:
        return None
    changed = Fraction(count)
    match effect.kind:
        case "add":
            changed += effect.by
        case "remove":
            changed -= effect.by
        case "scale":
            changed *= effect.by
        case "keep" if effect.by > count:  # "only two remained"
            return None
        case "set_if_none" if count:  # "if there were 3 cows" may mean 3 in total or 3 more
            return None
        case _:
            changed = effect.by
    return int(changed) if changed.denominator == 1 and 0 <= changed <= _MOST else None
