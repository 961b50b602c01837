"""Check removals from photographs by pixels: whether the removed thing, or one like it, is still there.

The thresholds were chosen by eye; docs/measurements.md states how often they are wrong.
"""

from collections.abc import Mapping
from typing import NamedTuple

import numpy as np

from countersight.detection import box_of
from countersight.editing.quality import seams_of
from countersight.picture import Pixels

MOST_LEFT = 0.6
"""Largest correlation with the old texture under the mask at which a thing may be gone."""
MOST_LIKE = 0.5
"""Largest share of patches of a fill that may look like the removed thing."""
PATCHES = (16, 8)
"""Sides of patches in pixels; the smaller one is used if a hole has too few of the larger."""
INSIDE = 0.98
"""Least share of a patch's pixels that must lie in an area for the patch to belong to it."""
_NUMBERS = 4 * 4 * 3
"""The length of the description of a patch: 4 x 4 colours with three channels."""
MARGIN_SHARE, LEAST_MARGIN = 0.6, 48
"""Width of the area around a hole that is compared: a share of its size, and at least this many pixels."""


class RemovalResult(NamedTuple):
    """Whether a thing was removed from a photograph: False if it is still visible, None if pixels do not show it."""

    done: bool | None
    seen: str
    measures: Mapping[str, float]


def removal_result(before: Pixels, after: Pixels, mask: np.ndarray) -> RemovalResult:
    """Return whether a hole is filled with the removed thing or with another one like it, patch by patch.

    Pixels cannot confirm a removal: a third of those that they confirmed were bad when looked at.
    """
    left = seams_of(before, after, mask).left
    if left is not None and left >= MOST_LEFT:
        return RemovalResult(False, f"the object is still visible (texture similarity {left:.2f})", {"left": left})
    like = next((like for side in PATCHES if (like := _resemblance(before, after, mask, side)) is not None), None)
    if like is None:
        return RemovalResult(None, "the mask is too small or too large to be measured", {})
    measures = {"like the thing": like}
    if like <= MOST_LIKE:
        seen = f"pixels alone cannot confirm a removal; the fill resembles its surroundings ({like:.2f})"
        return RemovalResult(None, seen, measures)
    seen = f"the fill resembles the removed object more than its surroundings ({like:.2f})"
    return RemovalResult(False, seen, measures)


def _resemblance(before: Pixels, after: Pixels, mask: np.ndarray, side: int) -> float | None:
    """Return the share of a fill that looks more like the removed thing than like its surroundings.

    Return None if the hole is smaller than three patches.
    """
    left, top, right, bottom = box_of(mask)
    pad = max(LEAST_MARGIN, int(MARGIN_SHARE * max(right - left, bottom - top)))
    part = np.s_[max(0, top - pad) : bottom + pad, max(0, left - pad) : right + pad]
    before, after, mask = before[part], after[part], mask[part]
    fill, thing, around = (
        _patches(pixels, area, side) for pixels, area in ((after, mask), (before, mask), (after, ~mask))
    )
    if len(fill) < 3 or len(around) < 20:
        return None
    return round(float((_nearest(fill, thing) < _nearest(fill, around)).mean()), 3)


def _patches(pixels: Pixels, where: np.ndarray, side: int) -> np.ndarray:
    """Return the patches inside an area, each as 4 x 4 colours."""
    step, cell = side // 2, side // 4
    if min(where.shape) < side:
        return np.zeros((0, _NUMBERS), np.float32)
    windows = np.lib.stride_tricks.sliding_window_view(where, (side, side))[::step, ::step]
    places = np.argwhere(windows.mean(axis=(2, 3)) >= INSIDE) * step
    cut = [pixels[y : y + side, x : x + side].reshape(4, cell, 4, cell, 3).mean(axis=(1, 3)) for y, x in places]
    return np.array(cut, np.float32).reshape(-1, _NUMBERS)


def _nearest(ones: np.ndarray, others: np.ndarray) -> np.ndarray:
    """Return the distance from each patch to the nearest of the others, in levels of colour."""
    squares = (ones**2).sum(1)[:, None] + (others**2).sum(1)[None] - 2 * ones @ others.T
    distances: np.ndarray = np.sqrt(squares.min(axis=1).clip(0) / _NUMBERS)
    return distances
