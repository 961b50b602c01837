"""Bringing a picture to the size and shape the encoder takes in."""

import io
import warnings
from contextlib import nullcontext
from threading import Lock

import numpy as np
from numpy.typing import NDArray
from PIL import Image

from countersight.models.embedded.values import SIDE
from countersight.picture import MAX_PIXELS

Pixels = NDArray[np.uint8]

LARGE = 4_000_000
"""Pixels from which on pictures are decoded one at a time: two of the largest would take a gigabyte."""
_one_large = Lock()

FORMATS = ("PNG", "JPEG", "GIF", "WEBP")


class Unreadable(ValueError):  # noqa: N818 - it names the thing, as people say it
    """Bytes that cannot be decoded as a picture; the message says why."""


def prepare(data: bytes) -> Pixels:
    """The picture in a file's bytes as the encoder sees it."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("error", Image.DecompressionBombWarning)
            with Image.open(io.BytesIO(data), formats=FORMATS) as image:
                pixels = image.width * image.height
            if pixels > MAX_PIXELS:
                raise Unreadable(f"says it has {pixels:,} pixels")
            with _one_large if pixels > LARGE else nullcontext():
                return _decoded(data)
    except Unreadable:
        raise
    except Exception as error:  # Pillow's decoders raise many kinds on damaged files
        raise Unreadable(f"cannot be decoded ({type(error).__name__}: {error})") from None


def _decoded(data: bytes) -> Pixels:
    with Image.open(io.BytesIO(data), formats=FORMATS) as image:
        image.draft("RGB", (2 * SIDE, 2 * SIDE))  # a large JPEG is decoded at a fraction of its size
        return shrink(_opaque(image))


def shrink(image: Image.Image) -> Pixels:
    """A picture of any size at the encoder's size; averaging whole boxes keeps thin lines and small dots crisp."""
    return np.asarray(image.resize((SIDE, SIDE), Image.Resampling.BOX))


def _opaque(image: Image.Image) -> Image.Image:
    if image.mode in ("RGBA", "LA", "PA") or "transparency" in image.info:
        image = image.convert("RGBA")
        ground = Image.new("RGBA", image.size, "white")
        return Image.alpha_composite(ground, image).convert("RGB")
    return image if image.mode == "RGB" else image.convert("RGB")
