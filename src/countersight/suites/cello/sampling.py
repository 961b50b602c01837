"""A sample of causal cases that the words do not give away: as many of every task as asked, or as the graphs allow.

Questions for yes or no come in pairs, in the same words: in both the same thing is said to be lost, and in one it
matters. Whoever goes by the name of what is lost, or by the wording, is right half of the time.
"""

import hashlib
import heapq
from collections import Counter
from collections.abc import Iterable, Iterator
from itertools import groupby, permutations, zip_longest
from random import Random

import msgspec

from countersight.causal import CausalGraph, GraphKind, Knowledge, acting_kind, is_one_way, plain, pronoun
from countersight.random_choice import balanced
from countersight.suites.cello.askable import is_askable, is_choosable, is_worth_asking
from countersight.suites.cello.balancing import KNOWN, Signs, taken
from countersight.suites.cello.bystanders import bystanders
from countersight.suites.cello.cases import Drafted, draft, draft_supposed, with_standing
from countersight.suites.cello.distractors import evened
from countersight.suites.cello.likely import Answers
from countersight.suites.cello.prior import Hints, figures, hints, standing
from countersight.suites.cello.tasks.asked import TASKS, queries
from countersight.suites.cello.tasks.query import Shape, Sought, Supposed, Task
from countersight.suites.cello.wording import wordings

_KEPT = 40
"""Graphs of a kind held for every case of a task: more than enough, since most can be asked about."""
_FEWEST = 4_000
_TRIES = 40
"""How often wrong options are drawn at most where there are few questions."""
_LETTERS = "ABCD"
_MOST_RIGHT, _IN = 4, 40
"""One name is the answer of so many questions at most, or of one in so many: tables bear nearly everything."""


class Pool:
    """Graphs by kind, sampled evenly from any number of them in one pass and with bounded memory.

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
        self.knowledge = Knowledge()
        """The knowledge in all graphs about what usually keeps what."""

    def add(self, graph: CausalGraph) -> None:
        """Consider a graph."""
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
        """Return the sampled graphs of a kind, in random order."""
        found = self._held.get((kind, False), {}) | self._held.get((kind, True), {})
        return [found[names][1] for names in sorted(found)]


_Asked = tuple[CausalGraph, Supposed, Hints]
"""A query for yes or no, the graph it is of, and what common knowledge hints at."""


def sample(pool: Pool, *, size: int, seed: int, per_task: int | None = None, turn: int = 0) -> Iterator[Drafted]:
    """Choose the given number of cases, spread over the tasks as evenly as possible.

    Another `turn` asks the same in other words, with the options in another order.
    """
    most = per_task or size
    drafts = {name: list(_of_task(task, pool, most, seed, turn)) for name, task in TASKS.items()}
    shares = _shares({name: len(found) for name, found in drafts.items()}, size) if per_task is None else None
    number = 0
    for name, found in drafts.items():
        kept = found[: shares[name] if shares else per_task]
        if TASKS[name].is_choice:
            kept = evened(kept, pool.knowledge, Random(f"{seed}/{name}/evened"))
        for drafted in kept:
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
    by_kind = [
        [graph for graph in pool.graphs(kind) if bool(acting_kind(graph)) == acting]
        for kind in task.kinds
        for acting in (False, True)
    ]
    # Graphs of three things first and in turn: there are few, and they ask for more than two things do. Graphs of force
    # and source are few as well.
    graphs = list(_in_turn(Random(key).sample(found, len(found)) for found in reversed(by_kind)))
    if task.is_choice:
        yield from _choices(task, graphs, [*graphs, *pool.graphs("direct")], pool.knowledge, wanted, key, turn)
    else:
        yield from _suppositions(task, graphs, pool.knowledge, wanted, key, turn)


def _choices(
    task: Task,
    graphs: list[CausalGraph],
    around: list[CausalGraph],
    known: Knowledge,
    wanted: int,
    key: str,
    turn: int,
) -> Iterator[Drafted]:
    """Questions for a thing; `around` are further graphs whose names may be offered."""
    asked = [
        (graph, Shape.of(graph), query)
        for graph in graphs
        for query in queries(task, graph)
        if isinstance(query, Sought) and is_choosable(task, graph, query)
    ]
    # An answer that nobody has seen elsewhere stands out among names that many have: these are one in four.
    seen: list[list[tuple[CausalGraph, Shape, Sought]]] = [[], []]
    for item in asked:
        answer = item[1].names[item[2].answer[0]]
        seen[any(figures(known, task, item[1], item[2], answer))].append(item)
    asked = [one for some in zip_longest(seen[1][::3], seen[1][1::3], seen[1][2::3], seen[0]) for one in some if one]
    answers = Answers(task, ((shape, query) for _, shape, query in asked), around)
    made, used, right = 0, set[str](), Counter[str]()
    most = max(_MOST_RIGHT, min(wanted, len(asked)) // _IN)
    # A question whose wrong options do not fit at once is left for the end, and not tried again: names that are right
    # often would else be wrong less often than they are right.
    for tries in (1, _TRIES):
        for graph, shape, query in asked:
            if made == wanted:
                return
            answer = plain(shape.names[query.answer[0]])
            if graph.scene in used or right[answer] == most:
                continue
            letter = _LETTERS[(_LETTERS.index(balanced(_LETTERS, f"{key}/letter", made)) + turn) % len(_LETTERS)]
            drafted = draft(task, query, shape, letter, made + turn, answers, _rng(f"{key}/{tries}", graph), tries)
            if drafted:
                used.add(graph.scene)
                right[answer] += 1
                made += 1
                yield drafted


def _suppositions(
    task: Task, graphs: Iterable[CausalGraph], known: Knowledge, wanted: int, key: str, turn: int
) -> Iterator[Drafted]:
    """Questions for yes or no, two at a time in the same words, so that yes and no are even."""
    rng = Random(f"{key}/pairs")
    asked = [(graph, query, hints(known, graph, query)) for graph in graphs for query in _asked(task, graph, rng)]
    chosen = [item for pair in taken(_queues(asked), wanted, _signs, lambda pair: pair[0][0].scene) for item in pair]
    pairs = [chosen[place : place + 2] for place in range(0, min(len(chosen), wanted), 2)]
    for number, (pair, asks_stays) in enumerate(zip(pairs, _ways_of_asking(len(pairs), rng), strict=False)):
        wording = balanced(range(wordings(task)), f"{key}/wording", number) + turn
        for graph, query, hinted in pair[: wanted - 2 * number]:
            beside = (query.lost,) if query.lost not in {thing.id for thing in graph.things} else ()
            drafted = draft_supposed(task, query, Shape.of(graph, beside), wording, asks_stays)
            yield with_standing(drafted, standing(task, query, hinted))


def _ways_of_asking(pairs: int, rng: Random) -> Iterator[bool]:
    """Whether each pair is asked for what stays, one of every two, as a coin falls: so no name goes with yes or no."""
    for _ in range(0, pairs, 2):
        yield from rng.sample((True, False), 2)


def _queues(asked: list[_Asked]) -> list[list[tuple[_Asked, ...]]]:
    """What is asked together: two queries of one graph where something is held and one graph has both, else queries
    whose loss matters and queries whose loss does not, in turn."""
    if asked and asked[0][1].held:
        pairs = [pair for _, queries in groupby(asked, key=lambda item: item[0]) if (pair := _opposed(list(queries)))]
        return [pairs] if pairs else _by_what_follows(asked)  # of three names few are in both halves
    both = {role: {name for name in names if {True, False} <= names[name]} for role, names in _followed(asked).items()}
    return _by_what_follows([item for item in asked if all(name in both[role] for role, name, _ in _signs((item,)))])


def _by_what_follows(asked: list[_Asked]) -> list[list[tuple[_Asked, ...]]]:
    return [[(item,) for item in asked if item[1].follows == follows] for follows in (True, False)]


def _opposed(queries: list[_Asked]) -> tuple[_Asked, ...]:
    """Of the queries of a graph one whose loss matters and one whose loss does not, of the same effect, or nothing."""
    return next(
        (
            (one, other)
            for one, other in permutations(queries, 2)
            if one[1].follows and not other[1].follows and one[1].effect == other[1].effect
        ),
        (),
    )


def _followed(asked: list[_Asked]) -> dict[str, dict[str, set[bool]]]:
    """For each name in each role, whether there are queries with it whose loss matters, and others."""
    found: dict[str, dict[str, set[bool]]] = {}
    for item in asked:
        for role, name, sign in _signs((item,)):
            found.setdefault(role, {}).setdefault(name, set()).add(sign > 0)
    return found


def _signs(asked: tuple[_Asked, ...]) -> Signs:
    """The names in queries that are asked together, and whether the loss matters; a shared effect tells nothing."""
    found: list[tuple[str, str, int]] = []
    guesses: Counter[str] = Counter()  # two that are asked together may cancel out
    for graph, query, hinted in asked:
        names = {thing.id: plain(thing.name) for thing in (*graph.things, *graph.others)}
        sign = 1 if query.follows else -1
        found.append(("lost", names[query.lost], sign))
        if acting := acting_kind(graph):
            found.append(("acting", acting, sign))
        found += [(KNOWN, f"{name}: {hint}", sign) for name, hint in hinted.items()]
        if query.held and hinted.guess:
            guesses[str(hinted.guess)] += sign
        found += [("lost beside", f"{names[query.lost]}, {names[held]}", sign) for held in query.held]
        if len(asked) == 1:
            effect = {thing.id: thing.name for thing in graph.things}[query.effect]
            found += [("effect", names[query.effect], sign), ("pronoun", pronoun(effect).subject, sign)]
            found += [("held", names[held], sign) for held in query.held]
    found += [("guess", name, sign) for name, sign in guesses.items() if sign]
    return tuple(found)


def _asked(task: Task, graph: CausalGraph, rng: Random) -> list[Supposed]:
    """What a task asks of a graph beyond doubt, in an order by chance."""
    beside = tuple(thing.id for thing in bystanders(graph))
    found = [query for query in queries(task, graph, beside) if isinstance(query, Supposed)]
    kept = [
        query
        for query in found
        if is_one_way(graph, query.lost, query.effect)
        and is_askable(task, graph, query.effect, (query.lost,))
        and is_worth_asking(task, graph, query)
    ]
    return rng.sample(kept, len(kept))


def _in_turn(kinds: Iterable[list[CausalGraph]]) -> Iterator[CausalGraph]:
    """Graphs of the kinds in turn, as long as there are any."""
    for graphs in zip_longest(*kinds):
        yield from (graph for graph in graphs if graph is not None)


def _rng(key: str, graph: CausalGraph) -> Random:
    return Random(f"{key}/{graph.scene}/{'/'.join(thing.id for thing in graph.things)}")


def _digest(text: str) -> int:
    return int.from_bytes(hashlib.blake2b(text.encode(), digest_size=8).digest())
