"""Questions about worlds with several changes: one after another, or one that is made unless a condition holds.

Of two changes, the second refers to a thing by its position after the first, so that their order may matter.
"""

from collections import Counter
from collections.abc import Callable, Iterator
from functools import partial
from math import hypot
from random import Random

from countersight.errors import Unclear
from countersight.suites.worlds.disc_questions import RULE, SHOWN_INTRO, reaches
from countersight.suites.worlds.drafts import WordedChange, WorldDraft, WorldQuestion, removal
from countersight.suites.worlds.groups import Group
from countersight.suites.worlds.support_questions import FLOOR
from countersight.worlds import (
    CLEAR_DIFFERENCE,
    Disc,
    Discs,
    Motion,
    RemoveDisc,
    RemoveThing,
    Supports,
    WorldThing,
    apply_disc_change,
    clearly_first,
    fallen_without,
    is_higher,
    motion,
    nearest,
    outcome,
    yes_or_no,
)


def _highest(world: Supports) -> str | None:
    """Return the highest block; None if it cannot be told by eye."""
    blocks = [thing for thing in world.things if thing.kind == "block" and not thing.lies]
    first = clearly_first(blocks, lambda thing: thing.middle[1]) if len(blocks) > 1 else None
    return first.id if first else None


def _fallen_after(first: str, world: Supports, *, swapped: bool = False) -> tuple[Supports, str] | None:
    """Return the world after removing a thing and then the highest block (or the reverse), and that block."""
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
    """Yield drafts that ask how many things lie on the floor after removing one, and then the highest block left."""
    for first in rng.sample(world.free, len(world.free)):
        try:
            forth, back = (_fallen_after(first.id, world, swapped=swapped) for swapped in (False, True))
        except Unclear:
            dropped["margin"] += 1
            continue
        if forth is None or back is None or _highest(world) == first.id:
            continue
        now, then, other = (sum(thing.lies for thing in each.things) for each in (world, forth[0], back[0]))
        worded_change = removal(
            first, "first {X} were taken away, and then the highest block that is left were taken away"
        )
        asked = "How many things lie on the floor?"
        yield WorldDraft(
            skeleton=worded_change.words.skeleton,
            target=then != other,
            kind="number",
            factual=WorldQuestion(asked, str(now)),
            counterfactual=WorldQuestion(
                f"{FLOOR} How many things would lie on the floor if {_short(worded_change.words.text)}?", str(then)
            ),
            shown=WorldQuestion(asked, str(then)),
            world=world,
            worded_change=worded_change,
            after=forth[0],
            fallen=frozenset(thing.id for thing in forth[0].things if thing.lies),
            proof=partial(_on_the_floor, first.id),
            second_change=RemoveThing(forth[1]),
            extra_provenance={"order": "matters" if then != other else "does not matter"},
        )


def _short(words: str) -> str:
    """Return two clauses that share a verb, by removing the last one."""
    return words.removesuffix(" were taken away")


def _unless(gone: WorldThing | Disc, clause: str, **others: WorldThing | Disc) -> tuple[WordedChange, str]:
    """Return a change that is made unless a condition holds: as a clause, and as a sentence."""
    worded_change = removal(gone, f"{{X}} were taken away, unless it is {clause}", **others)
    return worded_change, worded_change.words.text.replace(" were taken away", " is taken away").replace(
        "the ", "The ", 1
    )


def _falls_unless(gone: str, than: str, asked: str, world: Supports, margin: float = 0.0) -> str | None:
    excused = is_higher(world.thing(gone), world.thing(than))
    if excused is None:
        return None
    return yes_or_no(not excused and asked in fallen_without(world, gone, margin=margin))


def supports_unless(world: Supports, kind: str, rng: Random, dropped: Counter[str]) -> Iterator[WorldDraft]:
    """Yield drafts that ask whether a thing would fall without another, which is removed unless it is higher than a
    third."""
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
            worded_change, sentence = _unless(gone, "higher than {Z}", Z=than)
            does = yes_or_no(not excused and asked.id in result.fallen)
            yield WorldDraft(
                skeleton=f"{worded_change.words.skeleton} {asked.kind}",
                target=(excused, asked.id in result.fallen),
                factual=WorldQuestion(f"Is the {gone.name} higher than the {than.name}?", yes_or_no(excused)),
                counterfactual=WorldQuestion(f"{sentence}. Would the {asked.name} fall?", does),
                shown=WorldQuestion(f"Does the {asked.name} lie on the floor?", does),
                world=world,
                worded_change=worded_change,
                after=world if excused else result.world,
                fallen=frozenset() if excused else result.fallen,
                proof=partial(_falls_unless, gone.id, than.id, asked.id),
            )


def _nearest_id(world: Discs, to: str) -> str | None:
    """Return the disc nearest to another; None if it cannot be told by eye."""
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


def _fact_after_both(by: tuple[str, str], fact: Callable[[Motion], str], world: Discs) -> str | None:
    found = _remove_both(by, world)
    return fact(motion(found[0])) if found else None


def discs_ordered(world: Discs, kind: str, rng: Random, dropped: Counter[str]) -> Iterator[WorldDraft]:
    """Yield drafts that ask whether a disc would reach a wall after two removals of nearest discs, in order."""
    now = motion(world)
    pairs = [(one, other) for one in world.discs for other in world.discs if one is not other]
    for one, other in rng.sample(pairs, len(pairs)):
        forth, back = _remove_both((one.id, other.id), world), _remove_both((other.id, one.id), world)
        if forth is None or back is None:
            continue
        after, swapped = motion(forth[0]), motion(back[0])
        worded_change = removal(
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
                target=(fact(after), matters),
                factual=WorldQuestion(f"{RULE} Will the {disc.name} reach a wall?", fact(now)),
                counterfactual=WorldQuestion(
                    f"{RULE} Would the {disc.name} reach a wall if {_short(worded_change.words.text)}?", fact(after)
                ),
                shown=WorldQuestion(f"{SHOWN_INTRO} Does the {disc.name} reach a wall?", fact(after)),
                world=world,
                worded_change=worded_change,
                after=forth[0],
                fact=fact,
                proof=partial(_fact_after_both, (one.id, other.id), fact),
                second_change=RemoveDisc(forth[1][1]),
                extra_provenance={"order": "matters" if matters else "does not matter"},
            )


def _nearer(world: Discs, gone: str, one: str, other: str) -> bool | None:
    """Return whether a disc is nearer to one disc than to another; None if it cannot be told by eye."""
    disc, first, second = (world.disc(name) for name in (gone, one, other))
    far = hypot(disc.x - second.x, disc.y - second.y) - hypot(disc.x - first.x, disc.y - first.y)
    return far > 0 if abs(far) >= CLEAR_DIFFERENCE else None


def _reaches_unless(gone: str, one: str, other: str, asked: str, world: Discs) -> str | None:
    excused = _nearer(world, gone, one, other)
    if excused is None:
        return None
    return reaches(asked, motion(world if excused else apply_disc_change(world, RemoveDisc(gone))))


def discs_unless(world: Discs, kind: str, rng: Random, dropped: Counter[str]) -> Iterator[WorldDraft]:
    """Yield drafts that ask whether a disc would reach a wall without another, removed unless it is nearer to a
    third."""
    now = motion(world)
    for gone in rng.sample(world.discs, len(world.discs)):
        then = motion(apply_disc_change(world, RemoveDisc(gone.id)))
        asked, one, other, *_ = rng.sample([disc for disc in world.discs if disc is not gone], len(world.discs) - 1)
        excused = _nearer(world, gone.id, one.id, other.id)
        was, would = reaches(asked.id, now), reaches(asked.id, then)
        if excused is None or was == would:
            continue
        worded_change, sentence = _unless(gone, "nearer to {B} than to {C}", B=one, C=other)
        answer = was if excused else would
        after = world if excused else apply_disc_change(world, RemoveDisc(gone.id))
        yield WorldDraft(
            target=(excused, was),
            factual=WorldQuestion(f"{RULE} Will the {asked.name} reach a wall?", was),
            counterfactual=WorldQuestion(f"{RULE} {sentence}. Would the {asked.name} reach a wall?", answer),
            shown=WorldQuestion(f"{SHOWN_INTRO} Does the {asked.name} reach a wall?", answer),
            world=world,
            worded_change=worded_change,
            after=after,
            fact=partial(reaches, asked.id),
            proof=partial(_reaches_unless, gone.id, one.id, other.id, asked.id),
        )


SUPPORTS_SEVERAL = (
    Group("several-changes", supports_ordered, (True, False)),
    Group("unless", supports_unless, ((False, True), (False, True), (True, True), (False, False))),
)
DISCS_SEVERAL = (
    Group("several-changes", discs_ordered, (("yes", True), ("yes", False), ("no", True), ("no", False))),
    Group("unless", discs_unless, ((True, "yes"), (True, "no"), (False, "yes"), (False, "no"))),
)
