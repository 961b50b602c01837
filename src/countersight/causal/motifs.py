"""Find causal graphs among the causal edges of many scene graphs, by joins over the whole table of edges.

Graphs are induced subgraphs, as in the isomorphic matching of CELLO: the edges among the things are exactly those of
the kind. So two or three things form one kind of graph at most: a chain A→B→C with an edge A→C is confounding, not a
chain; so is a collision A→C←B whose causes are joined. Two things that depend on each other, and cycles of three, are
not matched, because neither thing comes first.
"""

from collections.abc import Iterator

import msgspec
import numpy as np
import numpy.typing as npt

from countersight.causal.graph import GraphKind

Ints = npt.NDArray[np.int64]

MAX_PAIRS = 1 << 22
"""Pairs of edges processed together: limits memory for things that hold thousands of others."""


class EdgeTable(msgspec.Struct, frozen=True):
    """Causal edges of many scenes. Things are numbered from 0; no two scenes share a number."""

    cause: Ints
    effect: Ints

    def __len__(self) -> int:
        return len(self.cause)


class Motifs(msgspec.Struct, frozen=True):
    """Causal graphs of one kind, each given by the rows of its edges in the table."""

    kind: GraphKind
    edges: Ints
    """One row per graph: A→B; A→B, B→C; A→B, A→C, B→C; A→C, B→C."""

    def __len__(self) -> int:
        return len(self.edges)

    def things(self, table: EdgeTable) -> Ints:
        """Return one row per graph: its things A, B and, if present, C."""
        ends = {
            "direct": ((table.cause, 0), (table.effect, 0)),
            "chain": ((table.cause, 0), (table.effect, 0), (table.effect, 1)),
            "confounding": ((table.cause, 0), (table.effect, 0), (table.effect, 1)),
            "collision": ((table.cause, 0), (table.cause, 1), (table.effect, 0)),
        }[self.kind]
        return np.stack([column[self.edges[:, edge]] for column, edge in ends], axis=1)


def find_motifs(table: EdgeTable) -> Iterator[Motifs]:
    """Yield every causal graph of the four kinds, each once.

    Of parallel edges (the same cause and effect, related in several ways) only the first in the table is used.
    """
    if not len(table):
        return
    joined = _Joined(table)
    rows = joined.one_way_rows()
    yield Motifs("direct", rows[:, None])
    causes = table.cause[rows]
    begin = np.searchsorted(causes, table.effect[rows])
    for one, other in _pairs(begin, np.searchsorted(causes, table.effect[rows], side="right") - begin):
        first, second = rows[one], rows[other]
        forth = joined.row_of(table.cause[first], table.effect[second])
        back = joined.row_of(table.effect[second], table.cause[first])
        apart, across = (forth < 0) & (back < 0), (forth >= 0) & (back < 0)
        yield Motifs("chain", np.stack([first[apart], second[apart]], axis=1))
        yield Motifs("confounding", np.stack([first[across], forth[across], second[across]], axis=1))
    rows = rows[np.argsort(table.effect[rows], kind="stable")]
    effects, next_row = table.effect[rows], np.arange(1, len(rows) + 1)
    for one, other in _pairs(next_row, np.searchsorted(effects, effects, side="right") - next_row):
        first, second = rows[one], rows[other]
        ends = table.cause[first], table.cause[second]
        apart = (joined.row_of(*ends) < 0) & (joined.row_of(*reversed(ends)) < 0)
        yield Motifs("collision", np.stack([first[apart], second[apart]], axis=1))


class _Joined:
    """Which things an edge joins, for lookups of many pairs of things at once."""

    def __init__(self, table: EdgeTable) -> None:
        self._table = table
        self._things = int(max(table.cause.max(), table.effect.max())) + 1
        self._keys, self._rows = np.unique(self._key(table.cause, table.effect), return_index=True)

    def _key(self, cause: Ints, effect: Ints) -> Ints:
        return cause * self._things + effect

    def row_of(self, cause: Ints, effect: Ints) -> Ints:
        """Return the first row with each of these edges; -1 if there is none."""
        keys = self._key(cause, effect)
        places = np.minimum(np.searchsorted(self._keys, keys), len(self._keys) - 1)
        return np.where(self._keys[places] == keys, self._rows[places], -1)

    def one_way_rows(self) -> Ints:
        """Return the first row of every edge that has no edge back, ordered by cause and then by row."""
        rows = np.sort(self._rows)
        rows = rows[self.row_of(self._table.effect[rows], self._table.cause[rows]) < 0]  # a loop is its own way back
        return rows[np.argsort(self._table.cause[rows], kind="stable")]


def _pairs(begin: Ints, number: Ints) -> Iterator[tuple[Ints, Ints]]:
    """Yield each position with every number in its range [begin, begin + number), a few million pairs at a time."""
    ends = np.cumsum(number)
    start = 0
    while start < len(begin):
        done = ends[start - 1] if start else 0
        stop = max(int(np.searchsorted(ends, done + MAX_PAIRS, side="right")), start + 1)
        sizes = number[start:stop]
        shift = np.repeat(begin[start:stop] - ends[start:stop] + sizes, sizes)
        yield np.repeat(np.arange(start, stop), sizes), np.arange(done, ends[stop - 1]) + shift
        start = stop
