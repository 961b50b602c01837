"""Options of causal questions about supports: right and wrong ones from one pool of names, kind by kind.

Things that touch never have one colour, so a wrong option in the colour of what is asked about would be known to be
wrong. Everything that a question and its options name is therefore of another colour. As worlds know colours by chance
alone, the colours of a wrong name are then as likely as those of a right one.
"""

from collections.abc import Iterable
from random import Random

from countersight.case import Option
from countersight.suites.cello.tasks.query import Query, Shape, Sought, Task
from countersight.suites.cello.wording import explanation, is_explained
from countersight.worlds import COLOURS, Supports


def is_told_by_colour(world: Supports, query: Query) -> bool:
    """Whether two things of a query have the same colour, which touching things never have."""
    named = {*query.about, *query.answer} if isinstance(query, Sought) else {query.lost, query.effect, *query.held}
    return len(_colours(world, named)) < len(named)


def options_of(
    task: Task, query: Sought, shape: Shape, beside: list[str], world: Supports, rng: Random
) -> tuple[Option, ...] | None:
    """Return four options, the right one first; None if the world has too few things."""
    return (_explained if is_explained(task) else _named)(task, query, shape, beside, world, rng)


def _named(
    task: Task, query: Sought, shape: Shape, beside: list[str], world: Supports, rng: Random
) -> tuple[Option, ...] | None:
    """Four things of one kind: the answer, a part of it, what is beside it, and what is not there."""
    kind = world.thing(query.answer[0]).kind
    taken = _colours(world, query.about)
    wrong = [Option(name, "graph") for name in _there(world, query.partial, kind, taken)][:1]
    others = _there(world, beside, kind, taken)
    wrong += [Option(name, "image") for name in rng.sample(others, min(2 - len(wrong), len(others)))]
    absent = _absent(world, kind, taken)
    if len(wrong) < 2 or not absent:
        return None
    return (Option(shape.names[query.answer[0]], "answer"), *wrong, Option(rng.choice(absent), "text"))


def _explained(
    task: Task, query: Sought, shape: Shape, beside: list[str], world: Supports, rng: Random
) -> tuple[Option, ...] | None:
    """Each of two reasons or another in its place: every name stands in two of the four sentences."""
    taken = _colours(world, (*query.about, *query.answer))
    others: list[str] = []
    for name in query.answer:
        kind = world.thing(name).kind
        absent = _absent(world, kind, taken)
        like = _there(world, beside, kind, taken) + rng.sample(absent, min(1, len(absent)))
        if not like:
            return None
        others.append(rng.choice(like))
        taken.add(_colour(others[-1]))
    effect, first, second = (shape.names[name] for name in (query.about[-1], *query.answer))
    pairs = [(one, two) for one in (first, others[0]) for two in (second, others[1])]
    roles = ("answer", "graph", "graph", "image")
    return tuple(Option(explanation(task, effect, *pair), role) for pair, role in zip(pairs, roles, strict=True))


def _there(world: Supports, names: Iterable[str], kind: str, taken: set[str]) -> list[str]:
    """Those of some things that are of a kind and of no colour that is taken, by what they are called."""
    things = map(world.thing, names)
    return [thing.name for thing in things if thing.kind == kind and thing.colour not in taken]


def _absent(world: Supports, kind: str, taken: set[str]) -> list[str]:
    """What a world has not, of a kind and of no colour that is taken."""
    there = {thing.name for thing in world.things}
    return [name for colour in COLOURS if colour not in taken and (name := f"{colour} {kind}") not in there]


def _colours(world: Supports, names: Iterable[str]) -> set[str]:
    return {world.thing(name).colour for name in names}


def _colour(name: str) -> str:
    return name.split()[0]
