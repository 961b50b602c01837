"""Decode pictures as a viewer shows them."""

import io
from contextlib import nullcontext
from threading import Lock

import numpy as np
from PIL import Image, ImageFile

from countersight.errors import BadPicture
from countersight.picture.limits import LARGE, MAX_PIXELS

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
"""The transposition that makes a picture upright, by EXIF orientation."""

# Large pictures are decoded one at a time: one of the largest takes up to a gigabyte.
_one_large = Lock()


def view(data: bytes, orientation: int, side: int) -> Image.Image:
    """Return the picture in these bytes, scaled to at most `side` pixels. Raises whatever the decoder raises."""
    file = Image.open(io.BytesIO(data), formats=FORMATS)
    width, height = file.size
    if width * height > MAX_PIXELS:  # the decoder may see another size than the header told us
        raise BadPicture(f"has {width} x {height} pixels; the maximum is {MAX_PIXELS:,}")
    shrink = min(1.0, side / max(width, height))
    size = (max(1, round(width * shrink)), max(1, round(height * shrink)))
    file.draft(None, size)  # a large JPEG is decoded at a fraction of its size
    with _one_large if file.width * file.height > LARGE else nullcontext():
        image = _in_tones(_first_frame(file))
        if image.size != size:
            # A whole number of times smaller is the common case; this gap makes it a plain average, 15 times as
            # fast as a filter.
            image = image.resize(size, Image.Resampling.HAMMING, reducing_gap=1.0)
        image = _on_white(image)
        if orientation in TURNS:
            image = image.transpose(TURNS[orientation])
    image.info = {}  # what the file said is done; whoever read it again would turn the picture twice
    return image


def _first_frame(file: ImageFile.ImageFile) -> Image.Image:
    if getattr(file, "default_image", False):  # an APNG may carry a picture for viewers that know no animations
        file.seek(1)
    box = file.tile[0][1] if file.format == "GIF" and file.tile else None
    if box is None or box == (0, 0, *file.size):
        return file
    whole = Image.new("RGBA", file.size)  # the frame is smaller than the picture: around it there is nothing
    whole.paste(file.convert("RGBA").crop(box), box)
    return whole


def _in_tones(image: Image.Image) -> Image.Image:
    """The picture in a mode whose values may be averaged: no palette, no single bits, no more than 8 bits."""
    if image.mode.startswith("I"):
        return _eight_bits(image)
    if image.has_transparency_data:
        return image.convert("RGBA")
    return image.convert("RGB") if image.mode in ("1", "P") else image


def _eight_bits(image: Image.Image) -> Image.Image:
    """Grey of 16 bits, of which Pillow would keep the darkest 256 shades and make the rest white."""
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
