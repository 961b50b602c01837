"""Sample causal cases whose wording does not reveal the answer, as many per task as requested or as the graphs allow.

Yes/no questions come in pairs with the same words: both suppose the loss of the same thing, but the loss matters in
only one of them. A guess from the name of the lost thing, or from the wording, is right half of the time.
"""

import hashlib
import heapq
from collections import Counter
from collections.abc import Iterator
from itertools import groupby, permutations, zip_longest
from random import Random

import msgspec

from countersight.causal import CausalGraph, GraphKind, Knowledge, acting_kind, plain
from countersight.random_choice import balanced
from countersight.suites.cello.balancing import KNOWLEDGE_ROLE, SignedNames, balance_options, choose_balanced
from countersight.suites.cello.cases import CaseDraft, draft_choice, draft_yes_no
from countersight.suites.cello.common_knowledge import Hints, hints, support_counts, verdict_on_yes_no
from countersight.suites.cello.options import Answers
from countersight.suites.cello.queries import ChoiceQuery, Shape, Task, YesNoQuery
from countersight.suites.cello.rules import allowed_queries
from countersight.suites.cello.tasks import TASKS
from countersight.suites.cello.wording import pronoun, wordings

_GRAPHS_PER_CASE = 40
"""The number of graphs of a kind kept per case of a task; this is more than enough, since most of them allow a
question."""
_MIN_GRAPHS = 4_000
_ORDERS = 6
"""Number of random orders in which yes/no questions are chosen; the order with the most balanced questions is kept."""
_LETTERS = "ABCD"
_MAX_TIMES_RIGHT, _MAX_RIGHT_ONE_IN = 4, 40
"""A name may be the answer of at most this many questions, or of one in this many; tables support nearly everything."""
_ALWAYS_ALLOWED_AGREEING = 2
"""The number of questions per task that common knowledge may always answer, because a few reveal little."""


class Pool:
    """Graphs by kind, sampled evenly from any number of graphs in one pass and with bounded memory.

    Of several graphs whose things have the same names, one is kept. The choice depends on the seed and the graphs, not
    on their order.
    """

    def __init__(self, seed: int, per_task: int) -> None:
        self._seed = seed
        self._most = max(_MIN_GRAPHS, _GRAPHS_PER_CASE * per_task)
        # Bystanders of a graph can be asked about too; few graphs have any, so these are kept separately.
        self._held: dict[tuple[GraphKind, bool], dict[int, tuple[int, CausalGraph]]] = {}
        self._last: dict[tuple[GraphKind, bool], list[int]] = {}
        self.seen = 0
        self.knowledge = Knowledge()
        """For all graphs, counts of which thing keeps which other thing in place."""

    def add(self, graph: CausalGraph) -> None:
        """Add a graph to the sample, if it is chosen."""
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


_HintedQuery = tuple[CausalGraph, YesNoQuery, Hints]
"""A yes/no query, its graph, and the hints from common knowledge."""


def sample(pool: Pool, *, size: int, seed: int, per_task: int | None = None, turn: int = 0) -> Iterator[CaseDraft]:
    """Choose the given number of cases, spread over the tasks as evenly as possible.

    Another `turn` asks the same questions in other words, with the options in another order.
    """
    most = per_task or size
    drafts = {name: list(_of_task(task, pool, most, seed, turn)) for name, task in TASKS.items()}
    shares = _shares({name: len(found) for name, found in drafts.items()}, size) if per_task is None else None
    number = 0
    for name, found in drafts.items():
        kept = found[: shares[name] if shares else per_task]
        if TASKS[name].is_choice:
            kept = _limit_agreeing(balance_options(kept, pool.knowledge, Random(f"{seed}/{name}/evened")))
        for drafted in kept:
            number += 1
            case = msgspec.structs.replace(drafted.case, id=f"{drafted.case.suite}-{number:06d}")
            yield msgspec.structs.replace(drafted, case=case)


def _limit_agreeing(drafts: list[CaseDraft]) -> list[CaseDraft]:
    """Return the drafts without some of those that common knowledge answers, so that at most a third are left."""
    agreeing = [drafted for drafted in drafts if drafted.case.provenance["knowledge"] == "agrees"]
    limit = max(_ALWAYS_ALLOWED_AGREEING, (len(drafts) - len(agreeing)) // 2)
    return [drafted for drafted in drafts if drafted not in agreeing[limit:]]


def _shares(available: dict[str, int], size: int) -> dict[str, int]:
    """Return the number of cases for each task, as even as the available cases allow."""
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


def _of_task(task: Task, pool: Pool, wanted: int, seed: int, turn: int = 0) -> Iterator[CaseDraft]:
    key = f"{seed}/{task.name}"
    by_kind = [
        [graph for graph in pool.graphs(kind) if bool(acting_kind(graph)) == acting]
        for kind in task.kinds
        for acting in (False, True)
    ]
    # Graphs of three things come first, in turn: they are few, and their questions are harder. Graphs of force and
    # source are few as well.
    in_turn = zip_longest(*(Random(key).sample(found, len(found)) for found in reversed(by_kind)))
    graphs = [graph for some in in_turn for graph in some if graph is not None]
    if not task.is_choice:
        yield from _yes_no_cases(task, graphs, pool, wanted, key, turn)
        return
    drafted = list(_choice_cases(task, graphs, pool, wanted, key, turn))
    Random(f"{key}/order").shuffle(drafted)  # otherwise three letters in a row would reveal the fourth
    yield from drafted


def _choice_cases(
    task: Task, graphs: list[CausalGraph], pool: Pool, wanted: int, key: str, turn: int
) -> Iterator[CaseDraft]:
    """Return questions whose answer is a thing, with options from all graphs."""
    # An answer that occurs in no other picture stands out among frequent names, so about one in four is such a name.
    seen: list[list[tuple[CausalGraph, Shape, ChoiceQuery]]] = [[], []]
    for graph in graphs:
        shape = Shape.of(graph)
        for query in allowed_queries(task, graph):
            assert isinstance(query, ChoiceQuery)
            counts = support_counts(pool.knowledge, task, shape, query, shape.names[query.answer[0]])
            seen[any(counts)].append((graph, shape, query))
    asked = [one for some in zip_longest(seen[1][::3], seen[1][1::3], seen[1][2::3], seen[0]) for one in some if one]
    around = [*graphs, *pool.graphs("direct")]
    answers = Answers(task, ((shape, query) for _, shape, query in asked), around, pool.knowledge)
    made, used, right = 0, set[str](), Counter[str]()
    most = max(_MAX_TIMES_RIGHT, min(wanted, len(asked)) // _MAX_RIGHT_ONE_IN)
    for graph, shape, query in asked:
        if made == wanted:
            return
        answer = plain(shape.names[query.answer[0]])
        if graph.scene in used or right[answer] == most:
            continue
        letter = balanced(_LETTERS, f"{key}/letter", made)
        letter = _LETTERS[(_LETTERS.index(letter) + turn) % len(_LETTERS)]
        rng = Random(f"{key}/{graph.scene}/{'/'.join(thing.id for thing in graph.things)}")
        drafted = draft_choice(task, query, shape, letter, made + turn, answers, rng)
        if drafted:
            used.add(graph.scene)
            right[answer] += 1
            made += 1
            yield drafted


def _yes_no_cases(
    task: Task, graphs: list[CausalGraph], pool: Pool, wanted: int, key: str, turn: int
) -> Iterator[CaseDraft]:
    """Yield yes/no questions, two at a time in the same words, so that yes and no are equally frequent."""
    rng = Random(f"{key}/pairs")
    asked = []
    for graph in graphs:
        found = [query for query in allowed_queries(task, graph) if isinstance(query, YesNoQuery)]
        asked += [(graph, query, hints(pool.knowledge, graph, query)) for query in rng.sample(found, len(found))]
    queues, chosen = _queues(asked), list[_HintedQuery]()
    for _ in range(_ORDERS):
        together = choose_balanced(queues, wanted, _signs, lambda pair: pair[0][0].scene)
        chosen = max(chosen, [item for items in together for item in items], key=len)
        if len(chosen) >= wanted:
            break
        for queue in queues:
            queue[:] = rng.sample(queue, len(queue))
    pairs = [chosen[place : place + 2] for place in range(0, min(len(chosen), wanted), 2)]
    # One of every two pairs, chosen at random, asks whether a thing stays: so no name goes with yes or no.
    ways = [way for _ in range(0, len(pairs), 2) for way in rng.sample((True, False), 2)]
    for number, (pair, asks_stays) in enumerate(zip(pairs, ways, strict=False)):
        wording = balanced(range(wordings(task)), f"{key}/wording", number) + turn
        for graph, query, hinted in pair[: wanted - 2 * number]:
            bystanders = (query.cause,) if query.cause not in {thing.id for thing in graph.things} else ()
            verdict = verdict_on_yes_no(task, query, hinted)
            yield draft_yes_no(task, query, Shape.of(graph, bystanders), wording, asks_stays, verdict)


def _queues(asked: list[_HintedQuery]) -> list[list[tuple[_HintedQuery, ...]]]:
    """Return queues of queries that are asked together.

    If the question holds a variable fixed and some graph has queries with both answers, there is one queue of pairs;
    otherwise one queue of queries in which the loss matters, and one in which it does not.
    """
    if asked and asked[0][1].held:
        pairs = []
        for _, group in groupby(asked, key=lambda item: item[0]):
            opposed = (
                (one, other)
                for one, other in permutations(list(group), 2)
                if one[1].effect_goes and not other[1].effect_goes and one[1].effect == other[1].effect
            )
            pairs += [pair for pair in [next(opposed, None)] if pair]
        if pairs:
            return [[*pairs]]
    else:  # with three names few occur in both queues; with fewer names, all must
        seen: dict[tuple[str, str], set[int]] = {}
        for item in asked:
            for role, name, sign in _signs((item,)):
                seen.setdefault((role, name), set()).add(sign)
        asked = [item for item in asked if all(len(seen[role, name]) == 2 for role, name, _ in _signs((item,)))]
    return [[(item,) for item in asked if item[1].effect_goes == follows] for follows in (True, False)]


def _signs(asked: tuple[_HintedQuery, ...]) -> SignedNames:
    """Return every name in queries that are asked together, with its role and a sign: 1 if the loss affects the effect,
    -1 if not. For a pair, the effect is omitted, since both queries share it."""
    found: list[tuple[str, str, int]] = []
    guesses: Counter[str] = Counter()  # two queries that are asked together may cancel out
    for graph, query, hinted in asked:
        names = {thing.id: plain(thing.name) for thing in (*graph.things, *graph.others)}
        sign = 1 if query.effect_goes else -1
        found.append(("lost", names[query.cause], sign))
        if acting := acting_kind(graph):
            found.append(("acting", acting, sign))
        found += [(KNOWLEDGE_ROLE, f"{name}: {hint}", sign) for name, hint in hinted.items()]
        if query.held and hinted.guess:
            guesses[str(hinted.guess)] += sign
        found += [("lost beside", f"{names[query.cause]}, {names[held]}", sign) for held in query.held]
        if len(asked) == 1:
            effect = {thing.id: thing.name for thing in graph.things}[query.effect]
            found += [("effect", names[query.effect], sign), ("pronoun", pronoun(effect).subject, sign)]
            found += [("held", names[held], sign) for held in query.held]
    found += [("guess", name, sign) for name, sign in guesses.items() if sign]
    return tuple(found)


def _digest(text: str) -> int:
    return int.from_bytes(hashlib.blake2b(text.encode(), digest_size=8).digest())
