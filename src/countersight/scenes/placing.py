"""Place discs of given sizes at random, so that none touches another or anything else."""

from collections.abc import Iterable
from random import Random

import numpy as np
from numpy.typing import NDArray

from countersight.scenes.geometry import Points, distance

GAP = 4.0
"""Least distance between two items, and between an item and a line: wide enough to be seen, and to survive
antialiasing on both sides."""


def place(
    rng: Random, points: Points, clear: NDArray[np.float64], radii: Iterable[float], smallest: float
) -> list[tuple[float, float, float]] | None:
    """Return a place (x, y, radius) for every radius, largest first, or None if there is no room.

    `points` are the places to choose from and `clear` is the largest disc that fits at each. A disc that fits
    nowhere shrinks to what fits, but not below `smallest`.
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


def chances(rng: Random, rows: int) -> Points:
    """Return rows of two random numbers from 0 to 1; made from bytes, which is ten times faster."""
    return np.frombuffer(rng.randbytes(8 * rows), "<u4").reshape(rows, 2) / 2.0**32


def rounded(value: float) -> float:
    """Round a value to the precision of scenes, so that it is unchanged by JSON."""
    return round(value, 2)
