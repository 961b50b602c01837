"""Compare the places of things as a viewer would: a difference that is too small to see gives no answer."""

from collections.abc import Callable, Sequence
from math import hypot
from typing import Final

from countersight.worlds.discs import Disc
from countersight.worlds.things import WorldThing

CLEARLY: Final = 14
"""Least difference in pixels for one thing to be clearly higher, or farther to the left."""
NEARER: Final = 12
"""Least difference in pixels for one disc to be clearly the nearest."""


def is_higher(one: WorldThing, other: WorldThing) -> bool | None:
    """Return whether one thing is higher than another; None if the difference is too small to see."""
    lower = other.middle[1] - one.middle[1]
    return lower > 0 if abs(lower) >= CLEARLY else None


def yes_or_no(holds: bool) -> str:
    """Return "yes" or "no"."""
    return "yes" if holds else "no"


def clearly_first(things: Sequence[WorldThing], place: Callable[[WorldThing], float]) -> WorldThing | None:
    """Return the first thing along a line; None if the difference is too small to see."""
    first, second, *_ = sorted(things, key=place)
    return first if place(second) - place(first) >= CLEARLY else None


def nearest(discs: Sequence[Disc], disc: Disc) -> Disc | None:
    """Return the disc nearest to another; None if the difference is too small to see."""
    away = {each.id: hypot(each.x - disc.x, each.y - disc.y) - each.radius for each in discs}
    first, second, *_ = sorted(discs, key=lambda each: away[each.id])
    return first if away[second.id] - away[first.id] >= NEARER else None
