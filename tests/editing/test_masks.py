"""Masks as files and as arrays."""

import io

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from PIL import Image

from countersight.detection.masks import encode_mask, grow_mask, mask_from_box, read_mask
from countersight.editing.colours import COLOURS, called, colour_in, of_colour
from countersight.errors import EditFailed
from countersight.scenes.colours import DOTS, PETALS, rgb

masks = st.integers(0, 10**6).map(
    lambda seed: np.random.default_rng(seed).random((seed % 13 + 1, seed % 17 + 1)) < 0.15
)


@given(masks)
def test_a_mask_is_unchanged_after_encoding_and_decoding(mask):
    assert (read_mask(encode_mask(mask), (mask.shape[1], mask.shape[0])) == mask).all()


@settings(max_examples=60)
@given(masks, st.integers(0, 20))
def test_a_grown_mask_contains_exactly_the_pixels_within_the_radius(mask, by):
    before, grown = mask.copy(), grow_mask(mask, by)
    rows, columns = np.nonzero(mask)
    for y in range(mask.shape[0]):
        for x in range(mask.shape[1]):
            near = ((abs(rows - y) <= by) & (abs(columns - x) <= by)).any()
            assert grown[y, x] == near
    assert (mask == before).all()


def test_boxes_are_clipped_and_boxes_outside_the_picture_refused():
    assert mask_from_box((-5, 2, 3, 99), (10, 6)).sum() == 3 * 4
    for box in ((20, 0, 30, 5), (5, 5, 5, 9), (float("nan"), 0, 1, 1), (float("inf"), 0, 1, 1), (8, 8, 2, 2)):
        with pytest.raises(EditFailed, match="the box"):
            mask_from_box(box, (10, 6))


def test_invalid_masks_are_failed_edits():
    file = io.BytesIO()
    Image.new("L", (4, 4)).save(file, "JPEG")
    for data, why in (
        (encode_mask(np.ones((5, 4), bool)), "4 x 5"),
        (b"", "readable PNG"),
        (file.getvalue(), "readable PNG"),
    ):
        with pytest.raises(EditFailed, match=why):
            read_mask(data, (4, 4))


@pytest.mark.parametrize("name", COLOURS)
def test_every_colour_has_its_name(name):
    assert called(COLOURS[name]) == name
    assert of_colour(np.array([[rgb(COLOURS[name])]], np.uint8), name).all()


def test_colours_of_scenes_have_common_names():
    assert [called(colour) for colour in DOTS] == [
        *("red", "blue", "green", "purple", "orange", "blue", "pink", "grey", "brown", "blue")
    ]
    assert {called(colour) for colour in PETALS} == {
        *("pink", "red", "orange", "yellow", "white", "purple", "blue", "green")
    }


def test_colours_are_found_in_words():
    assert colour_in("a bright Red one") == "red"
    assert colour_in("to #A1b2C3, please") == "#a1b2c3"
    assert colour_in("gray") == COLOURS["grey"]
    assert colour_in("plaid #12") is None
