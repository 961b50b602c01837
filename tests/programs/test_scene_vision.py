"""The vision tool for drawn scenes: things by name, parts of a picture, and questions."""

import asyncio

import pytest
from making import picture

from countersight.detection.vision import Patch, ToolFailed
from countersight.picture.checking import Picture, check_picture
from countersight.programs.vision import scene_vision
from countersight.programs.vision.scene_vision import SceneVision
from countersight.scenes.drawing import draw, encode
from countersight.suites.cvqa.templates import TEMPLATES

UNSEEN = 555_019


def drawn(number: int) -> tuple[Picture, object]:
    scene = TEMPLATES[number - 1].solved(UNSEEN, 0).puzzle.scene
    return check_picture(encode(draw(scene))), scene


def seeing(call):
    """Return the result of a coroutine function, called with a new vision tool."""

    async def look():
        eyes = SceneVision()
        try:
            return await call(eyes)
        finally:
            await eyes.close()

    return asyncio.run(look())


def found(picture, what, within=None):
    return seeing(lambda eyes: eyes.find(picture, what, within))


def said(picture, question, within=None):
    return seeing(lambda eyes: eyes.query(picture, question, within))


@pytest.mark.parametrize("what", ["flower", "flowers", "the flowers", "all  the Flowers", "a flower"])
def test_things_are_found_under_several_names(what) -> None:
    picture, scene = drawn(1)
    assert len(found(picture, what)) == len(scene.flowers)


def test_inside_a_polygon_means_inside_its_outline() -> None:
    picture, _ = drawn(1)
    for polygon in found(picture, "polygons"):
        inside = found(picture, "flowers", polygon)
        assert inside == [flower for flower in found(picture, "flowers") if polygon.outline in flower.regions]
        in_box = found(picture, "flowers", Patch(polygon.box))
        assert len(in_box) >= len(inside)


def test_a_part_contains_the_things_whose_centre_is_in_it() -> None:
    picture, _ = drawn(4)
    top = Patch((0, 0, picture.width, picture.height // 2))
    assert len(found(picture, "circles", top)) == 3


def test_questions_that_the_scene_reader_answers() -> None:
    picture, scene = drawn(1)
    assert said(picture, "How many flowers are there in the picture?") == str(len(scene.flowers))
    polygon = found(picture, "polygons")[0]
    assert said(picture, "What colour is this polygon?", polygon) == polygon.outline
    assert said(picture, f"Is the polygon {polygon.outline}?", polygon) == "yes"
    other = next(colour for colour in ("red", "green", "blue") if colour != polygon.outline)
    assert said(picture, f"Is the polygon {other}?", polygon) == "no"
    dots, drawn_dots = drawn(4)
    circle = found(dots, "circles")[0]
    assert int(said(dots, "How many dots does this circle contain?", circle)) in [
        len(one.dots) for one in drawn_dots.circles
    ]


def test_unknown_things_and_other_questions_are_a_tool_failure() -> None:
    picture, _ = drawn(1)
    for what in ("dog", "", "red flowers", "flowers; dots", "x" * 10_000):
        with pytest.raises(ToolFailed):
            found(picture, what)
    with pytest.raises(ToolFailed, match="the scene reader counts"):
        said(picture, "Is it raining?")


@pytest.mark.parametrize("data", [picture(), picture(size=300, kind="JPEG"), picture(size=1400)])
def test_another_kind_of_picture_is_a_tool_failure(data) -> None:
    with pytest.raises(ToolFailed, match="not a scene of C-VQA-Synthetic"):
        found(check_picture(data), "flowers")


def test_concurrent_questions_process_a_picture_once(monkeypatch) -> None:
    looked = []
    see = scene_vision.see
    monkeypatch.setattr(scene_vision, "see", lambda pixels: looked.append(1) or see(pixels))
    picture, _ = drawn(4)
    seeing(lambda eyes: asyncio.gather(*(eyes.find(picture, what, None) for what in ("dots", "circles", "dots"))))
    assert len(looked) == 1
