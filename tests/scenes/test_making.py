"""Scenes made by chance keep their promises: how many, where, and at what distance."""

from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from countersight.scenes.colours import NAMED, distinct_colours, rgb
from countersight.scenes.geometry import faults
from countersight.scenes.random_scenes import FlowerRegions, dot_scene, flower_scene, rightmost, top_row

numbers = st.integers(1, 12)
regions = st.builds(FlowerRegions, numbers, numbers, numbers, numbers)
seeds = st.integers(0, 10**6)


def within(x, y, corners):
    """Whether a point is on the inner side: crossings of a ray upwards, one edge at a time."""
    crossings = 0
    for (ax, ay), (bx, by) in zip(corners, corners[1:] + corners[:1], strict=True):
        if (ax <= x) != (bx <= x) and ay + (x - ax) / (bx - ax) * (by - ay) < y:
            crossings += 1
    return crossings % 2 == 1


@settings(max_examples=20, deadline=None)
@given(seeds, regions)
def test_every_region_holds_as_many_flowers_as_asked_for(seed, wanted):
    scene = flower_scene(Random(seed), ("red", "blue"), wanted)
    first, second = (polygon.points for polygon in scene.polygons)
    places = [(within(f.x, f.y, first), within(f.x, f.y, second)) for f in scene.flowers]
    found = FlowerRegions(
        places.count((True, False)),
        places.count((False, True)),
        places.count((True, True)),
        places.count((False, False)),
    )
    assert found == wanted


@settings(max_examples=20, deadline=None)
@given(seeds, st.lists(st.integers(0, 8), min_size=6, max_size=6))
def test_circles_hold_as_many_dots_as_asked_for(seed, wanted):
    scene = dot_scene(Random(seed), wanted)
    assert [len(circle.dots) for circle in scene.circles] == wanted


@settings(max_examples=20, deadline=None)
@given(seeds)
def test_rows_and_the_right_column_are_never_in_doubt(seed):
    scene = dot_scene(Random(seed), (1,) * 6)
    top, bottom = scene.circles[:3], scene.circles[3:]
    assert top_row(scene) == top
    assert max(circle.y + circle.radius for circle in top) < min(circle.y - circle.radius for circle in bottom)
    right = rightmost(scene, 2)
    assert {circle.id for circle in right} == {"circle-3", "circle-6"}
    others = [circle for circle in scene.circles if circle not in right]
    assert max(circle.x + circle.radius for circle in others) < min(circle.x - circle.radius for circle in right)


@settings(max_examples=15, deadline=None)
@given(seeds, regions, st.lists(st.integers(0, 8), min_size=6, max_size=6))
def test_no_fault_is_found_in_what_is_made(seed, wanted, numbers):
    assert not faults(flower_scene(Random(seed), ("red", "blue"), wanted))
    assert not faults(dot_scene(Random(seed), numbers))


@pytest.mark.parametrize("colour", NAMED)
def test_every_colour_has_partners_that_look_different(colour):
    partners = distinct_colours(colour)
    assert len(partners) >= 4
    for partner in partners:
        assert sum(abs(a - b) for a, b in zip(rgb(colour), rgb(partner), strict=True)) > 150
        assert colour in distinct_colours(partner)


@pytest.mark.parametrize("colour", ["", "mauve", "#12345", "#gggggg", "123456 "])
def test_an_unknown_colour_is_refused(colour):
    with pytest.raises(ValueError, match="is not a colour"):
        rgb(colour)
