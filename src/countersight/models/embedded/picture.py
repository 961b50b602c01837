"""Bringing a picture to the size and shape the encoder takes in."""

import numpy as np
from PIL import Image

from countersight.models.embedded.values import SIDE
from countersight.picture import Picture, Pixels, as_seen

NEEDED = 4 * SIDE
"""Of a larger picture no more pixels than this are wanted a side: all are averaged away."""


def prepare(picture: Picture) -> Pixels:
    """The picture as the encoder sees it, or BadPicture."""
    return shrink(as_seen(picture, NEEDED))


def shrink(image: Image.Image) -> Pixels:
    """A picture of any size at the encoder's size; averaging whole boxes keeps thin lines and small dots crisp."""
    return np.asarray(image.resize((SIDE, SIDE), Image.Resampling.BOX))
