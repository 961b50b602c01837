"""Shortcuts: rules that pick an option without working out what happens, such as "the heaviest".

Questions about the smallest change are chosen so that every shortcut finds the right option about as often as a guess.
For each question, chance decides which shortcuts may find its answer; of many candidates, the one is asked whose answer
agrees best with that. Over many questions, each shortcut is then right in about a quarter of the cases, also where
nearly all candidates of random worlds would confirm it.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from math import hypot, sqrt
from random import Random
from typing import TypeVar

from countersight.worlds import Disc, Discs, Supports, WorldThing, contacts, motion

Thing = TypeVar("Thing")
Shortcuts = Mapping[str, Callable[[Thing], float]]
"""For each shortcut, the score of an option; the shortcut picks the option with the lowest score."""

_RAREST = 0.01
"""The smallest share of agreement that is used for weights; a rarer agreement has the same weight."""
_FAR = 1000.0
"""A score that is greater than any distance in a picture."""


def found_by(shortcuts: Shortcuts[Thing], right: Thing, wrong: Iterable[Thing]) -> dict[str, float]:
    """Return the probability that each shortcut picks the right option; of options with the same score, it picks one at
    random."""
    wrong = list(wrong)
    found = {}
    for name, score in shortcuts.items():
        own, others = score(right), [score(each) for each in wrong]
        found[name] = 0.0 if min(others) < own else 1 / (1 + others.count(own))
    return found


def least_guessable(candidates: Sequence[Mapping[str, float]], share: float, rng: Random) -> list[int]:
    """Return the positions of candidates, given as the results of `found_by`, the most suitable first. Each
    shortcut should find the answers of about this share of questions.

    Agreement weighs more the rarer it is: a shortcut that finds nearly every answer must not find the few others.
    """
    disagreements = [0.0] * len(candidates)
    for name in candidates[0] if candidates else ():
        may_find = rng.random() < share
        off = [abs(each[name] - may_find) for each in candidates]
        agreeing = 1 - sum(off) / len(off)
        for nth, each in enumerate(off):
            disagreements[nth] += each / sqrt(max(agreeing, _RAREST))
    return sorted(range(len(candidates)), key=lambda nth: disagreements[nth])


def support_shortcuts(world: Supports, falls: WorldThing, number: int) -> Shortcuts[WorldThing]:
    """Return the shortcuts that may find the block whose removal makes a thing fall, and `number` things in total."""
    below: dict[str, set[str]] = {}
    above: dict[str, set[str]] = {}
    for contact in contacts(world):
        below.setdefault(contact.upper, set()).add(contact.lower)
        above.setdefault(contact.lower, set()).add(contact.upper)

    def carried(thing: str) -> set[str]:
        found = set(above.get(thing, ()))
        return found.union(*map(carried, found))

    load = {thing.id: carried(thing.id) for thing in world.free}
    steps = {falls.id}
    for _ in range(number):
        steps = set().union(*(below.get(each, ()) for each in steps))
    return {
        "directly below": lambda thing: thing.id not in below[falls.id],
        "touches": lambda thing: thing.id not in below[falls.id] | above.get(falls.id, set()),
        "somewhere below": lambda thing: falls.id not in load[thing.id],
        "as many steps below as things fall": lambda thing: thing.id not in steps,
        "carries as many things as fall": lambda thing: abs(len(load[thing.id]) - number),
        "carries the most": lambda thing: -len(load[thing.id]),
        "touches the most things above": lambda thing: -len(above.get(thing.id, ())),
        "nearest": lambda thing: hypot(*(a - b for a, b in zip(thing.middle, falls.middle, strict=True))),
        "highest": lambda thing: thing.middle[1],
        "lowest": lambda thing: -thing.middle[1],
        "heaviest": lambda thing: -thing.weight,
        "widest": lambda thing: -thing.width,
    }


def disc_shortcuts(world: Discs, named: Sequence[Disc]) -> Shortcuts[Disc]:
    """Return the shortcuts that may find the disc whose removal changes what happens to the named discs."""
    movers = [disc for disc in world.discs if disc.is_pushed]
    hit: dict[str, int] = {}
    for nth, event in enumerate(motion(world).events):
        for disc in (event.disc, event.other):
            hit.setdefault(disc, nth)

    def ahead(disc: Disc, mover: Disc) -> tuple[float, float]:
        """Return how far ahead of a pushed disc a disc lies, and how far from the line of its arrow."""
        across, down, speed = disc.x - mover.x, disc.y - mover.y, hypot(mover.vx, mover.vy)
        along = (across * mover.vx + down * mover.vy) / speed
        return along, abs(across * mover.vy - down * mover.vx) / speed if along > 0 else hypot(across, down)

    def in_the_way(disc: Disc, mover: Disc) -> float:
        along, aside = ahead(disc, mover)
        return along if along > 0 and aside < disc.radius + mover.radius else _FAR + aside

    def apart(disc: Disc, others: Iterable[Disc]) -> float:
        return min(hypot(disc.x - other.x, disc.y - other.y) for other in others)

    return {
        "first in the way": lambda disc: min(in_the_way(disc, mover) for mover in movers),
        "nearest to the line of the arrow": lambda disc: min(ahead(disc, mover)[1] for mover in movers),
        "edge nearest to the line of the arrow": lambda disc: (
            min(ahead(disc, mover)[1] for mover in movers) - disc.radius
        ),
        "nearest to the pushed disc": lambda disc: apart(disc, movers),
        "nearest to a named disc": lambda disc: apart(disc, named),
        "hit first": lambda disc: hit.get(disc.id, _FAR),
        "hit last": lambda disc: -hit.get(disc.id, -_FAR),
        "leftmost": lambda disc: disc.x,
        "highest": lambda disc: disc.y,
        "heaviest": lambda disc: -disc.weight,
        "largest": lambda disc: -disc.radius,
    }
