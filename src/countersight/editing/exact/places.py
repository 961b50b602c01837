"""Where in a scene: inside, outside or between its polygons."""

from collections.abc import Callable, Iterable

import numpy as np
from numpy.typing import NDArray

from countersight.editing.things import called
from countersight.errors import EditFailed
from countersight.scenes import (
    Points,
    Polygon,
    Scene,
    inside,
)

Where = Callable[[Scene, Points], NDArray[np.bool_]]
"""Which of some points of a scene are in a place."""


def within(places: Iterable[Where], scene: Scene, points: Points) -> NDArray[np.bool_]:
    """Which points are in all of the places."""
    there = np.ones(len(points), bool)
    for where in places:
        there &= where(scene, points)
    return there


def inside_of(colour: str | None) -> Where:
    """Inside a polygon of a colour, or of any."""

    def where(scene: Scene, points: Points) -> NDArray[np.bool_]:
        there = np.zeros(len(points), bool)
        for polygon in _of_colour(scene, colour):
            there |= inside(points, polygon.points)
        return there

    return where


def outside_of(colour: str | None) -> Where:
    """Outside all of them."""
    within_them = inside_of(colour)
    return lambda scene, points: ~within_them(scene, points)


def overlap(scene: Scene, points: Points) -> NDArray[np.bool_]:
    """Where polygons lie over each other."""
    return _depth(scene, points) >= 2


def only(where: Where) -> Where:
    """There, and in no second polygon."""
    return lambda scene, points: where(scene, points) & (_depth(scene, points) <= 1)


def _depth(scene: Scene, points: Points) -> NDArray[np.int64]:
    """How many polygons each point is in."""
    depth = np.zeros(len(points), np.int64)
    for polygon in scene.polygons:
        depth += inside(points, polygon.points)
    return depth


def _of_colour(scene: Scene, colour: str | None) -> list[Polygon]:
    """The polygons of a colour; none of that colour is a failed edit, not an empty place."""
    found = [polygon for polygon in scene.polygons if colour in (None, polygon.colour, called(polygon.colour))]
    if not found:
        raise EditFailed(f"there is no {colour or ''} polygon in the scene".replace("  ", " "))
    return found
