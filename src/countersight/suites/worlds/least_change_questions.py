"""Questions about the smallest change to a world: which one thing must go so that something happens.

Every possible removal is tried; a question is asked only if exactly one works. The rank of the right option, by height
or by the distance from an arrow's line, is balanced, and the rules "directly below what is to fall" and "nearest to
what is pushed" find it in a quarter of the cases. Other rules find it more often: the right disc is usually the first
one hit, and the right block usually has the stated number of things above it.
"""

from collections import Counter
from collections.abc import Callable, Hashable, Iterator
from functools import partial
from itertools import combinations
from math import cos, hypot, pi, sin
from random import Random

from msgspec.structs import replace

from countersight.errors import Unclear
from countersight.suites.searching import smallest
from countersight.suites.worlds.disc_questions import RULE, SHOWN_INTRO, find_leftmost, hits_or_not, reaches
from countersight.suites.worlds.drafts import Group, WorldDraft, WorldQuestion, plan_draft
from countersight.suites.worlds.support_questions import FLOOR, involved
from countersight.text import several
from countersight.worlds import (
    COLOURS,
    LEVELS,
    MARGIN,
    Difficulty,
    Disc,
    Discs,
    Event,
    Motion,
    RemoveDisc,
    RemoveThing,
    Supports,
    apply_disc_change,
    clearly_first,
    contacts,
    fallen_without,
    has_room,
    motion,
    outcome,
)

_WRONG = 3
_TRIES = 20
_MIN_VISIBLE_GAP = 6.0


def only_removal_that_fells(falls: str, others: int, world: Supports, margin: float = 0.0) -> str | None:
    """Return the only thing without which another falls, and exactly `others` more; None if there is not exactly
    one."""

    def is_reached(name: str) -> bool:
        down = fallen_without(world, *filter(None, [name]), margin=margin)
        return falls in down and len(down) == others + 1

    ways = [(1, thing.id) for thing in world.free if thing.id != falls]
    found = smallest([(0, ""), *ways], is_reached)
    return found[0] if len(found) == 1 else None


def supports_least(world: Supports, kind: str, rng: Random, dropped: Counter[str]) -> Iterator[WorldDraft]:
    """Yield drafts that ask which one block must go so that another thing falls, and so many others with it."""
    try:
        down = {thing.id: fallen_without(world, thing.id, margin=MARGIN) for thing in world.free}
    except Unclear:
        dropped["margin"] += 1
        return
    for falls in rng.sample(world.free, len(world.free)):
        felling = [thing for thing in world.free if falls.id in down[thing.id]]
        numbers = Counter(len(down[thing.id]) - 1 for thing in felling)
        joined = involved(world, falls.id)
        below = {contact.lower for contact in contacts(world) if contact.upper == falls.id}
        # Touching things never have the same colour: an option of that colour could be ruled out from the words alone.
        ways = [
            thing
            for thing in world.free
            if thing.kind == "block" and thing.id in joined - {falls.id} and thing.colour != falls.colour
        ]
        for right in (thing for thing in ways if thing in felling):
            others = len(down[right.id]) - 1
            result = outcome(world, RemoveThing(right.id)) if numbers[others] == 1 else None
            if result is None or result.world is None:
                continue
            rest = [thing for thing in ways if thing is not right]
            goal = f"and exactly {several(others, 'other thing')} fall" if others else "falls and nothing else does"
            for wrong in rng.sample(triples := list(combinations(rest, _WRONG)), len(triples)):
                chosen = [right, *wrong]
                highest = clearly_first(chosen, lambda thing: thing.middle[1])
                if highest is None or below.isdisjoint(thing.id for thing in chosen):
                    continue
                yield plan_draft(
                    chosen,
                    WorldQuestion("Which of these is highest in the picture?", f"the {highest.name}"),
                    f"{FLOOR} Which one of these must be taken away so that the {falls.name} {goal}?",
                    "Which of these is not in the picture?",
                    ("graph",) * _WRONG,
                    world=world,
                    target=(sum(thing.middle[1] < right.middle[1] for thing in wrong), right.id in below),
                    after=result.world,
                    fallen=result.fallen,
                    proof=partial(only_removal_that_fells, falls.id, others),
                )


_GOALS: tuple[tuple[str, str, bool], ...] = (
    ("reaches a wall", "yes", False),
    ("does not reach a wall", "no", False),
    ("touches the {other}", "yes", True),
    ("does not touch the {other}", "no", True),
)
"""The goal for a disc, the wanted answer about it, and whether another disc is named."""


def only_removal_that_leads_to(
    fact: Callable[[Motion], str], wanted: str, named: tuple[str, ...], world: Discs
) -> str | None:
    """Return the only disc without which a fact about a table becomes true; None if there is not exactly one."""
    ways = [(1, disc.id) for disc in world.discs if disc.id not in named]
    found = smallest([(0, ""), *ways], lambda name: fact(motion(apply_disc_change(world, RemoveDisc(name)))) == wanted)
    return found[0] if len(found) == 1 and found[0] else None


def discs_least(world: Discs, kind: str, rng: Random, dropped: Counter[str]) -> Iterator[WorldDraft]:
    """Yield drafts that ask which one disc must go so that something happens, or no longer happens.

    A pushed disc is never an option: without it often nothing happens, so it would be right whenever it is offered.
    """
    now = motion(world)
    without = {disc.id: motion(apply_disc_change(world, RemoveDisc(disc.id))) for disc in world.discs}
    movers = [disc for disc in world.discs if disc.vx or disc.vy]
    for words, wanted, is_pair in rng.sample(_GOALS, len(_GOALS)):
        discs = rng.sample(world.discs, len(world.discs))
        pairs = [(one, other) for one in discs for other in discs if one is not other]
        for named in pairs if is_pair else [(disc,) for disc in discs]:
            ids = tuple(disc.id for disc in named)
            fact = partial(hits_or_not, ids[0], ids[-1]) if is_pair else partial(reaches, ids[0])
            ways = [disc for disc in world.discs if disc not in named]
            found = [disc for disc in ways if fact(without[disc.id]) == wanted]
            if fact(now) == wanted or len(found) != 1 or found[0] in movers:
                continue
            right, goal = found[0], words.format(other=named[-1].name)
            happens = {"": now.events, right.id: without[right.id].events}
            table = _with_bystanders(world, right, movers, happens, rng)
            after = apply_disc_change(table, RemoveDisc(right.id))
            if only_removal_that_leads_to(fact, wanted, ids, table) != right.id:
                continue
            rest = [disc for disc in table.discs if disc not in (*named, *movers, right)]
            for wrong in rng.sample(triples := list(combinations(rest, _WRONG)), len(triples)):
                first = find_leftmost([right, *wrong])
                if first is None:
                    continue
                target = (
                    min(2, sum(_off_line(disc, movers) < _off_line(right, movers) for disc in wrong)),
                    all(_apart(right, movers) < _apart(disc, movers) for disc in wrong),
                )
                yield plan_draft(
                    [right, *wrong],
                    WorldQuestion("Which of these is farthest to the left?", f"the {first.name}"),
                    f"{RULE} Which one of these must be taken away so that the {named[0].name} {goal}?",
                    f"{SHOWN_INTRO} Which of these is not in the pictures?",
                    ["graph" if disc.id in now.moved() else "image" for disc in wrong],
                    world=table,
                    target=target,
                    after=after,
                    proof=partial(only_removal_that_leads_to, fact, wanted, ids),
                )


def _with_bystanders(
    world: Discs, right: Disc, movers: list[Disc], happens: dict[str, tuple[Event, ...]], rng: Random
) -> Discs:
    """Return the table with additional discs that touch nothing: near an arrow's line, near a pushed disc or
    elsewhere."""
    colours = [colour for colour in COLOURS if colour not in {disc.colour for disc in world.discs}]
    near = rng.randint(0, _WRONG) if _off_line(right, movers) > _MIN_VISIBLE_GAP else 0
    for nth, colour in enumerate(rng.sample(colours, min(_WRONG, len(colours)))):
        for _ in range(_TRIES):
            mover, angle, away = rng.choice(movers), rng.uniform(0, 2 * pi), rng.uniform(40, 200)
            x, y = mover.x + cos(angle) * away, mover.y + sin(angle) * away
            if nth < near:
                along, aside = (
                    value / hypot(mover.vx, mover.vy) for value in (rng.uniform(40, 400), rng.uniform(-1, 1))
                )
                aside *= _off_line(right, movers)
                x, y = mover.x + mover.vx * along - mover.vy * aside, mover.y + mover.vy * along + mover.vx * aside
            disc = Disc(f"b{nth}", colour, round(x), round(y), rng.randint(17, 24), weight=rng.randint(1, 4))
            more = replace(world, discs=(*world.discs, disc))
            if has_room(more) and all(
                motion(apply_disc_change(more, RemoveDisc(gone))).events == events for gone, events in happens.items()
            ):
                world = more
                break
    return world


def _apart(disc: Disc, movers: list[Disc]) -> float:
    """Return the distance of a disc from the nearest pushed disc."""
    return min(hypot(disc.x - mover.x, disc.y - mover.y) for mover in movers)


def _off_line(disc: Disc, movers: list[Disc]) -> float:
    """Return the distance of a disc from the nearest line along which a disc is pushed."""
    found = []
    for mover in movers:
        across, down, speed = disc.x - mover.x, disc.y - mover.y, hypot(mover.vx, mover.vy)
        is_ahead = across * mover.vx + down * mover.vy > 0
        found.append(abs(across * mover.vy - down * mover.vx) / speed if is_ahead else hypot(across, down))
    return min(found)


def _targets(ranks: int) -> dict[Difficulty, tuple[tuple[Hashable, ...], ...]]:
    """Return targets: the rank of the right option, and whether the second rule of thumb finds it; a unit is one
    case."""
    targets = tuple(((rank, is_found),) for rank in range(ranks) for is_found in (True, False, False, False))
    return dict.fromkeys(LEVELS, targets)


SUPPORTS_LEAST = Group("least-change", supports_least, target_sets=_targets(4), structures={"remove": (("pile",),)})
DISCS_LEAST = Group("least-change", discs_least, target_sets=_targets(3))
