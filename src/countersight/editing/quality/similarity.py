"""Structural similarity (SSIM, Wang et al. 2004) of two pictures, pixel by pixel."""

import numpy as np
from numpy.typing import NDArray

Tones = NDArray[np.float32]
"""Height × width × channels, from 0 to 255."""

RADIUS = 5
"""Pixels around a pixel that its similarity looks at: a Gaussian of 1.5 pixels, cut off as in the paper."""
SIGMA = 1.5
MIDDLE = np.float32(128)
_C1, _C2 = (0.01 * 255) ** 2, (0.03 * 255) ** 2


def similarity(one: NDArray[np.uint8], other: NDArray[np.uint8]) -> Tones:
    """How similar two pictures are around each pixel, averaged over the channels: 1 where they are the same.

    Only the part that differs is computed: most edits change little, and elsewhere the similarity is 1.
    """
    similar = np.ones(one.shape[:2], np.float32)
    rows, columns = np.nonzero((one != other).any(axis=2))
    if not rows.size:
        return similar
    top, left = max(0, rows.min() - RADIUS), max(0, columns.min() - RADIUS)
    bottom, right = rows.max() + RADIUS + 1, columns.max() + RADIUS + 1
    # The filter looks RADIUS farther than the part that is kept, so that the cut is not felt.
    around = np.s_[max(0, top - RADIUS) : bottom + RADIUS, max(0, left - RADIUS) : right + RADIUS]
    part = _similarity(one[around].astype(np.float32), other[around].astype(np.float32))
    skip_y, skip_x = top - max(0, top - RADIUS), left - max(0, left - RADIUS)
    height, width = similar[top:bottom, left:right].shape
    similar[top:bottom, left:right] = part[skip_y : skip_y + height, skip_x : skip_x + width]
    return similar


def _similarity(one: Tones, other: Tones) -> Tones:
    # A variance does not mind where zero is, and small numbers lose fewer digits.
    one, other = one - MIDDLE, other - MIDDLE
    mean_one, mean_other = _blurred(one), _blurred(other)
    variance_one = _blurred(one * one) - mean_one * mean_one
    variance_other = _blurred(other * other) - mean_other * mean_other
    together = _blurred(one * other) - mean_one * mean_other
    mean_one, mean_other = mean_one + MIDDLE, mean_other + MIDDLE
    alike = (2 * mean_one * mean_other + _C1) * (2 * together + _C2)
    most = (mean_one * mean_one + mean_other * mean_other + _C1) * (variance_one + variance_other + _C2)
    mean: Tones = (alike / most).mean(axis=2)
    return mean


def _blurred(tones: Tones) -> Tones:
    for axis in (0, 1):
        tones = _along(tones, axis)
    return tones


def _along(tones: Tones, axis: int) -> Tones:
    weights = np.exp(-0.5 * (np.arange(-RADIUS, RADIUS + 1) / SIGMA) ** 2)
    weights = (weights / weights.sum()).astype(np.float32)
    padding = [(RADIUS, RADIUS) if place == axis else (0, 0) for place in range(3)]
    padded = np.pad(tones, padding, mode="symmetric")
    length = tones.shape[axis]
    total = np.zeros_like(tones)
    for offset, weight in enumerate(weights):
        window = [slice(None)] * 3
        window[axis] = slice(offset, offset + length)
        total += weight * padded[tuple(window)]
    return total
