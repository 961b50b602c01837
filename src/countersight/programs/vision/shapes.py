"""Finds flowers and polygons, or circles and dots, in the pixels of a drawn scene, with given thresholds.

Such pictures have a pale background that is uniform along each row, outlines in one of eight named colours, transparent
tints, and things that never touch.
"""

from typing import Final

import msgspec
import numpy as np
from numpy.typing import NDArray

from countersight.picture import Pixels
from countersight.programs.vision.connected_patches import Mask, Patches, patches
from countersight.scenes import NAMED, rgb


class NotAScene(Exception):  # noqa: N818 - the name says what is wrong
    """Raised if the picture is not a drawn scene."""


Box = tuple[int, int, int, int]
"""Left, top, right and bottom; right and bottom are exclusive."""


class SeenFlower(msgspec.Struct, frozen=True):
    """A flower, and the colours of the polygons around it."""

    box: Box
    inside: frozenset[str]


class SeenPolygon(msgspec.Struct, frozen=True):
    """A polygon, or several overlapping polygons of the same colour, which cannot be told apart."""

    box: Box
    colour: str


class SeenCircle(msgspec.Struct, frozen=True):
    """A ring and the boxes of the dots in it."""

    box: Box
    dots: tuple[Box, ...]


class Seen(msgspec.Struct, frozen=True):
    """The recognised content of a picture."""

    polygons: tuple[SeenPolygon, ...] = ()
    flowers: tuple[SeenFlower, ...] = ()
    circles: tuple[SeenCircle, ...] = ()
    loose: int = 0
    """The number of pieces that are not part of these things."""
    unclear: float = 0.0
    """The share of the picture that is neither a thing nor any possible colour of the background."""


TINT: Final = 46 / 255
"""The opacity of a polygon's colour over the background."""
_SPECK: Final = 24
"""The minimum number of pixels of a thing; smaller patches are soft edges."""
_FLOWER: Final = 4 * _SPECK
"""The minimum number of pixels of a flower; smaller patches are pieces of one."""
_LARGE: Final = 64
"""The side in pixels above which something is an outline or a ring, not a flower or dot."""
_CROWD: Final = 2_000
"""The maximum number of patches of a scene; a picture with more is a photograph or noise."""
_EXPLAINED: Final = 0.8
"""The minimum share of an outline's pixels with a colour of polygons."""
_CLEAR: Final = 9
"""The maximum distance of the background from one of its possible colours, except for a few pixels at edges."""
_ROUND: Final = 7
"""The maximum distance of a ring's pixels from one circle."""


class Strictness(msgspec.Struct, frozen=True):
    """Thresholds for recognising a picture."""

    near: int
    """Two colours that differ by at most this in every channel count as the same background."""
    pale: int
    """Every channel of a background is lighter than this; outlines, petal edges, rings and dots have a darker one."""
    outline: int
    """The maximum difference between an outline and its named colour in every channel."""
    whole: int = _FLOWER
    """The minimum number of pixels for a patch to be a whole flower, which is not joined with others."""


AS_DRAWN: Final = Strictness(near=7, pale=150, outline=1)
JOINED: Final = Strictness(near=7, pale=150, outline=1, whole=_LARGE**2)
"""For petals as pale as the background: these leave large pieces, so all pieces close to each other are joined."""


def find_shapes(pixels: Pixels, ground: NDArray[np.int16], strictness: Strictness) -> Seen | None:
    """Return what is drawn on a background with these row colours; None if no outline has a colour of polygons.

    Raises NotAScene if the picture is not such a drawing.
    """
    inked = patches(np.minimum(np.minimum(pixels[..., 0], pixels[..., 1]), pixels[..., 2]) < strictness.pale)
    _refuse_a_crowd(inked)
    large = [n for n in range(len(inked.areas)) if max(_sides(_box(inked.boxes[n]))) > _LARGE]
    if not large:
        raise NotAScene("it contains neither a polygon nor a circle")
    if all(_is_ring(inked, n) for n in large):
        return Seen(circles=_circles(inked, set(large)))
    colours = _outline_colours(pixels, inked, large, strictness)
    return _flowers(pixels, ground, colours, strictness, inked.labels >= 0) if colours else None


def _refuse_a_crowd(found: Patches) -> None:
    if len(found.areas) > _CROWD:
        raise NotAScene("it contains too many things")


def _is_ring(inked: Patches, n: int) -> bool:
    """Whether all pixels of a patch are close to one circle."""
    left, top, right, bottom = _box(inked.boxes[n])
    if abs((right - left) - (bottom - top)) > _ROUND:
        return False
    ys, xs = np.nonzero(inked.labels[top:bottom, left:right] == n)
    away = np.hypot(xs - (right - left - 1) / 2, ys - (bottom - top - 1) / 2)
    return bool(away.min() > (right - left) / 2 - _ROUND)


def _outline_colours(pixels: Pixels, inked: Patches, large: list[int], strictness: Strictness) -> dict[str, Box]:
    """Return the named colours of the outlines, and the box around each."""
    ys, xs = np.nonzero(_core(inked.mask_of(large)))
    outline = pixels[ys, xs].astype(np.int16)
    away = np.stack([np.abs(outline - np.array(rgb(name), np.int16)).max(axis=1) for name in NAMED])
    nearest = np.where(away.min(axis=0) <= strictness.outline, away.argmin(axis=0), -1)
    if np.count_nonzero(nearest >= 0) < _EXPLAINED * len(outline):
        return {}
    found = {}
    for number, name in enumerate(NAMED):
        here = nearest == number
        if np.count_nonzero(here) > max(4 * _LARGE, len(outline) // 12):
            x, y = xs[here], ys[here]
            found[name] = (int(x.min()), int(y.min()), int(x.max()) + 1, int(y.max()) + 1)
    return found


def _core(mask: Mask) -> Mask:
    """Return the pixels of a mask whose four neighbours all belong to it, since edges have mixed colours."""
    core = mask.copy()
    core[1:] &= mask[:-1]
    core[:-1] &= mask[1:]
    core[:, 1:] &= mask[:, :-1]
    core[:, :-1] &= mask[:, 1:]
    return core


def _flowers(
    pixels: Pixels, ground: NDArray[np.int16], colours: dict[str, Box], strictness: Strictness, inked: Mask
) -> Seen:
    """Find flowers in the pixels that are neither background (bare or tinted) nor outlines."""
    names = list(colours)
    tints = _tints(ground, names)
    planes = np.ascontiguousarray(np.moveaxis(pixels, 2, 0)).astype(np.int16)  # 3 times as fast as interleaved
    least = _distance(planes, tints[0][1])
    nearest = np.zeros(least.shape, np.int8)
    for n, (_, tint) in enumerate(tints[1:], 1):
        distance = _distance(planes, tint)
        nearest[distance < least] = n
        np.minimum(least, distance, out=least)
    is_ground = least <= strictness.near
    drawn = patches(~is_ground)
    _refuse_a_crowd(drawn)
    small = _flower_boxes(drawn, strictness.whole)
    flowers = []
    for box in small:
        if any(_holds(other, box) for other in small):
            continue  # the heart of a flower with petals as pale as the background
        votes = np.bincount(_ground_around(box, nearest, is_ground), minlength=len(tints))
        flowers.append(SeenFlower(box, tints[votes.argmax()][0]))
    unclear = np.where(is_ground, least > _CLEAR, ~inked)
    for left, top, right, bottom in (flower.box for flower in flowers):
        unclear[top:bottom, left:right] = False
    loose = _loose(drawn, [flower.box for flower in flowers])
    polygons = tuple(SeenPolygon(box, name) for name, box in colours.items())
    return Seen(polygons, tuple(flowers), loose=loose, unclear=float(unclear.mean()))


def _ground_around(box: Box, nearest: NDArray[np.int8], is_ground: Mask) -> NDArray[np.int8]:
    """Return the background around a flower, but not between its petals, where petals may look like background."""
    left, top, right, bottom = max(0, box[0] - 3), max(0, box[1] - 3), box[2] + 3, box[3] + 3
    around = np.s_[top:bottom, left:right]
    ys, xs = np.ogrid[top : top + nearest[around].shape[0], left : left + nearest[around].shape[1]]
    across, along = (box[2] - box[0]) / 2, (box[3] - box[1]) / 2
    outside = ((xs - box[0] - across) / across) ** 2 + ((ys - box[1] - along) / along) ** 2 > 1
    return nearest[around][is_ground[around] & outside]


def _loose(drawn: Patches, flowers: list[Box]) -> int:
    """Return the number of pieces that are not part of a recognised thing."""
    pieces = [_box(box) for box, area in zip(drawn.boxes, drawn.areas, strict=True) if area >= _SPECK // 2]
    wider = [(left - 3, top - 3, right + 3, bottom + 3) for left, top, right, bottom in flowers]
    return sum(max(_sides(piece)) <= _LARGE and not any(_holds(flower, piece) for flower in wider) for piece in pieces)


def _flower_boxes(drawn: Patches, enough: int) -> list[Box]:
    """Return boxes around patches that are large enough for a flower and smaller than outlines."""
    boxes = [_box(box) for box in drawn.boxes]
    small = [n for n, box in enumerate(boxes) if drawn.areas[n] >= _SPECK and max(_sides(box)) <= _LARGE]
    whole = [boxes[n] for n in small if drawn.areas[n] >= enough]
    pieces = [n for n in small if drawn.areas[n] < enough and not any(_holds(box, boxes[n]) for box in whole)]
    return whole + (_joined_boxes(drawn, pieces) if pieces else [])


def _joined_boxes(drawn: Patches, pieces: list[int]) -> list[Box]:
    """Return boxes around flowers in several pieces: if petals are as pale as the background, only rims and the heart
    are visible.

    Pieces at most two pixels apart belong together; other things are at least twice as far away.
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
    """Return the maximum difference over the channels between each pixel and the colour of its row."""
    farthest: NDArray[np.int16] = np.abs(planes[0] - colours[:, 0, None])
    for channel in (1, 2):
        np.maximum(farthest, np.abs(planes[channel] - colours[:, channel, None]), out=farthest)
    return farthest


def _tints(ground: NDArray[np.int16], names: list[str]) -> list[tuple[frozenset[str], NDArray[np.int16]]]:
    """Return the colours of the background: bare, under each polygon colour, and under two of them."""
    found = [(frozenset[str](), ground)]
    found += [(frozenset({name}), _tinted(ground, name)) for name in names]
    for first in names:  # the upper one of two colours is visible
        for second in names if len(names) == 1 else [name for name in names if name != first]:
            found.append((frozenset({first, second}), _tinted(_tinted(ground, first), second)))
    return found


def _tinted(ground: NDArray[np.int16], name: str) -> NDArray[np.int16]:
    return np.rint(ground * (1 - TINT) + np.array(rgb(name)) * TINT).astype(np.int16)


def _circles(inked: Patches, large: set[int]) -> tuple[SeenCircle, ...]:
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
    return tuple(SeenCircle(ring, tuple(dots[n])) for n, ring in enumerate(rings))


def _box(sides: NDArray[np.int32]) -> Box:
    left, top, right, bottom = sides.tolist()
    return left, top, right, bottom


def _sides(box: Box) -> tuple[int, int]:
    return box[2] - box[0], box[3] - box[1]


def _holds(outer: Box, inner: Box) -> bool:
    if outer == inner:
        return False
    return outer[0] <= inner[0] and outer[1] <= inner[1] and outer[2] >= inner[2] and outer[3] >= inner[3]
