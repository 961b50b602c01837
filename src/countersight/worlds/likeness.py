"""Compare two worlds as a viewer would: the same things, equally heavy, in the same places."""

from countersight.worlds.discs import Disc, Discs
from countersight.worlds.records import World
from countersight.worlds.things import Supports, WorldThing

NEAR = 3.0
"""Largest difference of positions and pushes, in pixels or degrees."""


def is_alike(one: World, other: World) -> bool:
    """Whether both have the same things in the same places, regardless of the look and of parts of the wall."""
    if isinstance(one, Supports) and isinstance(other, Supports):
        return _hung(one) == _hung(other) and _alike(_named(one), _named(other))
    if isinstance(one, Discs) and isinstance(other, Discs):
        return _alike(_measured(one), _measured(other))
    return False


def _alike(one: dict[str, tuple[float, ...]], other: dict[str, tuple[float, ...]]) -> bool:
    return one.keys() == other.keys() and all(
        abs(mine - theirs) <= NEAR
        for name, measures in one.items()
        for mine, theirs in zip(measures, other[name], strict=True)
    )


def _named(world: Supports) -> dict[str, tuple[float, ...]]:
    return {_words(thing): (thing.left, thing.top, thing.right, thing.bottom, thing.turned) for thing in _free(world)}


def _free(world: Supports) -> list[WorldThing]:
    return [thing for thing in world.things if not thing.is_fixed]


def _words(thing: WorldThing | Disc) -> str:
    return f"{thing.name} with {thing.weight:.0f} dots"


def _hung(world: Supports) -> list[str]:
    return sorted(world.thing(string.below).name for string in world.strings)


def _measured(world: Discs) -> dict[str, tuple[float, ...]]:
    return {_words(disc): (disc.x, disc.y, disc.radius, disc.vx, disc.vy) for disc in world.discs}
