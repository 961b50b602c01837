"""Add objects to a scene where there is room."""

from collections.abc import Iterable, Iterator
from itertools import count
from random import Random
from typing import Any

import numpy as np
from msgspec.structs import replace

from countersight.editing.colours import colour_in
from countersight.editing.exact.finding import matching, within
from countersight.editing.exact.targets import Area, Target, number_in, read_target
from countersight.editing.protocol import Instruction
from countersight.errors import EditFailed
from countersight.scenes import (
    DOT_RADII,
    DOTS,
    GAP,
    HEARTS,
    LARGEST,
    OUTLINE,
    PETALS,
    RING,
    SMALLEST,
    Add,
    Circle,
    Dot,
    Edit,
    Flower,
    Points,
    Scene,
    distance,
    edge_distance,
    items,
    place,
    random_points,
    reach,
    round_coordinate,
)

Disc = tuple[float, float, float]
"""A circle: x and y of the middle, and the radius."""
STEP = 7.0
"""The spacing of the jittered grid of candidate places; circles use a finer grid."""
DOT_STEP = 2.5
MOST_PLACES = 640
"""The maximum number of grid points in one direction, because a scene may come from an untrusted file."""


def in_the_open(
    rng: Random, scene: Scene, radii: Iterable[float], smallest: float, places: Iterable[Area]
) -> list[Disc] | None:
    """Return free positions for flowers of these radii, or None if there is too little room."""
    points = _grid(rng, 0, 0, scene.width, scene.height, STEP)
    clear = np.minimum(points, np.array([scene.width, scene.height]) - points).min(axis=1) - GAP
    points, clear = points[clear >= smallest], clear[clear >= smallest]
    there = within(places, scene, points)
    points, clear = points[there], clear[there]
    for polygon in scene.polygons:
        clear = np.minimum(clear, edge_distance(points, polygon.points) - (GAP + OUTLINE / 2))
    for item in items(scene):
        clear = np.minimum(clear, distance(points, (item.x, item.y)) - (reach(item) + GAP))
    return place(rng, points[clear >= smallest], clear[clear >= smallest], radii, smallest)


def in_a_circle(rng: Random, circle: Circle, radius: float, smallest: float) -> list[Disc] | None:
    """Return a free position for a dot in a circle, or None if there is none."""
    x, y, around = circle.x, circle.y, circle.radius
    points = _grid(rng, x - around, y - around, x + around, y + around, DOT_STEP)
    clear = around - RING / 2 - GAP - distance(points, (x, y))
    for dot in circle.dots:
        clear = np.minimum(clear, distance(points, (dot.x, dot.y)) - (dot.radius + GAP))
    return place(rng, points[clear >= smallest], clear[clear >= smallest], (radius,), smallest)


def _grid(rng: Random, left: float, top: float, right: float, bottom: float, step: float) -> Points:
    """Return the points of a grid, each shifted at random within its cell."""
    across, down = (max(1, min(MOST_PLACES, int(length / step))) for length in (right - left, bottom - top))
    cells = np.stack(np.divmod(np.arange(across * down), down), axis=1)
    cell = np.array([(right - left) / across, (bottom - top) / down])
    points: Points = np.round((cells + random_points(rng, across * down)) * cell + np.array([left, top]), 2)
    return points


MOST_ADDED = 60
"""The maximum number of objects added at once; a scene has room for fewer."""


def add_things(instruction: Instruction, scene: Scene, rng: Random) -> Iterator[Edit]:
    """Return the edits that add the requested objects; raises EditFailed if there is too little room."""
    words = instruction.target
    try:
        target = read_target(words)
    except EditFailed:  # the object is named in the value
        words = f"{instruction.value} {words}"
        target = read_target(words)
    number = number_in(instruction.value) or target.number or 1
    if number > MOST_ADDED:
        raise EditFailed(f"at most {MOST_ADDED} objects can be added at once, not {number}")
    colour = colour_in(target.colour) or colour_in(instruction.value)
    full = EditFailed(f"there is no room for {number} more: “{words[:120]}”")
    if target.noun == "dot":
        yield from _more_dots(target, number, colour, scene, rng, full)
    elif target.noun != "flower":
        raise EditFailed(f"flowers and dots can be added, not {target.noun}s")
    else:
        sizes = [round_coordinate(rng.uniform(SMALLEST, (SMALLEST + LARGEST) / 2)) for _ in range(number)]
        placed = in_the_open(rng, scene, sizes, SMALLEST, target.places)
        if placed is None:
            raise full
        names = _names("flower", (flower.id for flower in scene.flowers))
        yield Add(flowers=tuple(_new_flower(next(names), disc, target, colour, scene, rng) for disc in placed))


def _new_flower(
    name: str, disc: tuple[float, float, float], target: Target, colour: str | None, scene: Scene, rng: Random
) -> Flower:
    """Return a new flower that looks like one of the flowers in the scene, or a random one if there are none."""
    x, y, size = disc
    turn = round_coordinate(rng.uniform(0, 360))
    if scene.flowers:
        kind = rng.choice(scene.flowers)
    else:
        kind = Flower(name, "round", 6, 1, rng.choice(PETALS), rng.choice(HEARTS[1:]), size, turn, x, y)
    shape: Any = target.shape or kind.shape
    return replace(
        kind, id=name, x=x, y=y, size=size, rotation=turn, shape=shape, colour=colour if colour else kind.colour
    )


def _more_dots(
    target: Target, number: int, colour: str | None, scene: Scene, rng: Random, full: EditFailed
) -> Iterator[Edit]:
    circles = [item for item in matching(target.circles or Target("circle"), scene) if isinstance(item, Circle)]
    palette = [dot.colour for circle in scene.circles for dot in circle.dots] or [rng.choice(DOTS)]
    names = _names("dot", (dot.id for circle in scene.circles for dot in circle.dots))
    for _ in range(number):
        rng.shuffle(circles)
        for at, circle in enumerate(circles):
            placed = in_a_circle(rng, circle, sum(DOT_RADII) / 2, DOT_RADII[0] * 0.7)
            if placed:
                x, y, radius = placed[0]
                dot = Dot(next(names), colour or rng.choice(palette), radius, x, y)
                circles[at] = replace(circle, dots=(*circle.dots, dot))
                yield Add(dots=(dot,), circle=circle.id)
                break
        else:
            raise full


def _names(noun: str, taken: Iterable[str]) -> Iterator[str]:
    used = set(taken)
    return (name for name in (f"{noun}-{number}" for number in count(1)) if name not in used)
