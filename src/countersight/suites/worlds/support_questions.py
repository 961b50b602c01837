"""The questions about a world of supports: drafts by group, with their answers in both worlds."""

from collections import Counter
from collections.abc import Callable, Hashable, Iterable, Iterator, Sequence
from itertools import combinations, permutations, product
from random import Random

import msgspec

from countersight.case import Option
from countersight.errors import Unclear
from countersight.picture import Pixels
from countersight.suites.worlds.drafts import (
    Group,
    Told,
    WorldDraft,
    WorldQuestion,
    WorldSuite,
    plan_draft,
    proved,
    worded,
)
from countersight.suites.worlds.suite import SUPPORTS_NAME
from countersight.suites.worlds.support_changes import CHANGES
from countersight.worlds import (
    COLOURS,
    JITTERS,
    LEVELS,
    MARGIN,
    MoveThing,
    Outcome,
    RemoveThing,
    Replace,
    Supports,
    TurnThing,
    WorldChange,
    WorldThing,
    build_supports,
    changed,
    clearly_first,
    contacts,
    draw_supports,
    fallen,
    is_higher,
    jittered,
    outcome,
    yes_or_no,
)

ROLES = ("answer", "image", "graph", "text")
"""Right; in the picture and not involved; involved and not the answer; not in the picture."""
_CHANGES = 8
"""Changes of one world that are solved."""
FLOOR = "What falls ends up on the floor."
"""Told where it decides: else a thing whose support goes might as well come to rest on what is below."""


class Happened(msgspec.Struct, frozen=True):
    """A world, a change of it, and the outcome."""

    world: Supports
    told: Told
    outcome: Outcome
    after: Supports


def falls(happened: Happened, rng: Random) -> Iterator[WorldDraft]:
    """Return drafts that ask whether a thing would fall, and in the picture, whether it is joined to some block."""
    world, told, down = happened.world, happened.told, happened.outcome.fallen
    for thing in world.free:
        if thing.id in _changed(told) or thing.colour == told.about.colour:  # things of one colour never touch
            continue
        would = worded("Would {Y} fall if", Y=thing)
        does = yes_or_no(thing.id in down)
        for touches, block in _blocks_by_touch(world, thing, rng).items():
            yield WorldDraft(
                skeleton=f"{would.skeleton} {told.words.skeleton}?",
                target=(touches, does),
                kind="boolean",
                factual=WorldQuestion(
                    f"Does the {thing.name} touch the {block.name}, directly or by a string?", touches
                ),
                counterfactual=WorldQuestion(f"{would.text} {told.words.text}?", does),
                shown=WorldQuestion(f"Does the {thing.name} lie on the floor?", does),
                world=world,
                told=told,
                after=happened.after,
                fallen=down,
            )


def _blocks_by_touch(world: Supports, thing: WorldThing, rng: Random) -> dict[str, WorldThing]:
    """A block that touches a thing or hangs with it, under "yes", and one that does neither, under "no", if any."""
    pairs = [{contact.upper, contact.lower} for contact in contacts(world)]
    blocks = [block for block in world.free if block.kind == "block" and block.colour != thing.colour]
    found: dict[str, list[WorldThing]] = {}
    for block in blocks:
        found.setdefault(yes_or_no({block.id, thing.id} in pairs), []).append(block)
    return {touches: rng.choice(some) for touches, some in sorted(found.items())}


def higher(happened: Happened, rng: Random) -> Iterator[WorldDraft]:
    """Return drafts that ask whether one thing is higher than another, now and after the change."""
    world, told, after = happened.world, happened.told, happened.after
    here = [thing for thing in world.free if thing.id not in (told.about.id, *_changed(told))]
    later = {thing.id: thing for thing in after.things}
    for one, other in permutations(here, 2):
        before, then = is_higher(one, other), is_higher(later[one.id], later[other.id])
        if before is None or then is None:
            continue
        is_now, would_be = yes_or_no(before), yes_or_no(then)
        asked = worded("Is {Y} higher than {Z}?", Y=one, Z=other)
        would = f"{FLOOR} Would the {one.name} be higher than the {other.name} if {told.words.text}?"
        yield WorldDraft(
            skeleton=f"{asked.skeleton} {told.words.skeleton}",
            target=(is_now, would_be),
            kind="boolean",
            factual=WorldQuestion(asked.text, is_now),
            counterfactual=WorldQuestion(would, would_be),
            shown=WorldQuestion(asked.text, would_be),
            world=world,
            told=told,
            after=after,
            fallen=happened.outcome.fallen,
        )


def how_many(happened: Happened, rng: Random) -> Iterator[WorldDraft]:
    """Return drafts that ask how many things lie on the floor."""
    world, told, after = happened.world, happened.told, happened.after
    now, then = (sum(thing.lies for thing in each.things) for each in (world, after))
    asked = "How many things lie on the floor?"
    yield WorldDraft(
        skeleton=told.words.skeleton,
        target=min(2, len(happened.outcome.fallen)),
        kind="number",
        factual=WorldQuestion(asked, str(now)),
        counterfactual=WorldQuestion(
            f"{FLOOR} How many things would lie on the floor if {told.words.text}?", str(then)
        ),
        shown=WorldQuestion(asked, str(then)),
        world=world,
        told=told,
        after=after,
        fallen=happened.outcome.fallen,
    )


def which_falls(happened: Happened, rng: Random) -> Iterator[WorldDraft]:
    """Return drafts that ask which of four blocks would fall; only the picture distinguishes them."""
    world, told, down = happened.world, happened.told, happened.outcome.fallen
    # What touches a thing never has its colour: no option has it, or words alone would tell against that option.
    blocks = [thing for thing in world.free if thing.kind == "block" and thing.colour != told.about.colour]
    right = [thing for thing in blocks if thing.id in down]
    near = involved(world, told.about.id)
    joined = [thing for thing in blocks if thing.id not in down and thing.id in near]
    beside = [thing for thing in blocks if thing.id not in down and thing.id not in near]
    taken = {thing.colour for thing in world.things if thing.kind == "block"}
    absent = sorted(set(COLOURS) - taken - {told.about.colour})
    if not absent:
        return
    for place, chosen in by_height(product(right, beside, joined), rng).items():
        highest = clearly_first(chosen, lambda thing: thing.middle[1])
        if highest is None:
            continue
        names = [*(f"the {thing.name}" for thing in chosen), f"the {rng.choice(absent)} block"]
        yield WorldDraft(
            skeleton="",
            target=place,
            kind="choice",
            factual=WorldQuestion("Which of these is highest in the picture?", f"the {highest.name}"),
            counterfactual=WorldQuestion(f"Which of these would fall if {told.words.text}?", names[0]),
            shown=WorldQuestion("Which of these lies on the floor?", names[0]),
            world=world,
            told=told,
            after=happened.after,
            fallen=down,
            options=tuple(map(Option, names, ROLES)),
        )


def by_height(choices: Iterable[Sequence[WorldThing]], rng: Random) -> dict[int, Sequence[WorldThing]]:
    """Return a random choice of things for each place of the first of them, counted from the highest."""
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
                world,
                chosen,
                place,
                WorldQuestion("Which of these is farthest to the left?", f"the {leftmost.name}"),
                "Which of these could be taken away without anything falling?",
                "Which of these is not in the picture?",
                ("graph",) * 3,
                after=changed(world, RemoveThing(chosen[0].id)),
                rivals=tuple(thing.id for thing in chosen[1:]),
            )


Drafting = Callable[[Happened, Random], Iterator[WorldDraft]]


def under_changes(drafting: Drafting) -> Callable[[Supports, str, Random, Counter[str]], Iterator[WorldDraft]]:
    """Return a function that drafts questions about a world under changes of a kind."""

    def drafts(world: Supports, kind: str, rng: Random, dropped: Counter[str]) -> Iterator[WorldDraft]:
        possible = list(CHANGES[kind](world, rng))
        for told in rng.sample(possible, min(_CHANGES, len(possible))):
            happened = _happened(world, told, dropped)
            if happened:
                found = list(drafting(happened, rng))
                yield from rng.sample(found, len(found))

    return drafts


def _happened(world: Supports, told: Told, dropped: Counter[str]) -> Happened | None:
    assert isinstance(told.change, WorldChange)
    try:
        result = outcome(world, told.change)
    except Unclear:
        dropped["margin"] += 1
        return None
    if result.world is None:
        dropped["floor"] += 1
        return None
    return Happened(world, told, result, result.world)


_HAVING: dict[Hashable, tuple[tuple[str, ...], ...]] = {
    "cut": ((), ("chain",)),
    "add": ((), ("balance",)),
    "replace": ((), ("balance",)),
}
"""Without these, changes of such a kind would seldom matter, and few cases would have them."""
# Supports are cleared from below and fall from above: without targets the highest option would mostly be right.
_THREE, _FOUR = ((0,), (1,), (2,)), ((0,), (1,), (2,), (3,))
_WHICH_FALLS: dict[Hashable, tuple[tuple[str, ...], ...]] = {
    0: ((), ("tower", "tower")),
    1: (("tower", "shelf"), ("tower", "hanging"), ("chain", "shelf")),
    2: (("chain", "shelf"),),
}
_PLANNING: dict[Hashable, tuple[tuple[str, ...], ...]] = {
    0: ((), ("tower", "tower")),
    1: (("tower", "hanging"), ("tower", "shelf")),
    2: (("tower", "tower"), ("tower", "chain")),
    3: (("tower", "tower", "chain"), ("chain", "chain")),
}
_BOTH = (("yes", "yes"), ("yes", "no"), ("no", "yes"), ("no", "no"))
GROUPS = (
    Group("falls", under_changes(falls), _BOTH, ("remove", "cut", "add", "replace", "move", "turn"), having=_HAVING),
    Group("higher", under_changes(higher), _BOTH, ("remove", "cut", "add", "replace", "turn"), having=_HAVING),
    Group("how many", under_changes(how_many), (0, 1, 0, 2), ("remove", "move")),
    Group(
        "which falls", under_changes(which_falls), (0,), ("loss",), dict.fromkeys(LEVELS, _THREE), having=_WHICH_FALLS
    ),
    # Few things make no world in which the lowest of four blocks is the one that nothing needs.
    Group(
        "planning",
        planning,
        (0,),
        target_sets={"easy": _THREE, "medium": _FOUR, "hard": _FOUR},
        having=_PLANNING,
    ),
)


def _changed(told: Told) -> tuple[str, ...]:
    return (told.change.id,) if isinstance(told.change, RemoveThing | Replace | MoveThing | TurnThing) else ()


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


_MARGINS = (10, 15, 20)


def hardness(draft: WorldDraft) -> dict[str, str | int]:
    """Return the facts about difficulty for the case's provenance."""
    assert isinstance(draft.world, Supports)
    found: dict[str, str | int] = {"things": len(draft.world.things), "fallen": len(draft.fallen)}
    if draft.told is None or draft.then or draft.proof:
        return found
    return found | {"depth": _depth(draft), "margin": _margin(draft)}


def _depth(draft: WorldDraft) -> int:
    """Return the number of contacts between the changed thing and the last thing that falls; 0 if nothing falls."""
    assert draft.told
    assert isinstance(draft.world, Supports)
    start = draft.told.about.id
    reached, steps = {start}, 0
    while draft.fallen - reached:
        near = {
            end
            for contact in contacts(draft.world)
            if {contact.upper, contact.lower} & reached
            for end in (contact.upper, contact.lower)
        } & (draft.fallen | reached)
        if near <= reached:
            break
        reached |= near
        steps += 1
    return steps


def _margin(draft: WorldDraft) -> int:
    """The largest margin at which the outcome is still clear, in steps of some pixels."""
    assert draft.told
    assert isinstance(draft.world, Supports)
    assert isinstance(draft.told.change, WorldChange)
    clear = round(MARGIN)
    for margin in _MARGINS:
        try:
            outcome(draft.world, draft.told.change, margin=margin)
        except Unclear:
            break
        clear = margin
    return clear


def _doubt(draft: WorldDraft, rng: Random) -> str:
    """The 16 jitters, where not all of them have the same outcome."""
    if draft.proof:
        assert isinstance(draft.world, Supports)
        return "" if proved(draft, [jittered(draft.world, rng) for _ in range(JITTERS)]) else "jitter"
    return "" if _is_stable(draft, rng) else "jitter"


def _is_stable(draft: WorldDraft, rng: Random) -> bool:
    """Whether the same things fall in every slightly different world, before and after the change."""
    assert isinstance(draft.world, Supports)
    jitters = [jittered(draft.world, rng) for _ in range(JITTERS)]
    try:
        if fallen(draft.world, jitters=jitters):
            return False
        if draft.told is None:
            return True
        assert isinstance(draft.told.change, WorldChange)
        if outcome(draft.world, draft.told.change, jitters=jitters).fallen != draft.fallen:
            return False
        return all(outcome(draft.world, RemoveThing(name), jitters=jitters).fallen for name in draft.rivals)
    except Unclear:
        return False


def _show(draft: WorldDraft) -> Pixels:
    """The changed world, come to rest."""
    assert isinstance(draft.after, Supports)
    return draw_supports(draft.after)


SUPPORTS = WorldSuite(
    name=SUPPORTS_NAME,
    description=(
        "Small worlds of blocks, planks, cups, shelves and strings, and questions about what would fall under a "
        "change. Every answer is computed by static equilibrium, and every changed world is drawn too."
    ),
    groups=GROUPS,
    build=build_supports,
    doubt=_doubt,
    hardness=hardness,
    draw=draw_supports,
    show=_show,
)
