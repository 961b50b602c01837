"""A sample of causal cases that the words do not give away: as many of every task as asked, or as the graphs allow.

Questions for yes or no come in pairs, in the same words: in both the same thing is said to be lost, and in one it
matters. Whoever goes by the name of what is lost, or by the wording, is right half of the time.
"""

import hashlib
import heapq
from collections import Counter
from collections.abc import Iterable, Iterator
from itertools import zip_longest
from random import Random

import msgspec

from countersight.causal import CausalGraph, GraphKind, classes_of, is_one_way, plain
from countersight.chance import balanced
from countersight.suites.cello.bystanders import bystanders
from countersight.suites.cello.cases import Drafted, draft, draft_supposed
from countersight.suites.cello.options import Answers
from countersight.suites.cello.tasks.asked import TASKS, queries
from countersight.suites.cello.tasks.query import Shape, Sought, Supposed, Task
from countersight.suites.cello.wording import wordings

_KEPT = 40
"""Graphs of a kind held for every case of a task: more than enough, since most can be asked about."""
_FEWEST = 4_000
_TRIES = 40
"""How often wrong options are drawn at most where there are few questions."""
_UNMOVED = frozenset({"ground", "place", "water"})
"""What bears everything: of two things alone, nothing is learned from its being gone."""
_SELF_MOVING = frozenset({"creature", "emission", "leafage", "liquid", "mount", "vehicle"})
"""What walks, falls or flows away by itself: nothing follows from its having left, and nothing keeps it for sure."""
_FOR_SURE = frozenset({"CB", "SC", "NC"})
"""Tasks that ask what keeps a thing for sure, or why it left."""


class Pool:
    """Graphs by kind, drawn evenly from any number of them in one pass and in bounded memory.

    Of graphs whose things have the same names one is kept. Which are kept depends on the seed and the graphs, and not
    on their order.
    """

    def __init__(self, seed: int, per_task: int) -> None:
        self._seed = seed
        self._most = max(_FEWEST, _KEPT * per_task)
        # What stands beside a graph can be asked about too; few pictures have it, so these are held apart.
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

    def graphs(self, kind: GraphKind) -> list[CausalGraph]:
        """The graphs of a kind that were kept, in an order by chance."""
        found = self._held.get((kind, False), {}) | self._held.get((kind, True), {})
        return [found[names][1] for names in sorted(found)]


class _Pair(msgspec.Struct, frozen=True):
    """Two questions in the same words: what is lost in both matters in the first, and not in the second."""

    graphs: tuple[CausalGraph, CausalGraph]
    queries: tuple[Supposed, Supposed]


def sample(pool: Pool, *, size: int, seed: int, per_task: int | None = None, turn: int = 0) -> Iterator[Drafted]:
    """So many cases, as many of every task as there can be; where some have too few, the others have more.

    Another `turn` asks the same in other words, with the options in another order.
    """
    most = per_task or size
    drafts = {name: list(_of_task(task, pool, most, seed, turn)) for name, task in TASKS.items()}
    shares = _shares({name: len(found) for name, found in drafts.items()}, size) if per_task is None else None
    number = 0
    for name, found in drafts.items():
        for drafted in found[: shares[name] if shares else per_task]:
            number += 1
            case = msgspec.structs.replace(drafted.case, id=f"{drafted.case.suite}-{number:06d}")
            yield msgspec.structs.replace(drafted, case=case)


def _shares(available: dict[str, int], size: int) -> dict[str, int]:
    """How many of each task, as even as what there is allows."""
    shares = dict.fromkeys(available, 0)
    left = min(size, sum(available.values()))
    while left:
        open_ = [name for name, number in available.items() if shares[name] < number]
        each, over = divmod(left, len(open_))
        for place, name in enumerate(open_):
            taken = min(available[name] - shares[name], each + (place < over))
            shares[name] += taken
            left -= taken
    return shares


def _of_task(task: Task, pool: Pool, wanted: int, seed: int, turn: int = 0) -> Iterator[Drafted]:
    key = f"{seed}/{task.name}"
    by_kind = [pool.graphs(kind) for kind in task.kinds]
    # Graphs of three things first and in turn: there are few, and they ask for more than two things do.
    graphs = list(_in_turn(Random(key).sample(found, len(found)) for found in reversed(by_kind)))
    if task.is_choice:
        yield from _choices(task, graphs, wanted, key, turn)
    else:
        yield from _suppositions(task, graphs, wanted, key, turn)


def _choices(task: Task, graphs: Iterable[CausalGraph], wanted: int, key: str, turn: int) -> Iterator[Drafted]:
    asked = [
        (graph, Shape.of(graph), query)
        for graph in graphs
        for query in queries(task, graph)
        if isinstance(query, Sought) and _is_askable(task, graph, query.about[-1], query.answer)
    ]
    answers = Answers((shape, query) for _, shape, query in asked)
    made, used = 0, set[str]()
    # A question whose wrong options do not fit at once is left for the end, and not tried again: names that are right
    # often would else be wrong less often than they are right.
    for tries in (1, _TRIES):
        for graph, shape, query in asked:
            if made == wanted:
                return
            if graph.scene in used:
                continue
            letter = balanced("ABCD", f"{key}/letter/{turn}", made)
            drafted = draft(task, query, shape, letter, made + turn, answers, _rng(f"{key}/{tries}", graph), tries)
            if drafted:
                used.add(graph.scene)
                made += 1
                yield drafted


def _suppositions(task: Task, graphs: Iterable[CausalGraph], wanted: int, key: str, turn: int) -> Iterator[Drafted]:
    """Questions for yes or no, two at a time in the same words, so that yes and no are even."""
    made = 0
    for number, pair in enumerate(_pairs(task, graphs, Random(f"{key}/pairs"))):
        asks_stays = balanced((True, False), f"{key}/asks", number)
        wording = balanced(range(wordings(task)), f"{key}/wording", number) + turn
        for graph, query in zip(pair.graphs, pair.queries, strict=True):
            if made == wanted:
                return
            made += 1
            beside = (query.lost,) if query.lost not in {thing.id for thing in graph.things} else ()
            yield draft_supposed(task, query, Shape.of(graph, beside), wording, asks_stays)


def _pairs(task: Task, graphs: Iterable[CausalGraph], rng: Random) -> Iterator[_Pair]:
    """Queries matched by what is lost; among those that fit, one about an effect that was asked of less often so."""
    waiting: dict[tuple[bool, str], list[tuple[CausalGraph, Supposed, str]]] = {}
    surplus: Counter[str] = Counter()
    for graph in graphs:
        for query in _asked(task, graph, rng):
            lost, effect = _names(graph, query)
            matching = waiting.get((not query.follows, lost), [])
            if not matching:
                waiting.setdefault((query.follows, lost), []).append((graph, query, effect))
                continue
            sign = 1 if query.follows else -1
            place = max(range(len(matching)), key=lambda n: (surplus[matching[n][2]] * sign, -n))
            other_graph, other, other_effect = matching.pop(place)
            surplus[effect] += sign
            surplus[other_effect] -= sign
            first = (graph, query), (other_graph, other)
            (one, asked), (two, beside) = first if query.follows else first[::-1]
            yield _Pair((one, two), (asked, beside))
            break


def _asked(task: Task, graph: CausalGraph, rng: Random) -> list[Supposed]:
    """What a task asks of a graph beyond doubt, in an order by chance."""
    beside = tuple(thing.id for thing in bystanders(graph))
    found = [query for query in queries(task, graph, beside) if isinstance(query, Supposed)]
    kept = [
        query
        for query in found
        if is_one_way(graph, query.lost, query.effect) and _is_askable(task, graph, query.effect, (query.lost,))
    ]
    return rng.sample(kept, len(kept))


def _is_askable(task: Task, graph: CausalGraph, effect: str, behind: tuple[str, ...]) -> bool:
    """Whether a question about these things is worth a thought, and has one answer."""
    classes = {thing.id: classes_of(thing.name) for thing in (*graph.things, *graph.others)}
    if task.short in _FOR_SURE and classes[effect] & _SELF_MOVING:
        return False
    return not (graph.kind == "direct" and any(classes[thing] & _UNMOVED for thing in behind))


def _names(graph: CausalGraph, query: Supposed) -> tuple[str, str]:
    """What is lost, with what is held beside it, and the effect, by name."""
    names = {thing.id: plain(thing.name) for thing in (*graph.things, *graph.others)}
    if query.held:  # of a cause and its mediator, each is lost in one question of the pair and held in the other
        return " and ".join(sorted(names[thing] for thing in (query.lost, *query.held))), names[query.effect]
    return names[query.lost], names[query.effect]


def _in_turn(kinds: Iterable[list[CausalGraph]]) -> Iterator[CausalGraph]:
    """Graphs of the kinds in turn, as long as there are any."""
    for graphs in zip_longest(*kinds):
        yield from (graph for graph in graphs if graph is not None)


def _rng(key: str, graph: CausalGraph) -> Random:
    return Random(f"{key}/{graph.scene}/{'/'.join(thing.id for thing in graph.things)}")


def _digest(text: str) -> int:
    return int.from_bytes(hashlib.blake2b(text.encode(), digest_size=8).digest())
