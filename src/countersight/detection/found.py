"""Boxes a detector found, and which of them to keep."""

from collections.abc import Sequence

import msgspec
import numpy as np
from numpy.typing import NDArray

MOST = 300
"""Things found in one picture, at most: the best detectors name no more."""


class Found(msgspec.Struct, frozen=True):
    """Something in a picture: left, top, right and bottom in its pixels, what it is, and how sure that is."""

    box: tuple[float, float, float, float]
    name: str
    score: float


def listed(boxes: NDArray[np.float32], scores: NDArray[np.float32], names: Sequence[str], least: float) -> list[Found]:
    """Rows of boxes with their scores and names as things, without those below the least score and those that are
    no box."""
    kept = np.isfinite(boxes).all(axis=1) & (scores >= least)
    kept &= (boxes[:, 2] > boxes[:, 0]) & (boxes[:, 3] > boxes[:, 1])
    return [
        Found((*map(float, boxes[row]),), names[row], float(scores[row]))  # type: ignore[arg-type]
        for row in np.flatnonzero(kept).tolist()
        if names[row]
    ]


def suppressed(found: Sequence[Found], overlap: float) -> list[Found]:
    """The surest first; of two of one name that overlap by more than so much of their union, only the surer one."""
    ordered = sorted(found, key=lambda each: -each.score)
    kept: list[Found] = []
    for each in ordered:
        if len(kept) == MOST:
            break
        if all(other.name != each.name or shared(other, each) <= overlap for other in kept):
            kept.append(each)
    return kept


def shared(one: Found, other: Found) -> float:
    """What two boxes have in common, as a part of what they cover together."""
    width = min(one.box[2], other.box[2]) - max(one.box[0], other.box[0])
    height = min(one.box[3], other.box[3]) - max(one.box[1], other.box[1])
    if width <= 0 or height <= 0:
        return 0.0
    common = width * height
    return common / (_area(one) + _area(other) - common)


def _area(found: Found) -> float:
    left, top, right, bottom = found.box
    return (right - left) * (bottom - top)
