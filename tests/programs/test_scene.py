"""The scene reader recognises drawn pictures from their pixels."""

import io
from collections import Counter

import numpy as np
import pytest
from PIL import Image

from countersight.programs.vision import NotAScene, see
from countersight.scenes.drawing import draw
from countersight.scenes.geometry import as_points, inside
from countersight.scenes.scene import Scene
from countersight.suites.cvqa.templates import TEMPLATES

UNSEEN = 90210
"""A seed nobody looked at while the eyes were written."""


@pytest.mark.parametrize("template", TEMPLATES, ids=lambda template: template.group)
def test_everything_drawn_is_found_in_its_place(template) -> None:
    for index in range(12):
        solved = template.solved(UNSEEN, index)
        for scene in (solved.puzzle.scene, solved.changed):
            seen = see(draw(scene))
            assert Counter(flower.regions for flower in seen.flowers) == _flowers_by_polygons(scene)
            inside = [sum(dot.is_in(circle) for dot in seen.dots) for circle in seen.circles]
            assert sorted(inside) == sorted(len(circle.dots) for circle in scene.circles)
            assert {polygon.outline for polygon in seen.polygons} == {polygon.colour for polygon in scene.polygons}


@pytest.mark.parametrize("how", ["JPEG", "smaller", "darker"])
def test_a_picture_whose_pixels_were_changed_is_refused(how) -> None:
    image, file = Image.fromarray(draw(TEMPLATES[0].solved(UNSEEN, 0).puzzle.scene)), io.BytesIO()
    image.save(file, "JPEG", quality=95)
    changed = {
        "JPEG": Image.open(file).convert("RGB"),
        "smaller": image.resize((314, 314)),
        "darker": image.point(lambda level: level * 0.9),
    }
    with pytest.raises(NotAScene):
        see(np.asarray(changed[how]))


@pytest.mark.parametrize(
    "pixels",
    [
        np.zeros((448, 448, 3), np.uint8),
        np.full((448, 448, 3), 250, np.uint8),
        np.full((20, 20, 3), 250, np.uint8),
        np.full((2000, 2000, 3), 250, np.uint8),
        np.random.default_rng(0).integers(0, 256, (300, 400, 3), dtype=np.uint8),
        np.where((np.indices((450, 450)) % 6 == 2).all(axis=0)[..., None], 20, np.full((450, 450, 3), 250)).astype(
            np.uint8
        ),
    ],
    ids=["black", "empty", "tiny", "vast", "noise", "crowd"],
)
def test_other_pictures_are_refused(pixels) -> None:
    with pytest.raises(NotAScene):
        see(pixels)


def _flowers_by_polygons(scene: Scene) -> Counter[frozenset[str]]:
    middles = as_points([(flower.x, flower.y) for flower in scene.flowers])
    within = [(polygon.colour, inside(middles, polygon.points)) for polygon in scene.polygons]
    return Counter(frozenset(colour for colour, here in within if here[n]) for n in range(len(scene.flowers)))
