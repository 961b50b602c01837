"""Free places in a world, and comparisons of positions, which return None if a difference is too small to see."""

from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from math import hypot
from typing import Final, TypeVar

import msgspec
from msgspec.structs import replace

from countersight.worlds.discs import Disc
from countersight.worlds.things import FLOOR, SIDE, Supports, WorldThing

Placed = TypeVar("Placed", WorldThing, Disc)
_APART = 10


def new_block(colour: str, weight: float) -> WorldThing:
    """Return a block that is not yet in the world and has no place."""
    return WorldThing("new", "block", colour, 0, 0, 34, 26, weight)


class Spot(msgspec.Struct, frozen=True):
    """A free place on a thing."""

    surface: WorldThing
    where: str
    """The place in words: "on top of"."""
    middle: float

    def put(self, thing: WorldThing) -> WorldThing:
        """Return the thing moved to this spot."""
        return replace(thing, left=round(self.middle - thing.width / 2), top=self.surface.top - thing.height)


def spots(world: Supports, width: float) -> Iterator[Spot]:
    """Return the spots for a thing of this width: on top of a block, and on the ends and in the middle of a plank."""
    for surface in world.free:
        if surface.turned or surface.kind not in ("block", "plank"):
            continue
        middle, _ = surface.middle
        if surface.kind == "block":
            yield Spot(surface, "on top of", middle)
            continue
        yield Spot(surface, "on the left end of", surface.left + width / 2 + 2)
        yield Spot(surface, "on the middle of", middle)
        yield Spot(surface, "on the right end of", surface.right - width / 2 - 2)


def is_clear(world: Supports, thing: WorldThing) -> bool:
    """Return whether nothing else overlaps the thing, or is too close to its sides or above it."""
    return not any(
        other.id != thing.id
        and other.left < thing.right + _APART
        and thing.left - _APART < other.right
        and other.top - 1 < thing.bottom - 2
        and thing.top - _APART < other.bottom
        for other in _boxes(world)
    )


def _boxes(world: Supports) -> Iterator[WorldThing]:
    """Return the bounding box of every thing, including strings."""
    for thing in world.things:
        xs, ys = zip(*thing.corners(), strict=True)
        yield replace(thing, left=min(xs), top=min(ys), width=max(xs) - min(xs), height=max(ys) - min(ys))
    for string in world.strings:
        top, bottom = world.thing(string.above).bottom, world.thing(string.below).top
        yield WorldThing(string.id, "hook", "grey", string.x - 1, top, 2, max(1.0, bottom - top))


_EDGE = 10
_FLOOR_APART = 8


def world_after_fall(world: Supports, fallen: Collection[str]) -> Supports | None:
    """Return the world after everything has come to rest, with fallen things on the floor; None if there is no room."""
    left = tuple(thing for thing in world.things if thing.id not in fallen)
    strings = tuple(string for string in world.strings if not {string.above, string.below} & set(fallen))
    down = [thing for thing in world.things if thing.id in fallen]
    return on_the_floor(replace(world, things=left, strings=strings), down)


def on_the_floor(world: Supports, more: Iterable[WorldThing]) -> Supports | None:
    """Return the world with more things on its floor, the widest placed first; None if there is no room."""
    lying = [thing for thing in world.things if thing.lies]
    placed = []
    for thing in sorted(more, key=lambda thing: (-thing.width, thing.id)):
        left = _free(thing, lying)
        if left is None:
            return None
        lying.append(replace(thing, left=left, top=FLOOR - thing.height, turned=0.0, lies=True))
        placed.append(lying[-1])
    return replace(world, things=(*world.things, *sorted(placed, key=lambda thing: thing.id)))


def _free(thing: WorldThing, lying: list[WorldThing]) -> float | None:
    """Return the place on the floor nearest to the thing's current one at which it touches nothing."""
    wanted = round(thing.left)
    ends = [other.right + _FLOOR_APART for other in lying] + [
        other.left - _FLOOR_APART - thing.width for other in lying
    ]
    places = [wanted, *ends, _EDGE, SIDE - _EDGE - thing.width]
    fitting = [place for place in places if _fits(place, thing.width, lying)]
    return min(fitting, key=lambda place: (abs(place - wanted), place), default=None)


def _fits(left: float, width: float, lying: list[WorldThing]) -> bool:
    right = left + width
    inside = left >= _EDGE and right <= SIDE - _EDGE
    return inside and all(right + _FLOOR_APART <= other.left or other.right + _FLOOR_APART <= left for other in lying)


CLEAR_DIFFERENCE: Final = 14
"""The minimum difference in pixels at which one thing is clearly higher, or farther to the left."""
CLEAR_DISTANCE_DIFFERENCE: Final = 12
"""The minimum difference in pixels at which one disc is clearly the nearest."""


def is_higher(one: WorldThing, other: WorldThing) -> bool | None:
    """Return whether one thing is higher than another; None if the difference is too small to see."""
    lower = other.middle[1] - one.middle[1]
    return lower > 0 if abs(lower) >= CLEAR_DIFFERENCE else None


def yes_or_no(holds: bool) -> str:
    """Return "yes" or "no"."""
    return "yes" if holds else "no"


def clearly_first(things: Sequence[Placed], place: Callable[[Placed], float]) -> Placed | None:
    """Return which thing comes first along a line; None if the first two are too close to tell."""
    first, second, *_ = sorted(things, key=place)
    return first if place(second) - place(first) >= CLEAR_DIFFERENCE else None


def nearest(discs: Sequence[Disc], disc: Disc) -> Disc | None:
    """Return the disc nearest to another; None if the difference is too small to see."""
    away = {each.id: hypot(each.x - disc.x, each.y - disc.y) - each.radius for each in discs}
    first, second, *_ = sorted(discs, key=lambda each: away[each.id])
    return first if away[second.id] - away[first.id] >= CLEAR_DISTANCE_DIFFERENCE else None
