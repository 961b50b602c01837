"""Edits change what they name and nothing else."""

import msgspec
import pytest
from msgspec.structs import replace

from countersight.scenes.edits import Add, Move, Recolour, Remove, Reshape, Resize, SceneRecord, apply
from countersight.scenes.geometry import faults
from countersight.scenes.scene import Background, Circle, Dot, Flower, Polygon, Scene

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


def test_items_are_removed_and_recoloured_by_name_and_nothing_else_changes():
    without = apply(SCENE, [Remove(("flower-1", "dot-1"))])
    assert without == replace(SCENE, flowers=SCENE.flowers[1:], circles=without.circles)
    assert [dot.id for dot in without.circles[0].dots] == ["dot-2"]
    assert apply(SCENE, [Remove(("circle-1",))]) == replace(SCENE, circles=())
    changed = apply(SCENE, [Recolour(("polygon-2", "dot-2"), "red")])
    assert changed.polygons == (SCENE.polygons[0], replace(SCENE.polygons[1], colour="red"))
    assert [dot.colour for dot in changed.circles[0].dots] == ["#d32f2f", "red"]
    assert changed.flowers == SCENE.flowers
    with pytest.raises(ValueError, match="flower-1: not in the scene"):
        apply(SCENE, [Remove(("flower-1",)), Recolour(("flower-1",), "red")])


def test_moving_takes_a_circle_with_its_dots_and_a_polygon_with_its_corners():
    changed = apply(SCENE, [Move(("circle-1", "dot-1", "polygon-1", "flower-2"), 10, -5)])
    (circle,) = changed.circles
    assert (circle.x, circle.y) == (360, 345)
    assert [(dot.x, dot.y) for dot in circle.dots] == [(350, 345), (380, 345)]
    assert changed.polygons[0].points == ((20, 5), (210, 5), (210, 195))
    assert [(flower.x, flower.y) for flower in changed.flowers] == [(40, 300), (100, 295)]


def test_resizing_keeps_the_middle():
    changed = apply(SCENE, [Resize(("circle-1", "flower-1", "polygon-1"), 0.5)])
    (circle,) = changed.circles
    assert (circle.x, circle.y, circle.radius) == (350, 350, 25)
    assert [(dot.x, dot.y, dot.radius) for dot in circle.dots] == [(345, 350, 3), (360, 350, 3)]
    assert changed.flowers[0].size == 7
    for axis, middle in ((0, 410 / 3), (1, 220 / 3)):
        corners = [point[axis] for point in changed.polygons[0].points]
        assert sum(corners) / 3 == pytest.approx(middle, abs=0.01)
        assert max(corners) - min(corners) == pytest.approx(95, abs=0.02)


def test_reshaping_gives_petals_to_flowers_and_corners_to_polygons():
    assert apply(SCENE, [Reshape(("flower-1",), "spoon")]).flowers[0].shape == "spoon"
    square = ((0, 0), (9, 0), (9, 9), (0, 9))
    assert apply(SCENE, [Reshape(("polygon-2",), square)]).polygons[1].points == square
    for ids, shape in (("flower-1", square), ("polygon-1", "round"), ("dot-1", "round"), ("circle-1", square)):
        with pytest.raises(ValueError, match=f"{ids}: this shape does not apply"):
            apply(SCENE, [Reshape((ids,), shape)])


def test_adding_puts_items_behind_those_that_are_there():
    dot = Dot("dot-3", "#d32f2f", 6, 350, 380)
    flower = Flower("flower-3", "wide", 5, 1, "#ffffff", "#ffd54f", size=12, rotation=0, x=200, y=400)
    changed = apply(SCENE, [Add(flowers=(flower,)), Add(dots=(dot,), circle="circle-1")])
    assert changed.flowers == (*SCENE.flowers, flower)
    assert changed.circles[0].dots == (*SCENE.circles[0].dots, dot)


def test_what_is_added_must_be_new_and_have_a_place():
    with pytest.raises(ValueError, match="flower-1: already in the scene"):
        apply(SCENE, [Add(flowers=SCENE.flowers[:1])])
    with pytest.raises(ValueError, match="circle-9: not in the scene"):
        apply(SCENE, [Add(dots=(Dot("dot-3", "#d32f2f", 6, 350, 380),), circle="circle-9")])


def test_edits_survive_a_trip_through_json():
    edits = (
        Move(("a",), 1, 2),
        Resize(("a",), 0.5),
        Reshape(("a",), "wide"),
        Reshape(("a",), ((0, 0), (1, 0), (1, 1))),
        Add(polygons=SCENE.polygons, circles=SCENE.circles),
    )
    record = SceneRecord("x", SCENE, edits)
    assert msgspec.json.decode(msgspec.json.encode(record), type=SceneRecord) == record


@pytest.mark.parametrize(
    ("edit", "fault"),
    [
        (Move(("flower-1",), 45, 0), "flower-1 touches flower-2"),
        (Move(("flower-1",), -30, 0), "flower-1 is not completely inside the picture"),
        (Move(("flower-1",), 120, -200), "flower-1 touches the line of polygon-2"),
        (Move(("dot-1",), 22, 0), "dot-1 touches dot-2"),
        (Move(("dot-2",), 20, 0), "dot-2 is not completely inside circle-1"),
        (Move(("circle-1",), -230, -40), "flower-2 touches circle-1"),
        (Move(("polygon-1",), -20, 0), "polygon-1 is not completely inside the picture"),
        (Reshape(("polygon-1",), ((10, 10), (90, 90), (90, 10), (10, 90))), "polygon-1 crosses itself"),
        (Resize(("flower-1",), float("inf")), "flower-1 is not completely inside the picture"),
    ],
)
def test_what_touches_or_leaves_the_picture_is_named(edit, fault):
    assert not faults(SCENE)
    assert fault in faults(apply(SCENE, [edit]))
