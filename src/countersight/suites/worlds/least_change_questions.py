"""Questions about the smallest change to a world: which single thing must be removed so that something happens.

Every possible removal is tried; a question is asked only if exactly one works. Of many possible questions, one is
chosen so that shortcuts such as "the first disc in the way" find the right option about as often as a guess (see
`units`).
"""

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import partial
from itertools import combinations
from math import cos, hypot, pi, sin
from random import Random
from typing import TypeVar

from msgspec.structs import replace

from countersight.errors import Unclear
from countersight.suites.worlds.disc_questions import RULE, SHOWN_INTRO, hits_or_not, needs_bank_shot, reaches
from countersight.suites.worlds.drafts import Group, WorldDraft, WorldQuestion, plan_draft
from countersight.suites.worlds.support_questions import FLOOR, involved
from countersight.suites.worlds.units import found_by
from countersight.text import several
from countersight.worlds import (
    COLOURS,
    MARGIN,
    Disc,
    Discs,
    Motion,
    RemoveDisc,
    RemoveThing,
    Supports,
    WorldThing,
    apply_disc_change,
    clearly_first,
    contacts,
    fallen,
    has_room,
    motion,
    outcome,
)

Thing = TypeVar("Thing")
_WRONG = 3
_TRIES = 20
_TRIPLES = 10
"""The maximum number of choices of wrong options per right option."""
_GRAZING = 7.0, 14.0
"""How far, in pixels, a grazed disc extends into the path of a pushed one."""
_FAR = 1000.0
"""A score that is greater than any distance in a picture."""


def only_removal_that_fells(falls: str, others: int, world: Supports, margin: float = 0.0) -> str | None:
    """Return the only thing whose removal makes another fall, and exactly `others` more; None if there is not exactly
    one, or they fall without any change."""

    def is_reached(*gone: str) -> bool:
        down = fallen(world, *gone, margin=margin)
        return falls in down and len(down) == others + 1

    found = [thing.id for thing in world.free if thing.id != falls and is_reached(thing.id)]
    return found[0] if len(found) == 1 and not is_reached() else None


def supports_least(world: Supports, kind: str, rng: Random, dropped: Counter[str]) -> Iterator[WorldDraft]:
    """Yield drafts that ask which one block must be removed so that another thing falls, with a stated
    number of other things."""
    try:
        down = {thing.id: fallen(world, thing.id, margin=MARGIN) for thing in world.free}
    except Unclear:
        dropped["margin"] += 1
        return
    for falls in rng.sample(world.free, len(world.free)):
        numbers = Counter(len(each) - 1 for each in down.values() if falls.id in each)
        joined = involved(world, falls.id)
        # Touching things never have the same colour: an option of that colour could be ruled out from the words alone.
        ways = [
            thing
            for thing in world.free
            if thing.kind == "block" and thing.id in joined - {falls.id} and thing.colour != falls.colour
        ]
        for right in ways:
            others = len(down[right.id]) - 1
            if falls.id in down[right.id] and numbers[others] == 1:
                yield from _drafts_of_goal(world, falls, others, right, ways, rng)


def _drafts_of_goal(
    world: Supports, falls: WorldThing, others: int, right: WorldThing, ways: list[WorldThing], rng: Random
) -> Iterator[WorldDraft]:
    """Yield drafts, with different wrong options, that ask which of four blocks to remove so that some things fall."""
    after = outcome(world, RemoveThing(right.id)).world
    if after is None:
        return
    goal = f"and exactly {several(others, 'other thing')} fall" if others else "falls and nothing else does"
    shortcuts = support_shortcuts(world, falls, others + 1)
    for wrong in _some_triples([thing for thing in ways if thing is not right], rng):
        chosen = [right, *wrong]
        highest = clearly_first(chosen, lambda thing: thing.middle[1])
        if highest is None:
            continue
        found = found_by(shortcuts, right, wrong)
        if found["directly above"] == 1:  # otherwise nearly every counterweight would be found by this shortcut
            continue
        yield plan_draft(
            chosen,
            WorldQuestion("Which of these is highest in the picture?", f"the {highest.name}"),
            f"{FLOOR} Which one of these must be taken away so that the {falls.name} {goal}?",
            "Which of these is not in the picture?",
            ("graph",) * _WRONG,
            world=world,
            found_by=found,
            after=after,
            facts=((world, partial(only_removal_that_fells, falls.id, others)),),
        )


def support_shortcuts(world: Supports, falls: WorldThing, number: int) -> Mapping[str, Callable[[WorldThing], float]]:
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
        "directly above": lambda thing: thing.id not in above.get(falls.id, ()),
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
    """Return the only disc whose removal makes a fact about a table true; None if there is not exactly one, or the fact
    is true without any change."""
    tables = {disc.id: apply_disc_change(world, RemoveDisc(disc.id)) for disc in world.discs if disc.id not in named}
    found = [name for name, table in tables.items() if fact(motion(table)) == wanted]
    return found[0] if len(found) == 1 and fact(motion(world)) != wanted else None


def discs_least(world: Discs, kind: str, rng: Random, dropped: Counter[str]) -> Iterator[WorldDraft]:
    """Yield drafts that ask which one disc must be removed so that something happens, or no longer happens.

    A pushed disc is never an option: without it, often nothing happens, so it would be right whenever it is offered.
    """
    now = motion(world)
    for words, wanted, is_pair in rng.sample(_GOALS, len(_GOALS)):
        discs = rng.sample(world.discs, len(world.discs))
        pairs = [(one, other) for one in discs for other in discs if one is not other]
        for named in pairs if is_pair else [(disc,) for disc in discs]:
            ids = tuple(disc.id for disc in named)
            fact = partial(hits_or_not, ids[0], ids[-1]) if is_pair else partial(reaches, ids[0])
            found = partial(only_removal_that_leads_to, fact, wanted, ids)
            right = found(world) if fact(now) != wanted else None
            if right and not world.disc(right).is_pushed:
                goal = f"the {named[0].name} {words.format(other=named[-1].name)}"
                yield from _drafts_of_disc_goal(world, goal, named, world.disc(right), found, rng, dropped)


def _drafts_of_disc_goal(
    world: Discs,
    goal: str,
    named: Sequence[Disc],
    right: Disc,
    found: Callable[[Discs], str | None],
    rng: Random,
    dropped: Counter[str],
) -> Iterator[WorldDraft]:
    """Yield drafts, with different wrong options, that ask which disc must be removed, on a table with additional
    discs."""
    table = _with_more_discs(world, right, lambda table: found(table) == right.id, rng)
    after = apply_disc_change(table, RemoveDisc(right.id))
    if needs_bank_shot(table, after, dropped):
        return
    moved = motion(table).moved()
    shortcuts = disc_shortcuts(table, named)
    rest = [disc for disc in table.discs if disc not in (*named, right) and not disc.is_pushed]
    for wrong in _some_triples(rest, rng):
        first = clearly_first([right, *wrong], lambda disc: disc.x)
        if first is None:
            continue
        yield plan_draft(
            [right, *wrong],
            WorldQuestion("Which of these is farthest to the left?", f"the {first.name}"),
            f"{RULE} Which one of these must be taken away so that {goal}?",
            f"{SHOWN_INTRO} Which of these is not in the pictures?",
            ["graph" if disc.id in moved else "image" for disc in wrong],
            world=table,
            found_by=found_by(shortcuts, right, wrong),
            after=after,
            facts=((table, found),),
        )


def _with_more_discs(world: Discs, right: Disc, is_right: Callable[[Discs], bool], rng: Random) -> Discs:
    """Return the table with additional discs: light ones that a pushed disc grazes before it meets the right one, and
    others near an arrow's line or elsewhere. The right answer stays the same."""
    movers = [disc for disc in world.discs if disc.is_pushed]
    colours = [colour for colour in COLOURS if colour not in {disc.colour for disc in world.discs}]
    grazed, near = rng.randint(1, 2), rng.randint(0, 2)
    for nth, colour in enumerate(rng.sample(colours, min(_WRONG, len(colours)))):
        for _ in range(_TRIES):
            mover, radius = rng.choice(movers), rng.randint(17, 24)
            speed = hypot(mover.vx, mover.vy)
            if nth < grazed:
                along = rng.uniform(20, max(21, hypot(right.x - mover.x, right.y - mover.y)))
                aside = rng.choice((-1, 1)) * (mover.radius + radius - rng.uniform(*_GRAZING))
            elif nth < grazed + near:
                along, aside = rng.uniform(40, 400), rng.uniform(-1, 1) * min(_ahead(right, each)[1] for each in movers)
            else:
                angle, away = rng.uniform(0, 2 * pi), rng.uniform(40, 200)
                along, aside = cos(angle) * away, sin(angle) * away
            x = mover.x + (mover.vx * along - mover.vy * aside) / speed
            y = mover.y + (mover.vy * along + mover.vx * aside) / speed
            weight = rng.randint(1, 2 if nth < grazed else 4)
            disc = Disc(f"b{nth}", colour, round(x), round(y), radius, weight=weight)
            more = replace(world, discs=(*world.discs, disc))
            if has_room(more) and is_right(more):
                world = more
                break
    return world


def _ahead(disc: Disc, mover: Disc) -> tuple[float, float]:
    """Return how far ahead of a pushed disc a disc lies, and how far from the line of its arrow, which begins at the
    pushed disc."""
    across, down, speed = disc.x - mover.x, disc.y - mover.y, hypot(mover.vx, mover.vy)
    along = (across * mover.vx + down * mover.vy) / speed
    return along, abs(across * mover.vy - down * mover.vx) / speed if along > 0 else hypot(across, down)


def disc_shortcuts(world: Discs, named: Sequence[Disc]) -> Mapping[str, Callable[[Disc], float]]:
    """Return the shortcuts that may find the disc whose removal changes what happens to the named discs."""
    movers = [disc for disc in world.discs if disc.is_pushed]
    hit: dict[str, int] = {}
    for nth, event in enumerate(motion(world).events):
        for disc in (event.disc, event.other):
            hit.setdefault(disc, nth)

    def in_the_way(disc: Disc, mover: Disc) -> float:
        along, aside = _ahead(disc, mover)
        return along if along > 0 and aside < disc.radius + mover.radius else _FAR + aside

    def off_line(disc: Disc) -> float:
        return min(_ahead(disc, mover)[1] for mover in movers)

    def apart(disc: Disc, others: Iterable[Disc]) -> float:
        return min(hypot(disc.x - other.x, disc.y - other.y) for other in others)

    return {
        "first in the way": lambda disc: min(in_the_way(disc, mover) for mover in movers),
        "nearest to the line of the arrow": off_line,
        "edge nearest to the line of the arrow": lambda disc: off_line(disc) - disc.radius,
        "nearest to the pushed disc": lambda disc: apart(disc, movers),
        "nearest to a named disc": lambda disc: apart(disc, named),
        "hit first": lambda disc: hit.get(disc.id, _FAR),
        "hit last": lambda disc: -hit.get(disc.id, -_FAR),
        "leftmost": lambda disc: disc.x,
        "highest": lambda disc: disc.y,
        "heaviest": lambda disc: -disc.weight,
        "largest": lambda disc: -disc.radius,
    }


def _some_triples(things: Sequence[Thing], rng: Random) -> list[tuple[Thing, ...]]:
    """Return different choices of wrong options."""
    triples = list(combinations(things, _WRONG))
    return rng.sample(triples, min(_TRIPLES, len(triples)))


SUPPORTS_LEAST = Group("least-change", supports_least, pool=24, structures={"remove": (("pile",),)})
DISCS_LEAST = Group("least-change", discs_least, pool=60, found_share=0.15)
