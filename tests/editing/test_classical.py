"""Photographs are edited under a mask: what is named changes, and nothing else, to the bit."""

import csv
import io
import json
import sys

import numpy as np
import pytest
from editing.edits import edit, pixels, white
from editing.photographs import HEIGHT, THINGS, WIDTH, annotations, landscape, photograph, png
from PIL import Image
from published import published

from countersight.detection.masks import grow_mask
from countersight.editing.colours import of_colour
from countersight.editing.protocol import open_editor
from countersight.editing.quality.measuring import measure
from countersight.errors import EditFailed, EditorError
from countersight.picture.checking import check_picture, read_picture
from countersight.scenes.colours import NAMED

pytest.importorskip("cv2", reason="no OpenCV")

NAME = "000000391895.jpg"
PHOTOGRAPH = photograph()


@pytest.fixture(scope="module")
def editor(tmp_path_factory):
    return open_editor(f"classical?annotations={annotations(tmp_path_factory.mktemp('coco') / 'a.json')}")


def changed_by(edited, before=PHOTOGRAPH):
    """Where the picture changed; never outside the mask."""
    changed = (pixels(edited.picture.data) != before).any(axis=2)
    assert edited.picture.mime == "image/png"
    assert not (changed & ~white(edited.mask)).any()
    return changed


def share(changed, box):
    left, top, right, bottom = box
    return changed[top:bottom, left:right].mean()


def box(number):
    return THINGS[number][1]


@pytest.mark.parametrize(
    ("words", "numbers"),
    [
        ("the dog", {13}),
        ("a cat", {14}),
        ("animals", {13, 14}),
        ("cars", {11, 12}),
        ("both cars", {11, 12}),
        ("two cars", {11, 12}),
        ("the car on the left", {11}),
        ("the rightmost car", {12}),
        ("the red car", {11}),
        ("The Blue Car.", {12}),
        ("vehicles", {11, 12}),
    ],
)
def test_words_find_what_is_annotated(editor, words, numbers):
    changed = changed_by(edit(editor, png(PHOTOGRAPH), "recolour", words, "green", name=NAME))
    for number in THINGS:
        assert (share(changed, box(number)) > 0.5) == (number in numbers), number


@pytest.mark.parametrize(
    ("words", "why"),
    [
        ("the car", "is ambiguous"),
        ("three cars", "is ambiguous"),
        ("the person", "no annotated object in this picture"),
        ("the green car", "no annotated object in this picture"),
        ("the leash", "could not be located"),
        ("", "does not name an object"),
        ("the left", "does not name an object"),
        ("dog " * 80, "200 characters"),
    ],
)
def test_what_is_not_there_or_not_clear_is_a_failed_edit_never_a_guess(editor, words, why):
    with pytest.raises(EditFailed, match=why):
        edit(editor, png(PHOTOGRAPH), "remove", words, name=NAME)


def test_a_removed_thing_is_painted_over_from_what_is_around_it(editor):
    edited = edit(editor, png(PHOTOGRAPH), "remove", "the red car", name=NAME)
    changed = changed_by(edited)
    assert share(changed, box(11)) > 0.9
    left, top, right, bottom = box(11)
    now = pixels(edited.picture.data)[top:bottom, left:right].astype(int)
    ground = np.asarray(landscape())[top:bottom, left:right].astype(int)
    assert np.abs(now - ground).mean() < 12
    assert measure(Image.fromarray(PHOTOGRAPH), Image.fromarray(pixels(edited.picture.data)), None).good


@pytest.mark.parametrize("colour", [*NAMED, "white", "grey", "brown"])
def test_a_recoloured_thing_is_called_by_its_new_colour_and_keeps_its_light_and_shade(editor, colour):
    edited = edit(
        editor, png(PHOTOGRAPH), "recolour", "the cat" if colour == "red" else "the red car", colour, name=NAME
    )
    after, mask = pixels(edited.picture.data), white(edited.mask)
    changed_by(edited)
    inner = ~grow_mask(~mask, 3)
    assert of_colour(after[inner][None], colour).mean() > 0.7
    shades = [np.asarray(Image.fromarray(picture).convert("L"))[inner] for picture in (PHOTOGRAPH, after)]
    assert np.corrcoef(*shades)[0, 1] > 0.7


@pytest.mark.parametrize(
    ("action", "value", "why"),
    [
        ("add", "a hat", "choose a generative editor"),
        ("reshape", "round", "choose a generative editor"),
        ("other", "on fire", "choose a generative editor"),
        ("recolour", "plaid", "not a known colour"),
        ("move", "left", "choose a generative editor"),
    ],
)
def test_impossible_edits_fail_with_the_reason(editor, action, value, why):
    with pytest.raises(EditFailed, match=why):
        edit(editor, png(PHOTOGRAPH), action, "the dog", value, name=NAME)


def test_a_hole_as_large_as_the_picture_cannot_be_filled(tmp_path):
    outline = [0, 0, WIDTH, 0, WIDTH, HEIGHT, 0, HEIGHT]
    whole = {"id": 1, "image_id": 391895, "category_id": 18, "segmentation": [outline], "bbox": [0, 0, WIDTH, HEIGHT]}
    editor = f"classical?annotations={annotations(tmp_path / 'a.json', annotations=[whole])}"
    with pytest.raises(EditFailed, match="too little of the picture is left to fill the hole"):
        edit(editor, png(PHOTOGRAPH), "remove", "the dog", name=NAME)


def test_pictures_are_edited_as_a_viewer_shows_them(editor):
    upright = Image.fromarray(PHOTOGRAPH)
    exif = Image.Exif()
    exif[0x0112] = 6
    lying = upright.transpose(Image.Transpose.ROTATE_90)
    file = io.BytesIO()
    lying.save(file, "PNG", exif=exif)
    edited = edit(editor, check_picture(file.getvalue()), "remove", "the red car", name=NAME)
    assert pixels(edited.picture.data).shape == PHOTOGRAPH.shape
    changed_by(edited)


@pytest.mark.parametrize(
    ("name", "why"),
    [
        ("classical?annotation=x", "did you mean 'annotations'"),
        ("classical?annotations", "NAME=VALUE"),
        ("classical?annotations=/absent.json", "cannot be read"),
        ("classical?segmenter=/absent", "must contain one encoder"),
    ],
)
def test_bad_options_are_refused_with_a_message(name, why):
    with pytest.raises(EditorError, match=why):
        open_editor(name)


def test_without_opencv_there_is_an_error_message(monkeypatch):
    monkeypatch.setitem(sys.modules, "cv2", None)
    with pytest.raises(EditorError, match="pip install"):
        open_editor("classical")


@pytest.mark.slow
def test_real_photographs_with_their_published_annotations():
    """A few quick edits of COCO photographs: every kind of mask, and all of them good by the rule."""
    path = published("photos/annotations/instances_val2017.json")
    rows = list(csv.DictReader(published("photos/index.csv").read_text().splitlines()))
    files = {int(row["file"][-16:-4]): row["file"] for row in rows}
    editor = open_editor(f"classical?annotations={path}")
    asked = [
        (297343, "recolour", "the stop sign", "blue"),
        (41888, "remove", "the leftmost bird", ""),
        (184791, "recolour", "oranges", "purple"),
        (443303, "recolour", "the cat", "green"),
    ]
    assert {image["id"] for image in json.loads(path.read_text())["images"]} >= {number for number, *_ in asked}
    for number, action, target, value in asked:
        picture = read_picture(published(f"photos/{files[number]}"))
        edited = edit(editor, picture, action, target, value, name=files[number])
        before = np.asarray(Image.open(io.BytesIO(picture.data)).convert("RGB"))
        assert changed_by(edited, before).mean() > 0.0005
        after, mask = Image.fromarray(pixels(edited.picture.data)), Image.fromarray(white(edited.mask))
        quality = measure(Image.fromarray(before), after, mask)
        assert quality.good, (number, quality.reason)
        assert quality.ssim_outside == 1
        assert quality.changed_outside == 0
