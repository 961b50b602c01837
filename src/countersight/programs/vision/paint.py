"""Areas of one colour: connected patches, and what is painted in the colours of a world."""

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
    """Raised if the picture is not a drawn scene or world."""


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


_FEW = 24
"""The minimum number of pixels of a colour; fewer are the soft edge of something."""
_DOT = 6
"""The minimum number of white pixels of a dot."""
WHITE = 0xFFFFFF


def packed(pixels: Pixels) -> NDArray[np.uint32]:
    """Pack every pixel into one number, so that colours are compared at once."""
    wide = pixels.astype(np.uint32)
    numbers: NDArray[np.uint32] = (wide[:, :, 0] << 16 | wide[:, :, 1] << 8 | wide[:, :, 2]).astype(np.uint32)
    return numbers


def number_of(colour: str) -> int:
    """Pack a colour into one number."""
    return int(colour.lstrip("#"), 16)


def looks(side: int) -> Iterator[Look]:
    """Iterate over all combinations of wall and wood, for a picture of that size."""
    if side not in SIDES:
        raise NotAScene(f"its side is {side} pixels; worlds are drawn with {', '.join(map(str, SIDES))}")
    for wall, wood in product(WALLS, WOODS):
        yield Look(wall=wall, wood=wood, side=side)  # type: ignore[arg-type]


def palette_of(picture: NDArray[np.uint32]) -> str:
    """Return the palette that most pixels are painted with."""
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
    """Yield every colour of a palette in the picture, with its plain pixels, without the rims of dots."""
    away_from_dots = ~near_dots(picture)
    for colour in COLOURS:
        mask = (picture == number_of(PALETTES[palette][colour])) & away_from_dots
        if np.count_nonzero(mask) >= _FEW:
            yield colour, mask


def near_dots(picture: NDArray[np.uint32]) -> Mask:
    """Return the mask of white dots and their rims."""
    return wider(picture == WHITE, 3)


def dots_in(picture: NDArray[np.uint32], left: float, top: float, right: float, bottom: float) -> int:
    """Return the number of white dots in a part of the picture."""
    part = picture[max(0, round(top)) : round(bottom), max(0, round(left)) : round(right)]
    return int(np.count_nonzero(patches(part == WHITE).areas >= _DOT)) if part.size else 0


def unlike(one: Pixels, other: Pixels) -> float:
    """Return the share of pixels that differ between two pictures."""
    apart = np.abs(one.astype(np.int16) - other).max(axis=2)
    return float((apart > 48).mean())


def wider(mask: Mask, by: int) -> Mask:
    """Dilate a mask by some pixels in every direction."""
    height, width = mask.shape
    padded = np.pad(mask, by)
    rows = np.logical_or.reduce([padded[at : at + height] for at in range(2 * by + 1)])
    grown: Mask = np.logical_or.reduce([rows[:, at : at + width] for at in range(2 * by + 1)])
    return grown
