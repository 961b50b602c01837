"""Where there is room in a scene for something more."""

from collections.abc import Collection, Iterable
from random import Random

import numpy as np
from numpy.typing import NDArray

from countersight.editing.exact.places import Where, within
from countersight.scenes import (
    GAP,
    OUTLINE,
    RING,
    Circle,
    Points,
    Scene,
    chances,
    distance,
    edge_distance,
    items,
    place,
    reach,
)

Disc = tuple[float, float, float]
"""Middle and radius."""
STEP = 7.0
"""Places are tried on a shaken grid this fine; in a circle on a finer one."""
DOT_STEP = 2.5
LARGEST = 640
"""Most places a grid has in one direction: a scene may come out of somebody's file."""


def in_the_open(
    rng: Random,
    scene: Scene,
    radii: Iterable[float],
    smallest: float,
    where: Iterable[Where],
    but: Collection[str] = (),
) -> list[Disc] | None:
    """Places for flowers or circles of these radii that touch nothing, but for the items named, or None."""
    points = _grid(rng, 0, 0, scene.width, scene.height, STEP)
    clear = np.minimum(points, np.array([scene.width, scene.height]) - points).min(axis=1) - GAP
    points, clear = points[clear >= smallest], clear[clear >= smallest]
    there = within(where, scene, points)
    points, clear = points[there], clear[there]
    for polygon in scene.polygons:
        clear = np.minimum(clear, edge_distance(points, polygon.points) - (GAP + OUTLINE / 2))
    for item in items(scene):
        if item.id not in but:
            clear = np.minimum(clear, distance(points, (item.x, item.y)) - (reach(item) + GAP))
    return _placed(rng, points, clear, radii, smallest)


def in_a_circle(
    rng: Random, circle: Circle, radii: Iterable[float], smallest: float, but: Collection[str] = ()
) -> list[Disc] | None:
    """Places for dots of these radii in a circle that touch nothing, but for the dots named, or None."""
    x, y, radius = circle.x, circle.y, circle.radius
    points = _grid(rng, x - radius, y - radius, x + radius, y + radius, DOT_STEP)
    clear = radius - RING / 2 - GAP - distance(points, (x, y))
    for dot in circle.dots:
        if dot.id not in but:
            clear = np.minimum(clear, distance(points, (dot.x, dot.y)) - (dot.radius + GAP))
    return _placed(rng, points, clear, radii, smallest)


def _grid(rng: Random, left: float, top: float, right: float, bottom: float, step: float) -> Points:
    across, down = (max(1, min(LARGEST, int(length / step))) for length in (right - left, bottom - top))
    cells = np.stack(np.divmod(np.arange(across * down), down), axis=1)
    cell = np.array([(right - left) / across, (bottom - top) / down])
    points: Points = np.round((cells + chances(rng, across * down)) * cell + np.array([left, top]), 2)
    return points


def _placed(
    rng: Random, points: Points, clear: NDArray[np.float64], radii: Iterable[float], smallest: float
) -> list[Disc] | None:
    room = clear >= smallest
    return place(rng, points[room], clear[room], radii, smallest)
