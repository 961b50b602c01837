"""Decision trees whose leaves add up to a score, walked all at once."""

from pathlib import Path
from typing import Final, Self

import numpy as np
from numpy.typing import NDArray

from countersight.reading.learned.told import Evidence

LEAVES: Final = 16
"""As many leaves as a tree may have: so many bits say which of them can still be reached."""
_ARRAYS: Final = ("piece", "bound", "keeps", "first", "leaves")
_ALL: Final = np.uint16(2**LEAVES - 1)


class Trees:
    """Trees in one row of nodes: each asks whether a piece of evidence is beyond a bound.

    A node whose evidence is beyond its bound shuts out the leaves to its left. What is left over of all nodes of a tree
    begins with the leaf that the tree comes to, so that no tree has to be walked from node to node.
    """

    def __init__(
        self,
        names: list[str],
        piece: NDArray[np.int32],
        bound: NDArray[np.float64],
        keeps: NDArray[np.uint16],
        first: NDArray[np.int32],
        leaves: NDArray[np.float64],
    ) -> None:
        self.names, self.piece, self.bound, self.keeps, self.first, self.leaves = (
            names, piece, bound, keeps, first, leaves,
        )  # fmt: skip
        self._place = {name: place for place, name in enumerate(names)}

    def scores(self, candidates: list[Evidence]) -> NDArray[np.float64]:
        """The sum of the leaves that each candidate's evidence leads to."""
        given = self.table(candidates)
        kept = np.where(given[:, self.piece] > self.bound, self.keeps, _ALL)
        reached = np.bitwise_and.reduceat(kept, self.first, axis=1).astype(np.int32)
        leaf = np.log2(reached & -reached).astype(np.int32)
        found: NDArray[np.float64] = self.leaves[np.arange(len(self.first)), leaf].sum(axis=1)
        return found

    def table(self, candidates: list[Evidence]) -> NDArray[np.float64]:
        """The evidence in rows; what a candidate has none of is nought."""
        table = np.zeros((len(candidates), len(self.names)))
        for row, evidence in zip(table, candidates, strict=True):
            for name, value in evidence.items():
                place = self._place.get(name)
                if place is not None:
                    row[place] = value
        return table

    @classmethod
    def of_names(cls, names: list[str]) -> Self:
        """No trees yet, but the pieces of evidence that some shall ask about."""
        nothing = np.zeros(0, np.int32)
        return cls(names, nothing, np.zeros(0), np.zeros(0, np.uint16), nothing, np.zeros((0, LEAVES)))

    @classmethod
    def load(cls, path: Path) -> Self:
        with np.load(path, allow_pickle=False) as packed:
            return cls(packed["names"].tolist(), *(packed[name] for name in _ARRAYS))

    def save(self, path: Path) -> None:
        np.savez_compressed(path, names=np.array(self.names), **{name: getattr(self, name) for name in _ARRAYS})
