"""Geometry of scenes: points relative to polygons, places for discs, and the check that nothing touches anything."""

from collections.abc import Iterable, Iterator, Sequence
from random import Random

import numpy as np
from numpy.typing import NDArray

from countersight.scenes.scene import OUTLINE, RING, Circle, Flower, Point, Scene

Points = NDArray[np.float64]


def as_points(points: Sequence[Point]) -> Points:
    """Return points as an array with one row per point, even if there are none."""
    return np.array(points, dtype=np.float64).reshape(-1, 2)


def inside(points: Points, polygon: Sequence[Point]) -> NDArray[np.bool_]:
    """Return a mask of the points inside the polygon, from which a ray crosses its edges an odd number of times."""
    (x1, y1), (x2, y2) = _edges(polygon)
    x, y = points[:, :1], points[:, 1:]
    spans = (y1 > y) != (y2 > y)
    rise = np.where(y1 == y2, 1.0, y2 - y1)  # a horizontal edge spans nothing; 1 avoids a division by zero
    crossed = spans & (x < x1 + (y - y1) * (x2 - x1) / rise)
    odd: NDArray[np.bool_] = crossed.sum(axis=1) % 2 == 1
    return odd


def edge_distance(points: Points, polygon: Sequence[Point]) -> NDArray[np.float64]:
    """Return the distance of each point from the nearest edge of the polygon."""
    (x1, y1), (x2, y2) = _edges(polygon)
    dx, dy = x2 - x1, y2 - y1
    from_x, from_y = points[:, :1] - x1, points[:, 1:] - y1
    length = np.maximum(dx * dx + dy * dy, 1e-12)
    along = np.clip((from_x * dx + from_y * dy) / length, 0.0, 1.0)
    off_x, off_y = from_x - along * dx, from_y - along * dy
    nearest: NDArray[np.float64] = (off_x * off_x + off_y * off_y).min(axis=1)
    return np.sqrt(nearest)


def distance(points: Points, point: Point) -> NDArray[np.float64]:
    """Return the distance of each point from one point."""
    dx, dy = points[:, 0] - point[0], points[:, 1] - point[1]
    return np.sqrt(dx * dx + dy * dy)


def middle(polygon: Sequence[Point]) -> Point:
    """Return the centroid of a polygon; the mean of its corners if it has no area."""
    (x1, y1), (x2, y2) = _edges(polygon)
    weights = x1 * y2 - x2 * y1
    whole = float(weights.sum())
    if abs(whole) < 1e-9:
        return float(x1.mean()), float(y1.mean())
    return float(((x1 + x2) * weights).sum() / (3 * whole)), float(((y1 + y2) * weights).sum() / (3 * whole))


def crosses_itself(polygon: Sequence[Point]) -> bool:
    """Return whether two edges of a polygon that are not neighbours meet, which makes its inside ambiguous."""
    starts, ends = (part.T for part in _edges(polygon))
    number = len(starts)
    one, other = np.triu_indices(number, 2)
    apart = (other - one) % number != number - 1  # the last edge is a neighbour of the first
    one, other = one[apart], other[apart]
    sides = (
        _turn(starts[one], ends[one], starts[other]) * _turn(starts[one], ends[one], ends[other]),
        _turn(starts[other], ends[other], starts[one]) * _turn(starts[other], ends[other], ends[one]),
    )
    return bool(((sides[0] <= 0) & (sides[1] <= 0)).any())


def _turn(first: Points, second: Points, third: Points) -> NDArray[np.float64]:
    """Return the direction in which a path over three points turns: left, straight on, or right."""
    along, on = second - first, third - first
    turn: NDArray[np.float64] = np.sign(along[:, 0] * on[:, 1] - along[:, 1] * on[:, 0])
    return turn


def _edges(polygon: Sequence[Point]) -> tuple[Points, Points]:
    return as_points(polygon).T, as_points((*polygon[1:], polygon[0])).T


GAP = 4.0
"""The minimum distance between two items, and between an item and a line; wide enough to be visible, even with
antialiasing on both sides."""


def place(
    rng: Random, points: Points, clear: NDArray[np.float64], radii: Iterable[float], smallest: float
) -> list[tuple[float, float, float]] | None:
    """Return a place (x, y, radius) for every radius, largest first, or None if there is no room.

    `points` are the places to choose from and `clear` is the largest disc that fits at each. A disc that fits nowhere
    is made smaller until it fits, but not smaller than `smallest`.
    """
    placed = []
    for wanted in sorted(radii, reverse=True):
        fitting = np.flatnonzero(clear >= wanted)
        if fitting.size:
            index, radius = int(fitting[rng.randrange(fitting.size)]), wanted
        else:
            index = int(clear.argmax()) if clear.size else -1
            radius = int(clear[index] * 100) / 100 if clear.size else 0.0
            if radius < smallest:
                return None
        x, y = float(points[index, 0]), float(points[index, 1])
        placed.append((x, y, radius))
        clear = np.minimum(clear, distance(points, (x, y)) - (radius + GAP))
    return placed


def random_points(rng: Random, rows: int) -> Points:
    """Return rows of two random numbers from 0 to 1; they are made from bytes, which is ten times faster."""
    return np.frombuffer(rng.randbytes(8 * rows), "<u4").reshape(rows, 2) / 2.0**32


def round_coordinate(value: float) -> float:
    """Round a value to the precision of scenes, so that it is not changed by conversion to JSON."""
    return round(value, 2)


SLACK = 0.03
"""The tolerance for distances, because coordinates are rounded to two decimals."""


def faults(scene: Scene) -> frozenset[str]:
    """Return the faults of a scene, in a few words each; generated scenes have none."""
    touching = _too_near([(item.id, item.x, item.y, reach(item)) for item in items(scene)])
    return frozenset((*_out_of_the_picture(scene), *touching, *_crossing(scene), *_dots(scene)))


def reach(item: Flower | Circle) -> float:
    """Return how far the item extends from its middle."""
    return item.size if isinstance(item, Flower) else item.radius + RING / 2


def items(scene: Scene) -> tuple[Flower | Circle, ...]:
    """Return the items that must not touch: flowers, and circles with their dots."""
    return *scene.flowers, *scene.circles


def _out_of_the_picture(scene: Scene) -> Iterator[str]:
    def out(name: str, points: Sequence[Point], margin: float) -> Iterator[str]:
        places = as_points(points)
        rest = np.minimum(places, np.array([scene.width, scene.height]) - places) - margin + SLACK
        if not (rest >= 0).all():  # so that NaN is outside as well
            yield f"{name} is not completely inside the picture"

    for polygon in scene.polygons:
        yield from out(polygon.id, polygon.points, OUTLINE / 2)
    for item in items(scene):
        yield from out(item.id, [(item.x, item.y)], reach(item) + GAP)


def _crossing(scene: Scene) -> Iterator[str]:
    there = items(scene)
    middles = as_points([(item.x, item.y) for item in there])
    reaches = np.array([reach(item) for item in there])
    for polygon in scene.polygons:
        if crosses_itself(polygon.points):
            yield f"{polygon.id} crosses itself"
        if there:
            near = edge_distance(middles, polygon.points) < reaches + GAP + OUTLINE / 2 - SLACK
            for index in np.flatnonzero(near):
                yield f"{there[index].id} touches the line of {polygon.id}"


def _dots(scene: Scene) -> Iterator[str]:
    for circle in scene.circles:
        if not circle.dots:
            continue
        away = distance(as_points([(dot.x, dot.y) for dot in circle.dots]), (circle.x, circle.y))
        room = circle.radius - RING / 2 - GAP + SLACK - np.array([dot.radius for dot in circle.dots])
        for index in np.flatnonzero(~(away <= room)):
            yield f"{circle.dots[index].id} is not completely inside {circle.id}"
        yield from _too_near([(dot.id, dot.x, dot.y, dot.radius) for dot in circle.dots])


def _too_near(discs: Sequence[tuple[str, float, float, float]]) -> Iterator[str]:
    if len(discs) < 2:
        return
    x, y, radius = np.array([disc[1:] for disc in discs]).T
    one, other = np.triu_indices(len(discs), 1)
    apart = np.hypot(x[one] - x[other], y[one] - y[other])
    for index in np.flatnonzero(apart < radius[one] + radius[other] + GAP - SLACK):
        yield f"{discs[one[index]][0]} touches {discs[other[index]][0]}"
