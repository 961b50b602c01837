"""The scene reader recognises drawn pictures from their pixels."""

import io
from collections import Counter

import numpy as np
import pytest
from PIL import Image, ImageEnhance

from countersight.programs.vision.scene import see
from countersight.programs.vision.shapes import NotAScene
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
            assert Counter(flower.inside for flower in seen.flowers) == _flowers_by_polygons(scene)
            assert sorted(len(circle.dots) for circle in seen.circles) == sorted(len(c.dots) for c in scene.circles)
            assert {polygon.colour for polygon in seen.polygons} == {polygon.colour for polygon in scene.polygons}


def _saved(image: Image.Image, kind: str, **how: object) -> Image.Image:
    file = io.BytesIO()
    image.save(file, kind, **how)
    return Image.open(file).convert("RGB")


ENCODED_AGAIN = {
    "JPEG 80": lambda image: _saved(image, "JPEG", quality=80),
    "70 %": lambda image: image.resize((314, 314), Image.Resampling.LANCZOS),
    "2 % darker": lambda image: ImageEnhance.Brightness(image).enhance(0.98),
    "grey": lambda image: image.convert("L").convert("RGB"),
    "half": lambda image: image.resize((224, 224)),
}


@pytest.mark.parametrize("how", ENCODED_AGAIN)
def test_re_encoded_pictures_are_recognised_or_refused(how) -> None:
    right = 0
    for template in TEMPLATES[:4]:
        scene = template.solved(UNSEEN, 0).puzzle.scene
        try:
            seen = see(np.asarray(ENCODED_AGAIN[how](Image.fromarray(draw(scene)))))
        except NotAScene:
            continue
        right += 1
        if how != "grey":
            assert {polygon.colour for polygon in seen.polygons} == {one.colour for one in scene.polygons}
        if seen.polygons:
            assert Counter(flower.inside for flower in seen.flowers) == _flowers_by_polygons(scene)
        assert sorted(len(circle.dots) for circle in seen.circles) == sorted(len(c.dots) for c in scene.circles)
    assert right >= (3 if how not in ("grey", "half") else 0)


def test_boxes_are_in_pixels_of_the_original_picture() -> None:
    scene = TEMPLATES[3].solved(UNSEEN, 0).puzzle.scene
    smaller = Image.fromarray(draw(scene)).resize((314, 314), Image.Resampling.LANCZOS)
    boxes = [circle.box for circle in see(np.asarray(smaller)).circles]
    for circle in scene.circles:
        x, y = circle.x * 314 / 448, circle.y * 314 / 448
        assert any(
            abs((left + right) / 2 - x) < 2 and abs((top + bottom) / 2 - y) < 2 for left, top, right, bottom in boxes
        )


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
