"""Align an edited picture with its original: a shift in whole pixels, then an affine map if OpenCV is installed.

Editors that repaint the whole picture often shift and zoom it a little. A shift of three pixels changes pixel values
everywhere but is not part of the edit. A map is used only if it makes the two pictures more similar.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from PIL import Image

Warp = tuple[float, float, float, float, float, float]
"""An affine map (a, b, c, d, e, f) from the point (x, y) of the original to (ax + by + c, dx + ey + f) in the edit."""
Grey = NDArray[np.float32]

STILL: Warp = (1.0, 0.0, 0.0, 0.0, 1.0, 0.0)
ALIKE = 1.0
"""The largest mean difference in grey levels (of 255) at which no alignment is needed."""
BETTER = 0.9
"""An alignment is used only if it reduces the difference to this share or less."""
FINER = 0.97
"""An affine map is preferred only if it reduces the difference left by a shift to this share or less."""
LONGEST = 1024
"""The maximum side in pixels for registration; larger pictures are scaled down, because this is precise enough."""


class Registration(NamedTuple):
    """The alignment, if one helps, and how it was found."""

    warp: Warp
    how: str


def register(before: Image.Image, after: Image.Image, outside: NDArray[np.bool_]) -> Registration:
    """Return the map that aligns the edited picture with the original, outside the mask."""
    scale = min(1.0, LONGEST / max(before.size))
    size = (max(1, round(before.width * scale)), max(1, round(before.height * scale)))
    one, other = _grey(before, size), _grey(after, size)
    there = np.asarray(Image.fromarray(outside).resize(size, Image.Resampling.NEAREST))
    if min(size) < 16 or there.mean() < 0.05:
        return Registration(STILL, "")
    still = _difference(one, other, there)
    if still <= ALIKE:
        return Registration(STILL, "")
    best, how = STILL, "no alignment improved the similarity"
    least = still * BETTER
    x, y = _phase_correlation(one, other, there)
    moved = (1.0, 0.0, x, 0.0, 1.0, y)
    difference = _difference(one, apply_warp(other, moved), there)
    if difference < least:
        best, how, least = moved, "shift by phase correlation", difference * FINER
    affine = _affine(one, other, there, best)
    if affine is not None and _difference(one, apply_warp(other, affine), there) < least:
        best, how = affine, "affine map by enhanced correlation"
    a, b, c, d, e, f = best
    return Registration((a, b, c / scale, d, e, f / scale), how)


def apply_warp(tones: Grey, warp: Warp) -> Grey:
    """Return the grey tones of the edit aligned with the original; NaN beyond the border."""
    image = Image.fromarray(tones)
    back = image.transform(image.size, Image.Transform.AFFINE, warp, Image.Resampling.BICUBIC, fillcolor=-1e6)
    values = np.asarray(back, np.float32)
    return np.where(values < -1e3, np.float32("nan"), values)


def farthest(warp: Warp, size: tuple[int, int]) -> float:
    """Return the largest distance by which the map moves a corner of the picture."""
    width, height = size
    a, b, c, d, e, f = warp
    return max(float(np.hypot(a * x + b * y + c - x, d * x + e * y + f - y)) for x in (0, width) for y in (0, height))


def _grey(image: Image.Image, size: tuple[int, int]) -> Grey:
    return np.asarray(image.convert("L").resize(size, Image.Resampling.BOX, reducing_gap=2.0), np.float32)


def _difference(one: Grey, other: Grey, there: NDArray[np.bool_]) -> float:
    apart = np.abs(one - other)[there]
    apart = apart[~np.isnan(apart)]
    # Maps that move most of the picture beyond the border are rejected: too few pixels could be compared.
    return float(apart.mean()) if apart.size > 0.5 * there.sum() else float("inf")


def _phase_correlation(one: Grey, other: Grey, there: NDArray[np.bool_]) -> tuple[float, float]:
    """Return the shift of the second picture to the right and down, in whole pixels."""
    height, width = one.shape
    window = np.outer(np.hanning(height), np.hanning(width))
    # Both pictures are constant inside the mask, so that the edit does not affect the shift.
    spectra = [np.fft.rfft2(np.where(there, tones - tones[there].mean(), 0.0) * window) for tones in (one, other)]
    cross = spectra[1] * np.conj(spectra[0])
    peaks = np.fft.irfft2(cross / np.maximum(np.abs(cross), 1e-9), s=(height, width))
    y, x = np.unravel_index(int(peaks.argmax()), peaks.shape)
    return float(x if x <= width // 2 else x - width), float(y if y <= height // 2 else y - height)


def _affine(one: Grey, other: Grey, there: NDArray[np.bool_], start: Warp) -> Warp | None:
    """Return the affine map with the highest correlation, starting at `start`; None without OpenCV or convergence."""
    try:
        import cv2
    except ImportError:
        return None
    guess = np.array(start, np.float32).reshape(2, 3)
    until = (cv2.TERM_CRITERIA_EPS | cv2.TERM_CRITERIA_COUNT, 80, 1e-5)
    try:
        _, found = cv2.findTransformECC(one, other, guess, cv2.MOTION_AFFINE, until, there.astype(np.uint8), 5)
    except cv2.error:
        return None
    a, b, c, d, e, f = (float(value) for value in np.asarray(found).ravel())
    # OpenCV's origin is the middle of the first pixel; ours is its corner.
    return a, b, c + 0.5 * (1 - a - b), d, e, f + 0.5 * (1 - d - e)
