"""Choose which cases a page shows."""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray


def balanced_sample(strata: Sequence[NDArray[np.int64]], size: int, seed: int) -> NDArray[np.int64]:
    """Return the sorted positions of at most `size` cases, spread as evenly as possible over the strata of every run.

    `strata` has an array for each run: the stratum (a group and an outcome) of each case. Cases are taken in
    rounds: the first of every stratum, then the second, until the sample is full.
    """
    total = len(strata[0])
    if total <= size:
        return np.arange(total)
    order = np.random.default_rng(seed).permutation(total)
    turn = np.full(total, total)
    for of_run in strata:
        shuffled = of_run[order]
        by_stratum = np.argsort(shuffled, kind="stable")
        starts = np.flatnonzero(np.diff(shuffled[by_stratum], prepend=-1))
        lengths = np.diff(starts, append=total)
        ranks = np.arange(total) - np.repeat(starts, lengths)
        turn[by_stratum] = np.minimum(turn[by_stratum], ranks)
    return np.sort(order[np.argsort(turn, kind="stable")[:size]])
