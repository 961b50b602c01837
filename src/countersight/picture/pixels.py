"""Pictures as arrays."""

import numpy as np
from numpy.typing import NDArray

Pixels = NDArray[np.uint8]
"""Rows, columns, and red, green and blue."""
