"""Find causal graphs among the causal edges of many scene graphs, by joins over the whole table of edges.

We use our own code because it is about 1,000 times as fast as networkx (`python -m benchmarks.motifs`).

Graphs are induced subgraphs, as in the isomorphic matching of CELLO: the edges among the things are exactly those of
the kind. Two or three things therefore form at most one kind of graph: a chain A→B→C with an edge A→C is confounding,
not a chain; a collision A→C←B with an edge A→B is confounding, too. Two things that depend on each other, and cycles of
three, are not matched, because neither thing comes first.

Scenes are small and numerous, so the edges of a scene are also kept as a matrix. In the matrix, parallel edges
coincide, and a single lookup shows whether an edge joins two things, without sorting or hashing.
"""

from collections.abc import Iterator

import msgspec
import numpy as np
import numpy.typing as npt

from countersight.causal.graph import GraphKind

Ints = npt.NDArray[np.int64]

CELLS = 1 << 18
"""The number of matrix cells of the scenes processed together; few enough to fit into the processor's cache."""
_FORTH, _BACK = 1, 2
MAX_PAIRS = 1 << 22
"""The number of pairs of edges processed together, to limit memory for things that hold thousands of others."""


class EdgeTable(msgspec.Struct, frozen=True):
    """Causal edges of many scenes.

    Rows of the same scene are adjacent. Things are numbered consecutively, scene by scene.
    """

    scene: Ints
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
    """Yield every causal graph of the four kinds, each once, in batches of scenes.

    Of parallel edges (the same cause and effect, related in several ways) only the first one in the table is used.
    """
    if not len(table):
        return
    starts = np.flatnonzero(np.diff(table.scene, prepend=table.scene[0] - 1))
    least = np.minimum.reduceat(np.minimum(table.cause, table.effect), starts)
    things = np.maximum.reduceat(np.maximum(table.cause, table.effect), starts) - least + 1
    cells = np.cumsum(things * things)
    sizes = np.diff(starts, append=len(table))
    matrix = _Matrix(max(CELLS, int((things * things).max())))
    first = 0
    while first < len(starts):
        done = cells[first - 1] if first else 0
        last = max(int(np.searchsorted(cells, done + CELLS, side="right")), first + 1)
        scenes = slice(first, last)
        begin, end = int(starts[first]), int(starts[last - 1] + sizes[last - 1])
        of_scenes = (least[scenes] - least[first], things[scenes], cells[scenes] - things[scenes] ** 2 - done)
        edges = _Edges(
            matrix,
            table.cause[begin:end] - least[first],
            table.effect[begin:end] - least[first],
            *(np.repeat(column, sizes[scenes]) for column in of_scenes),
        )
        yield from _found(edges, begin)
        first = last


def _found(edges: "_Edges", offset: int) -> Iterator[Motifs]:
    rows = edges.row + offset
    yield Motifs("direct", rows[:, None])
    for first, second in _pairs(*edges.behind()):
        ends = edges.cause_line[first] + edges.effect[second]
        joined = edges.joined[ends]
        apart, across = np.flatnonzero(joined == 0), np.flatnonzero(joined == _FORTH)
        yield Motifs("chain", _lines(rows[first[apart]], rows[second[apart]]))
        third = edges.at(ends[across])
        yield Motifs("confounding", _lines(rows[first[across]], rows[third], rows[second[across]]))
    order, number = edges.by_effect()
    for one, other in _pairs(np.arange(1, len(order) + 1), number):
        first, second = order[one], order[other]
        apart = np.flatnonzero(edges.joined[edges.cause_line[first] + edges.cause[second]] == 0)
        yield Motifs("collision", _lines(rows[first[apart]], rows[second[apart]]))


class _Matrix:
    """A reusable buffer for the matrices of scenes; allocating a new one takes longer than computing with it."""

    def __init__(self, cells: int) -> None:
        self.joined = np.empty(cells, np.uint8)
        """Whether the two things of a cell are joined, and in which direction."""
        self.given = np.empty(cells, np.int32)
        """The first row with that edge; arbitrary if there is no edge."""


class _Edges:
    """The distinct one-way edges of several scenes, grouped by cause.

    `least` is the index of the first thing in each edge's scene, `things` the number of things in it, and `base` the
    offset of its matrix in a flat array.
    """

    def __init__(self, matrix: "_Matrix", cause: Ints, effect: Ints, least: Ints, things: Ints, base: Ints) -> None:
        from_, to = cause - least, effect - least
        cause_line = base + from_ * things
        forth, back = cause_line + to, base + to * things + from_
        self.joined, self._given = matrix.joined, matrix.given
        self.joined[: base[-1] + things[-1] ** 2] = 0
        self.joined[forth] = _FORTH
        self.joined[back] |= _BACK
        rows = np.arange(len(forth), dtype=np.int32)
        self._given[forth[::-1]] = rows[::-1]  # the first of parallel edges is written last
        kept = np.flatnonzero((self._given[forth] == rows) & (self.joined[forth] == _FORTH))  # loops run both ways
        self.row = kept[_order(cause[kept])]
        """The given row of each edge."""
        self._place = np.empty(len(forth), np.int64)
        self._place[self.row] = np.arange(len(self.row))
        self._causes, self._effects = cause[self.row], effect[self.row]
        self.cause, self.effect = from_[self.row], to[self.row]
        """The position of the thing within its scene."""
        self.cause_line = cause_line[self.row]
        """The start of the cause's row in the matrix."""

    def at(self, cells: Ints) -> Ints:
        """Return the edges in these cells of the matrix."""
        return self._place[self._given[cells]]

    def behind(self) -> tuple[Ints, Ints]:
        """Return, for each edge, the position and number of the edges that start at its effect."""
        number = np.bincount(self._causes, minlength=int(self._effects.max(initial=0)) + 1)
        begin = np.cumsum(number) - number
        return begin[self._effects], number[self._effects]

    def by_effect(self) -> tuple[Ints, Ints]:
        """Return the edges that share their effect with others, grouped by effect, and how many edges of the same group
        follow each."""
        number = np.bincount(self._effects)
        shared = np.flatnonzero(number[self._effects] > 1)
        order = shared[_order(self._effects[shared])]
        ends = np.cumsum(np.where(number > 1, number, 0))
        return order, ends[self._effects[order]] - np.arange(1, len(order) + 1)


def _lines(*columns: Ints) -> Ints:
    """Return the columns as an array with one row for each of their elements."""
    lines = np.empty((len(columns[0]), len(columns)), np.int64)
    for place, column in enumerate(columns):
        lines[:, place] = column
    return lines


def _order(things: Ints) -> Ints:
    """Return the order that sorts things; two-byte numbers are sorted without comparisons, which is several times as
    fast."""
    small = things.astype(np.uint16) if things.max(initial=0) < 1 << 16 else things
    return np.argsort(small, kind="stable")


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
