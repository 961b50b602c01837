"""The finder protocol: one small interface for all detection models."""

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Protocol

import msgspec
import numpy as np
from numpy.typing import NDArray

from countersight.detection.vision import COCO
from countersight.errors import ModelError

if TYPE_CHECKING:
    from PIL import Image


MOST = 300
"""The maximum number of objects found in one picture."""


class Found(msgspec.Struct, frozen=True):
    """A found object: its box (left, top, right, bottom) in pixels, its name and its score."""

    box: tuple[float, float, float, float]
    name: str
    score: float


def listed(boxes: NDArray[np.float32], scores: NDArray[np.float32], names: Sequence[str], least: float) -> list[Found]:
    """Convert rows of boxes, scores and names to objects. Boxes below the score threshold and invalid boxes are
    skipped."""
    kept = np.isfinite(boxes).all(axis=1) & (scores >= least)
    kept &= (boxes[:, 2] > boxes[:, 0]) & (boxes[:, 3] > boxes[:, 1])
    return [
        Found((*map(float, boxes[row]),), names[row], float(scores[row]))  # type: ignore[arg-type]
        for row in np.flatnonzero(kept).tolist()
        if names[row]
    ]


def suppress_overlaps(found: Sequence[Found], overlap: float) -> list[Found]:
    """Return the objects, most certain first, with only the most certain of overlapping boxes with the same name."""
    ordered = sorted(found, key=lambda each: -each.score)
    kept: list[Found] = []
    for each in ordered:
        if len(kept) == MOST:
            break
        if all(other.name != each.name or shared(other, each) <= overlap for other in kept):
            kept.append(each)
    return kept


def shared(one: Found, other: Found) -> float:
    """Return the intersection over union of two boxes."""
    width = min(one.box[2], other.box[2]) - max(one.box[0], other.box[0])
    height = min(one.box[3], other.box[3]) - max(one.box[1], other.box[1])
    if width <= 0 or height <= 0:
        return 0.0
    common = width * height
    return common / (_area(one) + _area(other) - common)


def _area(found: Found) -> float:
    left, top, right, bottom = found.box
    return (right - left) * (bottom - top)


MOST_CLASSES = 10_000

IMAGE_MEAN = (0.485, 0.456, 0.406)
IMAGE_STD = (0.229, 0.224, 0.225)
"""Colour statistics of ImageNet, used to normalise the input of most detectors."""


class Finder(Protocol):
    """A loaded detection model."""

    classes: tuple[str, ...]
    """The names of the classes it finds; empty for an open-vocabulary model, which accepts any words."""
    least: float
    """The default score threshold."""
    settings: dict[str, object]
    """The settings on which its boxes depend; stored in run.json."""

    def find(self, image: "Image.Image", words: str, least: float) -> list[Found]:
        """Return the objects in a picture; only open-vocabulary models use `words`. May raise any exception."""
        ...


def read_labels(path: Path) -> tuple[str, ...]:
    """Return the names in a labels file, one per line; an empty line is a class without a name."""
    try:
        lines = path.read_text(encoding="utf-8").rstrip().splitlines()
    except (OSError, UnicodeDecodeError) as error:
        raise ModelError(f"the labels {path} cannot be read ({error})") from None
    if not 0 < len(lines) <= MOST_CLASSES:
        raise ModelError(f"the labels {path} must be 1 to {MOST_CLASSES:,} names, one per line")
    return tuple(line.strip() for line in lines)


def coco_labels(number: int) -> tuple[str, ...] | None:
    """Return COCO's class names if `number` fits: 80 classes in order, or 91 or 92 with one per id; otherwise None."""
    if number == len(COCO):
        return tuple(COCO.values())
    return tuple(COCO.get(id, "") for id in range(number)) if number in (91, 92) else None
