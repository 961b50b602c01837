"""Cases that are made together: in the same words but for colours, with every answer once.

Worlds are drawn until one set of words has been met with every answer that is wanted. Whoever knows the words alone
then knows nothing of the answer.
"""

from collections import Counter
from collections.abc import Hashable, Iterator
from random import Random

import msgspec

from countersight.errors import Unclear
from countersight.suites.worlds.changing import CHANGES
from countersight.suites.worlds.drafts import Draft
from countersight.suites.worlds.questions import Group, Happened, planning
from countersight.worlds import JITTERS, Difficulty, Supports, build_supports, fallen, jittered, outcome

_WORLDS = 40
"""Worlds that are drawn for one kind of change before another is tried."""
_CHANGES = 8
"""Changes of one world that are solved."""


class Unit(msgspec.Struct, frozen=True):
    """Drafts with every answer that was wanted, and how many candidates were dropped on the way, by reason."""

    drafts: tuple[Draft, ...]
    dropped: dict[str, int]


def draft_unit(group: Group, difficulty: Difficulty, key: str) -> Unit:
    """The unit of a key: the same whatever else is made."""
    dropped: Counter[str] = Counter()
    attempt = 0
    while True:
        rng = Random(f"{key}/{attempt}")
        found = _search(group, difficulty, rng, dropped)
        if found:
            return Unit(found, dict(dropped))
        attempt += 1


def _search(group: Group, difficulty: Difficulty, rng: Random, dropped: Counter[str]) -> tuple[Draft, ...] | None:
    kind = rng.choice(group.changes)
    met: dict[str, list[Draft | None]] = {}
    for _ in range(_WORLDS):
        world = build_supports(rng, difficulty)
        used: set[str] = set()
        for draft in _drafts(group, world, kind, rng, dropped):
            places = met.setdefault(draft.skeleton, [None] * len(group.targets))
            place = _open(group.targets, places, draft.target)
            if draft.skeleton in used or place is None:
                continue
            used.add(draft.skeleton)
            places[place] = draft
            if None not in places:  # only now is the slow part worth it
                places[:] = [each if each and _is_stable(each, rng, dropped) else None for each in places]
            complete = [each for each in places if each is not None]
            if len(complete) == len(places):
                return tuple(complete)
    return None


def _open(targets: tuple[Hashable, ...], places: list[Draft | None], target: Hashable) -> int | None:
    return next((nth for nth, each in enumerate(targets) if each == target and places[nth] is None), None)


def _drafts(group: Group, world: Supports, kind: str, rng: Random, dropped: Counter[str]) -> Iterator[Draft]:
    if group.drafts is None:
        yield from planning(world, rng)
        return
    possible = list(CHANGES[kind](world, rng))
    for told in rng.sample(possible, min(_CHANGES, len(possible))):
        try:
            result = outcome(world, told.change)
        except Unclear:
            dropped["margin"] += 1
            continue
        if result.world is None:
            dropped["floor"] += 1
            continue
        drafts = list(group.drafts(Happened(world, told, result, result.world), rng))
        yield from rng.sample(drafts, len(drafts))


def _is_stable(draft: Draft, rng: Random, dropped: Counter[str]) -> bool:
    """Whether the same things fall in every slightly different world, before and after the change."""
    jitters = [jittered(draft.world, rng) for _ in range(JITTERS)]
    try:
        same = not fallen(draft.world, jitters=jitters)
        if draft.told is not None:
            same = same and outcome(draft.world, draft.told.change, jitters=jitters).fallen == draft.fallen
    except Unclear:
        same = False
    dropped["jitter"] += not same
    return same
