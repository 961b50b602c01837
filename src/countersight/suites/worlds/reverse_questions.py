"""Reverse questions about worlds, and questions with several changes: smallest change, two changes, "unless".

The smallest change is found by trying every thing that could be taken away; it is asked only where exactly one will do.
Of two changes the second names its thing by what is so after the first, so that their order may matter.
"""

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from itertools import combinations
from math import hypot
from random import Random

from countersight.errors import Unclear
from countersight.suites.searching import smallest
from countersight.suites.worlds.disc_questions import RULE, SHOWN, find_leftmost, hits_or_not, reaches
from countersight.suites.worlds.drafts import Group, Heights, Told, WorldDraft, WorldQuestion, plan_draft, worded
from countersight.suites.worlds.support_questions import by_height
from countersight.worlds import (
    CLEARLY,
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
    is_higher,
    motion,
    nearest,
    outcome,
    yes_or_no,
)

_FLOOR = "What falls ends up on the floor."
_WRONG = 3


def _taking(gone: WorldThing | Disc, words: str = "{X} were taken away", **others: WorldThing | Disc) -> Told:
    change = RemoveThing(gone.id) if isinstance(gone, WorldThing) else Take(gone.id)
    return Told(change, worded(words, X=gone, **others), gone, "remove")


def _least(ways: Sequence[Disc], right: str, rng: Random) -> list[Disc]:
    """What is right, and three like it that are not, of all that could be taken away; nothing where these are few."""
    (one,) = (thing for thing in ways if thing.id == right)
    others = [thing for thing in ways if thing.id != right and thing.kind == one.kind]
    return [one, *rng.sample(others, _WRONG)] if len(others) >= _WRONG else []


def fells(falls: str, stays: str, world: Supports, margin: float = 0.0) -> str | None:
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
                    f"{_FLOOR} Which one of these must be taken away so that {goal}?",
                    "Which of these is not in the picture?",
                    after=result.world,
                    fallen=result.fallen,
                    proof=partial(fells, falls.id, stays.id),
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


def leads(fact: Callable[[Motion], str], wanted: str, named: tuple[str, ...], world: Discs) -> str | None:
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
            right = leads(fact, wanted, ids, world)
            chosen = _least([d for d in world.discs if d not in named], right, rng) if right else []
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
                proof=partial(leads, fact, wanted, ids),
            )


def _highest(world: Supports) -> str | None:
    """The highest block, where that can be seen."""
    blocks = [thing for thing in world.things if thing.kind == "block" and not thing.lies]
    first = clearly_first(blocks, lambda thing: thing.middle[1]) if len(blocks) > 1 else None
    return first.id if first else None


def _fallen_after(first: str, world: Supports, *, swapped: bool = False) -> tuple[Supports, str] | None:
    """The world after a thing and then the highest block are taken away, or the other way about, and that block."""
    highest = ""
    for step in ("highest", "first") if swapped else ("first", "highest"):
        name = first if step == "first" else _highest(world)
        if name is None or name not in {thing.id for thing in world.things}:
            return None
        result = outcome(world, RemoveThing(name)).world
        if result is None:
            return None
        world, highest = result, highest if step == "first" else name
    return world, highest


def _on_the_floor(first: str, world: Supports) -> str | None:
    found = _fallen_after(first, world)
    return str(sum(thing.lies for thing in found[0].things)) if found else None


def supports_ordered(world: Supports, kind: str, rng: Random, dropped: Counter[str]) -> Iterator[WorldDraft]:
    """Return drafts that ask how many things lie on the floor after removing one, and then the highest block left."""
    for first in rng.sample(world.free, len(world.free)):
        try:
            forth, back = (_fallen_after(first.id, world, swapped=swapped) for swapped in (False, True))
        except Unclear:
            dropped["margin"] += 1
            continue
        if forth is None or back is None or _highest(world) == first.id:
            continue
        now, then, other = (sum(thing.lies for thing in each.things) for each in (world, forth[0], back[0]))
        told = _taking(first, "first {X} were taken away, and then the highest block that is left were taken away")
        asked = "How many things lie on the floor?"
        yield WorldDraft(
            skeleton=told.words.skeleton,
            target=then != other,
            kind="number",
            factual=WorldQuestion(asked, str(now)),
            counterfactual=WorldQuestion(
                f"{_FLOOR} How many things would lie on the floor if {_short(told.words.text)}?", str(then)
            ),
            shown=WorldQuestion(asked, str(then)),
            world=world,
            told=told,
            after=forth[0],
            fallen=frozenset(thing.id for thing in forth[0].things if thing.lies),
            proof=partial(_on_the_floor, first.id),
            then=RemoveThing(forth[1]),
            remembered={"order": "matters" if then != other else "does not matter"},
        )


def _short(words: str) -> str:
    """Two clauses with one verb."""
    return words.removesuffix(" were taken away")


def _unless(gone: WorldThing | Disc, clause: str, **others: WorldThing | Disc) -> tuple[Told, str]:
    """A change that is made unless something is so: told, and as a sentence of its own."""
    told = _taking(gone, f"{{X}} were taken away, unless it is {clause}", **others)
    return told, told.words.text.replace(" were taken away", " is taken away").replace("the ", "The ", 1)


def _falls_unless(gone: str, than: str, asked: str, world: Supports, margin: float = 0.0) -> str | None:
    excused = is_higher(world.thing(gone), world.thing(than))
    if excused is None:
        return None
    return yes_or_no(not excused and asked in fallen_without(world, gone, margin=margin))


def supports_unless(world: Supports, kind: str, rng: Random, dropped: Counter[str]) -> Iterator[WorldDraft]:
    """Return drafts that ask whether a thing would fall without another, unless that is higher than a third."""
    for gone in rng.sample(world.free, len(world.free)):
        try:
            result = outcome(world, RemoveThing(gone.id))
        except Unclear:
            dropped["margin"] += 1
            continue
        if result.world is None:
            continue
        for asked in rng.sample(world.free, len(world.free)):
            than = rng.choice(world.free)
            excused = is_higher(gone, than) if len({gone.id, asked.id, than.id}) == 3 else None
            if excused is None:
                continue
            told, sentence = _unless(gone, "higher than {Z}", Z=than)
            does = yes_or_no(not excused and asked.id in result.fallen)
            yield WorldDraft(
                skeleton=f"{told.words.skeleton} {asked.kind}",
                target=(excused, asked.id in result.fallen),
                kind="boolean",
                factual=WorldQuestion(f"Is the {gone.name} higher than the {than.name}?", yes_or_no(excused)),
                counterfactual=WorldQuestion(f"{sentence}. Would the {asked.name} fall?", does),
                shown=WorldQuestion(f"Does the {asked.name} lie on the floor?", does),
                world=world,
                told=told,
                after=world if excused else result.world,
                fallen=frozenset() if excused else result.fallen,
                proof=partial(_falls_unless, gone.id, than.id, asked.id),
            )


def _near(world: Discs, to: str) -> str | None:
    """The disc nearest to one, where that can be seen."""
    found = nearest([disc for disc in world.discs if disc.id != to], world.disc(to))
    return found.id if found else None


def _both_taken(by: tuple[str, str], world: Discs) -> tuple[Discs, tuple[str, ...]] | None:
    """A table after the disc nearest to one, and then the disc nearest to another is taken away, and these two."""
    gone: list[str] = []
    for name in by:
        taken = _near(world, name)
        if taken is None or taken in by:
            return None
        world = changed_discs(world, Take(taken))
        gone.append(taken)
    return world, tuple(gone)


def _happens(by: tuple[str, str], fact: Callable[[Motion], str], world: Discs) -> str | None:
    found = _both_taken(by, world)
    return fact(motion(found[0])) if found else None


def discs_ordered(world: Discs, kind: str, rng: Random, dropped: Counter[str]) -> Iterator[WorldDraft]:
    """Return drafts that ask whether a disc would reach a wall after two removals of nearest discs, in order."""
    now = motion(world)
    pairs = [(one, other) for one in world.discs for other in world.discs if one is not other]
    for one, other in rng.sample(pairs, len(pairs)):
        forth, back = _both_taken((one.id, other.id), world), _both_taken((other.id, one.id), world)
        if forth is None or back is None:
            continue
        after, swapped = motion(forth[0]), motion(back[0])
        told = _taking(
            world.disc(forth[1][0]),
            "first the disc nearest to {A} were taken away, and then the disc that is nearest to {B} were taken away",
            A=one,
            B=other,
        )
        rest = [disc for disc in forth[0].discs if disc.id not in back[1]]
        for disc in rng.sample(rest, len(rest)):
            fact = partial(reaches, disc.id)
            matters = fact(after) != fact(swapped)
            yield WorldDraft(
                skeleton="",
                target=(fact(after), matters),
                kind="boolean",
                factual=WorldQuestion(f"{RULE} Will the {disc.name} reach a wall?", fact(now)),
                counterfactual=WorldQuestion(
                    f"{RULE} Would the {disc.name} reach a wall if {_short(told.words.text)}?", fact(after)
                ),
                shown=WorldQuestion(f"{SHOWN} Does the {disc.name} reach a wall?", fact(after)),
                world=world,
                told=told,
                after=forth[0],
                proof=partial(_happens, (one.id, other.id), fact),
                then=Take(forth[1][1]),
                remembered={"order": "matters" if matters else "does not matter"},
            )


def _nearer(world: Discs, gone: str, one: str, other: str) -> bool | None:
    """Whether a disc is nearer to one than to another; None where that cannot be seen."""
    disc, first, second = (world.disc(name) for name in (gone, one, other))
    far = hypot(disc.x - second.x, disc.y - second.y) - hypot(disc.x - first.x, disc.y - first.y)
    return far > 0 if abs(far) >= CLEARLY else None


def _reaches_unless(gone: str, one: str, other: str, asked: str, world: Discs) -> str | None:
    excused = _nearer(world, gone, one, other)
    if excused is None:
        return None
    return reaches(asked, motion(world if excused else changed_discs(world, Take(gone))))


def discs_unless(world: Discs, kind: str, rng: Random, dropped: Counter[str]) -> Iterator[WorldDraft]:
    """Return drafts that ask whether a disc would reach a wall without another, unless that is nearer to a third."""
    now = motion(world)
    for gone in rng.sample(world.discs, len(world.discs)):
        then = motion(changed_discs(world, Take(gone.id)))
        asked, one, other, *_ = rng.sample([disc for disc in world.discs if disc is not gone], len(world.discs) - 1)
        excused = _nearer(world, gone.id, one.id, other.id)
        was, would = reaches(asked.id, now), reaches(asked.id, then)
        if excused is None or was == would:
            continue
        told, sentence = _unless(gone, "nearer to {B} than to {C}", B=one, C=other)
        answer = was if excused else would
        after = world if excused else changed_discs(world, Take(gone.id))
        yield WorldDraft(
            skeleton="",
            target=(excused, was),
            kind="boolean",
            factual=WorldQuestion(f"{RULE} Will the {asked.name} reach a wall?", was),
            counterfactual=WorldQuestion(f"{RULE} {sentence}. Would the {asked.name} reach a wall?", answer),
            shown=WorldQuestion(f"{SHOWN} Does the {asked.name} reach a wall?", answer),
            world=world,
            told=told,
            after=after,
            proof=partial(_reaches_unless, gone.id, one.id, other.id, asked.id),
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
SUPPORTS_SEVERAL = (
    Group("several-changes", supports_ordered, (True, False)),
    Group("unless", supports_unless, ((False, True), (False, True), (True, True), (False, False))),
)
DISCS_LEAST = Group("least-change", discs_least, _LEFTMOST)
DISCS_SEVERAL = (
    Group("several-changes", discs_ordered, (("yes", True), ("yes", False), ("no", True), ("no", False))),
    Group("unless", discs_unless, ((True, "yes"), (True, "no"), (False, "yes"), (False, "no"))),
)
