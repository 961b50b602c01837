"""Points and polygons, against slower and independent ways to find the same."""

from math import atan2, pi

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from countersight.scenes.geometry import as_points, distance, edge_distance, inside

coordinates = st.floats(-200, 200, allow_nan=False).map(lambda value: round(value, 2))
points = st.tuples(coordinates, coordinates)
stars = st.lists(st.floats(5, 150), min_size=3, max_size=9)
"""Distances of corners from the origin, at even angles: a polygon that never crosses itself."""


def star(radii):
    turns = np.arange(len(radii)) * 2 * pi / len(radii)
    return [(radius * np.cos(turn), radius * np.sin(turn)) for radius, turn in zip(radii, turns, strict=True)]


def winding(point, polygon):
    """How often the polygon goes around the point, by summing angles."""
    angles = [atan2(y - point[1], x - point[0]) for x, y in polygon]
    turns = [(b - a + pi) % (2 * pi) - pi for a, b in zip(angles, angles[1:] + angles[:1], strict=True)]
    return round(sum(turns) / (2 * pi))


@given(stars, points)
def test_a_point_is_inside_where_the_polygon_goes_around_it(radii, point):
    polygon = star(radii)
    if edge_distance(as_points([point]), polygon)[0] > 1e-6:
        assert bool(inside(as_points([point]), polygon)[0]) == (winding(point, polygon) != 0)


@given(stars, points)
def test_the_nearest_edge_is_as_near_as_its_nearest_point(radii, point):
    polygon = star(radii)
    steps = np.linspace(0, 1, 400)[:, None]
    nearest = min(
        float(distance(np.array(a) * (1 - steps) + np.array(b) * steps, point).min())
        for a, b in zip(polygon, polygon[1:] + polygon[:1], strict=True)
    )
    assert abs(edge_distance(as_points([point]), polygon)[0] - nearest) < 0.75


def test_no_points_are_inside_nothing():
    assert inside(as_points([]), [(0, 0), (1, 0), (0, 1)]).shape == (0,)
