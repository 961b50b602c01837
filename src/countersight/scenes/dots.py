"""Scenes of dots in six circles, two rows of three."""

from collections.abc import Sequence
from math import pi
from random import Random

import numpy as np

from countersight.scenes.backgrounds import random_background
from countersight.scenes.colours import DOTS, RINGS
from countersight.scenes.geometry import GAP, Points, chances, distance, place, rounded
from countersight.scenes.scene import RING, Circle, Dot, Scene

COLUMNS = 76, 224, 372
ROWS = 122, 326
SHAKE = 5.0
"""How far a circle may stray from its place: little against the distance of rows and columns, so that which circles
are on top and which two are rightmost is never in doubt."""
RADII = 52.0, 60.0
DOT_RADII = 5.0, 9.0
TRIES = 160
"""Places tried for the dots of a circle."""


def dot_scene(rng: Random, numbers: Sequence[int]) -> Scene:
    """Return six circles with these numbers of dots, row by row from the top left."""
    radius = rounded(rng.uniform(*RADII))
    ring = rng.choice(RINGS)
    palette = rng.sample(DOTS, rng.randint(1, 4))
    circles: list[Circle] = []
    named = 0
    for position, number in enumerate(numbers):
        row, column = divmod(position, len(COLUMNS))
        x = rounded(COLUMNS[column] + rng.uniform(-SHAKE, SHAKE))
        y = rounded(ROWS[row] + rng.uniform(-SHAKE, SHAKE))
        own_radius = rounded(radius + rng.uniform(-2, 2))
        dots = tuple(
            Dot(f"dot-{named + nth}", rng.choice(palette), size, dot_x, dot_y)
            for nth, (dot_x, dot_y, size) in enumerate(_strew(rng, x, y, own_radius, number), 1)
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


def _strew(rng: Random, x: float, y: float, radius: float, number: int) -> list[tuple[float, float, float]]:
    while True:
        points = _in_disc(rng, x, y, radius)
        clear = radius - RING / 2 - GAP - distance(points, (x, y))
        radii = [rounded(rng.uniform(*DOT_RADII)) for _ in range(number)]
        placed = place(rng, points, clear, radii, DOT_RADII[0])
        if placed is not None:
            return placed


def _in_disc(rng: Random, x: float, y: float, radius: float) -> Points:
    """Return points spread evenly over a disc."""
    chance = chances(rng, TRIES)
    out, angle = radius * np.sqrt(chance[:, 0]), 2 * pi * chance[:, 1]
    points: Points = np.stack((x + out * np.cos(angle), y + out * np.sin(angle)), axis=1)
    return points.round(2)
