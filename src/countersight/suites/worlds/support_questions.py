"""Possible changes of a world of supports in words, and the questions about it by group."""

from collections import Counter
from collections.abc import Callable, Hashable, Iterable, Iterator, Sequence
from itertools import combinations, permutations
from random import Random

from msgspec.structs import replace

from countersight.case import Option
from countersight.english import article
from countersight.errors import Unclear
from countersight.suites.worlds.drafts import (
    TextAndSkeleton,
    WordedChange,
    WorldDraft,
    WorldQuestion,
    fill_template,
    plan_draft,
    removal,
)
from countersight.suites.worlds.groups import YES_NO_TARGETS, Group, WorldSuite
from countersight.suites.worlds.suite import SUPPORTS_NAME
from countersight.text import several
from countersight.worlds import (
    COLOURS,
    JITTERS,
    LEVELS,
    AddThing,
    MoveThing,
    RemoveThing,
    Replace,
    Supports,
    TurnThing,
    WorldChange,
    WorldThing,
    apply_change,
    build_supports,
    clearly_first,
    contacts,
    draw_supports,
    fallen,
    is_clear,
    is_higher,
    jittered,
    new_block,
    outcome,
    spots,
    yes_or_no,
)

_CHANGES = 8
"""The number of changes that are solved for one world."""
FLOOR = "What falls ends up on the floor."
"""Stated where it decides the answer: otherwise a thing that loses its support might come to rest on something
below."""


_FLAT = 12
"""The least difference between the sides of a block that is turned, so that the turn is visible."""
_LOWER = "what it then no longer reaches falls to the floor, unless something else holds it"
"""The rule of turning, which must be stated: otherwise the things that the block carried might come to rest on it
again."""


def losses(world: Supports, rng: Random) -> Iterator[WordedChange]:
    """Return removals of things that carry or hold another."""
    carrying = {contact.lower for contact in contacts(world)}
    return (removal(thing) for thing in world.free if thing.id in carrying)


def cuts(world: Supports, rng: Random) -> Iterator[WordedChange]:
    """Return changes that cut a string which holds a thing alone; with two strings, the result would be hard to see."""
    held = [string.below for string in world.strings]
    for string in world.strings:
        thing = world.thing(string.below)
        if held.count(thing.id) == 1:
            yield WordedChange(
                RemoveThing(string.id), fill_template("the string that holds {X} were cut", X=thing), thing, "remove"
            )


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
            where = fill_template(f"with {several(weight, 'dot')} were put {spot.where} {{X}}", X=spot.surface)
            words = TextAndSkeleton(f"{article(new.colour)} {new.name} {where.text}", f"a {new.kind} {where.skeleton}")
            yield WordedChange(AddThing(new), words, spot.surface, "add")


def replacements(world: Supports, rng: Random) -> Iterator[WordedChange]:
    """Return changes that replace a block by a heavier or lighter one."""
    for thing in world.free:
        for weight in (1, 4):
            if thing.kind == "block" and weight != thing.weight:
                words = f"{{X}} had {several(weight, 'dot')} instead of {thing.weight:.0f}"
                yield WordedChange(Replace(thing.id, weight), fill_template(words, X=thing), thing, "replace")


def moves(world: Supports, rng: Random) -> Iterator[WordedChange]:
    """Return changes that move a block that carries nothing to another free place."""
    for thing in _loose(world):
        for spot in spots(world, thing.width):
            put = spot.put(thing)
            if spot.surface.id != thing.id and abs(put.left - thing.left) > _FLAT and is_clear(world, put):
                words = fill_template(f"{{X}} were moved and put {spot.where} {{Z}}", X=thing, Z=spot.surface)
                yield WordedChange(MoveThing(thing.id, put.left, put.bottom), words, thing, "move")


def turns(world: Supports, rng: Random) -> Iterator[WordedChange]:
    """Return changes that turn a block on its side; a block that carries something is turned only if that lowers it."""
    loose = {thing.id for thing in _loose(world)}
    hung = {string.below for string in world.strings}
    for thing in world.free:
        lower = thing.height - thing.width
        if thing.kind != "block" or thing.id in hung or abs(lower) < _FLAT or (lower < 0 and thing.id not in loose):
            continue
        turned = apply_change(world, TurnThing(thing.id)).thing(thing.id)
        if is_clear(world, turned):
            yield WordedChange(
                TurnThing(thing.id), fill_template(f"{{X}} were turned on its side ({_LOWER})", X=thing), thing, "turn"
            )


CHANGES: dict[str, Callable[[Supports, Random], Iterator[WordedChange]]] = {
    "remove": lambda world, rng: map(removal, world.free),
    "loss": losses,
    "cut": cuts,
    "add": additions,
    "replace": replacements,
    "move": moves,
    "turn": turns,
}


def _loose(world: Supports) -> list[WorldThing]:
    """Return blocks that rest on something and carry nothing."""
    found = contacts(world)
    carrying = {contact.lower for contact in found}
    hung = {contact.upper for contact in found if not contact.has_friction}
    return [thing for thing in world.free if thing.kind == "block" and thing.id not in carrying | hung]


def falls(change: WorldDraft, rng: Random) -> Iterator[WorldDraft]:
    """Yield drafts that ask whether a thing would fall; the factual question asks whether it touches some block."""
    world, worded_change = change.world, change.worded_change
    assert worded_change
    for thing in world.free:
        # Things of one colour never touch.
        if thing.id in _changed(worded_change) or thing.colour == worded_change.about.colour:
            continue
        would = fill_template("Would {Y} fall if", Y=thing)
        does = yes_or_no(thing.id in change.fallen)
        for touches, block in _blocks_by_touch(world, thing, rng).items():
            yield replace(
                change,
                skeleton=f"{would.skeleton} {worded_change.words.skeleton}?",
                target=(touches, does),
                factual=WorldQuestion(
                    f"Does the {thing.name} touch the {block.name}, directly or by a string?", touches
                ),
                counterfactual=WorldQuestion(f"{would.text} {worded_change.words.text}?", does),
                shown=WorldQuestion(f"Does the {thing.name} lie on the floor?", does),
            )


def _blocks_by_touch(world: Supports, thing: WorldThing, rng: Random) -> dict[str, WorldThing]:
    """Return a block that touches a thing or is tied to it as "yes", and one that does neither as "no", if there is
    one."""
    pairs = [{contact.upper, contact.lower} for contact in contacts(world)]
    blocks = [block for block in world.free if block.kind == "block" and block.colour != thing.colour]
    found: dict[str, list[WorldThing]] = {}
    for block in blocks:
        found.setdefault(yes_or_no({block.id, thing.id} in pairs), []).append(block)
    return {touches: rng.choice(some) for touches, some in sorted(found.items())}


def higher(change: WorldDraft, rng: Random) -> Iterator[WorldDraft]:
    """Return drafts that ask whether one thing is higher than another, now and after the change."""
    worded_change = change.worded_change
    assert worded_change
    here = [thing for thing in change.world.free if thing.id not in (worded_change.about.id, *_changed(worded_change))]
    later = {thing.id: thing for thing in change.after.things}
    for one, other in permutations(here, 2):
        before, then = is_higher(one, other), is_higher(later[one.id], later[other.id])
        if before is None or then is None:
            continue
        is_now, would_be = yes_or_no(before), yes_or_no(then)
        asked = fill_template("Is {Y} higher than {Z}?", Y=one, Z=other)
        would = f"{FLOOR} Would the {one.name} be higher than the {other.name} if {worded_change.words.text}?"
        yield replace(
            change,
            skeleton=f"{asked.skeleton} {worded_change.words.skeleton}",
            target=(is_now, would_be),
            factual=WorldQuestion(asked.text, is_now),
            counterfactual=WorldQuestion(would, would_be),
            shown=WorldQuestion(asked.text, would_be),
        )


def how_many(change: WorldDraft, rng: Random) -> Iterator[WorldDraft]:
    """Return drafts that ask how many things lie on the floor."""
    assert change.worded_change
    now, then = (str(sum(thing.lies for thing in each.things)) for each in (change.world, change.after))
    asked, words = "How many things lie on the floor?", change.worded_change.words
    yield replace(
        change,
        skeleton=words.skeleton,
        target=min(2, len(change.fallen)),
        kind="number",
        factual=WorldQuestion(asked, now),
        counterfactual=WorldQuestion(f"{FLOOR} How many things would lie on the floor if {words.text}?", then),
        shown=WorldQuestion(asked, then),
    )


def which_falls(change: WorldDraft, rng: Random) -> Iterator[WorldDraft]:
    """Yield drafts that ask which of four blocks would fall; only the picture distinguishes them."""
    world, worded_change, down = change.world, change.worded_change, change.fallen
    assert worded_change
    # Touching things never have the same colour: an option of that colour could be ruled out from the words alone.
    blocks = [thing for thing in world.free if thing.kind == "block" and thing.colour != worded_change.about.colour]
    near = involved(world, worded_change.about.id)
    right = [thing for thing in blocks if thing.id in down]
    joined = [thing for thing in blocks if thing.id not in down and thing.id in near]
    beside = [thing for thing in blocks if thing.id not in down and thing.id not in near]
    wrong = [three for three in combinations((*joined, *beside), 3) if three[0] in joined and three[-1] in beside]
    for place, chosen in by_height(([one, *three] for one in right for three in wrong), rng).items():
        highest = clearly_first(chosen, lambda thing: thing.middle[1])
        if highest is None:
            continue
        options = [Option(f"the {thing.name}", "graph" if thing in joined else "image") for thing in chosen]
        options[0] = Option(options[0].text, "answer")
        yield replace(
            change,
            target=place,
            kind="choice",
            factual=WorldQuestion("Which of these is highest in the picture?", f"the {highest.name}"),
            counterfactual=WorldQuestion(f"Which of these would fall if {worded_change.words.text}?", options[0].text),
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
    """Return drafts that ask which of four blocks could be removed without anything falling."""
    blocks = [thing for thing in world.free if thing.kind == "block"]
    safe: list[WorldThing] = []
    holding: list[WorldThing] = []
    for block in rng.sample(blocks, len(blocks)):
        try:
            (holding if outcome(world, RemoveThing(block.id)).fallen else safe).append(block)
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
                rivals=tuple(thing.id for thing in chosen[1:]),
            )


def under_changes(
    drafting: Callable[[WorldDraft, Random], Iterator[WorldDraft]],
) -> Callable[[Supports, str, Random, Counter[str]], Iterator[WorldDraft]]:
    """Return a function that drafts questions about a world under changes of a kind."""

    def drafts(world: Supports, kind: str, rng: Random, dropped: Counter[str]) -> Iterator[WorldDraft]:
        possible = list(CHANGES[kind](world, rng))
        for worded_change in rng.sample(possible, min(_CHANGES, len(possible))):
            assert isinstance(worded_change.change, WorldChange)
            try:
                result = outcome(world, worded_change.change)
            except Unclear:
                dropped["margin"] += 1
                continue
            if result.world is None:
                dropped["floor"] += 1
                continue
            change = WorldDraft(world=world, worded_change=worded_change, after=result.world, fallen=result.fallen)
            found = list(drafting(change, rng))
            yield from rng.sample(found, len(found))

    return drafts


_STRUCTURES: dict[Hashable, tuple[tuple[str, ...], ...]] = {
    "cut": ((), ("chain",)),
    "add": ((), ("balance",)),
    "replace": ((), ("balance",)),
}
"""Structures without which changes of these kinds would seldom matter."""
# Blocks that fall, or that nothing needs, are usually high: without targets the highest would mostly be right.
_THREE, _FOUR = ((0,), (1,), (2,)), ((0,), (1,), (2,), (3,))
_STRUCTURES_WHICH_FALLS: dict[Hashable, tuple[tuple[str, ...], ...]] = {
    0: ((), ("tower", "tower")),
    1: (("tower", "shelf"), ("tower", "hanging"), ("chain", "shelf")),
    2: (("tower", "shelf"), ("tower", "hanging"), ("chain", "shelf")),
    3: (("chain", "shelf"), ("chain", "swing")),
}
_STRUCTURES_PLANNING: dict[Hashable, tuple[tuple[str, ...], ...]] = {
    0: ((), ("tower", "tower")),
    1: (("tower", "hanging"), ("tower", "shelf")),
    2: (("tower", "tower"), ("tower", "chain")),
    3: (("tower", "tower", "chain"), ("chain", "chain")),
}
GROUPS = (
    Group(
        "falls",
        under_changes(falls),
        YES_NO_TARGETS,
        ("remove", "cut", "add", "replace", "move", "turn"),
        structures=_STRUCTURES,
    ),
    Group(
        "higher",
        under_changes(higher),
        YES_NO_TARGETS,
        ("remove", "cut", "add", "replace", "turn"),
        structures=_STRUCTURES,
    ),
    Group("how many", under_changes(how_many), (0, 1, 0, 2), ("remove", "move")),
    Group(
        "which falls",
        under_changes(which_falls),
        (0,),
        ("loss",),
        dict.fromkeys(LEVELS, _FOUR),
        structures=_STRUCTURES_WHICH_FALLS,
    ),
    # Easy worlds have too few things: the lowest of four blocks always carries something.
    Group(
        "planning",
        planning,
        (0,),
        target_sets={"easy": _THREE, "medium": _FOUR, "hard": _FOUR},
        structures=_STRUCTURES_PLANNING,
    ),
)


def _changed(worded_change: WordedChange) -> tuple[str, ...]:
    return (
        (worded_change.change.id,)
        if isinstance(worded_change.change, RemoveThing | Replace | MoveThing | TurnThing)
        else ()
    )


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


def _doubt(draft: WorldDraft, rng: Random) -> str:
    """Return "jitter" unless the same things fall in 16 slightly different worlds, before and after the change."""
    jitters = [jittered(draft.world, rng) for _ in range(JITTERS)]
    if draft.proof:
        return "" if draft.is_proved(jitters) else "jitter"
    try:
        is_stable = not fallen(draft.world, jitters=jitters)
        if is_stable and draft.worded_change:
            assert isinstance(draft.worded_change.change, WorldChange)
            is_stable = outcome(
                draft.world, draft.worded_change.change, jitters=jitters
            ).fallen == draft.fallen and all(
                outcome(draft.world, RemoveThing(name), jitters=jitters).fallen for name in draft.rivals
            )
    except Unclear:
        is_stable = False
    return "" if is_stable else "jitter"


SUPPORTS = WorldSuite(
    name=SUPPORTS_NAME,
    description=(
        "Small worlds of blocks, planks, cups, shelves and strings, and questions about what would fall under a "
        "change. Every answer is computed by static equilibrium, and every changed world is drawn too."
    ),
    groups=GROUPS,
    build=build_supports,
    doubt=_doubt,
    draw=draw_supports,
    show=lambda draft: draw_supports(draft.after),
)
