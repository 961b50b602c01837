"""Sees the drawn scenes of C-VQA-Synthetic from their pixels alone: flowers in polygons, dots in circles.

Nothing here knows the stored scene. What it relies on is how such pictures look: a pale ground that is the same all
along a row, outlines in one of eight named colours, tints that let the ground shine through, things that never touch.
"""

from typing import Final

import msgspec
import numpy as np
from numpy.typing import NDArray

from countersight.picture import Pixels
from countersight.programs.eyes.patches import Patches, patches
from countersight.scenes import NAMED, rgb

Box = tuple[int, int, int, int]
"""Left, top, right and bottom; right and bottom are just past it."""

TINT: Final = 46 / 255
"""How much of a polygon's colour lies over the ground inside it."""
_NEAR: Final = 7
"""Two colours this near in every channel are the same."""
_SPECK: Final = 24
"""Fewer pixels are the soft edge of something, not a thing."""
_FLOWER: Final = 4 * _SPECK
"""Fewer pixels are a piece of a flower."""
_LARGE: Final = 64
"""Longer than any flower or dot: an outline or a ring."""
_PALE: Final = 150
"""Every channel of a ground is lighter; an outline, a petal's edge, a ring or a dot has a darker one."""
_LONGEST_SIDE: Final = 1024
"""Scenes are drawn at 448 pixels, and these eyes know how large things are there."""
_CROWD: Final = 2_000
"""More patches than any scene has: a photograph, or noise."""


class NotAScene(Exception):  # noqa: N818 - it names what is wrong with the picture
    """The picture is not one of the drawn scenes these eyes know."""


class Flower(msgspec.Struct, frozen=True):
    """A flower, and the colours of the polygons it lies in."""

    box: Box
    inside: frozenset[str]


class Polygon(msgspec.Struct, frozen=True):
    """The polygons of one colour; where two of one colour cross they are seen as one."""

    box: Box
    colour: str


class Circle(msgspec.Struct, frozen=True):
    """A ring and the boxes of the dots in it."""

    box: Box
    dots: tuple[Box, ...]


class Seen(msgspec.Struct, frozen=True):
    """What was found in a picture."""

    polygons: tuple[Polygon, ...] = ()
    flowers: tuple[Flower, ...] = ()
    circles: tuple[Circle, ...] = ()


def see(pixels: Pixels) -> Seen:
    """What is drawn in a picture; raises NotAScene where it is no such drawing."""
    ground = _ground(pixels)
    inked = patches(np.minimum(np.minimum(pixels[..., 0], pixels[..., 1]), pixels[..., 2]) < _PALE)
    _refuse_a_crowd(inked)
    large = [n for n in range(len(inked.areas)) if max(_sides(_box(inked.boxes[n]))) > _LARGE]
    if not large:
        raise NotAScene("there is neither a polygon nor a circle in it")
    colours = _outline_colours(pixels, inked, large)
    if colours:
        return _flowers(pixels, ground, colours)
    return Seen(circles=_circles(inked, set(large)))


def _ground(pixels: Pixels) -> NDArray[np.int16]:
    """The colour of the ground in each row: nothing that is drawn reaches the left or right border."""
    if pixels.ndim != 3 or min(pixels.shape[:2]) < 2 * _LARGE:
        raise NotAScene("it is too small")
    if max(pixels.shape[:2]) > _LONGEST_SIDE:
        raise NotAScene("it is too large")
    left, right = pixels[:, 0].astype(np.int16), pixels[:, -1].astype(np.int16)
    if np.abs(left - right).max() > _NEAR or left.min() < _PALE:
        raise NotAScene("its ground is not pale and even")
    return left


def _refuse_a_crowd(found: Patches) -> None:
    if len(found.areas) > _CROWD:
        raise NotAScene("there are too many things in it")


def _outline_colours(pixels: Pixels, inked: Patches, large: list[int]) -> dict[str, Box]:
    """The named colours among the outlines, and the box around each."""
    ys, xs = np.nonzero(inked.mask_of(large))
    outline = pixels[ys, xs].astype(np.int16)
    found = {}
    for name in NAMED:
        here = (np.abs(outline - np.array(rgb(name), np.int16)) <= 1).all(axis=1)
        if np.count_nonzero(here) > 4 * _LARGE:
            x, y = xs[here], ys[here]
            found[name] = (int(x.min()), int(y.min()), int(x.max()) + 1, int(y.max()) + 1)
    return found


def _flowers(pixels: Pixels, ground: NDArray[np.int16], colours: dict[str, Box]) -> Seen:
    """Flowers are what is left when the ground, bare or tinted, and the outlines are taken away."""
    names = list(colours)
    tints = _tints(ground, names)
    planes = np.ascontiguousarray(np.moveaxis(pixels, 2, 0)).astype(np.int16)  # interleaved, it takes thrice as long
    least = _distance(planes, tints[0][1])
    nearest = np.zeros(least.shape, np.int8)
    for n, (_, tint) in enumerate(tints[1:], 1):
        distance = _distance(planes, tint)
        nearest[distance < least] = n
        np.minimum(least, distance, out=least)
    is_ground = least <= _NEAR
    drawn = patches(~is_ground)
    _refuse_a_crowd(drawn)
    small = _flower_boxes(drawn)
    flowers = []
    for box in small:
        if any(_holds(other, box) for other in small):
            continue  # the heart of a flower whose petals are as pale as the ground
        left, top, right, bottom = box
        around = np.s_[max(0, top - 3) : bottom + 3, max(0, left - 3) : right + 3]
        seen = nearest[around][is_ground[around]]
        region = np.bincount(seen, minlength=len(tints)).argmax()
        flowers.append(Flower(box, tints[region][0]))
    return Seen(tuple(Polygon(box, name) for name, box in colours.items()), tuple(flowers))


def _flower_boxes(drawn: Patches) -> list[Box]:
    """Boxes around what is large enough for a flower and small enough for none of the outlines."""
    boxes = [_box(box) for box in drawn.boxes]
    small = [n for n, box in enumerate(boxes) if drawn.areas[n] >= _SPECK and max(_sides(box)) <= _LARGE]
    whole = [boxes[n] for n in small if drawn.areas[n] >= _FLOWER]
    pieces = [n for n in small if drawn.areas[n] < _FLOWER and not any(_holds(box, boxes[n]) for box in whole)]
    return whole + (_joined_boxes(drawn, pieces) if pieces else [])


def _joined_boxes(drawn: Patches, pieces: list[int]) -> list[Box]:
    """Boxes around flowers that fell to pieces: of petals as pale as the ground only rims and the heart are seen.

    What is no farther apart than two pixels belongs together; other things are at least twice as far away.
    """
    mask = drawn.mask_of(pieces)
    height, width = mask.shape
    padded = np.pad(mask, 1)
    wider = np.zeros_like(mask)
    for y, x in np.ndindex(3, 3):
        wider |= padded[y : y + height, x : x + width]
    joined = patches(wider)
    areas = np.bincount(joined.labels[mask], minlength=len(joined.areas))
    return [
        (left + 1, top + 1, right - 1, bottom - 1)
        for (left, top, right, bottom), area in zip(map(_box, joined.boxes), areas, strict=True)
        if area >= _FLOWER and max(right - left, bottom - top) - 2 <= _LARGE
    ]


def _distance(planes: NDArray[np.int16], colours: NDArray[np.int16]) -> NDArray[np.int16]:
    """How far each pixel is from the colour of its row, in the channel where it is farthest."""
    farthest: NDArray[np.int16] = np.abs(planes[0] - colours[:, 0, None])
    for channel in (1, 2):
        np.maximum(farthest, np.abs(planes[channel] - colours[:, channel, None]), out=farthest)
    return farthest


def _tints(ground: NDArray[np.int16], names: list[str]) -> list[tuple[frozenset[str], NDArray[np.int16]]]:
    """What the ground looks like bare, under each colour, and under two of them."""
    found = [(frozenset[str](), ground)]
    found += [(frozenset({name}), _tinted(ground, name)) for name in names]
    for first in names:  # which of two lies on top shows
        for second in names if len(names) == 1 else [name for name in names if name != first]:
            found.append((frozenset({first, second}), _tinted(_tinted(ground, first), second)))
    return found


def _tinted(ground: NDArray[np.int16], name: str) -> NDArray[np.int16]:
    return np.rint(ground * (1 - TINT) + np.array(rgb(name)) * TINT).astype(np.int16)


def _circles(inked: Patches, large: set[int]) -> tuple[Circle, ...]:
    rings = [_box(inked.boxes[n]) for n in sorted(large)]
    dots: dict[int, list[Box]] = {ring: [] for ring in range(len(rings))}
    for n, box in enumerate(inked.boxes):
        if n in large or inked.areas[n] < _SPECK:
            continue
        left, top, right, bottom = dot = _box(box)
        x, y = (left + right) / 2, (top + bottom) / 2
        for ring, (ring_left, ring_top, ring_right, ring_bottom) in enumerate(rings):
            if ring_left < x < ring_right and ring_top < y < ring_bottom:
                dots[ring].append(dot)
                break
    return tuple(Circle(ring, tuple(dots[n])) for n, ring in enumerate(rings))


def _box(sides: NDArray[np.int32]) -> Box:
    left, top, right, bottom = sides.tolist()
    return left, top, right, bottom


def _sides(box: Box) -> tuple[int, int]:
    return box[2] - box[0], box[3] - box[1]


def _holds(outer: Box, inner: Box) -> bool:
    if outer == inner:
        return False
    return outer[0] <= inner[0] and outer[1] <= inner[1] and outer[2] >= inner[2] and outer[3] >= inner[3]
