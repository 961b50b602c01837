"""Regions of a picture: what the matcher is given to look at."""

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

Floats = npt.NDArray[np.float32]

WHOLE = (0.0, 0.0, 1.0, 1.0)
"""The box of a whole picture."""


class View(NamedTuple):
    """Regions of a picture: features (regions × size), boxes (regions × 4: left, top, right, bottom, from 0 to 1)."""

    features: Floats
    boxes: Floats
