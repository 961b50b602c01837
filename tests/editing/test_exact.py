"""The exact editor does what is asked of a scene, as its drawing shows, or says why it cannot."""

from collections import Counter
from contextlib import suppress

import numpy as np
import pytest
from editing.edits import dots, drawing, edit, exactly, flowers, pixels, white
from hypothesis import given, settings
from hypothesis import strategies as st
from msgspec.structs import replace

from countersight.errors import EditFailed
from countersight.picture.checking import check_picture
from countersight.scenes.drawing import draw, encode
from countersight.scenes.geometry import as_points, faults, inside
from countersight.scenes.scene import Polygon

FLOWERS, DOTS = flowers(), dots()
TARGETS = (
    "flowers",
    "2 flowers",
    "the flowers inside the red polygons",
    "one flower outside all polygons",
    "the largest flower",
    "red polygon",
    "all polygons",
    "dots",
    "3 dots",
    "dots in the fullest circle",
    "a dot in the top row",
    "the fullest circle",
    "the two rightmost circles",
    "circles",
)
VALUES = {
    "remove": ("",),
    "recolour": ("green", "#123456", "white"),
    "add": ("1", "three", "9"),
    "move": ("left", "down", "up and right", "5 px up"),
    "resize": ("larger", "smaller", "0.9", "twice"),
    "reshape": ("pointed", "round petals"),
}
asked = st.sampled_from(
    [(action, target, value) for action in VALUES for target in TARGETS for value in VALUES[action]]
)


def membership(scene):
    """How many flowers are in how many of the polygons."""
    middles = as_points([(flower.x, flower.y) for flower in scene.flowers])
    depth = sum(
        (inside(middles, polygon.points).astype(int) for polygon in scene.polygons), np.zeros(len(middles), int)
    )
    return Counter(depth.tolist())


def numbers(scene):
    return [len(circle.dots) for circle in scene.circles]


@settings(max_examples=60, deadline=None)
@given(asked, st.integers(0, 5), st.integers(0, 3), st.booleans())
@pytest.mark.slow
def test_the_picture_is_the_drawing_of_the_changed_scene_and_the_mask_covers_all_that_changed(asked, seed, made, field):
    scene = flowers(made, regions=(2, 3, 2, 4)) if field else dots(made)
    try:
        edited = exactly(scene, *asked, seed=seed)
    except EditFailed:
        return
    before, after = draw(scene), pixels(edited.picture.data)
    assert (after == draw(edited.scene)).all()
    changed = (before != after).any(axis=2)
    assert changed.any()
    assert not (changed & ~white(edited.mask)).any()
    assert white(edited.mask).sum() < 3 * changed.sum() + 2000
    assert not faults(edited.scene)
    assert exactly(scene, *asked, seed=seed) == edited


@pytest.mark.parametrize(
    ("words", "left"),
    [
        ("flowers", 0),
        ("5 flowers", 13),
        ("a flower", 17),
        ("flowers inside the red polygons", 11),
        ("FLOWERS OUTSIDE THE RED POLYGONS", 7),
        ("flowers not in the red polygon", 7),
        ("flowers outside all polygons", 12),
        ("flowers where the polygons overlap", 15),
        ("flowers inside both polygons", 15),
        ("flowers inside the red polygon and outside the blue polygon", 14),
        ("flowers inside only the blue polygon", 13),
        ("3 flowers inside the blue polygons", 15),
        ("the leftmost flower", 17),
        ("the two largest flowers", 16),
    ],
)
def test_targets_select_flowers(words, left):
    assert len(exactly(FLOWERS, "remove", words).scene.flowers) == left


@pytest.mark.parametrize(
    ("words", "left"),
    [
        ("dots", [0, 0, 0, 0, 0, 0]),
        ("dots in the lower row of circles", [3, 5, 2, 0, 0, 0]),
        ("the dots in the top left circle", [0, 5, 2, 6, 1, 4]),
        ("dots in the fullest circle", [3, 5, 2, 0, 1, 4]),
        ("dots in the two rightmost circles", [3, 5, 0, 6, 1, 0]),
        ("the fullest circle", [3, 5, 2, 1, 4]),
        ("the emptiest circle", [3, 5, 2, 6, 4]),
        ("circles with 4 dots", [3, 5, 2, 6, 1]),
        ("the top three circles", [6, 1, 4]),
        ("the two rightmost circles", [3, 5, 6, 1]),
        ("circles in the left column", [5, 2, 1, 4]),
        ("all circles", []),
    ],
)
def test_targets_select_circles_and_dots(words, left):
    assert numbers(exactly(DOTS, "remove", words).scene) == left


def test_the_seed_chooses_some_of_many():
    first, same, other = (exactly(DOTS, "remove", "5 dots", seed=seed) for seed in (1, 1, 2))
    assert first == same
    assert sum(numbers(first.scene)) == sum(numbers(other.scene)) == 16
    assert first.scene != other.scene


def test_colour_names_select_flowers_dots_and_polygons():
    blue = exactly(FLOWERS, "remove", "blue flowers").scene
    assert {flower.colour for flower in FLOWERS.flowers} - {flower.colour for flower in blue.flowers} == {"#3aa0f0"}
    assert [polygon.colour for polygon in exactly(FLOWERS, "remove", "the red polygon").scene.polygons] == ["blue"]


def test_recolouring_changes_only_colours():
    changed = exactly(FLOWERS, "recolour", "the red polygon", "blue").scene
    assert [polygon.colour for polygon in changed.polygons] == ["blue", "blue"]
    assert replace(changed, polygons=FLOWERS.polygons) == FLOWERS


def test_added_things_are_in_the_requested_place():
    more = exactly(FLOWERS, "add", "flowers where the polygons overlap", "2").scene
    assert membership(more)[2] == membership(FLOWERS)[2] + 2
    assert numbers(exactly(DOTS, "add", "dots in the fullest circle", "3").scene) == [3, 5, 2, 9, 1, 4]
    assert sum(numbers(exactly(DOTS, "add", "4 dots in the top row").scene)[:3]) == 14


def test_the_value_may_name_the_added_thing_and_the_target_its_place():
    more = exactly(FLOWERS, "add", "outside all polygons", "two yellow flowers").scene
    assert [flower.colour for flower in more.flowers[18:]] == ["yellow", "yellow"]
    assert membership(more)[0] == membership(FLOWERS)[0] + 2


def test_the_dots_of_a_moved_circle_move_too():
    circle = exactly(DOTS, "move", "the top left circle", "4 pixels right").scene.circles[0]
    assert circle.x == pytest.approx(DOTS.circles[0].x + 4)
    assert circle.dots[0].x == pytest.approx(DOTS.circles[0].dots[0].x + 4)


def test_resizing_and_reshaping():
    largest = max(FLOWERS.flowers, key=lambda flower: flower.size)
    small = next(
        f for f in exactly(FLOWERS, "resize", "the largest flower", "half").scene.flowers if f.id == largest.id
    )
    assert small.size == pytest.approx(largest.size / 2, abs=0.01)
    assert {flower.shape for flower in exactly(FLOWERS, "reshape", "flowers", "spoon").scene.flowers} == {"spoon"}


@pytest.mark.parametrize(
    ("scene", "action", "target", "value", "why"),
    [
        (FLOWERS, "remove", "the dog", "", "does not name flowers"),
        (FLOWERS, "remove", "circles", "", "nothing in the scene"),
        (FLOWERS, "remove", "19 flowers", "", "only 18"),
        (FLOWERS, "remove", "0 flowers", "", "how many"),
        (FLOWERS, "remove", "the largest flowers", "", "how many"),
        (FLOWERS, "remove", "flowers inside the green polygons", "", "no green polygon"),
        (FLOWERS, "remove", "flowers under the moon", "", "not a place"),
        (FLOWERS, "remove", "the shiny flowers", "", "shiny"),
        (FLOWERS, "remove", "flowers " * 200, "", "500 characters"),
        (FLOWERS, "recolour", "red polygon", "red", "already"),
        (FLOWERS, "recolour", "red polygon", "plaid", "not a known colour"),
        (FLOWERS, "resize", "flowers", "ten times", "factor"),
        (FLOWERS, "resize", "flowers", "5", "touching"),
        (FLOWERS, "move", "flowers", "900 pixels left", "touching"),
        (FLOWERS, "move", "a flower", "inside the blue polygon", "left, right, up or down"),
        (FLOWERS, "reshape", "the red polygon", "a square", "only petals of flowers"),
        (FLOWERS, "add", "green polygon", "1", "flowers and dots can be added"),
        (FLOWERS, "add", "flowers", "61", "at most 60"),
        (FLOWERS, "replace", "flowers", "dots", "cannot be edited"),
        (DOTS, "add", "dots in the top left circle", "50", "no room"),
    ],
)
def test_impossible_edits_fail_with_the_reason(scene, action, target, value, why):
    with pytest.raises(EditFailed, match=why):
        exactly(scene, action, target, value)


def test_a_picture_without_a_scene_or_of_another_scene_is_refused():
    with pytest.raises(EditFailed, match="has none"):
        edit("exact", drawing(DOTS), "remove", "dots")
    with pytest.raises(EditFailed, match="does not match its scene"):
        edit("exact", drawing(FLOWERS), "remove", "dots", scene=DOTS)
    small = check_picture(encode(np.zeros((20, 30, 3), np.uint8)))
    with pytest.raises(EditFailed, match="30 x 20"):
        edit("exact", small, "remove", "dots", scene=DOTS)


def test_pixels_outside_the_edit_are_copied_from_the_picture():
    drawn = draw(DOTS).copy()
    drawn[5, 5] ^= 3  # as another version of the rasteriser might have it
    edited = edit("exact", check_picture(encode(drawn)), "remove", "the fullest circle", scene=DOTS)
    assert (pixels(edited.picture.data)[5, 5] == drawn[5, 5]).all()


def test_hostile_scenes_are_failed_edits():
    corners = tuple((float(n % 400), float(n % 7)) for n in range(3000))
    many = replace(FLOWERS, polygons=(Polygon("p", "red", corners),))
    with pytest.raises(EditFailed, match="2,000"):
        edit("exact", drawing(FLOWERS), "remove", "1 flower", scene=many)
    mauve = replace(FLOWERS, polygons=(Polygon("p", "mauve", ((1, 1), (9, 1), (9, 9))),))
    with pytest.raises(EditFailed, match="mauve"):
        edit("exact", drawing(FLOWERS), "remove", "1 flower", scene=mauve)


@pytest.mark.slow
@settings(max_examples=60, deadline=None)
@given(st.text(max_size=60), st.sampled_from(tuple(VALUES)), st.text(max_size=30))
def test_any_words_give_an_edit_or_a_failed_edit(target, action, value):
    with suppress(EditFailed):
        assert not faults(exactly(DOTS, action, target, value).scene)
