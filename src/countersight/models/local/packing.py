"""Token sequences that begin alike, laid out as one tree: what several of them share stands there once."""

from collections.abc import Sequence
from typing import Any

import msgspec
import numpy as np
from numpy.typing import NDArray

Places = NDArray[np.int64]


class Tree(msgspec.Struct, frozen=True):
    """Sequences as one row of tokens in which each follows the one it continues, not always at once.

    A token sees itself and what leads to it. That is one comparison, since all that continues a token stands right
    behind it: place `i` sees place `j` if and only if `j <= i < ends[j]`.
    """

    tokens: Places
    depths: Places
    """How many tokens lead to each."""
    ends: Places
    """For each, the first place behind it that does not continue it."""
    paths: tuple[Any, ...]
    """For each sequence, in the order in which they were given, the places of its tokens."""

    def spread(self, values: Sequence[NDArray[Any]]) -> NDArray[Any]:
        """What stands beside the tokens of each sequence, laid out as the tokens are."""
        laid = np.zeros((len(self.tokens), *values[0].shape[1:]), values[0].dtype)
        for path, beside in zip(self.paths, values, strict=True):
            laid[path] = beside
        return laid


def pack(sequences: Sequence[Sequence[int]]) -> Tree:
    """Lay sequences out so that every beginning that some of them share stands there once."""
    arrays = [np.asarray(sequence, dtype=np.int64) for sequence in sequences]
    # In the order of a dictionary, what a sequence shares with any before it, it shares with the one right before it.
    order = sorted(range(len(sequences)), key=lambda nth: tuple(sequences[nth]))
    size = sum(map(len, arrays))
    tokens, depths, ends = (np.zeros(size, dtype=np.int64) for _ in range(3))
    paths: list[Places] = [np.zeros(0, dtype=np.int64)] * len(arrays)
    before, path, used = arrays[order[0]][:0], paths[0], 0
    for nth in order:
        shared = _shared(before, arrays[nth])
        ends[path[shared:]] = used
        added = arrays[nth][shared:]
        here = np.arange(used, used + len(added))
        tokens[here], depths[here] = added, np.arange(shared, shared + len(added))
        path = paths[nth] = np.concatenate([path[:shared], here])
        before, used = arrays[nth], used + len(added)
    ends[path] = used
    return Tree(tokens[:used], depths[:used], ends[:used], tuple(paths))


def _shared(one: Places, other: Places) -> int:
    """How many tokens two sequences begin with in common."""
    short = min(len(one), len(other))
    differing = np.flatnonzero(one[:short] != other[:short])
    return int(differing[0]) if len(differing) else short
