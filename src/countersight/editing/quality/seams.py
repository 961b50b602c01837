"""Measure whether an edit is visible: its seam, its texture, its structure, and remains of the removed object.

A filled hole is visible for three reasons: neighbouring pixels differ more along its rim than elsewhere, its texture is
smoother or rougher than the texture around it, or something with stronger edges than its surroundings was painted in.
"""

import msgspec
import numpy as np
from numpy.typing import NDArray
from PIL import Image, ImageFilter

from countersight.detection import Mask, box_of, grow_mask
from countersight.picture import Pixels

RIM = 3
"""The number of pixels on both sides of the rim that are compared."""
AROUND = 24
"""The width in pixels of the surroundings whose texture is compared with the inside."""
FINE = 2.0
"""The blur radius in pixels; the detail that it removes counts as texture."""
QUIET = 1.0
"""The grey levels added to both sides of a comparison, to avoid division by zero in plain areas."""
CELL = 8
"""The side in pixels of the cells whose colours are compared to find painted structures."""
SURROUNDING_SHARE, LEAST_SURROUNDING = 0.35, 12
"""The width of the surroundings whose structure is compared: a share of the hole's size, plus this many pixels."""
FEWEST_INSIDE, FEWEST_AROUND = 3, 8
"""The minimum number of cells inside and around a hole to compare their structures."""
LEAST = 30
"""The minimum number of pixels for a measurement."""

Tones = NDArray[np.float32]


class Seams(msgspec.Struct, frozen=True, omit_defaults=True):
    """Measurements of how visible an edit is; a value is None if there are too few pixels to measure it."""

    seam: float | None = None
    """The differences across the rim of the mask, as a multiple of those next to it: 1 for an invisible rim."""
    texture: float | None = None
    """The texture inside the mask, as a multiple of the texture around it: far below 1 if the filling is blurred."""
    structure: float | None = None
    """The strong edges inside the mask, as a multiple of those around it: above 1 if something was painted into it."""
    left: float | None = None
    """The correlation of the texture inside the mask before and after: near 1 if the removed object is still
    visible."""
    hole: float = 0.0
    """The share of the picture that the mask covers."""


def seams_of(before: Pixels, after: Pixels, mask: Mask) -> Seams:
    """Return the measurements of an edit under a mask; pictures and mask have the same size."""
    if mask.sum() < LEAST or (~mask).sum() < LEAST:
        return Seams()
    fine_before, fine_after = _fine(before), _fine(after)
    core = ~grow_mask(~mask, 2)
    return Seams(
        seam=_seam(after.astype(np.float32), mask),
        texture=_texture(fine_after, core, grow_mask(mask, AROUND) & ~grow_mask(mask, 2)),
        structure=_structure(after.astype(np.float32), mask),
        left=_correlation(fine_before[core], fine_after[core]),
        hole=round(float(mask.mean()), 3),
    )


def _seam(tones: Tones, mask: Mask) -> float | None:
    near = grow_mask(mask, RIM) & grow_mask(~mask, RIM)
    across, beside = [], []
    for axis in (0, 1):
        steps = np.abs(np.diff(tones, axis=axis)).mean(axis=2)
        first, second = (np.s_[:-1], np.s_[1:]) if axis == 0 else (np.s_[:, :-1], np.s_[:, 1:])
        rim = mask[first] != mask[second]
        across.append(steps[rim])
        beside.append(steps[near[first] & near[second] & ~rim])
    there, elsewhere = np.concatenate(across), np.concatenate(beside)
    if len(there) < LEAST or len(elsewhere) < LEAST:
        return None
    return round(float((there.mean() + QUIET) / (elsewhere.mean() + QUIET)), 3)


def _texture(fine: Tones, core: Mask, around: Mask) -> float | None:
    if core.sum() < LEAST or around.sum() < LEAST:
        return None
    inside, outside = np.abs(fine[core]).mean(), np.abs(fine[around]).mean()
    return round(float((inside + QUIET) / (outside + QUIET)), 3)


def _structure(tones: Tones, mask: Mask) -> float | None:
    left, top, right, bottom = box_of(mask)
    size = max(right - left, bottom - top)
    around = grow_mask(mask, int(SURROUNDING_SHARE * size) + LEAST_SURROUNDING) & ~grow_mask(mask, 2)
    colours = _cells(tones)
    down, across = (
        np.abs(np.diff(colours, axis=axis, prepend=np.take(colours, [0], axis))).max(axis=2) for axis in (0, 1)
    )
    edges = np.maximum(down, across)
    inside, outside = (edges[_cells(area[:, :, None].astype(np.float32))[:, :, 0] > 0.9] for area in (mask, around))
    if len(inside) < FEWEST_INSIDE or len(outside) < FEWEST_AROUND:
        return None
    return round(float(np.percentile(inside, 90) / (np.percentile(outside, 90) + 4 * QUIET)), 3)


def _cells(tones: Tones) -> Tones:
    """Return the mean of each cell of a picture; incomplete cells at the right and at the bottom are left out."""
    height, width = (length // CELL for length in tones.shape[:2])
    cells = tones[: height * CELL, : width * CELL].reshape(height, CELL, width, CELL, -1)
    mean: Tones = cells.mean(axis=(1, 3))
    return mean


def _correlation(one: Tones, other: Tones) -> float | None:
    if len(one) < LEAST or one.std() < QUIET or other.std() < QUIET:
        return None
    return round(float(np.corrcoef(one, other)[0, 1]), 3)


def _fine(pixels: Pixels) -> Tones:
    """Return the detail that a blur would remove, in levels of grey."""
    grey = Image.fromarray(pixels).convert("L")
    tones: Tones = np.asarray(grey, np.float32) - np.asarray(grey.filter(ImageFilter.GaussianBlur(FINE)), np.float32)
    return tones
