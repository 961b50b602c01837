"""Units of cases: the same words except for colours, with every answer once.

Worlds are drawn until one set of words has been met with every answer that is wanted. Whoever knows the words alone
then knows nothing of the answer.
"""

from collections import Counter
from collections.abc import Hashable, Iterator
from random import Random

import msgspec

from countersight.suites.worlds.drafts import Group, WorldDraft, WorldSuite
from countersight.worlds import Difficulty

_WORLDS = 40
"""Worlds that are drawn for one kind of change before another is tried."""


class Unit(msgspec.Struct, frozen=True):
    """Drafts with every wanted answer, and the number of dropped candidates, by reason."""

    drafts: tuple[WorldDraft, ...]
    dropped: dict[str, int]


def draft_unit(suite: WorldSuite, group: Group, difficulty: Difficulty, key: str) -> Unit:
    """Return the unit of a key: the same whatever else is made."""
    dropped: Counter[str] = Counter()
    attempt = 0
    while True:
        rng = Random(f"{key}/{attempt}")
        found = _search(suite, group, difficulty, rng, dropped)
        if found:
            return Unit(found, dict(dropped))
        attempt += 1


def _search(
    suite: WorldSuite, group: Group, difficulty: Difficulty, rng: Random, dropped: Counter[str]
) -> tuple[WorldDraft, ...] | None:
    kind = rng.choice(group.kinds)
    met: dict[str, list[WorldDraft | None]] = {}
    for _ in range(_WORLDS):
        world = suite.build(rng, difficulty, *_having(group, kind, rng))
        used: set[str] = set()
        for draft in group.drafts(world, kind, rng, dropped):
            places = met.setdefault(draft.skeleton, [None] * len(group.targets))
            place = _open(group.targets, places, draft.target)
            if draft.skeleton in used or place is None:
                continue
            used.add(draft.skeleton)
            places[place] = draft
            if None not in places:  # only now is the slow part worth it
                places[:] = [each if each and _is_stable(suite, each, rng, dropped) else None for each in places]
            complete = [each for each in places if each is not None]
            if len(complete) == len(places):
                return tuple(complete)
    return None


def _having(group: Group, kind: str, rng: Random) -> Iterator[tuple[str, ...]]:
    """What a world of the group is built of, where something is asked for."""
    if kind in group.having:
        yield rng.choice(group.having[kind])


def _open(targets: tuple[Hashable, ...], places: list[WorldDraft | None], target: Hashable) -> int | None:
    return next((nth for nth, each in enumerate(targets) if each == target and places[nth] is None), None)


def _is_stable(suite: WorldSuite, draft: WorldDraft, rng: Random, dropped: Counter[str]) -> bool:
    doubt = suite.doubt(draft, rng)
    dropped[doubt or "jitter"] += bool(doubt)  # the card names the jitters also where they dropped nothing
    return not doubt
