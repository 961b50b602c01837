"""Free places in a world of supports, where something could be put."""

from collections.abc import Iterator

import msgspec
from msgspec.structs import replace

from countersight.worlds.things import Supports, WorldThing

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
    """Whether nothing else overlaps the thing, or is too close at its sides or above it."""
    return not any(
        other.id != thing.id
        and other.left < thing.right + _APART
        and thing.left - _APART < other.right
        and other.top - 1 < thing.bottom - 2
        and thing.top - _APART < other.bottom
        for other in _boxes(world)
    )


def _boxes(world: Supports) -> Iterator[WorldThing]:
    """Every thing as wide and high as it looks; strings take room as well."""
    for thing in world.things:
        xs, ys = zip(*thing.corners(), strict=True)
        yield replace(thing, left=min(xs), top=min(ys), width=max(xs) - min(xs), height=max(ys) - min(ys))
    for string in world.strings:
        top, bottom = world.thing(string.above).bottom, world.thing(string.below).top
        yield WorldThing(string.id, "hook", "grey", string.x - 1, top, 2, max(1.0, bottom - top))
