"""The PNG writer, read back by another hand."""

import io

import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from PIL import Image

from countersight.scenes.drawing import encode


@given(st.integers(1, 40), st.integers(1, 40), st.integers(0, 2**32))
def test_pixels_come_back_from_the_file(width, height, seed):
    pixels = np.random.default_rng(seed).integers(0, 256, (height, width, 4), np.uint8)[:, :, :3]
    picture = Image.open(io.BytesIO(encode(pixels)))
    assert picture.mode == "RGB"
    assert np.array_equal(np.asarray(picture), pixels)
