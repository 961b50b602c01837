"""Weaker edits: pictures part of the way between the original and its edit."""

import io

import numpy as np
from PIL import Image

from countersight.picture import Picture, Pixels, as_seen


def weaken_edit(before: Picture, after: Picture, strength: int, of: int) -> Picture:
    """Return the picture `strength` of `of` parts of the way from before to after; reproducible. Raises BadPicture."""
    file = io.BytesIO()
    pixels = weaken_pixels(before, after, strength, of)
    Image.fromarray(pixels).save(file, "PNG", compress_level=4)
    return Picture(file.getvalue(), "image/png", pixels.shape[1], pixels.shape[0], plain=True)


def weaken_pixels(before: Picture, after: Picture, strength: int, of: int) -> Pixels:
    """Return the pixels of a weaker edit."""
    one, other = as_seen(before).convert("RGB"), as_seen(after).convert("RGB")
    if other.size != one.size:
        other = other.resize(one.size, Image.Resampling.LANCZOS)
    start = np.asarray(one).astype(np.int32)
    way = np.asarray(other).astype(np.int32) - start
    pixels: Pixels = (start + np.floor_divide(2 * way * strength + of, 2 * of)).astype(np.uint8)
    return pixels
