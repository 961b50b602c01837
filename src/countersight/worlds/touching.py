"""Contacts between things, found from positions alone, so that a world read from a picture has the same contacts."""

from collections.abc import Iterator, Sequence
from functools import lru_cache
from math import cos, hypot, radians, sin

import msgspec

from countersight.worlds.things import CUP_BASE, CUP_WALL, TABLE, Point, Supports, WorldThing

GROUND = ""
"""The id of the table, which carries things and never falls."""
_NEAR = 1.0
"""The maximum distance of edges that touch; other edges are more than three pixels apart."""
_SEAT = 0.3
"""How far to either side a ball in a cup is supported, as a share of its width, so that it cannot roll out."""
UP: Point = (0.0, -1.0)
_FLAT = frozenset({"block", "plank", "shelf"})
"""Kinds of things with an upper edge on which something can rest."""


class Contact(msgspec.Struct, frozen=True):
    """A point where one thing pushes another, or the end of a string by which one thing holds another."""

    upper: str
    """The thing that is pushed or held."""
    lower: str
    """The thing that pushes or holds it."""
    at: Point
    """The point on the upper thing."""
    below: Point
    """The point on the lower thing."""
    normal: Point
    """The direction in which the upper thing is pushed."""
    has_friction: bool = True


@lru_cache(64)
def contacts(world: Supports) -> tuple[Contact, ...]:
    """Return every contact of a world, in an order independent of the order of its things."""
    there = [thing for thing in world.things if not thing.lies]
    found = [contact for upper in there if not upper.is_fixed for contact in _under(upper, there)]
    found += _hung(world, {contact.upper for contact in found})
    return tuple(sorted(found, key=lambda contact: (contact.upper, contact.lower, contact.at)))


def swinging(found: Sequence[Contact]) -> frozenset[str]:
    """Return the things that are held by exactly one string and nothing else; they swing until they are balanced."""
    held: dict[str, list[Contact]] = {}
    for contact in found:
        held.setdefault(contact.upper, []).append(contact)
    return frozenset(name for name, by in held.items() if len(by) == 1 and not by[0].has_friction)


def _under(upper: WorldThing, there: list[WorldThing]) -> Iterator[Contact]:
    if upper.turned:
        yield from _leaning(upper, there)
        return
    bottom = upper.bottom
    if abs(bottom - TABLE) < _NEAR:
        yield from _resting(upper, GROUND, upper.left, upper.right)
    if upper.kind == "ball":
        for lower in there:
            yield from _in_cup(upper, lower)
        return
    for lower in there:
        if abs(bottom - lower.top) < _NEAR and not lower.turned and lower.kind in _FLAT and lower is not upper:
            yield from _resting(upper, lower.id, max(upper.left, lower.left), min(upper.right, lower.right))


def _resting(upper: WorldThing, lower: str, left: float, right: float) -> Iterator[Contact]:
    """Yield the contacts of two flat edges: the ends of the line where they touch, which stand for the whole line."""
    if right - left > _NEAR:
        for x in (left, right):
            yield _touching(upper.id, lower, (x, upper.bottom), UP)


def _in_cup(ball: WorldThing, cup: WorldThing) -> Iterator[Contact]:
    if cup.kind != "cup":
        return
    inside = cup.left + CUP_WALL - _NEAR < ball.left and ball.right < cup.right - CUP_WALL + _NEAR
    if inside and abs(ball.bottom - (cup.bottom - CUP_BASE)) < _NEAR:
        x, _ = ball.middle
        for seat in (x - _SEAT * ball.width, x + _SEAT * ball.width):
            yield _touching(ball.id, cup.id, (seat, ball.bottom), UP)


def _leaning(plank: WorldThing, there: list[WorldThing]) -> Iterator[Contact]:
    """Yield the contacts of a leaning plank: its lowest corner, and the corners of other things on which its lower face
    lies."""
    x, y = max(plank.corners(), key=lambda corner: corner[1])
    if abs(y - TABLE) < _NEAR:
        yield _touching(plank.id, GROUND, (x, y), UP)
    normal = sin(radians(plank.turned)), -cos(radians(plank.turned))
    for lower in there:
        if lower is plank or lower.turned or lower.kind in ("ball", "hook", "cup"):
            continue
        if abs(y - lower.top) < _NEAR and lower.left < x < lower.right:
            yield _touching(plank.id, lower.id, (x, y), UP)
        for corner in ((lower.left, lower.top), (lower.right, lower.top)):
            if _is_on_lower_face(corner, plank):
                yield _touching(plank.id, lower.id, corner, normal)


def _is_on_lower_face(point: Point, plank: WorldThing) -> bool:
    *_, right, left = plank.corners()
    across, down = right[0] - left[0], right[1] - left[1]
    length = hypot(across, down)
    along = ((point[0] - left[0]) * across + (point[1] - left[1]) * down) / length
    off = ((point[0] - left[0]) * down - (point[1] - left[1]) * across) / length
    return abs(off) < _NEAR and _NEAR < along < length - _NEAR


def _touching(upper: str, lower: str, at: Point, normal: Point) -> Contact:
    return Contact(upper, lower, at, at, normal)


def _hung(world: Supports, standing: set[str]) -> Iterator[Contact]:
    """Yield the contacts of strings. A thing that hangs by one string turns until its centre is below the string."""
    here = {thing.id: thing for thing in world.things if not thing.lies}
    strings = [string for string in world.strings if {string.above, string.below} <= here.keys()]
    times = [string.below for string in strings]
    swings = {name for name in times if times.count(name) == 1} - standing
    for string in strings:
        above, below = here[string.above], here[string.below]
        at = below.middle if below.id in swings else (string.x, below.top)
        held = above.middle if above.id in swings else (string.x, above.bottom)
        yield Contact(below.id, above.id, at, held, UP, has_friction=False)
