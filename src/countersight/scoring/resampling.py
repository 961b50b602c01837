"""Permutation tests: the pictures of two groups are dealt out again.

A picture counts only by its result. Where the cases of pictures add up to the same few results, as right and wrong
answers do, a draw of all pictures is one draw over the different results, and dealing them out is counted through.
"""

from typing import Final

import numpy as np
from numpy.typing import NDArray

RESAMPLES: Final = 10_000
"""Times that something is drawn."""
EXACT: Final = 200_000
"""Ways to deal out the pictures that are counted through; of more, a sample is drawn."""
_AT_ONCE = 4_000_000  # numbers drawn in one go: 32 MB

_Floats = NDArray[np.float64]
_Whole = NDArray[np.int64]


def _kinds(sums: _Floats, cases: _Floats) -> tuple[_Floats, _Floats, _Whole]:
    """The different results that pictures have, as sum and cases, and how many pictures have each."""
    # Credits are kept as 32-bit numbers: what differs by less is the same.
    results: _Floats = np.stack([sums, cases], axis=1).round(6)
    kinds, counts = np.unique(results, axis=0, return_counts=True)
    return kinds[:, 0], kinds[:, 1], counts.astype(np.int64)


def permutation_p(
    first: _Floats, first_cases: _Floats, second: _Floats, second_cases: _Floats, *, seed: int
) -> tuple[float, bool]:
    """The two-sided p of dealing the pictures of two groups out by chance, and whether it is exact.

    How often the two means are at least as far apart as they are, when as many pictures as the first group has are
    taken from all of them together.
    """
    values, weights, counts = _kinds(np.concatenate([first, second]), np.concatenate([first_cases, second_cases]))
    found = abs(float(first.sum() / first_cases.sum() - second.sum() / second_cases.sum()))
    size = first.size

    def as_far(taken: _Whole) -> NDArray[np.bool_]:
        left = counts - taken
        apart = taken @ values / (taken @ weights) - left @ values / (left @ weights)
        # Rounding must not decide whether a way of dealing is as extreme as what was found.
        return np.abs(apart) >= found - 1e-9

    ways = _ways(counts, size)
    if ways is not None:
        chances = _chances(counts, ways)
        return min(1.0, float(chances[as_far(ways)].sum())), True
    generator = np.random.default_rng(seed)
    step = max(1, _AT_ONCE // counts.size)
    extreme = 0
    for done in range(0, RESAMPLES, step):
        drawn = generator.multivariate_hypergeometric(
            counts, size, size=min(step, RESAMPLES - done), method="marginals"
        )
        extreme += int(as_far(drawn).sum())
    # What was found is itself one of the ways: p is never 0.
    return (1 + extreme) / (1 + RESAMPLES), False


def _ways(counts: _Whole, size: int) -> _Whole | None:
    """Every way to take `size` pictures, as how many of each kind; None where there are too many to count through."""
    ways = np.zeros((1, 0), dtype=np.int64)
    rest = int(counts.sum())
    for count in counts.tolist():
        rest -= count
        # So many of this kind that the kinds to come can still make up the size, and not more than it.
        missing = size - ways.sum(axis=1)
        least, most = np.maximum(0, missing - rest), np.minimum(count, missing)
        if int((most - least + 1).sum()) > EXACT:
            return None
        number = most - least + 1
        starts = np.cumsum(number) - number
        taken = np.arange(int(number.sum())) - np.repeat(starts - least, number)
        ways = np.column_stack([np.repeat(ways, number, axis=0), taken])
    return ways


def _chances(counts: _Whole, ways: _Whole) -> _Floats:
    """How likely each of the ways is: that of the multivariate hypergeometric distribution."""
    total = int(counts.sum())
    logs = np.concatenate(([0.0], np.cumsum(np.log(np.arange(1, total + 1)))))  # of the factorials
    choices = logs[counts] - logs[ways] - logs[counts - ways]
    everything = logs[total] - logs[ways[0].sum()] - logs[total - ways[0].sum()]
    chances: _Floats = np.exp(choices.sum(axis=1) - everything)
    return chances
