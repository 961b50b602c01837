"""Decode pictures as a viewer shows them."""

import io
from contextlib import nullcontext
from threading import Lock

import numpy as np
from numpy.typing import NDArray
from PIL import Image, ImageFile

from countersight.errors import BadPicture
from countersight.picture.limits import LARGE, MAX_PIXELS

Pixels = NDArray[np.uint8]
"""An array of height × width × RGB, with values from 0 to 255."""

FORMATS = ("PNG", "JPEG", "GIF", "WEBP")
TURNS = {
    2: Image.Transpose.FLIP_LEFT_RIGHT,
    3: Image.Transpose.ROTATE_180,
    4: Image.Transpose.FLIP_TOP_BOTTOM,
    5: Image.Transpose.TRANSPOSE,
    6: Image.Transpose.ROTATE_270,
    7: Image.Transpose.TRANSVERSE,
    8: Image.Transpose.ROTATE_90,
}
"""The transformation that makes a picture upright, by EXIF orientation."""

# Large pictures are decoded one at a time: the largest take up to a gigabyte of memory.
_one_large = Lock()


def view(data: bytes, orientation: int, side: int) -> Image.Image:
    """Decode a picture, and scale it down to at most `side` pixels. The decoder may raise any exception."""
    file = Image.open(io.BytesIO(data), formats=FORMATS)
    width, height = file.size
    if width * height > MAX_PIXELS:  # the decoder may find another size than our header check
        raise BadPicture(f"has {width} x {height} pixels; the maximum is {MAX_PIXELS:,}")
    shrink = min(1.0, side / max(width, height))
    size = (max(1, round(width * shrink)), max(1, round(height * shrink)))
    file.draft(None, size)  # a large JPEG is decoded at a fraction of its size
    with _one_large if file.width * file.height > LARGE else nullcontext():
        image = _in_tones(_first_frame(file))
        if image.size != size:
            # Integer factors are the common case; with this gap, Pillow then computes a plain average, which is 15
            # times as fast as a filter.
            image = image.resize(size, Image.Resampling.HAMMING, reducing_gap=1.0)
        image = _on_white(image)
        if orientation in TURNS:
            image = image.transpose(TURNS[orientation])
    image.info = {}  # the metadata has been applied; applying it again would rotate the picture twice
    return image


def _first_frame(file: ImageFile.ImageFile) -> Image.Image:
    if getattr(file, "default_image", False):  # the fallback picture of an APNG for viewers without animation
        file.seek(1)
    box = file.tile[0][1] if file.format == "GIF" and file.tile else None
    if box is None or box == (0, 0, *file.size):
        return file
    whole = Image.new("RGBA", file.size)  # the frame is smaller than the picture; the rest is transparent
    whole.paste(file.convert("RGBA").crop(box), box)
    return whole


def _in_tones(image: Image.Image) -> Image.Image:
    """Convert the picture to a mode whose values can be averaged: 8 bits per channel and no palette."""
    if image.mode.startswith("I"):
        return _eight_bits(image)
    if image.has_transparency_data:
        return image.convert("RGBA")
    return image.convert("RGB") if image.mode in ("1", "P") else image


def _eight_bits(image: Image.Image) -> Image.Image:
    """Convert 16-bit grey to 8 bits; Pillow would keep the darkest 256 shades and make the rest white."""
    values = np.asarray(image)
    grey = Image.fromarray((values >> 8).astype(np.uint8))
    clear = image.info.get("transparency")
    if clear is not None:
        grey.putalpha(Image.fromarray(np.where(values == clear, 0, 255).astype(np.uint8)))
    return grey


def _on_white(image: Image.Image) -> Image.Image:
    if image.mode not in ("RGBA", "LA"):
        return image.convert("RGB")
    ground = Image.new("RGB", image.size, "white")
    ground.paste(image.convert("RGB"), mask=image.getchannel("A"))
    return ground
