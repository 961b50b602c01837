"""Reads drawn scenes from pixels: flowers and polygons, circles and dots.

Only the pixels are used, not the stored scene. Such pictures have a pale ground that is uniform along each row,
outlines in one of eight named colours, transparent tints, and things that never touch. Pictures that were encoded with
losses, or resized, are refused.
"""

from itertools import combinations
from typing import Final

import msgspec
import numpy as np
from numpy.typing import NDArray

from countersight.detection import Box, Patch
from countersight.picture import Pixels
from countersight.scenes import NAMED, rgb

Mask = NDArray[np.bool_]
Places = NDArray[np.intp]


class NotAScene(Exception):  # noqa: N818 - the name says what is wrong
    """Raised if the picture is not a drawn scene."""


class Seen(msgspec.Struct, frozen=True):
    """The recognised content of a picture; polygons of one colour that overlap are seen as one."""

    polygons: tuple[Patch, ...] = ()
    flowers: tuple[Patch, ...] = ()
    """Flowers, each with the colours of the polygons around it."""
    circles: tuple[Patch, ...] = ()
    dots: tuple[Patch, ...] = ()
    loose: int = 0
    """The number of pieces that belong to nothing else."""
    unclear: float = 0.0
    """The share of the picture that is neither a thing nor any possible colour of the ground."""


class Patches(msgspec.Struct, frozen=True):
    """The connected patches of a mask, numbered from 0, in order of their topmost row."""

    labels: NDArray[np.int32]
    """The number of each pixel's patch; -1 outside."""
    boxes: NDArray[np.int32]
    """Left, top, right and bottom of each patch; right and bottom are exclusive."""
    areas: NDArray[np.int64]

    def mask_of(self, numbers: list[int]) -> Mask:
        """Return the pixels of some of the patches."""
        wanted = np.zeros(len(self.areas) + 1, np.bool_)  # the last entry is for -1, the pixels outside
        wanted[numbers] = True
        mask: Mask = wanted[self.labels]
        return mask


SIDE: Final = 448
"""Width and height of the scenes."""
TINT: Final = 46 / 255
"""The opacity of a polygon's colour over the ground."""
_NEAR: Final = 7
"""Two colours that differ by at most this in every channel are the same ground."""
_PALE: Final = 150
"""Every channel of a ground is lighter than this; outlines, petals' edges, rings and dots have a darker one."""
_SPECK: Final = 24
"""The minimum number of pixels of a thing; smaller patches are soft edges."""
_FLOWER: Final = 4 * _SPECK
"""The minimum number of pixels of a flower; smaller patches are pieces of one."""
_LARGE: Final = 64
"""The side in pixels above which something is an outline or a ring, not a flower or dot."""
_CROWD: Final = 2_000
"""The maximum number of patches of a scene; more are a photograph or noise."""
_EXPLAINED: Final = 0.8
"""The minimum share of an outline's pixels with a colour of polygons."""
_CLEAR: Final = 9
"""The maximum distance of the ground to one of its possible colours, except at a few pixels at edges."""
_ROUND: Final = 7
"""The maximum distance of a ring's pixels to one circle."""
_UNCLEAR: Final = 0.02
"""The maximum share of a picture that is neither a thing nor any possible colour of the ground."""
_CORNERS: Final = 0.12
"""The maximum overlap of the boxes of two round things that do not touch."""


def see(pixels: Pixels) -> Seen:
    """Recognise a drawn picture; raises NotAScene if it is not such a drawing or uncertain."""
    if pixels.shape != (SIDE, SIDE, 3):
        raise NotAScene(f"it has {pixels.shape[1]} x {pixels.shape[0]} pixels, not {SIDE} x {SIDE}")
    if any((side != pixels[:, :1]).any() for side in (pixels[:, :4], pixels[:, -4:])):
        raise NotAScene("its background is not the same along each row, as it is drawn")
    # If petals are as pale as the ground, large pieces are left: then all pieces that are close are joined.
    for whole in (_FLOWER, _LARGE**2):
        seen = _look(pixels, pixels[:, 0].astype(np.int16), whole)
        if not seen.loose and seen.unclear <= _UNCLEAR and _are_apart(seen):
            return seen
    raise NotAScene("its contents cannot be counted reliably")


def _look(pixels: Pixels, ground: NDArray[np.int16], whole: int) -> Seen:
    """Recognise what is drawn on a ground with this colour in each row; patches of at least `whole` pixels are whole
    flowers."""
    inked = patches(np.minimum(np.minimum(pixels[..., 0], pixels[..., 1]), pixels[..., 2]) < _PALE)
    _refuse_a_crowd(inked)
    large = [n for n in range(len(inked.areas)) if max(_sides(_box(inked.boxes[n]))) > _LARGE]
    if not large:
        raise NotAScene("it contains neither a polygon nor a circle")
    if all(_is_ring(inked, n) for n in large):
        return _circles(inked, set(large))
    return _flowers(pixels, ground, _outline_colours(pixels, inked, large), whole, inked.labels >= 0)


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


def _outline_colours(pixels: Pixels, inked: Patches, large: list[int]) -> dict[str, Box]:
    """Return the named colours of the outlines, and the box around each."""
    ys, xs = np.nonzero(_core(inked.mask_of(large)))
    outline = pixels[ys, xs].astype(np.int16)
    here = {name: (np.abs(outline - np.array(rgb(name), np.int16)) <= 1).all(axis=1) for name in NAMED}
    if sum(map(np.count_nonzero, here.values())) < _EXPLAINED * len(outline):
        raise NotAScene("its outlines have none of the polygons' colours")
    found = {}
    for name, mask in here.items():
        if np.count_nonzero(mask) > max(4 * _LARGE, len(outline) // 12):
            x, y = xs[mask], ys[mask]
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


def _flowers(pixels: Pixels, ground: NDArray[np.int16], colours: dict[str, Box], whole: int, inked: Mask) -> Seen:
    """Find flowers: the pixels that are neither ground, bare or tinted, nor outlines."""
    names = list(colours)
    tints = _tints(ground, names)
    planes = np.ascontiguousarray(np.moveaxis(pixels, 2, 0)).astype(np.int16)  # 3 times as fast as interleaved
    least = _distance(planes, tints[0][1])
    nearest = np.zeros(least.shape, np.int8)
    for n, (_, tint) in enumerate(tints[1:], 1):
        distance = _distance(planes, tint)
        nearest[distance < least] = n
        np.minimum(least, distance, out=least)
    is_ground = least <= _NEAR
    drawn = patches(~is_ground)
    _refuse_a_crowd(drawn)
    small = _flower_boxes(drawn, whole)
    flowers = []
    for box in small:
        if any(_holds(other, box) for other in small):
            continue  # the heart of a flower whose petals are as pale as the ground
        votes = np.bincount(_ground_around(box, nearest, is_ground), minlength=len(tints))
        flowers.append(Patch(box, "flower", regions=tints[votes.argmax()][0]))
    unclear = np.where(is_ground, least > _CLEAR, ~inked)
    for left, top, right, bottom in (flower.box for flower in flowers):
        unclear[top:bottom, left:right] = False
    loose = _loose(drawn, [flower.box for flower in flowers])
    polygons = tuple(Patch(box, f"{colour} polygon", colour) for colour, box in colours.items())
    return Seen(polygons, tuple(flowers), loose=loose, unclear=float(unclear.mean()))


def _ground_around(box: Box, nearest: NDArray[np.int8], is_ground: Mask) -> NDArray[np.int8]:
    """Return the ground around a flower, but not between its petals, where a petal may look like ground."""
    left, top, right, bottom = max(0, box[0] - 3), max(0, box[1] - 3), box[2] + 3, box[3] + 3
    around = np.s_[top:bottom, left:right]
    ys, xs = np.ogrid[top : top + nearest[around].shape[0], left : left + nearest[around].shape[1]]
    across, along = (box[2] - box[0]) / 2, (box[3] - box[1]) / 2
    outside = ((xs - box[0] - across) / across) ** 2 + ((ys - box[1] - along) / along) ** 2 > 1
    return nearest[around][is_ground[around] & outside]


def _loose(drawn: Patches, flowers: list[Box]) -> int:
    """Return the number of pieces that belong to nothing recognised."""
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
    """Return boxes around flowers in several pieces: if petals are as pale as the ground, only rims and the heart are
    visible.

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
    """Return the colours of the ground: bare, under each colour, and under two of them."""
    found = [(frozenset[str](), ground)]
    found += [(frozenset({name}), _tinted(ground, name)) for name in names]
    for first in names:  # the upper one of two colours is visible
        for second in names if len(names) == 1 else [name for name in names if name != first]:
            found.append((frozenset({first, second}), _tinted(_tinted(ground, first), second)))
    return found


def _tinted(ground: NDArray[np.int16], name: str) -> NDArray[np.int16]:
    return np.rint(ground * (1 - TINT) + np.array(rgb(name)) * TINT).astype(np.int16)


def _circles(inked: Patches, large: set[int]) -> Seen:
    rings = [Patch(_box(inked.boxes[n]), "circle") for n in sorted(large)]
    small = [n for n in range(len(inked.boxes)) if n not in large and inked.areas[n] >= _SPECK]
    dots = [Patch(_box(inked.boxes[n]), "dot") for n in small]
    return Seen(circles=tuple(rings), dots=tuple(dot for dot in dots if any(dot.is_in(ring) for ring in rings)))


def _box(sides: NDArray[np.int32]) -> Box:
    left, top, right, bottom = sides.tolist()
    return left, top, right, bottom


def _sides(box: Box) -> tuple[int, int]:
    return box[2] - box[0], box[3] - box[1]


def _holds(outer: Box, inner: Box) -> bool:
    if outer == inner:
        return False
    return outer[0] <= inner[0] and outer[1] <= inner[1] and outer[2] >= inner[2] and outer[3] >= inner[3]


def _are_apart(seen: Seen) -> bool:
    """Whether no two flowers overlap; real flowers never touch, but pieces of one flower may overlap."""
    return all(_overlap(one.box, two.box) <= _CORNERS for one, two in combinations(seen.flowers, 2))


def _overlap(one: Box, two: Box) -> float:
    """Return the share of the smaller of two boxes that lies in the other."""
    across = min(one[2], two[2]) - max(one[0], two[0])
    along = min(one[3], two[3]) - max(one[1], two[1])
    smaller = min((box[2] - box[0]) * (box[3] - box[1]) for box in (one, two))
    return across * along / smaller if across > 0 and along > 0 else 0.0


def patches(mask: Mask) -> Patches:
    """Find the connected patches of a mask; pixels that touch at a side or a corner belong together.

    Runs of pixels are joined with the runs they touch in the row above: a few thousand runs instead of a few hundred
    thousand pixels.
    """
    height, width = mask.shape
    padded = np.zeros((height, width + 2), np.bool_)
    padded[:, 1:-1] = mask
    rows, starts = _places(padded[:, 1:] & ~padded[:, :-1])
    ends = _places(padded[:, :-1] & ~padded[:, 1:])[1]
    parent = _joined(rows, starts, ends, width)
    is_first = parent == np.arange(len(parent))
    run_label = (np.cumsum(is_first) - 1)[parent]
    labels = np.full((height, width), -1, np.int32)
    count = int(run_label.max()) + 1 if len(rows) else 0
    lengths = ends - starts
    labels[mask] = np.repeat(run_label, lengths)
    boxes = np.zeros((count, 4), np.int32)
    boxes[:, :2] = max(height, width)
    np.minimum.at(boxes[:, 0], run_label, starts)
    np.minimum.at(boxes[:, 1], run_label, rows)
    np.maximum.at(boxes[:, 2], run_label, ends)
    np.maximum.at(boxes[:, 3], run_label, rows + 1)
    areas = np.bincount(run_label, weights=lengths, minlength=count).astype(np.int64)
    return Patches(labels, boxes, areas)


def _places(mask: Mask) -> tuple[Places, Places]:
    """Return rows and columns of the pixels of a mask; flat indexes are several times as fast."""
    return np.divmod(np.flatnonzero(mask), mask.shape[1])


def _joined(rows: Places, starts: Places, ends: Places, width: int) -> Places:
    """Return, for each run, the first run of its patch."""
    above, here = _touching(rows, starts, ends, width)
    parent = np.arange(len(rows))
    while True:
        one, other = parent[above], parent[here]
        apart = one != other
        if not apart.any():
            return parent
        np.minimum.at(parent, np.maximum(one, other)[apart], np.minimum(one, other)[apart])
        while (parent[parent] != parent).any():
            parent = parent[parent]


def _touching(rows: Places, starts: Places, ends: Places, width: int) -> tuple[Places, Places]:
    """Return all pairs of touching runs, the upper and the lower of each."""
    line = width + 1  # flat positions, so that one search finds row and column
    row_above = (rows - 1) * line
    first = np.searchsorted(rows * line + ends, row_above + starts, "left")
    past = np.searchsorted(rows * line + starts, row_above + ends, "right")
    count = np.maximum(past - first, 0)
    here = np.repeat(np.arange(len(rows)), count)
    nth = np.arange(len(here)) - np.repeat(np.cumsum(count) - count, count)
    return np.repeat(first, count) + nth, here
