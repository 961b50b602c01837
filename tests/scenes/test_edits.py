"""Edits change what they name and nothing else."""

import pytest

from countersight.scenes import Background, Circle, Dot, Flower, Polygon, Recolour, Remove, Scene, apply

SCENE = Scene(
    Background("plain", ("#ffffff", "#ffffff")),
    polygons=(
        Polygon("polygon-1", "red", ((10, 10), (200, 10), (200, 200))),
        Polygon("polygon-2", "blue", ((100, 50), (300, 50), (300, 250))),
    ),
    flowers=(
        Flower("flower-1", "round", 5, 1, "#d81b60", "#ffd54f", size=14, rotation=0, x=40, y=300),
        Flower("flower-2", "spoon", 7, 2, "#ffffff", "#ffd54f", size=18, rotation=9, x=90, y=300),
    ),
    circles=(
        Circle(
            "circle-1",
            "#222222",
            50,
            350,
            350,
            (Dot("dot-1", "#d32f2f", 6, 340, 350), Dot("dot-2", "#1e88e5", 6, 370, 350)),
        ),
    ),
)


def test_removing_a_flower_leaves_the_others():
    changed = apply(SCENE, [Remove(("flower-1",))])
    assert changed.flowers == SCENE.flowers[1:]
    assert (changed.polygons, changed.circles) == (SCENE.polygons, SCENE.circles)


def test_removing_a_dot_leaves_its_circle():
    (circle,) = apply(SCENE, [Remove(("dot-1",))]).circles
    assert [dot.id for dot in circle.dots] == ["dot-2"]


def test_removing_a_circle_takes_its_dots_along():
    assert apply(SCENE, [Remove(("circle-1",))]).circles == ()


def test_recolouring_a_polygon_changes_only_its_colour():
    changed = apply(SCENE, [Recolour(("polygon-2",), "red")])
    assert [polygon.colour for polygon in changed.polygons] == ["red", "red"]
    assert [polygon.points for polygon in changed.polygons] == [polygon.points for polygon in SCENE.polygons]
    assert changed.flowers == SCENE.flowers


def test_a_dot_can_be_recoloured_inside_its_circle():
    (circle,) = apply(SCENE, [Recolour(("dot-2",), "red")]).circles
    assert [dot.colour for dot in circle.dots] == ["#d32f2f", "red"]


def test_edits_are_applied_one_after_the_other():
    with pytest.raises(ValueError, match="flower-1"):
        apply(SCENE, [Remove(("flower-1",)), Recolour(("flower-1",), "red")])


def test_an_edit_of_something_that_is_not_there_is_refused_by_name():
    with pytest.raises(ValueError, match="flower-9: not in the scene"):
        apply(SCENE, [Remove(("flower-9",))])


def test_no_edits_change_nothing():
    assert apply(SCENE, []) == SCENE
