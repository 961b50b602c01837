"""SSIM, the structural similarity of two pictures (Wang et al., 2004)."""

import numpy as np
from numpy.typing import NDArray

Tones = NDArray[np.float32]
"""An array of height × width × channels, with values from 0 to 255."""
RADIUS = 5
"""The radius of the window of the structural similarity: a Gaussian of 1.5 pixels, cut off as in the paper."""
SIGMA = 1.5
MIDDLE = np.float32(128)
_C1, _C2 = (0.01 * 255) ** 2, (0.03 * 255) ** 2


def similarity(one: NDArray[np.uint8], other: NDArray[np.uint8]) -> Tones:
    """Return the structural similarity (SSIM) of two pictures around each pixel, averaged over the channels.

    Only the part that differs is computed, because most edits change little, and identical parts have a similarity of
    1.
    """
    similar = np.ones(one.shape[:2], np.float32)
    rows, columns = np.nonzero((one != other).any(axis=2))
    if not rows.size:
        return similar
    top, left = max(0, rows.min() - RADIUS), max(0, columns.min() - RADIUS)
    bottom, right = rows.max() + RADIUS + 1, columns.max() + RADIUS + 1
    # The crop is RADIUS larger than the part that is kept, so that its border does not affect the filter.
    around = np.s_[max(0, top - RADIUS) : bottom + RADIUS, max(0, left - RADIUS) : right + RADIUS]
    part = _similarity(one[around].astype(np.float32), other[around].astype(np.float32))
    skip_y, skip_x = top - max(0, top - RADIUS), left - max(0, left - RADIUS)
    height, width = similar[top:bottom, left:right].shape
    similar[top:bottom, left:right] = part[skip_y : skip_y + height, skip_x : skip_x + width]
    return similar


def _similarity(one: Tones, other: Tones) -> Tones:
    # Centred values have the same variance and lose fewer digits.
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
    """Return the tones blurred along both axes."""
    weights = np.exp(-0.5 * (np.arange(-RADIUS, RADIUS + 1) / SIGMA) ** 2)
    weights = (weights / weights.sum()).astype(np.float32)
    for axis in (0, 1):
        padded = np.pad(tones, [(RADIUS, RADIUS) if each == axis else (0, 0) for each in range(3)], mode="symmetric")
        total = np.zeros_like(tones)
        for offset, weight in enumerate(weights):
            window = [slice(None)] * 3
            window[axis] = slice(offset, offset + tones.shape[axis])
            total += weight * padded[tuple(window)]
        tones = total
    return tones
