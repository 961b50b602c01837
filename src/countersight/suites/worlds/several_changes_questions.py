"""Questions about worlds with several changes: two changes, one after the other, or a change that is made unless a
condition holds.

Of two changes, the second refers to a thing by its position after the first, so that their order may matter.
"""

from collections import Counter
from collections.abc import Callable, Iterator
from functools import partial
from math import hypot
from random import Random

from countersight.errors import Unclear
from countersight.suites.worlds.disc_questions import RULE, SHOWN_INTRO, needs_bank_shot, reaches
from countersight.suites.worlds.drafts import Group, WorldDraft, WorldQuestion, removal
from countersight.suites.worlds.support_questions import FLOOR, lying
from countersight.worlds import (
    CLEAR_DIFFERENCE,
    Discs,
    Motion,
    RemoveDisc,
    RemoveThing,
    Supports,
    WorldThing,
    apply_disc_change,
    clearly_first,
    fallen,
    is_higher,
    motion,
    nearest,
    outcome,
    yes_or_no,
)


def _highest(world: Supports) -> str | None:
    """Return the highest block; None if this cannot be judged by eye."""
    blocks = [thing for thing in world.things if thing.kind == "block" and not thing.lies]
    if len(blocks) < 2:
        return None
    by_top, by_middle = (
        clearly_first(blocks, place) for place in (lambda thing: thing.top, lambda thing: thing.middle[1])
    )
    return by_top.id if by_top and by_top is by_middle else None


def _is_higher(one: WorldThing, other: WorldThing) -> bool | None:
    """Return whether both the top and the centre of a thing are higher than those of another; None if the differences
    disagree or are too small to see."""
    above = is_higher(one, other)
    tops = [min(y for _, y in thing.corners()) for thing in (one, other)]
    lower = tops[1] - tops[0]
    return above if abs(lower) >= CLEAR_DIFFERENCE and above == (lower > 0) else None


def _without_both(first: str, world: Supports, *, swapped: bool = False) -> tuple[Supports, str] | None:
    """Return the highest block, and the world after it and another thing are removed in one of the two orders."""
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


def _lying_without_both(first: str, world: Supports) -> int | None:
    found = _without_both(first, world)
    return lying(found[0]) if found else None


def supports_ordered(world: Supports, kind: str, rng: Random, dropped: Counter[str]) -> Iterator[WorldDraft]:
    """Yield drafts that ask how many things lie on the floor after removing one, and then the highest block left."""
    for first in rng.sample(world.free, len(world.free)):
        try:
            forth, back = (_without_both(first.id, world, swapped=swapped) for swapped in (False, True))
        except Unclear:
            dropped["margin"] += 1
            continue
        if forth is None or back is None or _highest(world) == first.id:
            continue
        after, last = forth
        now, then, other = map(lying, (world, after, back[0]))
        words = f"first the {first.name} were taken away, and then the highest block that is left"
        asked = "How many things lie on the floor?"
        yield WorldDraft(
            target=then != other,
            kind="number",
            factual=WorldQuestion(asked, str(now)),
            counterfactual=WorldQuestion(f"{FLOOR} How many things would lie on the floor if {words}?", str(then)),
            shown=WorldQuestion(asked, str(then)),
            world=world,
            worded_change=removal(first, words),
            second_change=RemoveThing(last),
            after=after,
            facts=((world, partial(_lying_without_both, first.id)),),
            extra_provenance={"order": "matters" if then != other else "does not matter"},
        )


def supports_unless(world: Supports, kind: str, rng: Random, dropped: Counter[str]) -> Iterator[WorldDraft]:
    """Yield drafts that ask whether one thing would fall if another is taken away, unless that other thing is higher
    (or lower) than a third."""
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
            above = _is_higher(gone, than) if len({gone.id, asked.id, than.id}) == 3 else None
            if above is None:
                continue
            where = rng.choice(("higher", "lower"))
            excused = above == (where == "higher")
            would_fall = asked.id in result.fallen
            does = yes_or_no(not excused and would_fall)
            clause = f"unless it is {where} than the {than.name}"
            question = f"The {gone.name} is taken away, {clause}. Would the {asked.name} fall?"
            yield WorldDraft(
                target=(excused, would_fall),
                factual=WorldQuestion(f"Is the {gone.name} higher than the {than.name}?", yes_or_no(above)),
                counterfactual=WorldQuestion(question, does),
                shown=WorldQuestion(f"Does the {asked.name} lie on the floor?", does),
                world=world,
                worded_change=removal(gone, f"the {gone.name} were taken away, {clause}"),
                after=world if excused else result.world,
                facts=((world, partial(_height_and_fall, gone.id, than.id, asked.id)),),
            )


def _height_and_fall(gone: str, than: str, asked: str, world: Supports) -> tuple[bool | None, bool]:
    """Return whether one thing is higher than another, and whether a third falls without it."""
    return _is_higher(world.thing(gone), world.thing(than)), asked in fallen(world, gone, margin=0)


def _nearest_id(world: Discs, to: str) -> str | None:
    """Return the disc nearest to another; None if this cannot be judged by eye."""
    found = nearest([disc for disc in world.discs if disc.id != to], world.disc(to))
    return found.id if found else None


def _remove_both(by: tuple[str, str], world: Discs) -> tuple[Discs, tuple[str, ...]] | None:
    """Remove the disc nearest to one disc and then the disc nearest to another; return the table and the removed
    discs."""
    gone: list[str] = []
    for name in by:
        nearest_id = _nearest_id(world, name)
        if nearest_id is None or nearest_id in by:
            return None
        world = apply_disc_change(world, RemoveDisc(nearest_id))
        gone.append(nearest_id)
    return world, tuple(gone)


def _fact_after_both(by: tuple[str, str], fact: Callable[[Motion], str], world: Discs) -> tuple[str, str] | None:
    """Return a fact about a table before and after two removals."""
    found = _remove_both(by, world)
    return (fact(motion(world)), fact(motion(found[0]))) if found else None


def discs_ordered(world: Discs, kind: str, rng: Random, dropped: Counter[str]) -> Iterator[WorldDraft]:
    """Yield drafts that ask whether a disc would reach a wall after two removals of nearest discs, in order."""
    now = motion(world)
    pairs = [(one, other) for one in world.discs for other in world.discs if one is not other]
    for one, other in rng.sample(pairs, len(pairs)):
        forth, back = _remove_both((one.id, other.id), world), _remove_both((other.id, one.id), world)
        if forth is None or back is None or needs_bank_shot(world, forth[0], dropped):
            continue
        after, swapped = motion(forth[0]), motion(back[0])
        first, second = forth[1]
        words = (
            f"first the disc nearest to the {one.name} were taken away, and then the disc that is nearest to the "
            f"{other.name}"
        )
        rest = [disc for disc in forth[0].discs if disc.id not in back[1]]
        for disc in rng.sample(rest, len(rest)):
            fact = partial(reaches, disc.id)
            matters = fact(after) != fact(swapped)
            question = f"{RULE} Would the {disc.name} reach a wall if {words}?"
            yield WorldDraft(
                target=(fact(after), matters),
                factual=WorldQuestion(f"{RULE} Will the {disc.name} reach a wall?", fact(now)),
                counterfactual=WorldQuestion(question, fact(after)),
                shown=WorldQuestion(f"{SHOWN_INTRO} Does the {disc.name} reach a wall?", fact(after)),
                world=world,
                worded_change=removal(world.disc(first), words),
                second_change=RemoveDisc(second),
                after=forth[0],
                facts=((world, partial(_fact_after_both, (one.id, other.id), fact)),),
                extra_provenance={"order": "matters" if matters else "does not matter"},
            )


def _is_nearer(world: Discs, gone: str, one: str, other: str) -> bool | None:
    """Return whether a disc is nearer to one disc than to another; None if this cannot be judged by eye."""
    disc, first, second = (world.disc(name) for name in (gone, one, other))
    far = hypot(disc.x - second.x, disc.y - second.y) - hypot(disc.x - first.x, disc.y - first.y)
    return far > 0 if abs(far) >= CLEAR_DIFFERENCE else None


def discs_unless(world: Discs, kind: str, rng: Random, dropped: Counter[str]) -> Iterator[WorldDraft]:
    """Yield drafts that ask whether one disc would reach a wall if another is taken away, unless that other disc is
    nearer to a third."""
    now = motion(world)
    for gone in rng.sample(world.discs, len(world.discs)):
        less = apply_disc_change(world, RemoveDisc(gone.id))
        asked, one, other, *_ = rng.sample(less.discs, len(less.discs))
        excused = _is_nearer(world, gone.id, one.id, other.id)
        was, would = reaches(asked.id, now), reaches(asked.id, motion(less))
        after = world if excused else less
        if excused is None or was == would or needs_bank_shot(world, after, dropped):
            continue
        answer = was if excused else would
        clause = f"unless it is nearer to the {one.name} than to the {other.name}"
        question = f"{RULE} The {gone.name} is taken away, {clause}. Would the {asked.name} reach a wall?"
        yield WorldDraft(
            target=(excused, was),
            factual=WorldQuestion(f"{RULE} Will the {asked.name} reach a wall?", was),
            counterfactual=WorldQuestion(question, answer),
            shown=WorldQuestion(f"{SHOWN_INTRO} Does the {asked.name} reach a wall?", answer),
            world=world,
            worded_change=removal(gone, f"the {gone.name} were taken away, {clause}"),
            after=after,
            facts=((world, partial(_nearer_and_reaches, gone.id, one.id, other.id, asked.id)),),
        )


def _nearer_and_reaches(gone: str, one: str, other: str, asked: str, world: Discs) -> tuple[bool | None, str, str]:
    """Return whether a disc is nearer to one disc than to another, and whether a third reaches a wall with and without
    it."""
    less = apply_disc_change(world, RemoveDisc(gone))
    return _is_nearer(world, gone, one, other), reaches(asked, motion(world)), reaches(asked, motion(less))


SUPPORTS_SEVERAL = (
    Group("several-changes", supports_ordered, (True, False)),
    Group("unless", supports_unless, ((False, True), (False, True), (True, True), (False, False))),
)
DISCS_SEVERAL = (
    Group("several-changes", discs_ordered, (("yes", True), ("yes", False), ("no", True), ("no", False))),
    Group("unless", discs_unless, ((True, "yes"), (True, "no"), (False, "yes"), (False, "no"))),
)
