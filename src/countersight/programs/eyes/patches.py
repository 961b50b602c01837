"""Connected patches of a mask."""

import msgspec
import numpy as np
from numpy.typing import NDArray

Mask = NDArray[np.bool_]


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
    rows, starts = np.nonzero(padded[:, 1:] & ~padded[:, :-1])
    ends = np.nonzero(padded[:, :-1] & ~padded[:, 1:])[1]
    parent = _joined(rows, starts, ends, height)
    _, run_label = np.unique(parent, return_inverse=True)
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


def _joined(rows: NDArray[np.intp], starts: NDArray[np.intp], ends: NDArray[np.intp], height: int) -> NDArray[np.intp]:
    """For each run, the first run of its patch."""
    parent = list(range(len(rows)))
    first_of = np.searchsorted(rows, np.arange(height + 1)).tolist()
    starts_at, ends_at = starts.tolist(), ends.tolist()  # lists are several times as fast to look into one by one

    def root(run: int) -> int:
        while parent[run] != run:
            parent[run] = parent[parent[run]]
            run = parent[run]
        return run

    for row in range(1, height):
        above, here, end = first_of[row - 1], first_of[row], first_of[row + 1]
        while above < first_of[row] and here < end:
            if starts_at[above] <= ends_at[here] and starts_at[here] <= ends_at[above]:
                one, other = root(above), root(here)
                parent[max(one, other)] = min(one, other)
            if ends_at[above] < ends_at[here]:
                above += 1
            else:
                here += 1
    return np.array([root(run) for run in range(len(rows))], dtype=np.intp)
