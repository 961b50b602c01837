"""Search for units of cases: drafts with the same words except for colours, in which every answer occurs once.

Random worlds are built until every wanted answer has been found for one set of words. The words alone then reveal
nothing about the answer.

Questions about the smallest change are balanced against shortcuts instead: rules that pick an option without working
out what happens, such as "the heaviest". For each question, the shortcuts that may find its answer are drawn at random;
the candidate that agrees best with this draw is chosen. Over many questions, each shortcut is then right in about a
quarter of the cases, even if it would be right for nearly all candidates.
"""

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from math import sqrt
from random import Random
from typing import TypeVar

from countersight.errors import CountersightError, Unclear
from countersight.suites.worlds.drafts import Group, WorldDraft, WorldSuite, without_colours
from countersight.worlds import Difficulty

Thing = TypeVar("Thing")
_WORLDS = 40
"""The number of worlds built for one kind of change before another kind is tried."""
_ATTEMPTS = 500
_RAREST = 0.01
"""The smallest share of agreement used for weights; rarer agreements have the weight of this share."""


def draft_unit(
    suite: WorldSuite, group: Group, level: Difficulty, key: str, dropped: Counter[str]
) -> tuple[WorldDraft, ...]:
    """Return drafts with every wanted answer, independent of all other units; dropped candidates are counted."""
    for attempt in range(_ATTEMPTS):
        found = _search(suite, group, level, Random(f"{key}/{attempt}"), dropped)
        if found:
            return found
    raise CountersightError(
        f"{suite.name}: no {level} case of the group {group.name!r} was found in {_ATTEMPTS * _WORLDS:,} random "
        "worlds; choose another --seed or --difficulty"
    )


def _search(
    suite: WorldSuite, group: Group, level: Difficulty, rng: Random, dropped: Counter[str]
) -> tuple[WorldDraft, ...] | None:
    """Return a unit found in random worlds, or None if they yield none."""
    kind = rng.choice(group.kinds)
    structures = group.structures.get(kind)

    def drafts_by_world(number: int) -> Iterator[Iterable[WorldDraft]]:
        for _ in range(number):
            having = [rng.choice(structures)] if structures else []
            yield group.drafts(suite.build(rng, level, *having), kind, rng, dropped)

    def is_certain(draft: WorldDraft) -> bool:
        doubt = _doubt(suite, draft, rng)
        dropped.update([doubt] if doubt else [])
        return not doubt

    if group.pool:
        pool = [draft for drafts in drafts_by_world(group.pool) for draft in drafts]
        suitable = (pool[nth] for nth in least_guessable([draft.found_by for draft in pool], group.found_share, rng))
        return next(((draft,) for draft in suitable if is_certain(draft)), None)
    return _complete_unit(group, drafts_by_world(_WORLDS), is_certain)


def _doubt(suite: WorldSuite, draft: WorldDraft, rng: Random) -> str:
    """Return why the answers are uncertain: the draft's own reason, or that of a slightly different world with other
    answers; "" if there is none."""
    if draft.doubt and (reason := draft.doubt()):
        return reason
    for world, fact in draft.facts:
        answer = fact(world)
        for reason, other in suite.vary(world, rng):
            try:
                if fact(other) != answer:
                    return reason
            except Unclear:
                return reason
    return ""


def _complete_unit(
    group: Group, drafts_by_world: Iterable[Iterable[WorldDraft]], is_certain: Callable[[WorldDraft], bool]
) -> tuple[WorldDraft, ...] | None:
    """Return the first drafts that have the same words and every target of the group, at most one per world."""
    by_words: dict[str, list[WorldDraft | None]] = {}
    for drafts in drafts_by_world:
        used: set[str] = set()
        for draft in drafts:
            words = without_colours(draft.counterfactual.text) if group.same_words else ""
            places = by_words.setdefault(words, [None] * len(group.targets))
            free = [nth for nth, each in enumerate(group.targets) if each == draft.target and places[nth] is None]
            if words in used or not free:
                continue
            used.add(words)
            places[free[0]] = draft
            if None not in places:  # only a complete unit is worth the slow check
                places[:] = [each if each and is_certain(each) else None for each in places]
            complete = [each for each in places if each is not None]
            if len(complete) == len(places):
                return tuple(complete)
    return None


def found_by(
    shortcuts: Mapping[str, Callable[[Thing], float]], right: Thing, wrong: Sequence[Thing]
) -> dict[str, float]:
    """Return the probability that each shortcut picks the right option.

    A shortcut is the score of an option. It picks the option with the lowest score; a tie is broken at random.
    """
    found = {}
    for name, score in shortcuts.items():
        own, others = score(right), [score(each) for each in wrong]
        found[name] = 0.0 if min(others) < own else 1 / (1 + others.count(own))
    return found


def least_guessable(candidates: Sequence[Mapping[str, float]], share: float, rng: Random) -> list[int]:
    """Return the positions of candidates, given as the results of `found_by`, the most suitable first. Each
    shortcut should find the answers of about this share of questions.

    The rarer an agreement is, the more it counts: if a shortcut finds nearly every answer, its exceptions are
    preferred.
    """
    disagreements = [0.0] * len(candidates)
    for name in candidates[0] if candidates else ():
        may_find = rng.random() < share
        off = [abs(each[name] - may_find) for each in candidates]
        agreeing = 1 - sum(off) / len(off)
        for nth, each in enumerate(off):
            disagreements[nth] += each / sqrt(max(agreeing, _RAREST))
    return sorted(range(len(candidates)), key=lambda nth: disagreements[nth])
