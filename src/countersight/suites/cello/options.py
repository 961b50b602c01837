"""The four options of a causal question: the answer and three wrong ones, each wrong in its own way (CELLO 4.3).

Wrong options could be right for all that the words tell (`likely`): names that the picture does not have, and things
beside the graph that keep such things elsewhere.
"""

from collections import Counter
from random import Random

from countersight.case import Option
from countersight.causal import classes_of
from countersight.suites.cello.bystanders import bystanders
from countersight.suites.cello.likely import THROUGH, Answers, in_the_picture, may_be_taken_for
from countersight.suites.cello.tasks.query import Shape, Sought, Task
from countersight.suites.cello.wording import explanation, is_explained

ROLES = ("answer", "image", "graph", "text")
"""The answer; in the picture but not in the graph; in the graph but only part of the answer; in neither."""
_WRONG = 3
_TRIES = 40
_SELDOM = 0.1
"""The weight of a thing of the picture that is right nowhere else."""


def options(
    task: Task, query: Sought, shape: Shape, answers: Answers, rng: Random, tries: int = _TRIES
) -> tuple[Option, ...] | None:
    """Return the answer, then three wrong options; None if no suitable ones are found.

    All are of different things: none is a synonym, a wider or a narrower word of the answer or of another option.
    """
    likely = answers.near(shape, query)
    if is_explained(task):
        return _explained(task, query, shape, likely, rng)
    answer = shape.names[query.answer[0]]
    partial = [shape.names[thing] for thing in query.partial]
    # A true part of the answer is offered if several answers have its name; what is merely there, if the like has.
    fits = answers.often if task.short in THROUGH else likely.__contains__
    wrong = [Option(name, "graph") for name in partial if fits(name) and not may_be_taken_for(name, answer)][:1]
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
    here, others = in_the_picture(shape.graph), list[str]()
    for reason in (first, second):
        like = Counter({name: often for name, often in likely.items() if classes_of(name) & classes_of(reason)})
        drawn = _drawn(like, 1, [*others, *here], rng, _TRIES) or _drawn(likely, 1, [*others, *here], rng, _TRIES)
        if drawn is None:
            return None
        others += drawn
    if beside:
        others[rng.randrange(2)] = beside[0]
    effect = shape.names[query.about[-1]]
    pairs = ((first, second), (first, others[1]), (others[0], second), (others[0], others[1]))
    roles = ("answer", "graph", "graph", "image" if beside else "text")
    return tuple(Option(explanation(task, effect, *pair), role) for pair, role in zip(pairs, roles, strict=True))


def _beside(shape: Shape, likely: Counter[str], taken: list[str], rng: Random) -> list[Option]:
    """Bystanders in an order by chance that prefers what is right often elsewhere."""
    found = [
        thing.name
        for thing in bystanders(shape.graph)
        if not any(may_be_taken_for(thing.name, other) for other in taken)
    ]
    found.sort(key=lambda name: rng.random() ** (1 / (likely[name] or _SELDOM)), reverse=True)
    return [Option(name, "image") for name in found]


def _drawn(likely: Counter[str], number: int, unlike: list[str], rng: Random, tries: int) -> list[str] | None:
    """So many different names, each as often as it is right elsewhere, that may stand for nothing of these."""
    names, weights = list(likely), list(likely.values())
    for _ in range(tries if names else 0):
        drawn = rng.choices(names, weights, k=number)
        if all(
            not any(may_be_taken_for(name, other) for other in (*unlike, *drawn[:place]))
            for place, name in enumerate(drawn)
        ):
            return drawn
    return None
