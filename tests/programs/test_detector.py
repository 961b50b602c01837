"""Detectors as vision tools: kinds of models, names of classes, and boxes."""

import asyncio
import io
from pathlib import Path

import numpy as np
import pytest
from chat_server import ChatServer, question_of
from hypothesis import given
from hypothesis import strategies as st
from PIL import Image, ImageDraw
from tiny_onnx import detr, yolo

from countersight.detection.detector import Detector, open_detector, parted
from countersight.detection.finder import Found, shared, suppress_overlaps
from countersight.detection.vision import COCO, Patch, ToolFailed, classes_of
from countersight.errors import ModelError
from countersight.models import open_model
from countersight.models.protocol import Answer, ModelSettings, Request, Turn
from countersight.picture.checking import Picture, check_picture

NAMES = {"names": "{0: 'person', 1: 'cat', 2: 'dining table'}"}
CLASSES = tuple(COCO.values())


def red_at(left: int, top: int, right: int, bottom: int, *, size: tuple[int, int] = (320, 160)) -> Picture:
    """Return a grey picture with a red object."""
    image = Image.new("RGB", size, (90, 90, 90))
    ImageDraw.Draw(image).rectangle((left, top, right - 1, bottom - 1), fill=(255, 0, 0))
    file = io.BytesIO()
    image.save(file, "PNG")
    return check_picture(file.getvalue())


def opened(where: str | Path) -> Detector:
    return open_detector(str(where), ModelSettings(device="cpu"))


def cat_detector(folder: Path) -> Detector:
    return opened(yolo(folder / "m.onnx", "v8", scores=(0.1, 0.8, 0.3), metadata=NAMES))


def find(detector: Detector, picture: Picture, what: str, within: Patch | None = None) -> list[Patch]:
    return asyncio.run(detector.find(picture, what, within))


def assert_near(box: tuple[int, ...], expected: tuple[int, ...], by: int) -> None:
    assert all(abs(one - other) <= by for one, other in zip(box, expected, strict=True)), (box, expected)


# ONNX files


@pytest.mark.parametrize("form", ["v8", "v5", "sorted"])
def test_every_yolo_export_finds_an_object_once_in_its_place(tmp_path: Path, form: str) -> None:
    detector = opened(yolo(tmp_path / "m.onnx", form, scores=(0.1, 0.8, 0.3), metadata=NAMES))
    assert detector.classes == ("person", "cat", "dining table")
    [cat] = find(detector, red_at(100, 40, 220, 120), "the cats")
    assert cat.name == "cat"
    assert_near(cat.box, (100, 40, 220, 120), by=5)  # a pixel of the network is five of the picture
    assert find(detector, red_at(100, 40, 220, 120), "person") == []


@pytest.mark.parametrize(
    ("logits", "labels"),
    [((-3.0, 2.0, -3.0, 0.0), "softmax"), ((-3.0, 2.0, -3.0), "sigmoid")],
    ids=["with a class for nothing", "without"],
)
def test_a_detr_finds_an_object(tmp_path: Path, logits: tuple[float, ...], labels: str) -> None:
    (tmp_path / "preprocessor_config.json").write_text('{"do_normalize": false}')
    (tmp_path / "config.json").write_text('{"id2label": {"0": "person", "1": "cat", "2": "N/A"}}')
    detector = opened(detr(tmp_path / "m.onnx", logits))
    [cat] = find(detector, red_at(100, 40, 220, 120), "cat")
    assert_near(cat.box, (100, 40, 220, 120), by=5)


def test_the_minimum_score_can_be_set(tmp_path: Path) -> None:
    path = yolo(tmp_path / "m.onnx", "v8", scores=(0.1, 0.4, 0.3), metadata=NAMES)
    picture = red_at(100, 40, 220, 120)
    assert find(opened(path), picture, "cat") == []
    assert len(find(opened(f"{path}?score=0.35"), picture, "cat")) == 1
    assert len(find(opened(f"{path}?score=0.35&overlap=1"), picture, "cat")) == 3  # and so is what counts as one


def test_names_come_from_a_file_or_from_coco(tmp_path: Path) -> None:
    labels = tmp_path / "labels.txt"
    labels.write_text("cow\npig\n\n")
    two = yolo(tmp_path / "two.onnx", "v8", scores=(0.9, 0.1))
    assert opened(f"{two}?labels={labels}").classes == ("cow", "pig")
    with pytest.raises(ModelError, match=r"does not name its classes.*\?labels=FILE"):
        opened(two)
    eighty = yolo(tmp_path / "eighty.onnx", "v8", scores=[0.9] + [0.0] * 79)
    assert opened(eighty).classes == CLASSES
    with pytest.raises(ModelError, match="cannot be read"):
        opened(f"{two}?labels={tmp_path / 'none.txt'}")


@pytest.mark.parametrize("names", ["{0: 'a'", "open('x')", "[" * 500, "{99999999: 'a'}"])
def test_invalid_names_in_a_file_are_ignored(tmp_path: Path, names: str) -> None:
    with pytest.raises(ModelError, match="does not name its classes"):
        opened(yolo(tmp_path / "m.onnx", "v8", scores=(0.9, 0.1), metadata={"names": names}))


def test_each_picture_is_processed_once_and_a_part_contains_what_has_its_centre_there(tmp_path: Path) -> None:
    detector = cat_detector(tmp_path)
    looked = []
    finder = detector._finder
    detector._finder = _Counting(finder, looked)
    picture = red_at(100, 40, 220, 120)
    for what in ("cat", "person", "cats", "table"):
        find(detector, picture, what)
    assert len(looked) == 1
    find(detector, red_at(0, 40, 220, 120), "cat")
    assert len(looked) == 2
    assert len(find(detector, picture, "cat", Patch((150, 60, 170, 100)))) == 1
    assert find(detector, picture, "cat", Patch((0, 0, 150, 160))) == []


# beside a model that answers


@pytest.mark.parametrize(
    ("where", "path", "model"),
    [
        ("a.onnx", "a.onnx", ""),
        ("a+b.onnx", "a+b.onnx", ""),
        ("a.onnx?score=0.4+openai:gpt-4o", "a.onnx?score=0.4", "openai:gpt-4o"),
        ("a+b/c.onnx+endpoint:http://x/v1#a+b", "a+b/c.onnx", "endpoint:http://x/v1#a+b"),
        ("a.onnx+embedded", "a.onnx", "embedded"),
    ],
)
def test_the_model_beside_a_detector_is_named_after_a_plus(where: str, path: str, model: str) -> None:
    assert parted(where) == (path, model)


def answered(path: str, program: str, said: str = "") -> tuple[Answer, list[dict], dict[str, object]]:
    """Return a program's replies about a red cat, the requests to its model, and the settings in run.json."""

    def behave(server: ChatServer, number: int, body: dict) -> str:
        return f"say:```python\n{program}\n```" if "def execute_command" in question_of(body) else f"say:{said}"

    async def replied() -> Answer:
        model = open_model(f"viper:{server.name};vision=detector:{path.format(server.name)}", ModelSettings())
        settings.update(model.settings)
        picture = red_at(100, 40, 220, 120)
        try:
            return await model.reply(Request("k", (Turn("user", "?", picture),), "open", question="What is it?"))
        finally:
            await model.close()

    settings: dict[str, object] = {}
    with ChatServer(behave) as server:
        answer = asyncio.run(replied())
    return answer, server.requests[1:], settings


COUNTS = 'def execute_command(image):\n    return len(ImagePatch(image).find("cats")) + 4'
ASKS = 'def execute_command(image):\n    return ImagePatch(image{}).simple_query("How many cats?")'


def test_a_program_uses_a_detector(tmp_path: Path) -> None:
    path = yolo(tmp_path / "m.onnx", "v8", scores=(0.1, 0.8, 0.3), metadata=NAMES)
    answer, beside, settings = answered(f"{path}?score=0.7", COUNTS)
    assert (answer.text, beside) == ("5", [])
    assert answer.trace
    [call] = answer.trace.calls
    assert_near(call.boxes[0], (100, 40, 220, 120), by=5)
    assert settings["vision score"] == 0.7
    assert len(str(settings["vision detector"])) == 12  # which weights


def test_a_model_answers_questions_beside_a_detector(tmp_path: Path) -> None:
    path = yolo(tmp_path / "m.onnx", "v8", scores=(0.1, 0.8, 0.3), metadata=NAMES)
    answer, [request], settings = answered(f"{path}+{{}}", ASKS.format(""), "red")
    assert answer.text == "red"
    assert "image_url" in str(request)
    assert settings["vision score"] == 0.5
    assert answered(f"{path}+{{}}", COUNTS)[0].text == "5"


# a language model that answers from a list of detected objects


def test_a_picture_is_replaced_by_a_list_of_objects(tmp_path: Path) -> None:
    detector = yolo(tmp_path / "m.onnx", "v8", scores=(0.1, 0.8, 0.3), metadata=NAMES)
    heard: list[dict] = []

    def behave(server: ChatServer, number: int, body: dict) -> str:
        heard.append(body)
        return "say:a cat"

    with ChatServer(behave) as server:
        model = open_model(f"detections:{server.name}?vision=detector:{detector}")
        turns = (
            Turn("user", "What is it?", red_at(100, 40, 220, 120)),
            Turn("assistant", "a cat"),
            Turn("user", "Why?"),
        )

        async def ask() -> str:
            try:
                return (await model.reply(Request("k", turns, "open", question="What is it?"))).text
            finally:
                await model.close()

        assert asyncio.run(ask()) == "a cat"
    first, *rest = heard[0]["messages"]
    assert "It found: 1 cat" in str(first["content"])
    assert str(first["content"]).count("What is it?") == 1
    assert "image_url" not in str(heard[0])
    assert [turn["role"] for turn in rest] == ["assistant", "user"]


@pytest.mark.parametrize("name", ["detections:openai:gpt-4o", "detections:viper:reference?vision=detector:m.onnx"])
def test_a_name_without_a_detector_or_a_language_model_is_refused(name: str) -> None:
    with pytest.raises(ModelError, match=r"has no detector|use a language model"):
        open_model(name)


# what is no detector, no picture, no name


@pytest.mark.parametrize(
    ("where", "said"),
    [
        ("none.onnx", "none.onnx does not exist"),
        ("torn.onnx", "cannot be loaded"),
        ("words.txt", "is not a detector; specify a transformers folder"),
        ("torn.onnx?score=2", "score=2 is not a number from 0 to 1"),
        ("torn.onnx?scoer=0.5", "did you mean 'score'"),
        ("nowhere", "is not on this machine"),
    ],
)
def test_detectors_that_cannot_be_opened_are_an_error_message(tmp_path: Path, where: str, said: str) -> None:
    (tmp_path / "torn.onnx").write_bytes(b"\x08\x08nothing")
    (tmp_path / "words.txt").write_text("hello")
    with pytest.raises(ModelError, match=said.replace("?", r"\?")) as error:
        opened(tmp_path / where)
    assert "\n" not in str(error.value)


def test_questions_bad_pictures_and_broken_networks_are_tool_failures(tmp_path: Path) -> None:
    detector = cat_detector(tmp_path)
    with pytest.raises(ToolFailed, match="cannot answer questions"):
        asyncio.run(detector.query(red_at(1, 1, 9, 9), "Is the sky blue?", None))
    torn = red_at(100, 40, 220, 120)
    torn = Picture(torn.data[:60], torn.mime, torn.width, torn.height)
    with pytest.raises(ToolFailed, match="the picture cannot be decoded"):
        find(detector, torn, "cat")
    detector._finder = _Breaks(detector.classes)
    with pytest.raises(ToolFailed, match=r"the detector failed: RuntimeError: no \ufffd memory"):
        find(detector, red_at(1, 1, 9, 9), "cat")


# names


@pytest.mark.parametrize(
    ("what", "classes"),
    [
        ("person", {"person"}),
        ("the two men in the picture", {"person"}),
        ("cats and dogs", {"cat", "dog"}),
        ("animals", {"bird", "cat", "dog", "horse", "sheep", "cow", "elephant", "bear", "zebra", "giraffe"}),
        ("ducks", {"bird"}),
        ("tables", {"dining table"}),
        ("television", {"tv"}),
        ("knives", {"knife"}),
        ("skis", {"skis"}),
    ],
)
def test_words_are_mapped_to_classes(what: str, classes: set[str]) -> None:
    assert classes_of(what, CLASSES) == classes


@pytest.mark.parametrize("what", ["trees", "red car", "the picture", "cat and trees", "🐈"])
def test_unknown_words_are_refused_with_the_known_classes(what: str) -> None:
    with pytest.raises(ToolFailed, match="it finds: person, bicycle"):
        classes_of(what, CLASSES)


@given(st.text(max_size=120))
def test_any_words_are_classes_or_a_failure(what: str) -> None:
    try:
        named = classes_of(what, CLASSES)
    except ToolFailed:
        return
    assert named
    assert named <= set(CLASSES)


# boxes

SIDES = st.floats(0, 100)
BOXES = st.tuples(SIDES, SIDES, st.floats(0.5, 40), st.floats(0.5, 40)).map(
    lambda at: (at[0], at[1], at[0] + at[2], at[1] + at[3])
)


@given(
    st.lists(st.builds(Found, BOXES, st.sampled_from(["cat", "dog"]), st.floats(0, 1)), max_size=12), st.floats(0, 1)
)
def test_only_overlapping_boxes_are_dropped(found: list[Found], overlap: float) -> None:
    kept = suppress_overlaps(found, overlap)
    assert [each.score for each in kept] == sorted((each.score for each in kept), reverse=True)
    for place, one in enumerate(kept):
        assert all(one.name != other.name or shared(one, other) <= overlap for other in kept[place + 1 :])
    left = list(kept)
    for each in found:
        if each in left:
            left.remove(each)
        else:
            assert any(
                other.name == each.name and other.score >= each.score and shared(other, each) > overlap
                for other in kept
            )


@given(BOXES)
def test_boxes_are_whole_pixels_inside_the_picture(box: tuple[float, float, float, float]) -> None:
    detector = Detector("tiny", _Says([Found(box, "cat", 0.9)]))
    [cat] = find(detector, red_at(1, 1, 2, 2, size=(60, 40)), "cat")
    left, top, right, bottom = cat.box
    assert 0 <= left < right <= 60
    assert 0 <= top < bottom <= 40


# transformers


def test_a_detector_of_transformers_names_its_classes_and_boxes(tmp_path: Path) -> None:
    from tiny_detectors import yolos

    detector = opened(f"{yolos(tmp_path / 'yolos', {0: 'person', 1: 'cat', 2: 'N/A'})}?score=0")
    assert detector.classes == ("person", "cat")
    found = find(detector, red_at(100, 40, 220, 120), "people and cats")
    assert found
    assert {patch.name for patch in found} <= {"person", "cat"}
    with pytest.raises(ToolFailed, match="does not know 'N/A'; it finds: person, cat"):
        find(detector, red_at(100, 40, 220, 120), "N/A")


def test_an_open_vocabulary_detector_gets_the_words_of_the_program(tmp_path: Path) -> None:
    from tiny_detectors import owlvit

    detector = opened(f"{owlvit(tmp_path / 'owl')}?score=0")
    assert detector.classes == ()
    found = find(detector, red_at(100, 40, 220, 120), "red  square")
    assert found
    assert {patch.name for patch in found} == {"red square"}
    for words in ("", "x" * 500):
        with pytest.raises(ToolFailed, match="is not the name of an object"):
            find(detector, red_at(1, 1, 9, 9), words)


def test_a_model_that_is_no_detector_is_refused(tmp_path: Path) -> None:
    from tiny_detectors import classifier

    with pytest.raises(ModelError, match="contains a vit model, which is not an object detector"):
        opened(classifier(tmp_path / "vit"))


class _Says:
    classes, least, settings = ("cat",), 0.5, {}

    def __init__(self, found: list[Found]) -> None:
        self.found = found

    def find(self, image, words, least):
        return self.found


class _Breaks(_Says):
    def __init__(self, classes: tuple[str, ...]) -> None:
        self.classes = classes

    def find(self, image, words, least):
        raise RuntimeError("no \x1b memory")


class _Counting(_Says):
    def __init__(self, finder, looked: list[object]) -> None:
        self.finder, self.looked, self.classes = finder, looked, finder.classes

    def find(self, image, words, least):
        self.looked.append(np.asarray(image))
        return self.finder.find(image, words, least)
