"""Masks of edits: read, write, compare and grow them, or make them from a box."""

import io
from contextlib import suppress
from typing import Any

import numpy as np
from numpy.typing import NDArray
from PIL import Image

from countersight.errors import EditFailed, EditorError
from countersight.picture import MAX_PIXELS


def opencv() -> Any:
    """Return the cv2 module, imported on first use; raises EditorError if it is not installed."""
    try:
        import cv2
    except ImportError:
        raise EditorError(
            "editing photographs without a network needs OpenCV, which is not installed: pip install "
            "'countersight[edit]', or only opencv-python-headless"
        ) from None
    return cv2


Mask = NDArray[np.bool_]
"""An array of height × width, True in the edited area."""


def encode_mask(mask: Mask) -> bytes:
    """Encode a mask as a PNG, white where it is True."""
    file = io.BytesIO()
    Image.fromarray(mask.astype(np.uint8) * 255).save(file, "PNG", compress_level=2)
    return file.getvalue()


def read_mask(data: bytes, size: tuple[int, int]) -> Mask:
    """Decode the mask in a PNG of this size; pixels of at least medium grey are True."""
    try:
        with Image.open(io.BytesIO(data), formats=("PNG",)) as file:
            if file.size != size or file.width * file.height > MAX_PIXELS:
                raise EditFailed(
                    f"the mask has {file.width} x {file.height} pixels, but the picture has {size[0]} x {size[1]}"
                )
            return np.asarray(file.convert("L")) >= 128
    except EditFailed:
        raise
    except Exception as error:  # decoders raise many types of errors on damaged data
        raise EditFailed(f"the mask is not a readable PNG file ({type(error).__name__})") from None


def grow_mask(mask: Mask, by: int) -> Mask:
    """Return the mask grown by `by` pixels in every direction, including diagonals."""
    mask = mask.copy()
    for lines in (mask, mask[::-1], mask.T, mask.T[::-1]):
        covered = 1  # each step can nearly double the width, so few steps are needed
        while covered <= min(by, len(lines) - 1):
            step = min(covered, by + 1 - covered)
            lines[step:] |= lines[:-step]
            covered += step
    return mask


def difference(one: NDArray[np.uint8], other: NDArray[np.uint8]) -> Mask:
    """Return which pixels differ between two pictures of the same size. Comparing channel by channel is five times as
    fast as comparing whole pixels."""
    different: Mask = one[:, :, 0] != other[:, :, 0]
    for channel in (1, 2):
        different |= one[:, :, channel] != other[:, :, channel]
    return different


def box_of(mask: Mask) -> tuple[int, int, int, int]:
    """Return left, top, right and bottom of the True pixels of a mask that is not empty; the last two are exclusive."""
    rows, columns = np.flatnonzero(mask.any(axis=1)), np.flatnonzero(mask.any(axis=0))
    return int(columns[0]), int(rows[0]), int(columns[-1]) + 1, int(rows[-1]) + 1


def mask_from_box(box: tuple[float, float, float, float], size: tuple[int, int]) -> Mask:
    """Return a box (left, top, right, bottom) as a mask of a picture of this size."""
    width, height = size
    left, top, right, bottom = box
    with suppress(ValueError, OverflowError):
        columns = slice(max(0, round(left)), min(width, round(right)))
        rows = slice(max(0, round(top)), min(height, round(bottom)))
        mask = np.zeros((height, width), bool)
        mask[rows, columns] = True
        if mask.any():
            return mask
    raise EditFailed(f"the box {left:g}, {top:g}, {right:g}, {bottom:g} is outside the {width} x {height} picture")
