"""What the matcher sees of a picture: regions with features and boxes, here those of the embedded model's encoder.

The encoder hands on numbers it counted, each in a fixed place. Each becomes a region: which number it is, how large it
is on several scales, and no box, since a count has no place of its own.
"""

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from countersight.errors import AskingFailed, BadPicture
from countersight.models.embedded import LARGEST, VALUES, shipped
from countersight.picture import Picture

REGIONS = len(VALUES)
REGION = len(VALUES) + LARGEST + 1

Floats = npt.NDArray[np.float32]


class View(NamedTuple):
    """Regions of a picture: features (regions × size), boxes (regions × 4, from 0 to 1)."""

    features: Floats
    boxes: Floats


def seen_by_embedded(pictures: list[Picture]) -> list[View]:
    """What the embedded model's encoder counts in each picture."""
    from countersight.models.embedded.inference import encoder

    seen = encoder(shipped()).look(pictures)
    for values in seen:
        if isinstance(values, BadPicture):
            raise AskingFailed(f"the picture {values}", again=False)
    return [_view(values) for values in seen if not isinstance(values, BadPicture)]


def _view(values: Floats) -> View:
    counts = np.clip(np.rint(values), 0, LARGEST).astype(int)
    features = np.zeros((REGIONS, REGION), np.float32)
    features[np.arange(REGIONS), np.arange(REGIONS)] = 1
    features[np.arange(REGIONS), len(VALUES) + counts] = 1
    return View(features, np.zeros((REGIONS, 4), np.float32))
