"""Sees the drawn scenes of C-VQA-Synthetic from their pixels alone: flowers in polygons, dots in circles.

A picture as we drew it is looked at once, strictly. One that was encoded again (as JPEG, at another size, a little
brighter) is only nearly what these eyes know; it is looked at several times, more and less strictly, and where the
looks do not agree they say that they cannot tell, instead of a number.
"""

from collections import Counter
from itertools import combinations
from typing import Final

import numpy as np
from numpy.typing import NDArray
from PIL import Image

from countersight.picture import Pixels
from countersight.programs.eyes.looking import AS_DRAWN, JOINED, Look, look
from countersight.programs.eyes.seen import Box, Circle, Flower, NotAScene, Polygon, Seen

SIDE: Final = 448
"""Width and height of the scenes; another size is brought to it."""
SMALLEST, LARGEST = 0.6, 2.3
"""How much smaller or larger a picture may have become."""
AGAIN: Final = (Look(28, 150, 60), Look(36, 140, 60), Look(20, 150, 60), Look(46, 140, 60))
"""Two that leave nothing over must see the same, and none may see otherwise."""
_UNEVEN: Final = 16
"""The ground at the left and right of a row may differ by so much where a picture was encoded again."""
_ROWS: Final = 0.05
"""In so many rows it may differ more: a corner near the border reaches there as a picture is encoded."""
_UNCLEAR: Final = 0.07
"""The most of a picture that may be neither a thing nor any colour that the ground can have; with more of it, more was
changed than the encoding."""
_UNCLEAR_AS_DRAWN: Final = 0.02
_NO_FLOWER: Final = 15, 56
"""A flower is larger and smaller than these, in pixels."""
_NO_DOT: Final = 6, 25
_CORNERS: Final = 0.12
"""The boxes of two round things that do not touch lie over each other by less, at their corners."""


def see(pixels: Pixels) -> Seen:
    """What is drawn in a picture; raises NotAScene where it is no such drawing, or cannot be told surely."""
    if pixels.ndim != 3 or min(pixels.shape[:2]) < 2:
        raise NotAScene("it is too small")
    if _is_as_drawn(pixels):
        for strictness in (AS_DRAWN, JOINED):
            seen = look(pixels, pixels[:, 0].astype(np.int16), strictness)
            if seen and not seen.loose and seen.unclear <= _UNCLEAR_AS_DRAWN and _are_apart(seen):
                return seen
    return _seen_again(pixels)


def _is_as_drawn(pixels: Pixels) -> bool:
    """Whether the ground is the same all along each row, to the last bit, in a picture of the size that we draw."""
    first = pixels[:, :1]
    at_the_sides = (pixels[:, :4], pixels[:, -4:])
    return pixels.shape[:2] == (SIDE, SIDE) and all(bool((side == first).all()) for side in at_the_sides)


def _seen_again(pixels: Pixels) -> Seen:
    """What is in a picture that was encoded again."""
    height, width = pixels.shape[:2]
    grown = max(height, width) / SIDE
    if abs(height - width) > 2 or not SMALLEST <= grown <= LARGEST:
        raise NotAScene(f"it is {width} x {height} pixels, and scenes are square, with about {SIDE}")
    if (height, width) != (SIDE, SIDE):
        pixels = np.asarray(Image.fromarray(pixels).resize((SIDE, SIDE), Image.Resampling.LANCZOS))
    ground = _ground(pixels)
    looks = [look(pixels, ground, strictness) for strictness in AGAIN]
    if not any(looks):
        raise NotAScene("its outlines have none of the colours that polygons have")
    sure = [seen for seen in looks if seen and not seen.loose and seen.unclear <= _UNCLEAR and _is_sensible(seen)]
    if len(sure) < 2 or any(_counted(seen) != _counted(sure[0]) for seen in sure):
        raise NotAScene("it was encoded again, and how much is in it cannot be told surely")
    return _scaled(sure[0], grown)


def _ground(pixels: Pixels) -> NDArray[np.int16]:
    """The colour of the ground in each row: nothing that is drawn reaches the left or right border."""
    left, right = (np.median(side, axis=1) for side in (pixels[:, 1:6], pixels[:, -6:-1]))
    uneven = np.abs(left - right).max(axis=1) > _UNEVEN
    lighter = np.maximum(left, right)
    if uneven.mean() > _ROWS or lighter.min() < AS_DRAWN.pale:
        raise NotAScene("its ground is not pale and even")
    ground: NDArray[np.int16] = np.rint(np.where(uneven[:, None], lighter, (left + right) / 2)).astype(np.int16)
    return ground


def _counted(seen: Seen) -> tuple[object, ...]:
    """How much of everything was seen, and where."""
    dots = sorted((len(circle.dots) for circle in seen.circles), reverse=True)
    colours = sorted(polygon.colour for polygon in seen.polygons)
    return Counter(flower.inside for flower in seen.flowers), colours, dots


def _is_sensible(seen: Seen) -> bool:
    """Whether everything has a size that such things have: two that have run together do not."""
    dots = [dot for circle in seen.circles for dot in circle.dots]
    sizes = [_fits(flower.box, _NO_FLOWER) for flower in seen.flowers] + [_fits(dot, _NO_DOT) for dot in dots]
    return all(sizes) and _are_apart(seen)


def _are_apart(seen: Seen) -> bool:
    """Whether no two flowers lie over each other, as pieces of one do; flowers never touch."""
    return all(_overlap(one.box, two.box) <= _CORNERS for one, two in combinations(seen.flowers, 2))


def _overlap(one: Box, two: Box) -> float:
    """How much of the smaller of two boxes lies in the other."""
    across = min(one[2], two[2]) - max(one[0], two[0])
    along = min(one[3], two[3]) - max(one[1], two[1])
    smaller = min((box[2] - box[0]) * (box[3] - box[1]) for box in (one, two))
    return across * along / smaller if across > 0 and along > 0 else 0.0


def _fits(box: Box, bounds: tuple[int, int]) -> bool:
    sides = box[2] - box[0], box[3] - box[1]
    return bounds[0] < min(sides) and max(sides) < bounds[1] and max(sides) < 1.6 * min(sides)


def _scaled(seen: Seen, by: float) -> Seen:
    """What was seen, in the pixels of the picture that was handed in."""

    def scaled(box: Box) -> Box:
        left, top, right, bottom = (round(side * by) for side in box)
        return left, top, right, bottom

    return Seen(
        tuple(Polygon(scaled(polygon.box), polygon.colour) for polygon in seen.polygons),
        tuple(Flower(scaled(flower.box), flower.inside) for flower in seen.flowers),
        tuple(Circle(scaled(circle.box), tuple(map(scaled, circle.dots))) for circle in seen.circles),
    )


__all__ = ["Circle", "Flower", "NotAScene", "Polygon", "Seen", "see"]
