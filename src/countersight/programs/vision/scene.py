"""Recognises a drawn scene from its pixels, also if the picture was re-encoded or resized; abstains if unsure.

Only the pixels are used, not the stored scene. A re-encoded picture is searched with several thresholds (`shapes.py`),
whose results must agree.
"""

from collections import Counter
from itertools import combinations
from typing import Final

import numpy as np
from numpy.typing import NDArray
from PIL import Image

from countersight.picture import Pixels
from countersight.programs.vision.shapes import (
    AS_DRAWN,
    JOINED,
    Box,
    NotAScene,
    Seen,
    SeenCircle,
    SeenFlower,
    SeenPolygon,
    Strictness,
    find_shapes,
)

SIDE: Final = 448
"""The width and height of the scenes; pictures of other sizes are resized to it."""
SMALLEST, LARGEST = 0.6, 2.3
"""The minimum and maximum factor by which a picture may have been resized."""
AGAIN: Final = (Strictness(28, 150, 60), Strictness(36, 140, 60), Strictness(20, 150, 60), Strictness(46, 140, 60))
"""Thresholds for re-encoded pictures: at least two must recognise everything, and those must agree."""
_UNEVEN: Final = 16
"""The maximum difference of the background between the left and right of a row, in a re-encoded picture."""
_ROWS: Final = 0.05
"""The share of rows with larger differences of the background, caused by encoding artefacts near the border."""
_UNCLEAR: Final = 0.07
"""The maximum share of a picture that is neither a thing nor any possible colour of the background; if it is exceeded,
the picture was altered by more than re-encoding."""
_UNCLEAR_AS_DRAWN: Final = 0.02
_FLOWER_SIZES: Final = 15, 56
"""The exclusive limits of the sides of a flower in pixels."""
_DOT_SIZES: Final = 6, 25
_CORNERS: Final = 0.12
"""The maximum overlap of the boxes of two round things that do not touch."""


def see(pixels: Pixels) -> Seen:
    """Recognise a drawn picture; raises NotAScene if it is not such a drawing or uncertain."""
    if pixels.ndim != 3 or min(pixels.shape[:2]) < 2:
        raise NotAScene("it is too small")
    if _is_as_drawn(pixels):
        for strictness in (AS_DRAWN, JOINED):
            seen = find_shapes(pixels, pixels[:, 0].astype(np.int16), strictness)
            if seen and not seen.loose and seen.unclear <= _UNCLEAR_AS_DRAWN and _are_apart(seen):
                return seen
    return _seen_again(pixels)


def _is_as_drawn(pixels: Pixels) -> bool:
    """Whether a picture has the drawn size and its background is exactly uniform along each row."""
    first = pixels[:, :1]
    at_the_sides = (pixels[:, :4], pixels[:, -4:])
    return pixels.shape[:2] == (SIDE, SIDE) and all(bool((side == first).all()) for side in at_the_sides)


def _seen_again(pixels: Pixels) -> Seen:
    """Recognise a picture that was encoded again."""
    height, width = pixels.shape[:2]
    grown = max(height, width) / SIDE
    if abs(height - width) > 2 or not SMALLEST <= grown <= LARGEST:
        raise NotAScene(f"it has {width} x {height} pixels; scenes are square, with sides of about {SIDE}")
    if (height, width) != (SIDE, SIDE):
        pixels = np.asarray(Image.fromarray(pixels).resize((SIDE, SIDE), Image.Resampling.LANCZOS))
    ground = _ground(pixels)
    found = [find_shapes(pixels, ground, strictness) for strictness in AGAIN]
    if not any(found):
        raise NotAScene("its outlines have none of the polygons' colours")
    sure = [seen for seen in found if seen and not seen.loose and seen.unclear <= _UNCLEAR and _is_sensible(seen)]
    if len(sure) < 2 or any(_counted(seen) != _counted(sure[0]) for seen in sure):
        raise NotAScene("it was re-encoded, so its contents cannot be counted reliably")
    return _scaled(sure[0], grown)


def _ground(pixels: Pixels) -> NDArray[np.int16]:
    """Return the background colour of each row, from the left and right border, which nothing drawn reaches."""
    left, right = (np.median(side, axis=1) for side in (pixels[:, 1:6], pixels[:, -6:-1]))
    uneven = np.abs(left - right).max(axis=1) > _UNEVEN
    lighter = np.maximum(left, right)
    if uneven.mean() > _ROWS or lighter.min() < AS_DRAWN.pale:
        raise NotAScene("its background is not pale and even")
    ground: NDArray[np.int16] = np.rint(np.where(uneven[:, None], lighter, (left + right) / 2)).astype(np.int16)
    return ground


def _counted(seen: Seen) -> tuple[object, ...]:
    """Return the counts of everything recognised, in a form that can be compared."""
    dots = sorted((len(circle.dots) for circle in seen.circles), reverse=True)
    colours = sorted(polygon.colour for polygon in seen.polygons)
    return Counter(flower.inside for flower in seen.flowers), colours, dots


def _is_sensible(seen: Seen) -> bool:
    """Whether everything has a plausible size; merged things are too large."""
    dots = [dot for circle in seen.circles for dot in circle.dots]
    sizes = [_fits(flower.box, _FLOWER_SIZES) for flower in seen.flowers] + [_fits(dot, _DOT_SIZES) for dot in dots]
    return all(sizes) and _are_apart(seen)


def _are_apart(seen: Seen) -> bool:
    """Whether no two flowers overlap; real flowers never touch, but pieces of one flower may overlap."""
    return all(_overlap(one.box, two.box) <= _CORNERS for one, two in combinations(seen.flowers, 2))


def _overlap(one: Box, two: Box) -> float:
    """Return the share of the smaller of two boxes that lies in the other."""
    across = min(one[2], two[2]) - max(one[0], two[0])
    along = min(one[3], two[3]) - max(one[1], two[1])
    smaller = min((box[2] - box[0]) * (box[3] - box[1]) for box in (one, two))
    return across * along / smaller if across > 0 and along > 0 else 0.0


def _fits(box: Box, bounds: tuple[int, int]) -> bool:
    sides = box[2] - box[0], box[3] - box[1]
    return bounds[0] < min(sides) and max(sides) < bounds[1] and max(sides) < 1.6 * min(sides)


def _scaled(seen: Seen, by: float) -> Seen:
    """Scale the recognised content to the pixels of the original picture."""

    def scaled(box: Box) -> Box:
        left, top, right, bottom = (round(side * by) for side in box)
        return left, top, right, bottom

    return Seen(
        tuple(SeenPolygon(scaled(polygon.box), polygon.colour) for polygon in seen.polygons),
        tuple(SeenFlower(scaled(flower.box), flower.inside) for flower in seen.flowers),
        tuple(SeenCircle(scaled(circle.box), tuple(map(scaled, circle.dots))) for circle in seen.circles),
    )
