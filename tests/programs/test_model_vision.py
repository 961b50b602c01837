"""A vision-language model as a vision tool: its prompts, and how its replies are parsed."""

import asyncio
import io

import pytest
from hypothesis import given
from hypothesis import strategies as st
from PIL import Image
from programs.seeing import PICTURE

from countersight.detection.vision import Patch, ToolFailed
from countersight.errors import AskingFailed, Overloaded, Refused
from countersight.models.protocol import Answer
from countersight.picture.checking import Picture, check_picture
from countersight.programs.vision.model_vision import ModelVision, cut_out, read_boxes


class Seer:
    name = "seer"
    needs_picture = True

    def __init__(self, said) -> None:
        self.settings = {"temperature": 0.0}
        self.said = said
        self.requests = []

    async def reply(self, request):
        self.requests.append(request)
        if isinstance(self.said, Exception):
            raise self.said
        return Answer(self.said)


def found(said, what="dog", within=None, seer=None):
    return asyncio.run(ModelVision(seer or Seer(said), []).find(PICTURE, what, within))


@pytest.mark.parametrize(
    ("said", "boxes"),
    [
        ('[{"bbox_2d": [10, 20, 30, 40], "label": "dog"}]', [(10, 20, 30, 40)]),
        (
            '```json\n[\n {"bbox_2d": [10, 20, 30, 40]},\n {"bbox_2d": [50, 50, 60, 60]}\n]\n```',
            [(10, 20, 30, 40), (50, 50, 60, 60)],
        ),
        ("There is one at [10.4, 20, 29.6, 40] and that is all.", [(10, 20, 30, 40)]),
        ('{"bbox_2d": [100, 200, 300, 400]}', [(10, 20, 30, 40)]),
        ('{"box": [0.1, 0.2, 0.3, 0.4]}', [(10, 20, 30, 40)]),
        ('[{"box_2d": [200, 100, 400, 300], "label": "dog"}]', [(10, 20, 30, 40)]),
        ("<|box_start|>(100,200),(300,400)<|box_end|>", [(10, 20, 30, 40)]),
        ("<loc0205><loc0102><loc0410><loc0307> dog", [(10, 20, 30, 40)]),
        ("dog<loc_100><loc_200><loc_300><loc_400>", [(10, 20, 30, 40)]),
        ("[[10, 20, 30, 40], [10, 20, 30, 40]]", [(10, 20, 30, 40)]),
        ('[{"x1": 10, "y1": 20, "x2": 30, "y2": 40, "label": "dog"}]', [(10, 20, 30, 40)]),
        ("{'label': 'dog', 'bbox': {'xmin': 0.1, 'ymin': 0.2, 'xmax': 0.3, 'ymax': 0.4}}", [(10, 20, 30, 40)]),
        ('{"left": 100, "top": 200, "right": 300, "bottom": 400}', [(10, 20, 30, 40)]),
        ("There are no dogs in the picture.", []),
        ('[{"bbox_2d": [10, 20, 30, 40], "label": "dog"}, {"bbox_2d": [50, 50', [(10, 20, 30, 40)]),
    ],
)
def test_boxes_are_read_in_the_formats_of_models(said, boxes) -> None:
    assert read_boxes(said, 100, 100) == boxes
    assert [patch.box for patch in found(said)] == boxes


@pytest.mark.parametrize("said", ["No idea, there is no picture.", "The dog is on the left.", "{" * 50_000])
def test_a_reply_without_boxes_is_a_tool_failure(said) -> None:
    with pytest.raises(ToolFailed, match="seer cannot locate"):
        found(said)


@given(st.text(max_size=300) | st.text('[](){}<>"_bboxloc2d0123456789.,:- ', max_size=300))
def test_any_reply_gives_boxes_inside_the_picture_or_none(text) -> None:
    for left, top, right, bottom in read_boxes(text, 100, 60) or []:
        assert 0 <= left < right <= 100
        assert 0 <= top < bottom <= 60


def test_the_number_of_boxes_is_limited() -> None:
    boxes = read_boxes(", ".join(f"[{n % 90}, {n // 90 % 90}, 95, 95]" for n in range(100_000)), 100, 100)
    assert len(boxes) == 200


def test_the_model_gets_the_picture_its_size_and_the_question() -> None:
    seer = Seer("[]")
    found("", seer=seer)
    assert asyncio.run(ModelVision(seer, []).query(PICTURE, "How many?", None)) == "[]"
    [[where], [asked]] = [request.turns for request in seer.requests]
    assert "dog" in where.text
    assert "100 pixels wide" in where.text
    assert where.picture is asked.picture is PICTURE
    assert asked.text.startswith("How many?\n")


def test_a_part_is_cropped_and_its_boxes_are_moved_back() -> None:
    seer = Seer("[1, 2, 3, 4]")
    (patch,) = found("", within=Patch((40, 50, 80, 70)), seer=seer)
    assert patch == Patch((41, 52, 43, 54), "dog")
    shown = seer.requests[0].turns[0].picture
    assert (shown.width, shown.height) == (40, 20)
    assert "40 pixels wide and 20 pixels high" in seer.requests[0].turns[0].text


@pytest.mark.parametrize("kind", ["PNG", "JPEG"])
def test_a_cropped_part_respects_the_orientation(kind) -> None:
    image = Image.new("RGB", (60, 30), "white")
    image.paste("red", (0, 0, 10, 30))
    exif = image.getexif()
    exif[0x0112] = 6  # the camera lay on its side: red is on top
    file = io.BytesIO()
    image.save(file, kind, exif=exif)
    part = cut_out(check_picture(file.getvalue()), (0, 0, 30, 10))
    again = check_picture(part.data)
    assert (again.mime, again.width, again.height) == (part.mime, 30, 10)
    pixels = Image.open(io.BytesIO(part.data)).convert("RGB")
    assert all(abs(channel - gold) < 12 for channel, gold in zip(pixels.getpixel((15, 3)), (255, 0, 0), strict=True))


def test_a_refused_question_or_a_picture_that_cannot_be_decoded_is_a_tool_failure() -> None:
    with pytest.raises(ToolFailed, match="seer did not answer: too long"):
        found(AskingFailed("too long", again=False))
    bad = Picture(b"nothing", "image/png", 100, 100)
    with pytest.raises(ToolFailed, match="the picture"):
        asyncio.run(ModelVision(Seer(""), []).query(bad, "What?", Patch((0, 0, 5, 5))))


@pytest.mark.parametrize("failure", [AskingFailed("broken", again=True), Overloaded("busy", 1.0), Refused("unknown")])
def test_server_errors_are_not_failures_of_the_program(failure) -> None:
    with pytest.raises(type(failure)):
        found(failure)
