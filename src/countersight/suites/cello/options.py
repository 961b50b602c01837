"""The four options of a causal question: the answer and three wrong ones, each wrong in its own way (CELLO 4.3).

Wrong options are named as right ones are: whatever is never right would be ruled out without looking. Names that the
picture does not have are drawn from the right answers to other questions of the task, as often as they are right there;
things beside the graph are offered where some question has such a thing for its answer.
"""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from random import Random

from countersight.case import Option
from countersight.causal import CausalGraph, may_be_the_same, plain
from countersight.suites.cello.bystanders import bystanders
from countersight.suites.cello.tasks.query import Shape, Sought, Task
from countersight.suites.cello.wording import explanation, is_explained

ROLES = ("answer", "image", "graph", "text")
"""The answer; in the picture and not in the graph; in the graph and only part of the answer; in neither."""
_WRONG = 3
_FEWEST = 8
"""Different answers to questions about a name, or about things kept in one way, from which wrong ones are drawn."""
_TRIES = 40
_SPARE = 80
"""Names looked at for each question, from which wrong options are exchanged."""


class Answers:
    """What the right answers to the questions of a task are called, by what is asked about.

    A question is like those about a thing of the same name, if these have enough different answers; else like the
    other such questions about things that are kept in the same way. Each has its answer from where the others have
    their wrong ones: no name is right more often than it is wrong.
    """

    def __init__(self, asked: Iterable[tuple[Shape, Sought]], others: Mapping[str, Sequence[str]] = {}) -> None:
        """`others` are names of things in the place of the answer in other graphs, by the kind of cause."""
        found = list(asked)
        self._others = others
        self._all = Counter(shape.names[thing] for shape, query in found for thing in query.answer)
        self._counts: dict[str, Counter[str]] = {}
        self._enough: set[str] = set()
        for key in (_name, _kind):
            alike: dict[str, Counter[str]] = {}
            for shape, query in found:
                alike.setdefault(key(shape, query), Counter()).update(shape.names[thing] for thing in query.answer)
            self._counts |= alike
            self._enough |= {name for name, answers in alike.items() if len(answers) >= _FEWEST}
            found = [(shape, query) for shape, query in found if key(shape, query) not in self._enough]

    def ever(self, name: str) -> bool:
        """Whether the name is right anywhere."""
        return name in self._all

    def spare(self, shape: Shape, query: Sought, rng: Random) -> list[str]:
        """Names that could be offered, right somewhere or nowhere: none may stand for a thing of the picture."""
        here = in_the_picture(shape.graph)
        names = [*self.near(shape, query), *self._others.get(_kind(shape, query), ())]
        some = rng.sample(sorted(set(names)), min(len(set(names)), _SPARE))
        return [name for name in some if not any(may_be_the_same(name, other) for other in here)]

    def near(self, shape: Shape, query: Sought) -> Counter[str]:
        """How often each name is right where the like is asked."""
        keys = (key(shape, query) for key in (_name, _kind))
        return next((self._counts[key] for key in keys if key in self._enough), self._all)


def _name(shape: Shape, query: Sought) -> str:
    return f"name {plain(shape.names[query.about[-1]])}"


def _kind(shape: Shape, query: Sought) -> str:
    return f"kind {next(e.kind for e in shape.graph.edges if e.effect in (*query.about, *query.answer))}"


def in_the_place_of_the_answer(task: Task, graphs: Iterable[CausalGraph]) -> dict[str, list[str]]:
    """What things are called that stand in graphs where the answers to a task stand, by the kind of cause."""
    found: dict[str, dict[str, None]] = {}
    for graph in graphs:
        names = {thing.id: thing.name for thing in graph.things}
        for edge in graph.edges:
            found.setdefault(f"kind {edge.kind}", {})[names[edge.effect if task.short == "AR" else edge.cause]] = None
    return {kind: list(names) for kind, names in found.items()}


def options(
    task: Task, query: Sought, shape: Shape, answers: Answers, rng: Random, tries: int = _TRIES
) -> tuple[Option, ...] | None:
    """The answer, then three wrong options; None where no fit ones are found.

    All are of different things: none is a synonym, a wider or a narrower word of the answer or of another option.
    """
    likely = answers.near(shape, query)
    if is_explained(task):
        return _explained(task, query, shape, likely, rng)
    answer = shape.names[query.answer[0]]
    partial = [shape.names[thing] for thing in query.partial]
    # A true part of the answer is offered if any answer has its name; what is merely in the graph, if the like has.
    fits = answers.ever if task.short in ("CA", "AR") else likely.__contains__
    wrong = [Option(name, "graph") for name in partial if fits(name) and not may_be_the_same(name, answer)][:1]
    wrong += _beside(shape, likely, [answer, *(option.text for option in wrong)], rng)[:1]
    taken = [answer, *(option.text for option in wrong)]
    text = _drawn(likely, _WRONG - len(wrong), [*taken, *in_the_picture(shape.graph)], rng, tries)
    if text is None:
        return None
    return (Option(answer, "answer"), *wrong, *(Option(name, "text") for name in text))


def _explained(task: Task, query: Sought, shape: Shape, likely: Counter[str], rng: Random) -> tuple[Option, ...] | None:
    """Every pair of the first reason, or another in its place, with the second, or another: each name stands in two of
    the four sentences, so that none is more like the others."""
    first, second = (shape.names[thing] for thing in query.answer)
    beside = [option.text for option in _beside(shape, likely, [first, second], rng)][:1]
    missing = 2 - len(beside)
    drawn = _drawn(likely, missing, [first, second, *beside, *in_the_picture(shape.graph)], rng, _TRIES)
    if drawn is None:
        return None
    others = [*beside, *drawn]
    rng.shuffle(others)
    effect = shape.names[query.about[-1]]
    pairs = ((first, second), (first, others[1]), (others[0], second), (others[0], others[1]))
    roles = ("answer", "graph", "graph", "image" if beside else "text")
    return tuple(Option(explanation(task, effect, *pair), role) for pair, role in zip(pairs, roles, strict=True))


def _beside(shape: Shape, likely: Counter[str], taken: list[str], rng: Random) -> list[Option]:
    """Bystanders that might be right elsewhere, in an order by chance that prefers what is right often."""
    found = [
        thing.name
        for thing in bystanders(shape.graph)
        if likely[thing.name] and not any(may_be_the_same(thing.name, other) for other in taken)
    ]
    found.sort(key=lambda name: rng.random() ** (1 / likely[name]), reverse=True)
    return [Option(name, "image") for name in found]


def _drawn(likely: Counter[str], number: int, unlike: list[str], rng: Random, tries: int) -> list[str] | None:
    """So many different names, each as often as it is right elsewhere, that may stand for nothing of these."""
    names, weights = list(likely), list(likely.values())
    for _ in range(tries if names else 0):
        drawn = rng.choices(names, weights, k=number)
        if all(
            not any(may_be_the_same(name, other) for other in (*unlike, *drawn[:place]))
            for place, name in enumerate(drawn)
        ):
            return drawn
    return None


def in_the_picture(graph: CausalGraph) -> list[str]:
    """The names of everything that is known to be in the picture."""
    return [thing.name for thing in (*graph.things, *graph.others)]
