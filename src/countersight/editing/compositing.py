"""The original's pixels wherever a mask says that nothing may change."""

import io

import numpy as np
from PIL import Image

from countersight.detection import Mask
from countersight.picture import Picture


def kept_outside(mask: Mask, before: Image.Image, after: Image.Image) -> Picture:
    """The edited picture within the mask and the original around it, as large as the original.

    Editors that paint a whole picture move and tint what they were not asked about; a masked edit must not.
    """
    if after.size != before.size:
        after = after.resize(before.size, Image.Resampling.LANCZOS)
    pixels = np.where(mask[:, :, None], np.asarray(after.convert("RGB")), np.asarray(before.convert("RGB")))
    file = io.BytesIO()
    Image.fromarray(pixels).save(file, "PNG")
    return Picture(file.getvalue(), "image/png", *before.size, plain=True)
