"""One look at a drawn scene, as strict as it is told to be.

Nothing here knows the stored scene. What it relies on is how such pictures look: a pale ground that is the same all
along a row, outlines in one of eight named colours, tints that let the ground shine through, things that never touch.
"""

from typing import Final

import msgspec
import numpy as np
from numpy.typing import NDArray

from countersight.picture import Pixels
from countersight.programs.eyes.patches import Mask, Patches, patches
from countersight.programs.eyes.seen import Box, Circle, Flower, NotAScene, Polygon, Seen
from countersight.scenes import NAMED, rgb

TINT: Final = 46 / 255
"""How much of a polygon's colour lies over the ground inside it."""
_SPECK: Final = 24
"""Fewer pixels are the soft edge of something, not a thing."""
_FLOWER: Final = 4 * _SPECK
"""Fewer pixels are a piece of a flower."""
_LARGE: Final = 64
"""Longer than any flower or dot: an outline or a ring."""
_CROWD: Final = 2_000
"""More patches than any scene has: a photograph, or noise."""
_EXPLAINED: Final = 0.8
"""The share of an outline's pixels that have a colour that polygons have."""
_CLEAR: Final = 9
"""Ground is this near to one of the colours it can have, but for a few pixels at the edges of things."""
_ROUND: Final = 7
"""A ring's pixels are all this near to one circle."""


class Look(msgspec.Struct, frozen=True):
    """How strictly a picture is looked at."""

    near: int
    """Two colours this near in every channel are the same ground."""
    pale: int
    """Every channel of a ground is lighter; an outline, a petal's edge, a ring or a dot has a darker one."""
    outline: int
    """An outline is this near to its named colour in every channel."""
    whole: int = _FLOWER
    """So many pixels are a flower, and are not joined with others."""


AS_DRAWN: Final = Look(near=7, pale=150, outline=1)
JOINED: Final = Look(near=7, pale=150, outline=1, whole=_LARGE**2)
"""For petals as pale as the ground, of which large pieces are left: whatever is near belongs together."""


def look(pixels: Pixels, ground: NDArray[np.int16], strictness: Look) -> Seen | None:
    """What is drawn over a ground of this colour in each row; None where no outline has a colour that polygons have.

    Raises NotAScene where it is no such drawing.
    """
    inked = patches(np.minimum(np.minimum(pixels[..., 0], pixels[..., 1]), pixels[..., 2]) < strictness.pale)
    _refuse_a_crowd(inked)
    large = [n for n in range(len(inked.areas)) if max(_sides(_box(inked.boxes[n]))) > _LARGE]
    if not large:
        raise NotAScene("there is neither a polygon nor a circle in it")
    if all(_is_ring(inked, n) for n in large):
        return Seen(circles=_circles(inked, set(large)))
    colours = _outline_colours(pixels, inked, large, strictness)
    return _flowers(pixels, ground, colours, strictness, inked.labels >= 0) if colours else None


def _refuse_a_crowd(found: Patches) -> None:
    if len(found.areas) > _CROWD:
        raise NotAScene("there are too many things in it")


def _is_ring(inked: Patches, n: int) -> bool:
    """Whether all pixels of a patch lie near one circle."""
    left, top, right, bottom = _box(inked.boxes[n])
    if abs((right - left) - (bottom - top)) > _ROUND:
        return False
    ys, xs = np.nonzero(inked.labels[top:bottom, left:right] == n)
    away = np.hypot(xs - (right - left - 1) / 2, ys - (bottom - top - 1) / 2)
    return bool(away.min() > (right - left) / 2 - _ROUND)


def _outline_colours(pixels: Pixels, inked: Patches, large: list[int], strictness: Look) -> dict[str, Box]:
    """The named colours among the outlines, and the box around each."""
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
    """The pixels of a mask whose neighbours above, below and beside all belong to it: edges are mixed colours."""
    core = mask.copy()
    core[1:] &= mask[:-1]
    core[:-1] &= mask[1:]
    core[:, 1:] &= mask[:, :-1]
    core[:, :-1] &= mask[:, 1:]
    return core


def _flowers(pixels: Pixels, ground: NDArray[np.int16], colours: dict[str, Box], strictness: Look, inked: Mask) -> Seen:
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
    is_ground = least <= strictness.near
    drawn = patches(~is_ground)
    _refuse_a_crowd(drawn)
    small = _flower_boxes(drawn, strictness.whole)
    flowers = []
    for box in small:
        if any(_holds(other, box) for other in small):
            continue  # the heart of a flower whose petals are as pale as the ground
        votes = np.bincount(_ground_around(box, nearest, is_ground), minlength=len(tints))
        flowers.append(Flower(box, tints[votes.argmax()][0]))
    unclear = np.where(is_ground, least > _CLEAR, ~inked)
    for left, top, right, bottom in (flower.box for flower in flowers):
        unclear[top:bottom, left:right] = False
    loose = _loose(drawn, [flower.box for flower in flowers])
    polygons = tuple(Polygon(box, name) for name, box in colours.items())
    return Seen(polygons, tuple(flowers), loose=loose, unclear=float(unclear.mean()))


def _ground_around(box: Box, nearest: NDArray[np.int8], is_ground: Mask) -> NDArray[np.int8]:
    """Which ground it is all around a flower; what shines through between its petals may be a petal."""
    left, top, right, bottom = max(0, box[0] - 3), max(0, box[1] - 3), box[2] + 3, box[3] + 3
    around = np.s_[top:bottom, left:right]
    ys, xs = np.ogrid[top : top + nearest[around].shape[0], left : left + nearest[around].shape[1]]
    across, along = (box[2] - box[0]) / 2, (box[3] - box[1]) / 2
    outside = ((xs - box[0] - across) / across) ** 2 + ((ys - box[1] - along) / along) ** 2 > 1
    return nearest[around][is_ground[around] & outside]


def _loose(drawn: Patches, flowers: list[Box]) -> int:
    """How many pieces belong to nothing that was seen."""
    pieces = [_box(box) for box, area in zip(drawn.boxes, drawn.areas, strict=True) if area >= _SPECK // 2]
    wider = [(left - 3, top - 3, right + 3, bottom + 3) for left, top, right, bottom in flowers]
    return sum(max(_sides(piece)) <= _LARGE and not any(_holds(flower, piece) for flower in wider) for piece in pieces)


def _flower_boxes(drawn: Patches, enough: int) -> list[Box]:
    """Boxes around what is large enough for a flower and small enough for none of the outlines."""
    boxes = [_box(box) for box in drawn.boxes]
    small = [n for n, box in enumerate(boxes) if drawn.areas[n] >= _SPECK and max(_sides(box)) <= _LARGE]
    whole = [boxes[n] for n in small if drawn.areas[n] >= enough]
    pieces = [n for n in small if drawn.areas[n] < enough and not any(_holds(box, boxes[n]) for box in whole)]
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
