"""Search for units of cases: drafts with the same words except for colours, with every answer once.

Random worlds are built until every wanted answer has been found for one set of words. The words alone then reveal
nothing about the answer.
"""

from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from random import Random

from countersight.errors import CountersightError
from countersight.suites.worlds.drafts import WorldDraft
from countersight.suites.worlds.groups import Group, WorldSuite
from countersight.suites.worlds.shortcuts import least_guessable
from countersight.worlds import Difficulty

_WORLDS = 40
"""Worlds that are built for one kind of change before another kind is tried."""
_ATTEMPTS = 500


def draft_unit(
    suite: WorldSuite, group: Group, difficulty: Difficulty, key: str, dropped: Counter[str]
) -> tuple[WorldDraft, ...]:
    """Return drafts with every wanted answer, independent of all other units; dropped candidates are counted."""
    for attempt in range(_ATTEMPTS):
        found = _search(suite, group, difficulty, Random(f"{key}/{attempt}"), dropped)
        if found:
            return found
    raise CountersightError(
        f"{suite.name}: no {difficulty} case of the group {group.name!r} was found in {_ATTEMPTS * _WORLDS:,} random "
        "worlds; choose another --seed or --difficulty"
    )


def _search(
    suite: WorldSuite, group: Group, difficulty: Difficulty, rng: Random, dropped: Counter[str]
) -> tuple[WorldDraft, ...] | None:
    """Return a unit from some random worlds, or None if they do not have one."""
    kind = rng.choice(group.kinds)
    structures = group.structures.get(kind) or group.structures.get(group.targets[0])

    def drafts_by_world(number: int) -> Iterator[Iterable[WorldDraft]]:
        for _ in range(number):
            having = [rng.choice(structures)] if structures else []
            yield group.drafts(suite.build(rng, difficulty, *having), kind, rng, dropped)

    def is_stable(draft: WorldDraft) -> bool:
        doubt = suite.doubt(draft, rng)
        dropped[doubt or "jitter"] += bool(doubt)  # the card mentions jitters even if they dropped nothing
        return not doubt

    if group.pool:
        pool = [draft for drafts in drafts_by_world(group.pool) for draft in drafts]
        suitable = (pool[nth] for nth in least_guessable([draft.found_by for draft in pool], group.found_share, rng))
        return next(((draft,) for draft in suitable if is_stable(draft)), None)
    return _complete_unit(group, drafts_by_world(_WORLDS), is_stable)


def _complete_unit(
    group: Group, drafts_by_world: Iterable[Iterable[WorldDraft]], is_stable: Callable[[WorldDraft], bool]
) -> tuple[WorldDraft, ...] | None:
    """Return the first drafts that have the same skeleton and every target of the group, at most one per world."""
    by_skeleton: dict[str, list[WorldDraft | None]] = {}
    for drafts in drafts_by_world:
        used: set[str] = set()
        for draft in drafts:
            places = by_skeleton.setdefault(draft.skeleton, [None] * len(group.targets))
            free = [nth for nth, each in enumerate(group.targets) if each == draft.target and places[nth] is None]
            if draft.skeleton in used or not free:
                continue
            used.add(draft.skeleton)
            places[free[0]] = draft
            if None not in places:  # only a complete unit is worth the slow check
                places[:] = [each if each and is_stable(each) else None for each in places]
            complete = [each for each in places if each is not None]
            if len(complete) == len(places):
                return tuple(complete)
    return None
