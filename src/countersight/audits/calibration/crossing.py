"""Thresholds of the seam check chosen on some photographs and tried on the others: errors that no choice flatters."""

from collections.abc import Sequence
from itertools import product
from typing import Final

import msgspec
import numpy as np
from numpy.typing import NDArray

from countersight.audits.calibration.sheet import Rate, rate
from countersight.audits.checkers.seams import MOST_HOLE, verdict
from countersight.editing.quality import Seams

FOLDS: Final = 5
_GRID: Final = tuple(
    {"most seam": seam, "least texture": least, "most texture": most, "most hole": MOST_HOLE}
    for seam, least, most in product((1.1, 1.3, 1.6, 2.0, 2.4), (0.3, 0.4, 0.5), (1.8, 2.5, 3.5))
)
"""What thresholds are chosen from."""


class Labelled(msgspec.Struct, frozen=True):
    """An edit of a photograph as it was measured."""

    photograph: int
    kind: str
    good: bool
    seams: Seams
    still: bool
    """Whether what was to go is still there, which `pixels` sees."""


class Crossed(msgspec.Struct, frozen=True):
    """How often the checks are right with thresholds that were chosen without the photographs they are tried on."""

    passed: Rate
    stopped: dict[str, Rate]
    chosen: tuple[dict[str, float], ...]
    """The thresholds of each fold."""


def crossed(edits: Sequence[Labelled]) -> Crossed | None:
    """Each fifth of the photographs with the thresholds that do best on the rest; None of fewer than ten."""
    folds = np.array([edit.photograph % FOLDS for edit in edits])
    if len({edit.photograph for edit in edits}) < 2 * FOLDS:
        return None
    good = np.array([edit.good for edit in edits])
    right = np.array([_lets_pass(edits, thresholds) for thresholds in _GRID]) == good
    held, chosen = np.zeros(len(edits), bool), []
    for fold in range(FOLDS):
        best = int(np.argmax(_balanced(right[:, folds != fold], good[folds != fold])))
        held[folds == fold] = right[best, folds == fold]
        chosen.append(_GRID[best])
    kinds = np.array([edit.kind for edit in edits])
    bad = dict.fromkeys(kinds[~good].tolist())
    return Crossed(_share(held[good]), {kind: _share(held[kinds == kind]) for kind in bad}, tuple(chosen))


def _lets_pass(edits: Sequence[Labelled], thresholds: dict[str, float]) -> list[bool]:
    return [verdict(edit.seams, thresholds).done is not False and not edit.still for edit in edits]


def _balanced(right: NDArray[np.bool_], good: NDArray[np.bool_]) -> NDArray[np.float64]:
    """How often each set of thresholds is right, good and bad edits counting the same."""
    shares: NDArray[np.float64] = right[:, good].mean(axis=1) + right[:, ~good].mean(axis=1)
    return shares


def _share(right: NDArray[np.bool_]) -> Rate:
    return rate(int(right.sum()), len(right))
