"""Finds the connected patches of a mask."""

import msgspec
import numpy as np
from numpy.typing import NDArray

Mask = NDArray[np.bool_]
Places = NDArray[np.intp]


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

    Runs of pixels are joined with the runs that they touch in the row above. This is fast, because there are only a few
    thousand runs, but a few hundred thousand pixels.
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
    """Return the rows and columns of the pixels of a mask. Flat indexes make this several times as fast."""
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
