"""The guarantees of scenes: nothing touches, everything is inside the picture, dots are in their circles."""

from collections.abc import Iterator, Sequence

import numpy as np

from countersight.scenes.geometry import GAP, as_points, crosses_itself, distance, edge_distance
from countersight.scenes.scene import OUTLINE, RING, Circle, Flower, Point, Scene

SLACK = 0.03
"""Tolerance for distances, because coordinates are rounded to two decimals."""


def faults(scene: Scene) -> frozenset[str]:
    """Return the faults of a scene, in a few words each; ours have none."""
    return frozenset((*_out_of_the_picture(scene), *_touching(scene), *_crossing(scene), *_dots(scene)))


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
        if not (rest >= 0).all():  # so that what is no number is out as well
            yield f"{name} is not completely inside the picture"

    for polygon in scene.polygons:
        yield from out(polygon.id, polygon.points, OUTLINE / 2)
    for item in items(scene):
        yield from out(item.id, [(item.x, item.y)], reach(item) + GAP)


def _touching(scene: Scene) -> Iterator[str]:
    yield from _too_near([(item.id, item.x, item.y, reach(item)) for item in items(scene)])


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
