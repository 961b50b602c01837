"""What is in the picture is what is in the scene."""

from itertools import product
from random import Random

import numpy as np
import pytest
from msgspec.structs import replace
from scenes.pixels import changed, components

from countersight.scenes.colours import BACKGROUNDS, HEARTS, PETALS
from countersight.scenes.drawing import draw, draw_both
from countersight.scenes.edits import Recolour, Remove, apply
from countersight.scenes.random_scenes import FlowerRegions, dot_scene, flower_scene
from countersight.scenes.scene import Background, Flower, Scene

FLOWERS = flower_scene(Random(5), ("green", "black"), FlowerRegions(6, 5, 4, 7))
DOTS = dot_scene(Random(5), (3, 1, 8, 2, 5, 4))


def test_a_picture_has_the_size_of_its_scene_and_three_channels():
    assert draw(FLOWERS).shape == (448, 448, 3)
    assert draw(replace(FLOWERS, width=600, height=500)).shape == (500, 600, 3)


@pytest.mark.parametrize(
    ("scene", "edits"),
    [
        (FLOWERS, [Remove(("flower-1", "flower-9", "flower-22"))]),
        (FLOWERS, [Recolour(("polygon-2",), "green")]),
        (FLOWERS, [Recolour(("flower-3",), "red")]),
        (DOTS, [Remove(("dot-1", "dot-5"))]),
        (DOTS, [Remove(("circle-3", "circle-6"))]),
        (DOTS, []),
    ],
)
def test_drawing_both_worlds_at_once_gives_the_pictures_of_each(scene, edits):
    after = apply(scene, edits)
    first, second = draw_both(scene, after)
    assert np.array_equal(first, draw(scene))
    assert np.array_equal(second, draw(after))


@pytest.mark.parametrize("shape", ["round", "pointed", "notched", "wide", "spoon"])
@pytest.mark.parametrize("petals", [4, 9])
@pytest.mark.parametrize("rings", [1, 2])
def test_a_flower_is_one_piece_within_its_size_and_fills_it(shape, petals, rings):
    empty = Scene(Background("plain", ("#ffffff", "#ffffff")), width=100, height=100)
    flower = Flower("a", shape, petals, rings, "#d81b60", "#ffd54f", size=20, rotation=33, x=50, y=50)
    (piece,) = components(changed(draw(empty), draw(replace(empty, flowers=(flower,)))))
    rows, columns = np.nonzero(piece)
    reach = np.hypot(columns + 0.5 - 50, rows + 0.5 - 50).max()
    assert 17 < reach < 20.8
    assert piece.sum() > 0.35 * np.pi * 20**2


def test_every_flower_stands_out_from_every_background():
    for background, colour in product(BACKGROUNDS, PETALS):
        empty = Scene(Background("plain", (background, background)), width=64, height=64)
        flower = Flower("a", "round", 6, 1, colour, HEARTS[0], size=14, rotation=0, x=32, y=32)
        before, after = (draw(scene).astype(int) for scene in (empty, replace(empty, flowers=(flower,))))
        assert (np.abs(before - after).sum(axis=2) > 150).sum() > 60, (background, colour)


def test_flowers_can_be_counted_in_the_picture():
    bare = replace(FLOWERS, flowers=())
    assert len(components(changed(draw(FLOWERS), draw(bare)))) == 22


def test_backgrounds_hold_nothing_that_could_be_counted():
    for pattern in ("plain", "gradient", "stripes"):
        picture = draw(Scene(Background(pattern, BACKGROUNDS[:2], 20)))
        assert (picture == picture[:, :1]).all()


def test_the_outlines_of_both_polygons_keep_their_colour_where_they_cross_the_other():
    picture = draw(replace(FLOWERS, flowers=()))
    for red, green, blue in ((28, 156, 60), (28, 28, 28)):
        assert (picture == (red, green, blue)).all(axis=2).sum() > 1000
