"""The array type of decoded pictures."""

import numpy as np
from numpy.typing import NDArray

Pixels = NDArray[np.uint8]
"""An array of height × width × RGB, with values from 0 to 255."""
