"""A balanced sample of causal cases: as many of every task, of yes and no, and of every letter, as the graphs allow."""

import hashlib
import heapq
from collections.abc import Iterable, Iterator
from itertools import zip_longest
from random import Random

import msgspec

from countersight.causal.cases import Drafted, draft
from countersight.causal.graph import CausalGraph, GraphKind
from countersight.causal.soundness import is_beyond_doubt
from countersight.causal.tasks.asked import TASKS, queries
from countersight.causal.tasks.query import Query, Supposed, Task
from countersight.chance import balanced

_KEPT = 40
"""Graphs of a kind held for every case of a task: more than enough, since most can be asked about."""
_FEWEST = 4_000

_CELLS = ((True, "yes"), (True, "no"), (False, "yes"), (False, "no"))
"""Whether the effect is lost, and whether the answer is yes: all four as often, so that no word alone tells."""


class Pool:
    """Graphs by kind, drawn evenly from any number of them in one pass and in bounded memory.

    Of graphs whose things have the same names one is kept. Which are kept depends on the seed and the graphs, and not
    on their order.
    """

    def __init__(self, seed: int, per_task: int) -> None:
        self._seed = seed
        self._most = max(_FEWEST, _KEPT * per_task)
        # Questions with options need something else in the picture; few pictures have it, so these are held apart.
        self._held: dict[tuple[GraphKind, bool], dict[int, tuple[int, CausalGraph]]] = {}
        self._last: dict[tuple[GraphKind, bool], list[int]] = {}
        self.seen = 0

    def add(self, graph: CausalGraph) -> None:
        """Look at one more graph."""
        self.seen += 1
        key = graph.kind, bool(graph.others)
        held, last = self._held.setdefault(key, {}), self._last.setdefault(key, [])
        names = _digest(f"{self._seed}/{graph.kind}/{'/'.join(thing.name for thing in graph.things)}")
        which = _digest(f"{graph.image}/{graph.scene}/{'/'.join(thing.id for thing in graph.things)}")
        if names in held:
            held[names] = min(held[names], (which, graph), key=lambda item: item[0])
            return
        held[names] = which, graph
        heapq.heappush(last, -names)
        if len(held) > self._most:
            del held[-heapq.heappop(last)]

    def graphs(self, kind: GraphKind, *, with_others: bool) -> list[CausalGraph]:
        """The graphs of a kind that were kept, in an order by chance: all, or those with something beside them."""
        found = dict(self._held.get((kind, True), {}))
        if not with_others:
            found = self._held.get((kind, False), {}) | found
        return [found[names][1] for names in sorted(found)]


def sample(pool: Pool, *, per_task: int, seed: int) -> Iterator[Drafted]:
    """Cases of every task, as many as asked or as the graphs allow."""
    number = 0
    for task in TASKS.values():
        for drafted in _of_task(task, pool, per_task, seed):
            number += 1
            case = msgspec.structs.replace(drafted.case, id=f"{drafted.case.suite}-{number:06d}")
            yield msgspec.structs.replace(drafted, case=case)


def _of_task(task: Task, pool: Pool, per_task: int, seed: int) -> Iterator[Drafted]:
    key = f"{seed}/{task.name}"
    by_kind = [pool.graphs(kind, with_others=task.is_choice) for kind in task.kinds]
    turns = _in_turn(Random(key).sample(graphs, len(graphs)) for graphs in by_kind)  # each task asks of others first
    if task.is_choice:
        yield from _choices(task, turns, per_task, key)
    else:
        yield from _suppositions(task, turns, per_task, key)


def _choices(task: Task, graphs: Iterable[CausalGraph], wanted: int, key: str) -> Iterator[Drafted]:
    made = 0
    for graph in graphs:
        if made == wanted:
            return
        rng = _rng(key, graph)
        asked: list[Query] = queries(task, graph)
        rng.shuffle(asked)
        letter = balanced("ABCD", f"{key}/letter", made)
        for query in asked:
            drafted = draft(task, graph, query, made, letter, rng)
            if drafted:
                made += 1
                yield drafted
                break


def _suppositions(task: Task, graphs: Iterable[CausalGraph], wanted: int, key: str) -> Iterator[Drafted]:
    """Questions for yes or no. Where the graphs have no more effects that are lost (or that are not), the others are
    asked the other way about, so that yes and no stay even."""
    waiting: dict[bool, list[tuple[CausalGraph, Query]]] = {True: [], False: []}
    source = iter(graphs)
    for made in range(wanted):
        follows, answer = balanced(_CELLS, f"{key}/answer", made)
        while not waiting[follows]:
            graph = next(source, None)
            if graph is None:
                break
            found = _one_query(task, graph, follows, _rng(key, graph))
            if found:
                waiting[found.follows].append((graph, found))
        taken = waiting[follows] or waiting[not follows]
        if not taken:
            return
        graph, query = taken.pop(0)
        drafted = draft(task, graph, query, made, answer, _rng(f"{key}/words", graph))
        if drafted:
            yield drafted


def _one_query(task: Task, graph: CausalGraph, follows: bool, rng: Random) -> Supposed | None:
    """A query of a graph by chance; one whose effect is lost, or is not, as wished, where there is one."""
    asked = (query for query in queries(task, graph) if isinstance(query, Supposed))
    found = [query for query in asked if is_beyond_doubt(query, graph)]
    wished = [query for query in found if query.follows == follows]
    return rng.choice(wished or found) if found else None


def _in_turn(kinds: Iterable[list[CausalGraph]]) -> Iterator[CausalGraph]:
    """Graphs of the kinds in turn, as long as there are any."""
    for graphs in zip_longest(*kinds):
        yield from (graph for graph in graphs if graph is not None)


def _rng(key: str, graph: CausalGraph) -> Random:
    return Random(f"{key}/{graph.scene}/{'/'.join(thing.id for thing in graph.things)}")


def _digest(text: str) -> int:
    return int.from_bytes(hashlib.blake2b(text.encode(), digest_size=8).digest())
