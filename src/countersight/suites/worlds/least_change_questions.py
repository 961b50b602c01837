"""Questions about the smallest change to a world: which one thing must go so that something happens.

Every thing that could be taken away is tried; a question is asked only if exactly one will do.
"""

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from itertools import combinations
from random import Random

from countersight.errors import Unclear
from countersight.suites.searching import smallest
from countersight.suites.worlds.disc_questions import RULE, SHOWN, find_leftmost, hits_or_not, reaches
from countersight.suites.worlds.drafts import Group, Heights, WorldDraft, WorldQuestion, plan_draft
from countersight.suites.worlds.support_questions import FLOOR, by_height
from countersight.worlds import (
    MARGIN,
    Disc,
    Discs,
    Motion,
    RemoveThing,
    Supports,
    Take,
    WorldThing,
    changed_discs,
    clearly_first,
    contacts,
    fallen_without,
    motion,
    outcome,
)

_WRONG = 3


def _with_wrong_options(ways: Sequence[Disc], right: str, rng: Random) -> list[Disc]:
    """What is right, and three like it that are not, of all that could be taken away; nothing where these are few."""
    (one,) = (thing for thing in ways if thing.id == right)
    others = [thing for thing in ways if thing.id != right and thing.kind == one.kind]
    return [one, *rng.sample(others, _WRONG)] if len(others) >= _WRONG else []


def only_removal_that_fells(falls: str, stays: str, world: Supports, margin: float = 0.0) -> str | None:
    """Return the one thing without which the first falls and the second stays; None if none, or several, exist."""
    ways = [thing.id for thing in world.free if thing.id not in (falls, stays)]
    found = smallest(
        [(0, ""), *((1, name) for name in ways)],
        lambda name: _is_felled(fallen_without(world, *filter(None, [name]), margin=margin), falls, stays),
    )
    return found[0] if len(found) == 1 else None


def _is_felled(down: frozenset[str], falls: str, stays: str) -> bool:
    return falls in down and stays not in down


def supports_least(world: Supports, kind: str, rng: Random, dropped: Counter[str]) -> Iterator[WorldDraft]:
    """Return drafts that ask which one thing must go so that one falls and another stays."""
    try:
        down = {thing.id: fallen_without(world, thing.id, margin=MARGIN) for thing in world.free}
    except Unclear:
        dropped["margin"] += 1
        return
    pairs = [(one, other) for one in world.free for other in world.free if one is not other]
    touching: dict[str, frozenset[str]] = {thing.id: frozenset() for thing in world.free}
    for contact in contacts(world):
        for one, other in ((contact.upper, contact.lower), (contact.lower, contact.upper)):
            touching[one] = touching.get(one, frozenset()) | {other}
    for falls, stays in rng.sample(pairs, len(pairs)):
        ways = [thing for thing in world.free if thing not in (falls, stays)]
        found = [thing for thing in ways if _is_felled(down[thing.id], falls.id, stays.id)]
        # What touches a thing never has its colour: no option has it, or words alone would tell against that option.
        unlike = [thing for thing in ways if thing.colour not in (falls.colour, stays.colour)]
        if len(found) != 1 or found[0] not in unlike:
            continue
        result = outcome(world, RemoveThing(found[0].id))
        if result.world is None:
            continue
        goal = f"the {falls.name} falls, and the {stays.name} does not"
        for place, chosen in by_height(_alike(found[0], unlike, touching[falls.id]), rng).items():
            highest = clearly_first(chosen, lambda thing: thing.middle[1])
            if highest:
                yield plan_draft(
                    world,
                    chosen,
                    place,
                    WorldQuestion("Which of these is highest in the picture?", f"the {highest.name}"),
                    f"{FLOOR} Which one of these must be taken away so that {goal}?",
                    "Which of these is not in the picture?",
                    after=result.world,
                    fallen=result.fallen,
                    proof=partial(only_removal_that_fells, falls.id, stays.id),
                )


def _alike(right: WorldThing, ways: list[WorldThing], touching: frozenset[str]) -> Iterator[list[WorldThing]]:
    """What must go, with three of the same kind: what must go touches what is to fall, and so does one of the three."""
    others = [thing for thing in ways if thing is not right and thing.kind == right.kind]
    for near in (thing for thing in others if thing.id in touching):
        for two in combinations([thing for thing in others if thing is not near], 2):
            yield [right, near, *two]


_GOALS: tuple[tuple[str, str, bool], ...] = (
    ("reaches a wall", "yes", False),
    ("does not reach a wall", "no", False),
    ("touches the {other}", "yes", True),
    ("does not touch the {other}", "no", True),
)
"""What is to become of a disc, the answer to the question whether it does, and whether another disc is named."""


def only_removal_that_leads_to(
    fact: Callable[[Motion], str], wanted: str, named: tuple[str, ...], world: Discs
) -> str | None:
    """Return the one disc without which a fact about a table becomes true; None if none, or several, exist."""
    ways = [disc.id for disc in world.discs if disc.id not in named]
    found = smallest(
        [(0, ""), *((1, name) for name in ways)],
        lambda name: fact(motion(changed_discs(world, Take(name)))) == wanted,
    )
    return found[0] if len(found) == 1 and found[0] else None


def discs_least(world: Discs, kind: str, rng: Random, dropped: Counter[str]) -> Iterator[WorldDraft]:
    """Return drafts that ask which one disc must go so that something happens, or no longer happens."""
    for words, wanted, is_pair in rng.sample(_GOALS, len(_GOALS)):
        discs = rng.sample(world.discs, len(world.discs))
        pairs = (
            [(one, other) for one in discs for other in discs if one is not other] if is_pair else [(d,) for d in discs]
        )
        for named in pairs:
            ids = tuple(disc.id for disc in named)
            fact = partial(hits_or_not, ids[0], ids[-1]) if is_pair else partial(reaches, ids[0])
            right = only_removal_that_leads_to(fact, wanted, ids, world)
            chosen = _with_wrong_options([d for d in world.discs if d not in named], right, rng) if right else []
            if not chosen or not right:
                continue
            first = find_leftmost(chosen)
            if first is None:
                continue
            goal = words.format(other=named[-1].name)
            yield plan_draft(
                world,
                chosen,
                chosen[0] is first,
                WorldQuestion("Which of these is farthest to the left?", f"the {first.name}"),
                f"{RULE} Which one of these must be taken away so that the {named[0].name} {goal}?",
                f"{SHOWN} Which of these is not in the pictures?",
                after=changed_discs(world, Take(right)),
                proof=partial(only_removal_that_leads_to, fact, wanted, ids),
            )


_LEFTMOST = (True, False, False, False)
"""Whether what must go is also farthest to the left, which the picture is asked for: as often as each other option."""
SUPPORTS_LEAST = Group(
    "least-change",
    supports_least,
    (None,),
    heights=Heights(
        {"easy": (0, 2, 3), "medium": (0, 1, 2, 3), "hard": (0, 1, 2, 3)},  # few things have no second highest
        {
            0: (("tower", "chain"), ("chain", "chain")),
            1: (("chain", "chain"), ("tower", "tower")),
            2: (("tower", "tower"),),
            3: (("tower", "tower"), ("tower", "chain")),
        },
    ),
)
DISCS_LEAST = Group("least-change", discs_least, _LEFTMOST)
