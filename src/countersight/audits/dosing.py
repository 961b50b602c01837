"""Weaker edits: part of the way from the picture before to the picture after, pixel by pixel."""

import io

import numpy as np
from PIL import Image

from countersight.picture import Picture, Pixels, as_seen


def dosed(before: Picture, after: Picture, strength: int, of: int) -> Picture:
    """The picture so many parts of the way; the same for the same pictures. Raises BadPicture."""
    file = io.BytesIO()
    pixels = dosed_pixels(before, after, strength, of)
    Image.fromarray(pixels).save(file, "PNG", compress_level=4)
    return Picture(file.getvalue(), "image/png", pixels.shape[1], pixels.shape[0], plain=True)


def dosed_pixels(before: Picture, after: Picture, strength: int, of: int) -> Pixels:
    """The pixels of a weaker edit."""
    one, other = as_seen(before).convert("RGB"), as_seen(after).convert("RGB")
    if other.size != one.size:
        other = other.resize(one.size, Image.Resampling.LANCZOS)
    start = np.asarray(one).astype(np.int32)
    way = np.asarray(other).astype(np.int32) - start
    pixels: Pixels = (start + np.floor_divide(2 * way * strength + of, 2 * of)).astype(np.uint8)
    return pixels
