"""Where points lie with respect to polygons. Pure functions over arrays of points, one row a point."""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from countersight.scenes.scene import Point

Points = NDArray[np.float64]


def as_points(points: Sequence[Point]) -> Points:
    """Points as an array with one row each, also where there is none."""
    return np.array(points, dtype=np.float64).reshape(-1, 2)


def inside(points: Points, polygon: Sequence[Point]) -> NDArray[np.bool_]:
    """Which points lie inside the polygon: a ray to the right of them crosses its edges an odd number of times."""
    (x1, y1), (x2, y2) = _edges(polygon)
    x, y = points[:, :1], points[:, 1:]
    spans = (y1 > y) != (y2 > y)
    rise = np.where(y1 == y2, 1.0, y2 - y1)  # a level edge spans nothing; 1 only keeps the division defined
    crossed = spans & (x < x1 + (y - y1) * (x2 - x1) / rise)
    odd: NDArray[np.bool_] = crossed.sum(axis=1) % 2 == 1
    return odd


def edge_distance(points: Points, polygon: Sequence[Point]) -> NDArray[np.float64]:
    """How far each point is from the nearest edge of the polygon."""
    (x1, y1), (x2, y2) = _edges(polygon)
    dx, dy = x2 - x1, y2 - y1
    from_x, from_y = points[:, :1] - x1, points[:, 1:] - y1
    length = np.maximum(dx * dx + dy * dy, 1e-12)
    along = np.clip((from_x * dx + from_y * dy) / length, 0.0, 1.0)
    off_x, off_y = from_x - along * dx, from_y - along * dy
    nearest: NDArray[np.float64] = (off_x * off_x + off_y * off_y).min(axis=1)
    return np.sqrt(nearest)


def distance(points: Points, point: Point) -> NDArray[np.float64]:
    """How far each point is from one point."""
    dx, dy = points[:, 0] - point[0], points[:, 1] - point[1]
    return np.sqrt(dx * dx + dy * dy)


def _edges(polygon: Sequence[Point]) -> tuple[Points, Points]:
    return as_points(polygon).T, as_points((*polygon[1:], polygon[0])).T
