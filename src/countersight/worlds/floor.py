"""The floor in front of the table, where fallen things come to rest in a row, near their old places."""

from collections.abc import Collection, Iterable

from msgspec.structs import replace

from countersight.worlds.things import FLOOR, SIDE, Supports, WorldThing

_EDGE = 10
_APART = 8


def settled(world: Supports, fallen: Collection[str]) -> Supports | None:
    """Return the world after everything came to rest, with fallen things on the floor; None if there is no room."""
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
    """The place nearest to where the thing is now at which it touches nothing on the floor."""
    wanted = round(thing.left)
    ends = [other.right + _APART for other in lying] + [other.left - _APART - thing.width for other in lying]
    places = [wanted, *ends, _EDGE, SIDE - _EDGE - thing.width]
    fitting = [place for place in places if _fits(place, thing.width, lying)]
    return min(fitting, key=lambda place: (abs(place - wanted), place), default=None)


def _fits(left: float, width: float, lying: list[WorldThing]) -> bool:
    right = left + width
    inside = left >= _EDGE and right <= SIDE - _EDGE
    return inside and all(right + _APART <= other.left or other.right + _APART <= left for other in lying)
