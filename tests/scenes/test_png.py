"""The PNG writer, read back by another hand."""

import io

import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from PIL import Image

from countersight.scenes.png import encode


@given(st.integers(1, 40), st.integers(1, 40), st.integers(0, 2**32))
def test_pixels_come_back_from_the_file(width, height, seed):
    pixels = np.random.default_rng(seed).integers(0, 256, (height, width, 3), np.uint8)
    picture = Image.open(io.BytesIO(encode(pixels)))
    assert picture.mode == "RGB"
    assert np.array_equal(np.asarray(picture), pixels)


def test_a_view_of_four_channels_is_written_as_three():
    canvas = np.arange(4 * 6 * 4, dtype=np.uint8).reshape(4, 6, 4)
    assert np.array_equal(np.asarray(Image.open(io.BytesIO(encode(canvas[:, :, :3])))), canvas[:, :, :3])
