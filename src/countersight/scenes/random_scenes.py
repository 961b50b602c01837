"""Random scenes: flowers scattered over two overlapping polygons, and dots in six circles."""

from collections.abc import Sequence
from math import cos, pi, radians, sin, sqrt
from random import Random
from typing import Literal, get_args

import msgspec
import numpy as np
from msgspec.structs import replace

from countersight.scenes.colours import BACKGROUNDS, DOTS, HEARTS, PETALS, RINGS
from countersight.scenes.geometry import (
    GAP,
    Points,
    distance,
    edge_distance,
    inside,
    place,
    random_points,
    round_coordinate,
)
from countersight.scenes.scene import (
    OUTLINE,
    RING,
    SIDE,
    Background,
    Circle,
    Dot,
    Flower,
    PetalShape,
    Point,
    Polygon,
    Scene,
)

BORDER = 12.0
"""The minimum distance of a polygon's corner from the border of the picture."""
SMALLEST, LARGEST = 11.0, 21.0
"""The radius of a flower."""
GRID = 30
"""The rows and columns of the jittered grid from which places for flowers are chosen. The grid covers a region more
evenly than random points, so more flowers find room."""
STEP = SIDE / GRID
LEAST_ROOM = 28
"""The minimum number of places in a region, even for one flower; smaller regions would hardly be visible."""
ROOM_EACH = 3.5
"""The minimum number of places per flower in a region; with fewer places, the flowers rarely all fit."""


def random_background(rng: Random) -> Background:
    """Return a random plain colour, gradient or stripes; never dots, which could be counted."""
    first, second = rng.sample(BACKGROUNDS, 2)
    pattern = rng.choice(("plain", "gradient", "gradient", "stripes"))
    if pattern == "plain":
        return Background("plain", (first, first))
    if pattern == "gradient":
        return Background("gradient", (first, second))
    return Background("stripes", (first, second), rng.randrange(16, 57))


class FlowerRegions(msgspec.Struct, frozen=True):
    """The number of flowers in each of the four regions of two polygons."""

    first: int
    """The number inside the first polygon only."""
    second: int
    both: int
    outside: int


def flower_scene(rng: Random, colours: tuple[str, str], regions: FlowerRegions) -> Scene:
    """Return two overlapping polygons of these colours with these numbers of flowers in each region."""
    polygons = _two_polygons(rng, colours)
    while (placed := _scatter_flowers(rng, polygons, regions)) is None:
        polygons = _two_polygons(rng, colours)
    kinds = [_species(rng) for _ in range(rng.randint(2, 5))]
    flowers = tuple(
        replace(
            rng.choice(kinds), id=f"flower-{n}", size=size, rotation=round_coordinate(rng.uniform(0, 360)), x=x, y=y
        )
        for n, (x, y, size) in enumerate(placed, 1)
    )
    return Scene(random_background(rng), polygons=polygons, flowers=flowers)


def _scatter_flowers(
    rng: Random, polygons: tuple[Polygon, Polygon], regions: FlowerRegions
) -> list[tuple[float, float, float]] | None:
    """Return a place and a size for every flower; None if the polygons leave too little room in a region."""
    points = _jittered_grid(rng)
    clear = np.minimum(points, SIDE - points).min(axis=1) - GAP
    for polygon in polygons:
        clear = np.minimum(clear, edge_distance(points, polygon.points) - (GAP + OUTLINE / 2))
    points, clear = points[clear >= SMALLEST], clear[clear >= SMALLEST]
    in_first, in_second = (inside(points, polygon.points) for polygon in polygons)
    regioned = (
        (in_first & ~in_second, regions.first),
        (in_second & ~in_first, regions.second),
        (in_first & in_second, regions.both),
        (~in_first & ~in_second, regions.outside),
    )
    if any(np.count_nonzero(here) < max(LEAST_ROOM, ROOM_EACH * number) for here, number in regioned):
        return None
    placed = []
    for here, number in regioned:
        # The fewer flowers a region has for its room, the larger they may be.
        largest = min(LARGEST, max(SMALLEST, 0.42 * STEP * sqrt(np.count_nonzero(here) / max(1, number))))
        radii = [round_coordinate(rng.uniform(SMALLEST, largest)) for _ in range(number)]
        here_placed = place(rng, points[here], clear[here], radii, SMALLEST)
        if here_placed is None:
            return None
        placed += here_placed
    return placed


def _jittered_grid(rng: Random) -> Points:
    cells = np.stack(np.divmod(np.arange(GRID * GRID), GRID), axis=1)
    return np.round((cells + random_points(rng, GRID * GRID)) * STEP, 2)


def _two_polygons(rng: Random, colours: tuple[str, str]) -> tuple[Polygon, Polygon]:
    """Return polygons on either side of the middle, near enough to overlap well."""
    direction, apart = rng.uniform(0, 360), rng.uniform(58, 74)
    dx, dy = apart * cos(radians(direction)), apart * sin(radians(direction))
    middle = SIDE / 2 + rng.uniform(-16, 16), SIDE / 2 + rng.uniform(-16, 16)
    return (
        Polygon("polygon-1", colours[0], _corners(rng, middle[0] - dx, middle[1] - dy)),
        Polygon("polygon-2", colours[1], _corners(rng, middle[0] + dx, middle[1] + dy)),
    )


def _corners(rng: Random, x: float, y: float) -> tuple[Point, ...]:
    """Return corners around a centre, at uneven angles and distances, moved inwards if they would leave the picture."""
    number = rng.randint(4, 8)
    reach = rng.uniform(138, 160) * (1.12 if number == 4 else 1.0)  # four corners enclose less
    turn = rng.uniform(0, 360)
    corners = []
    for corner in range(number):
        angle = radians(turn + (corner + rng.uniform(-0.22, 0.22)) * 360 / number)
        ray_x, ray_y = cos(angle), sin(angle)
        far = reach * rng.uniform(0.86, 1.1)
        for start, ray in ((x, ray_x), (y, ray_y)):
            wall = SIDE - BORDER if ray > 0 else BORDER
            if abs(ray) > 1e-9:
                far = min(far, (wall - start) / ray)
        corners.append((round_coordinate(x + far * ray_x), round_coordinate(y + far * ray_y)))
    return tuple(corners)


def _species(rng: Random) -> Flower:
    """Return a flower without a place, which represents all flowers of one kind."""
    colour = rng.choice(PETALS)
    shape, petals = rng.choice(get_args(PetalShape)), rng.randint(4, 9)
    rings: Literal[1, 2] = 2 if rng.random() < 0.35 else 1
    heart = rng.choice([heart for heart in HEARTS if heart != colour])
    return Flower("", shape, petals, rings, colour, heart, size=0, rotation=0, x=0, y=0)


COLUMNS = 76, 224, 372
ROWS = 122, 326
SHAKE = 5.0
"""The largest distance of a circle from its place: small compared to the distance between rows and columns, so that it
is always clear which circles are in the top row and which two are rightmost."""
RADII = 52.0, 60.0
DOT_RADII = 5.0, 9.0
TRIES = 160
"""The number of places tried for the dots of a circle."""


def dot_scene(rng: Random, numbers: Sequence[int]) -> Scene:
    """Return six circles with these numbers of dots, row by row from the top left."""
    radius = round_coordinate(rng.uniform(*RADII))
    ring = rng.choice(RINGS)
    palette = rng.sample(DOTS, rng.randint(1, 4))
    circles: list[Circle] = []
    named = 0
    for position, number in enumerate(numbers):
        row, column = divmod(position, len(COLUMNS))
        x = round_coordinate(COLUMNS[column] + rng.uniform(-SHAKE, SHAKE))
        y = round_coordinate(ROWS[row] + rng.uniform(-SHAKE, SHAKE))
        own_radius = round_coordinate(radius + rng.uniform(-2, 2))
        dots = tuple(
            Dot(f"dot-{named + nth}", rng.choice(palette), size, dot_x, dot_y)
            for nth, (dot_x, dot_y, size) in enumerate(_scatter_dots(rng, x, y, own_radius, number), 1)
        )
        named += number
        circles.append(Circle(f"circle-{position + 1}", ring, own_radius, x, y, dots))
    return Scene(random_background(rng), circles=tuple(circles))


def top_row(scene: Scene) -> tuple[Circle, ...]:
    """Return the circles of the upper row."""
    return tuple(circle for circle in scene.circles if circle.y < scene.height / 2)


def rightmost(scene: Scene, number: int) -> tuple[Circle, ...]:
    """Return the circles farthest to the right."""
    return tuple(sorted(scene.circles, key=lambda circle: circle.x)[-number:])


def _scatter_dots(rng: Random, x: float, y: float, radius: float, number: int) -> list[tuple[float, float, float]]:
    while True:
        chance = random_points(rng, TRIES)  # points spread evenly over a disc
        out, angle = radius * np.sqrt(chance[:, 0]), 2 * pi * chance[:, 1]
        points: Points = np.stack((x + out * np.cos(angle), y + out * np.sin(angle)), axis=1).round(2)
        clear = radius - RING / 2 - GAP - distance(points, (x, y))
        radii = [round_coordinate(rng.uniform(*DOT_RADII)) for _ in range(number)]
        placed = place(rng, points, clear, radii, DOT_RADII[0])
        if placed is not None:
            return placed
