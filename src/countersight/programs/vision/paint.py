"""Pixels of one colour: the patches they form, and what is painted in the colours of a world."""

from collections.abc import Iterator
from itertools import product

import msgspec
import numpy as np
from numpy.typing import NDArray

from countersight.picture import Pixels
from countersight.worlds import COLOURS, PALETTES, SIDES, WALLS, WOODS, Look

Mask = NDArray[np.bool_]
Places = NDArray[np.intp]


class NotAScene(Exception):  # noqa: N818 - it names what is wrong with the picture
    """The picture is not one of the drawn scenes these eyes know."""


class Patches(msgspec.Struct, frozen=True):
    """The patches of a mask, numbered from 0, in order of their topmost row."""

    labels: NDArray[np.int32]
    """The number of the patch each pixel belongs to; -1 outside."""
    boxes: NDArray[np.int32]
    """Left, top, right and bottom of each; right and bottom are just past it."""
    areas: NDArray[np.int64]

    def mask_of(self, numbers: list[int]) -> Mask:
        """The pixels of some of the patches."""
        wanted = np.zeros(len(self.areas) + 1, np.bool_)  # the last is for -1, the pixels outside
        wanted[numbers] = True
        mask: Mask = wanted[self.labels]
        return mask


def patches(mask: Mask) -> Patches:
    """The patches of a mask; pixels that touch at a side or a corner belong together.

    Row by row, runs of pixels are joined with the runs they touch in the row above: a few thousand of them instead of
    a few hundred thousand pixels.
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
    """Rows and columns of the pixels of a mask; looked for in one line they are found several times as fast."""
    return np.divmod(np.flatnonzero(mask), mask.shape[1])


def _joined(rows: Places, starts: Places, ends: Places, width: int) -> Places:
    """For each run, the first run of its patch."""
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
    """All pairs of runs that touch, the upper and the lower of each."""
    line = width + 1  # every place of the picture on one line, so that a search finds the row and the column at once
    row_above = (rows - 1) * line
    first = np.searchsorted(rows * line + ends, row_above + starts, "left")
    past = np.searchsorted(rows * line + starts, row_above + ends, "right")
    count = np.maximum(past - first, 0)
    here = np.repeat(np.arange(len(rows)), count)
    nth = np.arange(len(here)) - np.repeat(np.cumsum(count) - count, count)
    return np.repeat(first, count) + nth, here


_FEW = 24
"""Fewer pixels of a colour are the soft edge of something."""
_DOT = 6
"""Pixels of a dot that are white, at least."""
WHITE = 0xFFFFFF


def packed(pixels: Pixels) -> NDArray[np.uint32]:
    """Every pixel as one number, so that colours are compared at once."""
    wide = pixels.astype(np.uint32)
    numbers: NDArray[np.uint32] = (wide[:, :, 0] << 16 | wide[:, :, 1] << 8 | wide[:, :, 2]).astype(np.uint32)
    return numbers


def number_of(colour: str) -> int:
    """The same for a colour."""
    return int(colour.lstrip("#"), 16)


def looks(side: int) -> Iterator[Look]:
    """Every wall with every wood, in a picture of that size."""
    if side not in SIDES:
        raise NotAScene(f"its side is {side} pixels; worlds are drawn with {', '.join(map(str, SIDES))}")
    for wall, wood in product(WALLS, WOODS):
        yield Look(wall=wall, wood=wood, side=side)  # type: ignore[arg-type]


def palette_of(picture: NDArray[np.uint32]) -> str:
    """The palette that the most pixels are painted with."""
    found, times = np.unique(picture, return_counts=True)
    many = dict(zip(found.tolist(), times.tolist(), strict=True))
    shares = {
        name: sum(many.get(number_of(colour), 0) for colour in palette.values()) for name, palette in PALETTES.items()
    }
    best = max(shares, key=lambda name: shares[name])
    if shares[best] < _FEW:
        raise NotAScene("it contains none of the colours of a drawn world")
    return best


def painted(picture: NDArray[np.uint32], palette: str) -> Iterator[tuple[str, Mask]]:
    """Every colour of a palette that is in the picture, and where it is plain; the rims of dots may be any colour."""
    away_from_dots = ~near_dots(picture)
    for colour in COLOURS:
        mask = (picture == number_of(PALETTES[palette][colour])) & away_from_dots
        if np.count_nonzero(mask) >= _FEW:
            yield colour, mask


def near_dots(picture: NDArray[np.uint32]) -> Mask:
    """White dots and their rims."""
    return wider(picture == WHITE, 3)


def dots_in(picture: NDArray[np.uint32], left: float, top: float, right: float, bottom: float) -> int:
    """How many white dots there are in a part of the picture."""
    part = picture[max(0, round(top)) : round(bottom), max(0, round(left)) : round(right)]
    return int(np.count_nonzero(patches(part == WHITE).areas >= _DOT)) if part.size else 0


def unlike(one: Pixels, other: Pixels) -> float:
    """The share of two pictures that looks different."""
    apart = np.abs(one.astype(np.int16) - other).max(axis=2)
    return float((apart > 48).mean())


def wider(mask: Mask, by: int) -> Mask:
    """A mask grown by some pixels to every side."""
    height, width = mask.shape
    padded = np.pad(mask, by)
    rows = np.logical_or.reduce([padded[at : at + height] for at in range(2 * by + 1)])
    grown: Mask = np.logical_or.reduce([rows[:, at : at + width] for at in range(2 * by + 1)])
    return grown
