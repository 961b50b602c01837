"""Check edits of photographs by pixels: whether a removed thing is gone, and whether the edit looks real.

The thresholds were chosen by eye on removals from photographs: docs/measurements.md states how often they are wrong."""

import asyncio
from collections.abc import Mapping
from typing import Final, NamedTuple

import numpy as np

from countersight.audits.checkers.protocol import CheckResult, EditShown
from countersight.audits.records import Actor, Check, Local
from countersight.detection import grow_mask
from countersight.editing.quality import Seams, seams_of
from countersight.errors import BadPicture, EditFailed
from countersight.picture import Pixels

MOST_LEFT = 0.6
"""Largest correlation with the old texture under the mask at which a thing counts as gone."""
MOST_LIKE = 0.5
"""Largest share of patches of a fill that may look like the removed thing."""
LITTLE_LIKE, LITTLE_NEW = 0.12, 0.95
"""A removal is certain up to this share of patches that look like the thing, and up to this newness of the fill.

Chosen by eye on 64 removals from photographs and tested on 22 others; see docs/measurements.md for the results."""
PLAIN = 1.0
"""A thing that differs less than this from its surroundings looks like them: its removal cannot be confirmed."""
FLAT = 2.0
"""A fill whose colours vary less than this (standard deviation of 256 levels) is one flat colour."""
PATCHES = (16, 8)
"""Sides of patches in pixels; the smaller one is used if a hole has too few of the larger."""
INSIDE = 0.98
"""Least share of a patch's pixels that must lie in an area for the patch to belong to it."""
_NUMBERS = 4 * 4 * 3
"""The length of the description of a patch: 4 x 4 colours with three channels."""
MARGIN_SHARE, LEAST_MARGIN = 0.6, 48
"""Width of the area around a hole that is compared: a share of its size, and at least this many pixels."""
RING_SHARE, LEAST_RING = 0.35, 12
"""Width of the ring around a hole that is the baseline: a share of its size, plus this many pixels."""


class RemovalResult(NamedTuple):
    """Whether a thing is gone from a photograph; `done` is None if its colours do not decide."""

    done: bool | None
    seen: str
    measures: Mapping[str, float]


def removal_result(before: Pixels, after: Pixels, mask: np.ndarray) -> RemovalResult:
    """Return whether a hole is filled like its surroundings, patch by patch, and not with the removed thing.

    A fill that looks like the removed thing may be the thing itself or another one like it: neither is a removal. A
    fill that looks like nothing around it was invented.
    """
    left = seams_of(before, after, mask).left
    if left is not None and left >= MOST_LEFT:
        return RemovalResult(False, f"the object is still visible (texture similarity {left:.2f})", {"left": left})
    found = next(filter(None, (_resemblance(before, after, mask, side) for side in PATCHES)), None)
    if found is None:
        return RemovalResult(None, "the mask is too small or too large to be measured", {})
    measures = {name: round(value, 3) for name, value in found.items()}
    like, new = measures["like the thing"], measures["new"]
    if like > MOST_LIKE and float(after[mask].std(axis=0).max()) < FLAT:
        return RemovalResult(False, "the area was filled with one flat colour", measures)
    if like > MOST_LIKE:
        return RemovalResult(
            False, f"the fill resembles the removed object more than its surroundings ({like:.2f})", measures
        )
    if measures["new before"] < PLAIN:
        return RemovalResult(None, "the object already looked like its surroundings", measures)
    if like > LITTLE_LIKE:
        return RemovalResult(
            None, f"part of the fill resembles the removed object more than its surroundings ({like:.2f})", measures
        )
    if new > LITTLE_NEW:
        return RemovalResult(None, f"the fill does not resemble its surroundings ({new:.2f})", measures)
    return RemovalResult(True, f"the fill resembles its surroundings ({like:.2f}, {new:.2f})", measures)


def _resemblance(before: Pixels, after: Pixels, mask: np.ndarray, side: int) -> dict[str, float] | None:
    """Return the share of a fill that looks more like the thing than like its surroundings, and the newness of both.

    Newness is the distance from patches to the nearest patch around the hole, divided by the same distance for patches
    beside the hole. Return None if the hole is smaller than three patches.
    """
    rows, columns = np.nonzero(mask)
    size = int(max(np.ptp(rows), np.ptp(columns)))
    pad = max(LEAST_MARGIN, int(MARGIN_SHARE * size))
    part = np.s_[max(0, rows.min() - pad) : rows.max() + pad, max(0, columns.min() - pad) : columns.max() + pad]
    before, after, mask = before[part], after[part], mask[part]
    fill, _ = _patches(after, mask, side)
    thing, _ = _patches(before, mask, side)
    around, places = _patches(after, ~mask, side)
    beside, here = _patches(after, grow_mask(mask, int(RING_SHARE * size) + LEAST_RING) & ~mask, side)
    if len(fill) < 3 or len(around) < 20 or not len(beside):
        return None
    apart = np.abs(here[:, None] - places[None]).max(axis=2) > side
    usual = np.median(_nearest(beside, around, apart)) + 2
    to_around = _nearest(fill, around)
    return {
        "like the thing": float((_nearest(fill, thing) < to_around).mean()),
        "new": float(np.median(to_around) / usual),
        "new before": float(np.median(_nearest(thing, around)) / usual),
    }


def _patches(pixels: Pixels, where: np.ndarray, side: int) -> tuple[np.ndarray, np.ndarray]:
    """Return the patches inside an area, each as 4 x 4 colours, and their positions."""
    step, cell = side // 2, side // 4
    if min(where.shape) < side:
        return np.zeros((0, _NUMBERS), np.float32), np.zeros((0, 2), int)
    windows = np.lib.stride_tricks.sliding_window_view(where, (side, side))[::step, ::step]
    inside = windows.mean(axis=(2, 3)) >= INSIDE
    places = np.argwhere(inside) * step
    cut = [pixels[y : y + side, x : x + side].reshape(4, cell, 4, cell, 3).mean(axis=(1, 3)) for y, x in places]
    return np.array(cut, np.float32).reshape(-1, _NUMBERS), places


def _nearest(ones: np.ndarray, others: np.ndarray, allowed: np.ndarray | None = None) -> np.ndarray:
    """Return the distance from each patch to the nearest of the others, in levels of colour."""
    squares = (ones**2).sum(1)[:, None] + (others**2).sum(1)[None] - 2 * ones @ others.T
    if allowed is not None:
        squares = np.where(allowed, squares, np.inf)
    distances: np.ndarray = np.sqrt(squares.min(axis=1).clip(0) / _NUMBERS)
    return distances


ASKED: Final = "Does it look as if it had never been edited?"
MOST_SEAM: Final = 3.0
LEAST_TEXTURE: Final = 0.55
MOST_TEXTURE: Final = 2.5
MOST_HOLE: Final = 0.1
"""Largest share of the picture that a hole may cover; larger fills were invented in all examples we inspected."""
THRESHOLDS: Final = {
    "most seam": MOST_SEAM,
    "least texture": LEAST_TEXTURE,
    "most texture": MOST_TEXTURE,
    "most hole": MOST_HOLE,
}
_HOLES: Final = ("remove", "replace", "move", "resize", "add")
"""Actions that paint new content."""


class SeamChecker(Local):
    """Checks how an edit looks, without a model."""

    def __init__(self, thresholds: Mapping[str, float] = THRESHOLDS) -> None:
        self.party = Actor("seams", dict(thresholds))
        self._thresholds = thresholds

    async def check(self, edit: EditShown, key: str) -> CheckResult:
        """Return the result for border and texture."""
        return CheckResult(await asyncio.to_thread(check_seams, edit, self._thresholds))


def check_seams(edit: EditShown, thresholds: Mapping[str, float] = THRESHOLDS) -> Check:
    """Check how an edit looks; the result is the same for the same pictures and thresholds."""
    if edit.scene is not None:
        return Check("seams", ASKED, None, "a drawing has hard edges of its own")
    try:
        before, after, mask = edit.pixels()
    except (BadPicture, EditFailed) as error:
        return Check("seams", ASKED, None, str(error))
    if edit.instruction.action not in _HOLES or mask is None:
        return Check("seams", ASKED, None, "the edit has no filled area with a known mask")
    return verdict(seams_of(before, after, mask), thresholds)


def verdict(found: Seams, thresholds: Mapping[str, float] = THRESHOLDS) -> Check:
    """Return the check that follows from the measurements of an edit."""
    if found.seam is None or found.texture is None:
        return Check("seams", ASKED, None, "the mask is too small or too large to be measured")
    measures = {"seam": found.seam, "texture": found.texture, "hole": found.hole}
    faults = []
    if found.seam > thresholds["most seam"]:
        faults.append(f"its border is visible (steps {found.seam:.1f} times as large as next to it)")
    if found.texture < thresholds["least texture"]:
        faults.append(f"it is blurred (texture {found.texture:.2f} times that of its surroundings)")
    if found.texture > thresholds["most texture"]:
        faults.append(f"it is rougher than its surroundings ({found.texture:.1f} times)")
    if found.hole > thresholds.get("most hole", 1.0):
        faults.append(f"it covers {found.hole:.0%} of the picture, too much to look real")
    seen = " and ".join(faults) or f"border {found.seam:.1f}, texture {found.texture:.1f}: like its surroundings"
    return Check("seams", ASKED, not faults, seen, measures=measures)
