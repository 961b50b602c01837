"""The questions of the suite of supports, and descriptions of the possible changes to its worlds."""

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import partial
from itertools import combinations, permutations
from random import Random

from msgspec.structs import replace

from countersight.case import Option
from countersight.english import article
from countersight.errors import Unclear
from countersight.suites.worlds.drafts import (
    YES_NO_TARGETS,
    Group,
    WordedChange,
    WorldDraft,
    WorldQuestion,
    WorldSuite,
    plan_draft,
    removal,
    under_changes,
)
from countersight.suites.worlds.suite import SUPPORTS_NAME
from countersight.text import several
from countersight.worlds import (
    COLOURS,
    JITTERS,
    AddThing,
    MoveThing,
    RemoveThing,
    Replace,
    Supports,
    WorldThing,
    apply_change,
    build_supports,
    clearly_first,
    contacts,
    draw_supports,
    fallen,
    fallen_under,
    is_clear,
    is_higher,
    jittered,
    new_block,
    outcome,
    spots,
    yes_or_no,
)

FLOOR = "What falls ends up on the floor."
"""A rule that is stated in questions whose answer depends on it: without it, a thing that loses its support might come
to rest on something below.
"""
_LEAST_MOVE = 12
"""The minimum distance in pixels by which a block is moved."""


def losses(world: Supports, rng: Random) -> Iterator[WordedChange]:
    """Return removals of things that carry or hold another."""
    carrying = {contact.lower for contact in contacts(world)}
    return (removal(thing) for thing in world.free if thing.id in carrying)


def cuts(world: Supports, rng: Random) -> Iterator[WordedChange]:
    """Return changes that cut a string if it alone holds a thing; with two strings, the result would be hard to see."""
    held = [string.below for string in world.strings]
    for string in world.strings:
        thing = world.thing(string.below)
        if held.count(thing.id) == 1:
            words = f"the string that holds the {thing.name} were cut"
            yield WordedChange(RemoveThing(string.id), words, thing, "remove")


def additions(world: Supports, rng: Random) -> Iterator[WordedChange]:
    """Return changes that add a block of a new colour in any free spot."""
    used_colours = {thing.colour for thing in world.things if thing.kind == "block"}
    colours = [colour for colour in COLOURS if colour not in used_colours]
    if not colours:
        return
    for spot in spots(world, new_block("", 1).width):
        weight = rng.choice((1, 4))
        new = spot.put(new_block(rng.choice(colours), weight))
        if is_clear(world, new):
            block = f"{article(new.colour)} {new.name} with {several(weight, 'dot')}"
            words = f"{block} were put {spot.where} the {spot.surface.name}"
            yield WordedChange(AddThing(new), words, spot.surface, "add")


def replacements(world: Supports, rng: Random) -> Iterator[WordedChange]:
    """Return changes that replace a block with a heavier or lighter one."""
    for thing in world.free:
        for weight in (1, 4):
            if thing.kind == "block" and weight != thing.weight:
                words = f"the {thing.name} had {several(weight, 'dot')} instead of {thing.weight:.0f}"
                yield WordedChange(Replace(thing.id, weight), words, thing, "replace")


def moves(world: Supports, rng: Random) -> Iterator[WordedChange]:
    """Return changes that move a block that carries nothing to another free place."""
    found = contacts(world)
    carrying = {contact.lower for contact in found}
    hanging = {contact.upper for contact in found if not contact.has_friction}
    for thing in world.free:
        if thing.kind != "block" or thing.id in carrying | hanging:
            continue
        for spot in spots(world, thing.width):
            put = spot.put(thing)
            if spot.surface.id != thing.id and abs(put.left - thing.left) > _LEAST_MOVE and is_clear(world, put):
                words = f"the {thing.name} were moved and put {spot.where} the {spot.surface.name}"
                yield WordedChange(MoveThing(thing.id, put.left, put.bottom), words, thing, "move")


CHANGES: dict[str, Callable[[Supports, Random], Iterable[WordedChange]]] = {
    "remove": lambda world, rng: map(removal, world.free),
    "loss": losses,
    "cut": cuts,
    "add": additions,
    "replace": replacements,
    "move": moves,
}


def _changed_world(world: Supports, worded: WordedChange, dropped: Counter[str]) -> WorldDraft | None:
    """Return a draft with a world before and after a change; None if a viewer could not tell what falls."""
    try:
        result = outcome(world, worded.change)
    except Unclear:
        dropped["margin"] += 1
        return None
    if result.world is None:
        dropped["floor"] += 1
        return None
    return WorldDraft(
        world=world,
        worded_change=worded,
        after=result.world,
        facts=((world, lambda other: (fallen(other, margin=0), fallen_under(other, worded.change, margin=0))),),
    )


def falls(draft: WorldDraft, worded: WordedChange, rng: Random) -> Iterator[WorldDraft]:
    """Yield drafts that ask whether a thing would fall; the factual question asks whether it touches a block."""
    for thing in draft.world.free:
        # Things of one colour never touch.
        if thing.id in _changed(worded) or thing.colour == worded.about.colour:
            continue
        does = yes_or_no(draft.after.thing(thing.id).lies)
        for touches, block in _blocks_by_touch(draft.world, thing, rng).items():
            asked = f"Does the {thing.name} touch the {block.name}, directly or by a string?"
            yield replace(
                draft,
                target=(touches, does),
                factual=WorldQuestion(asked, touches),
                counterfactual=WorldQuestion(f"Would the {thing.name} fall if {worded.words}?", does),
                shown=WorldQuestion(f"Does the {thing.name} lie on the floor?", does),
            )


def _blocks_by_touch(world: Supports, thing: WorldThing, rng: Random) -> dict[str, WorldThing]:
    """Return blocks by answer: "yes" for one that touches a thing or is tied to it, "no" for one that does neither, if
    any.
    """
    pairs = [{contact.upper, contact.lower} for contact in contacts(world)]
    blocks = [block for block in world.free if block.kind == "block" and block.colour != thing.colour]
    found: dict[str, list[WorldThing]] = {}
    for block in blocks:
        found.setdefault(yes_or_no({block.id, thing.id} in pairs), []).append(block)
    return {touches: rng.choice(some) for touches, some in sorted(found.items())}


def higher(draft: WorldDraft, worded: WordedChange, rng: Random) -> Iterator[WorldDraft]:
    """Yield drafts that ask whether one thing is higher than another, now and after the change."""
    here = [thing for thing in draft.world.free if thing.id not in (worded.about.id, *_changed(worded))]
    later = {thing.id: thing for thing in draft.after.things}
    for one, other in permutations(here, 2):
        before, then = is_higher(one, other), is_higher(later[one.id], later[other.id])
        if before is None or then is None:
            continue
        is_now, would_be = yes_or_no(before), yes_or_no(then)
        asked = f"Is the {one.name} higher than the {other.name}?"
        would = f"{FLOOR} Would the {one.name} be higher than the {other.name} if {worded.words}?"
        yield replace(
            draft,
            target=(is_now, would_be),
            factual=WorldQuestion(asked, is_now),
            counterfactual=WorldQuestion(would, would_be),
            shown=WorldQuestion(asked, would_be),
        )


def how_many(draft: WorldDraft, worded: WordedChange, rng: Random) -> Iterator[WorldDraft]:
    """Yield drafts that ask how many things lie on the floor."""
    now, then = lying(draft.world), lying(draft.after)
    asked = "How many things lie on the floor?"
    yield replace(
        draft,
        target=min(2, then - now),
        kind="number",
        factual=WorldQuestion(asked, str(now)),
        counterfactual=WorldQuestion(f"{FLOOR} How many things would lie on the floor if {worded.words}?", str(then)),
        shown=WorldQuestion(asked, str(then)),
    )


def lying(world: Supports) -> int:
    """Return the number of things on the floor."""
    return sum(thing.lies for thing in world.things)


def which_falls(draft: WorldDraft, worded: WordedChange, rng: Random) -> Iterator[WorldDraft]:
    """Yield drafts that ask which of four blocks would fall; only the picture distinguishes them."""
    world = draft.world
    # Touching things never have the same colour: an option of that colour could be ruled out from the words alone.
    blocks = [thing for thing in world.free if thing.kind == "block" and thing.colour != worded.about.colour]
    near = involved(world, worded.about.id)
    down = [thing for thing in blocks if draft.after.thing(thing.id).lies]
    joined = [thing for thing in blocks if thing not in down and thing.id in near]
    beside = [thing for thing in blocks if thing not in down and thing.id not in near]
    wrong = [three for three in combinations((*joined, *beside), 3) if three[0] in joined and three[-1] in beside]
    for place, chosen in by_height(([one, *three] for one in down for three in wrong), rng).items():
        highest = clearly_first(chosen, lambda thing: thing.middle[1])
        if highest is None:
            continue
        options = [Option(f"the {thing.name}", "graph" if thing in joined else "image") for thing in chosen]
        options[0] = Option(options[0].text, "answer")
        yield replace(
            draft,
            target=place,
            kind="choice",
            factual=WorldQuestion("Which of these is highest in the picture?", f"the {highest.name}"),
            counterfactual=WorldQuestion(f"Which of these would fall if {worded.words}?", options[0].text),
            shown=WorldQuestion("Which of these lies on the floor?", options[0].text),
            options=tuple(options),
        )


def by_height(choices: Iterable[Sequence[WorldThing]], rng: Random) -> dict[int, Sequence[WorldThing]]:
    """Return a random choice of things for each rank by height of the first of them, counted from the top."""
    found: dict[int, list[Sequence[WorldThing]]] = {}
    for chosen in choices:
        place = sum(thing.middle[1] < chosen[0].middle[1] for thing in chosen)
        found.setdefault(place, []).append(chosen)
    return {place: rng.choice(some) for place, some in sorted(found.items())}


def planning(world: Supports, kind: str, rng: Random, dropped: Counter[str]) -> Iterator[WorldDraft]:
    """Yield drafts that ask which of four blocks could be removed without anything falling."""
    blocks = [thing for thing in world.free if thing.kind == "block"]
    safe: list[WorldThing] = []
    holding: list[WorldThing] = []
    for block in rng.sample(blocks, len(blocks)):
        try:
            (holding if fallen(world, block.id) else safe).append(block)
        except Unclear:
            continue
    choices = ([one, *three] for one in safe for three in combinations(holding, 3))
    for place, chosen in by_height(choices, rng).items():
        leftmost = clearly_first(chosen, lambda thing: thing.middle[0])
        if leftmost:
            yield plan_draft(
                chosen,
                WorldQuestion("Which of these is farthest to the left?", f"the {leftmost.name}"),
                "Which of these could be taken away without anything falling?",
                "Which of these is not in the picture?",
                ("graph",) * 3,
                world=world,
                target=place,
                after=apply_change(world, RemoveThing(chosen[0].id)),
                facts=((world, partial(_which_hold, chosen)),),
            )


def _which_hold(things: Iterable[WorldThing], world: Supports) -> tuple[bool, ...]:
    """Return for each thing whether anything falls without it."""
    return tuple(bool(fallen(world, thing.id, margin=0)) for thing in things)


def _changed(worded: WordedChange) -> tuple[str, ...]:
    return (worded.change.id,) if isinstance(worded.change, RemoveThing | Replace | MoveThing) else ()


def involved(world: Supports, start: str) -> set[str]:
    """Return everything that is connected to a thing by contacts, directly or indirectly."""
    joined = [{contact.upper, contact.lower} for contact in contacts(world) if contact.lower]
    found, before = {start}, 0
    while len(found) > before:
        before = len(found)
        for pair in joined:
            if pair & found and not any(world.thing(each).is_fixed for each in pair):
                found |= pair
    return found


def _variations(world: Supports, rng: Random) -> Iterator[tuple[str, Supports]]:
    return (("jitter", jittered(world, rng)) for _ in range(JITTERS))


_asking = partial(under_changes, CHANGES, _changed_world)
_STRUCTURES: dict[str, tuple[tuple[str, ...], ...]] = {
    "cut": ((), ("chain",)),
    "add": ((), ("balance",)),
    "replace": ((), ("balance",)),
}
"""Structures without which changes of these kinds would rarely matter."""
# Blocks that fall, or that nothing needs, are usually high. In these two groups, the right option is therefore the
# highest, second, third or lowest of the four equally often; some structures have answers that are low.
_WITH_LOW_ANSWERS: tuple[tuple[str, ...], ...] = (
    (),
    ("tower", "tower"),
    ("tower", "shelf"),
    ("tower", "hanging"),
    ("chain", "shelf"),
    ("tower", "chain"),
    ("chain", "chain"),
)
SUPPORTS = WorldSuite(
    name=SUPPORTS_NAME,
    description=(
        "Small worlds of blocks, planks, cups, shelves and strings, and questions about what would fall under a "
        "change. Every answer is computed by static equilibrium, and every changed world is also drawn."
    ),
    groups=(
        Group(
            "falls",
            _asking(falls),
            YES_NO_TARGETS,
            kinds=("remove", "cut", "add", "replace", "move"),
            structures=_STRUCTURES,
        ),
        Group(
            "higher", _asking(higher), YES_NO_TARGETS, kinds=("remove", "cut", "add", "replace"), structures=_STRUCTURES
        ),
        Group("how many", _asking(how_many), (0, 1, 0, 2), kinds=("remove", "move")),
        Group(
            "which falls",
            _asking(which_falls),
            (0, 1, 2, 3),
            same_words=False,
            kinds=("loss",),
            structures={"loss": _WITH_LOW_ANSWERS},
        ),
        Group(
            "planning",
            planning,
            (0, 1, 2, 3),
            same_words=False,
            structures={"remove": _WITH_LOW_ANSWERS},
        ),
    ),
    build=build_supports,
    vary=_variations,
    draw=draw_supports,
    show=draw_supports,
)
