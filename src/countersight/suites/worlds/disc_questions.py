"""The questions of the suite of discs, asked before anything moves, and the wording of changes to a table."""

from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from functools import partial
from itertools import permutations
from random import Random

from msgspec.structs import replace

from countersight.case import Option
from countersight.english import article
from countersight.suites.worlds.drafts import (
    YES_NO_TARGETS,
    Group,
    WordedChange,
    WorldDraft,
    WorldQuestion,
    WorldSuite,
    removal,
    under_changes,
)
from countersight.suites.worlds.suite import DISCS_NAME
from countersight.text import several
from countersight.worlds import (
    COLOURS,
    JITTERS,
    Disc,
    Discs,
    Motion,
    PutDisc,
    apply_disc_change,
    build_discs,
    draw_both,
    draw_discs,
    draw_end,
    draw_strip,
    faster,
    has_room,
    jittered_discs,
    motion,
    nearest,
    new_disc,
    resized_discs,
    shifted_disc,
    turned,
    yes_or_no,
)

RULE = (
    "Each disc slides three times the length of its arrow, unless it hits something. It slows down in proportion to "
    "its speed. After a collision, it moves away from the other disc or the wall at four fifths of the speed at which "
    "they met. The dots on a disc show its weight."
)
"""The rule at the start of every question about what will happen; see `worlds.discs`."""
SHOWN_INTRO = "The four pictures show what happens, from start to end."
END_INTRO = "The picture shows the table at the end, with a line along the path of every disc that moved."
TWO_TABLES = (
    "The four pictures in the upper row show what happens on the table, and those in the lower row show what happens "
    "without the {name}."
)
MIN_VISIBLE_MOVEMENT = 30
"""The minimum movement in pixels at which a disc counts as moving, so that its line is visible in the final picture."""
_ROLES = {(False, "yes", "no"): "cause", (True, "yes", "no"): "enable", (True, "no", "yes"): "prevent"}
"""How a disc affects another: whether the other was pushed, reaches a wall, and would reach it without the first."""
_OPTIONS = 4


def replacements(world: Discs, rng: Random) -> Iterator[WordedChange]:
    """Return changes that replace a disc with a heavier or lighter one."""
    for disc in world.discs:
        for weight in (1, 4):
            if weight != disc.weight:
                words = f"the {disc.name} had {several(weight, 'dot')} instead of {disc.weight:.0f}"
                yield WordedChange(PutDisc(replace(disc, weight=weight)), words, disc, "replace")


def moves(world: Discs, rng: Random) -> Iterator[WordedChange]:
    """Return changes that move a disc by its own width."""
    for disc in world.discs:
        for way in ("left", "right", "up", "down"):
            words = f"the {disc.name} were its own width farther {way}"
            yield WordedChange(PutDisc(shifted_disc(disc, way)), words, disc, "move")


def additions(world: Discs, rng: Random) -> Iterator[WordedChange]:
    """Return changes that add a disc of an unused colour next to another disc."""
    for disc in world.discs:
        colour = rng.choice([each for each in COLOURS if each not in {other.colour for other in world.discs}])
        side = rng.choice(("left", "right"))
        new = new_disc(colour, disc, side)
        where = f"lay to the {side} of the {disc.name}, with room for just one more between them"
        words = f"{article(colour)} {new.name} of the same size, with 2 dots, {where}"
        yield WordedChange(PutDisc(new), words, disc, "add")


def _pushes(kind: str, ways: dict[str, Callable[[Disc], Disc]]) -> Callable[[Discs, Random], Iterator[WordedChange]]:
    """Return a function that returns changes to the push of a disc."""

    def changes(world: Discs, rng: Random) -> Iterator[WordedChange]:
        for disc in world.discs:
            for words, changed in ways.items() if disc.is_pushed else ():
                yield WordedChange(PutDisc(changed(disc)), f"the {disc.name} were {words}", disc, kind)

    return changes


CHANGES: dict[str, Callable[[Discs, Random], Iterable[WordedChange]]] = {
    "remove": lambda world, rng: map(removal, world.discs),
    "add": additions,
    "replace": replacements,
    "move": moves,
    "turn": _pushes(
        "turn",
        {
            "pushed a quarter turn to the right": lambda disc: turned(disc, 1),
            "pushed the other way": lambda disc: turned(disc, 2),
            "pushed a quarter turn to the left": lambda disc: turned(disc, 3),
        },
    ),
    "speed": _pushes(
        "speed",
        {
            "twice as fast": lambda disc: faster(disc, 2.0),
            "half as fast": lambda disc: faster(disc, 0.5),
            "at rest": lambda disc: faster(disc, 0.0),
        },
    ),
}


def _changed_table(world: Discs, worded: WordedChange, dropped: Counter[str]) -> WorldDraft | None:
    """Return a draft with a table before and after a change; None if there is no room, or a viewer could not tell what
    happens."""
    after = apply_disc_change(world, worded.change)
    if not has_room(after) or needs_bank_shot(world, after, dropped):
        return None
    return WorldDraft(world=world, worded_change=worded, after=after)


def needs_bank_shot(world: Discs, after: Discs, dropped: Counter[str]) -> bool:
    """Return whether a disc meets another after bouncing off a wall, on either table; such a candidate is counted as
    dropped.

    This cannot be judged by eye, so it is only allowed on tables with several pushed discs, which are hard.
    """
    is_hard = sum(disc.is_pushed for disc in world.discs) > 1
    found = not is_hard and any(_has_bank_shot(motion(table)) for table in (world, after))
    dropped.update(["bank"] if found else [])
    return found


def _has_bank_shot(happens: Motion) -> bool:
    bounced: set[str] = set()
    for event in happens.events:
        if event.is_wall:
            bounced.add(event.disc)
        elif bounced & {event.disc, event.other}:
            return True
    return False


def both_tables(draft: WorldDraft, fact: Callable[[Motion], str]) -> WorldDraft:
    """Return a draft whose answers depend on the same fact about each of the two tables."""

    def of_table(table: Discs) -> str:
        return fact(motion(table))

    return replace(draft, facts=((draft.world, of_table), (draft.after, of_table)))


def hits(draft: WorldDraft, worded: WordedChange, rng: Random) -> Iterator[WorldDraft]:
    """Yield drafts that ask whether two discs touch each other, now and after the change."""
    for one, other in permutations(_others(draft.world, worded), 2):
        what = f"the {one.name} and the {other.name} touch each other"
        yield _boolean(draft, worded, what, f"{SHOWN_INTRO} Do {what}?", partial(hits_or_not, one.id, other.id))


def hits_or_not(one: str, other: str, happens: Motion) -> str:
    """Return whether two discs touch each other."""
    return yes_or_no(other in happens.hit_by(one))


def reaches_wall(draft: WorldDraft, worded: WordedChange, rng: Random) -> Iterator[WorldDraft]:
    """Yield drafts that ask whether a disc reaches a wall."""
    for disc in _others(draft.world, worded):
        what = f"the {disc.name} reach a wall"
        yield _boolean(draft, worded, what, f"{SHOWN_INTRO} Does {what}?", partial(reaches, disc.id))


def reaches(disc: str, happens: Motion) -> str:
    """Return whether a disc reaches a wall."""
    return yes_or_no(happens.reaches_wall(disc))


def _boolean(
    draft: WorldDraft, worded: WordedChange, what: str, shown: str, fact: Callable[[Motion], str]
) -> WorldDraft:
    now, then = fact(motion(draft.world)), fact(motion(draft.after))
    return replace(
        both_tables(draft, fact),
        target=(now, then),
        factual=WorldQuestion(f"{RULE} Will {what}?", now),
        counterfactual=WorldQuestion(f"{RULE} Would {what} if {worded.words}?", then),
        shown=WorldQuestion(shown, then),
    )


def how_many_move(draft: WorldDraft, worded: WordedChange, rng: Random) -> Iterator[WorldDraft]:
    """Yield drafts that ask how many discs move, if all movements are large enough to see."""
    both = motion(draft.world), motion(draft.after)
    if any(happens.length(name) < MIN_VISIBLE_MOVEMENT for happens in both for name in happens.moved()):
        return
    now, then = map(_moving, both)
    yield replace(
        both_tables(draft, _moving),
        target=now != then,
        kind="number",
        factual=WorldQuestion(f"{RULE} How many discs will move?", now),
        counterfactual=WorldQuestion(f"{RULE} How many discs would move if {worded.words}?", then),
        shown=WorldQuestion(f"{END_INTRO} How many discs moved?", then),
        show=draw_end,
    )


def _moving(happens: Motion) -> str:
    return str(len(happens.moved()))


def who_first(draft: WorldDraft, worded: WordedChange, rng: Random) -> Iterator[WorldDraft]:
    """Yield drafts that ask which of four a disc would touch first; the factual question asks which is nearest."""
    now, then = motion(draft.world), motion(draft.after)
    for disc in _others(draft.world, worded):
        met = [*now.hit_by(disc.id), *then.hit_by(disc.id)]
        there = {other.id: other for other in _others(draft.world, worded) if other is not disc}
        right = there.pop(_first(disc.id, then), None)
        if right is None:
            continue
        # Of the others, one that the disc meets comes first.
        others = sorted(rng.sample(list(there.values()), len(there)), key=lambda each: each.id not in met)
        chosen = [right, *others[:1], *rng.sample(others[1:], _OPTIONS - 2)]
        near = nearest(chosen, disc)
        if near is None:
            continue
        roles = ("answer", *("graph" if each.id in met else "image" for each in chosen[1:]))
        answer = f"the {right.name}"
        asked = f"Which of these would the {disc.name} touch first if {worded.words}?"
        yield replace(
            both_tables(draft, partial(_first, disc.id)),
            target=_first(disc.id, now) != right.id,
            kind="choice",
            factual=WorldQuestion(f"Which of these is nearest to the {disc.name}?", f"the {near.name}"),
            counterfactual=WorldQuestion(f"{RULE} {asked}", answer),
            shown=WorldQuestion(f"{SHOWN_INTRO} Which of these does the {disc.name} touch first?", answer),
            options=tuple(Option(f"the {each.name}", role) for each, role in zip(chosen, roles, strict=True)),
        )


def role(draft: WorldDraft, worded: WordedChange, rng: Random) -> Iterator[WorldDraft]:
    """Yield drafts that ask whether a disc causes, enables or prevents an event: another disc reaches a wall
    (CRAFT)."""
    about = worded.about
    for disc in _others(draft.world, worded):
        fact = partial(reaches, disc.id)
        known = disc.is_pushed, fact(motion(draft.world)), fact(motion(draft.after))
        target = _ROLES.get(known, "neither")
        options = {
            "cause": f"it makes the {disc.name}, which was at rest, reach a wall",
            "enable": f"it helps the {disc.name}, which was pushed, to reach a wall",
            "prevent": f"it keeps the {disc.name}, which was pushed, from reaching a wall",
            "neither": "none of these",
        }
        asked = f"How does the {about.name} affect whether the {disc.name} reaches a wall?"
        tables = f"Think of the table as it is, and of the table without the {about.name}."
        yield replace(
            both_tables(draft, fact),
            target=target,
            kind="choice",
            counterfactual=WorldQuestion(f"{RULE} {tables} {asked}", options[target]),
            shown=WorldQuestion(f"{TWO_TABLES.format(name=about.name)} {asked}", options[target]),
            options=tuple(Option(text, "answer" if name == target else "text") for name, text in options.items()),
            says_change=False,
            show=partial(draw_both, draft.world),
        )


def _first(disc: str, happens: Motion) -> str:
    return next(iter(happens.hit_by(disc)), "")


def _others(world: Discs, worded: WordedChange) -> list[Disc]:
    """Return the discs that may be asked about: all except the changed one."""
    return [disc for disc in world.discs if disc.id != worded.about.id]


def _variations(world: Discs, rng: Random) -> Iterator[tuple[str, Discs]]:
    yield from (("radius", table) for table in resized_discs(world))
    yield from (("jitter", jittered_discs(world, rng)) for _ in range(JITTERS))


_asking = partial(under_changes, CHANGES, _changed_table)
_OFTEN_MEETING = ("remove", "turn", "speed")
"""Changes that often alter which discs meet."""
DISCS = WorldSuite(
    name=DISCS_NAME,
    description=(
        "Discs on a table with walls, some of them pushed, and questions about what would happen under a change. "
        "Every answer is computed collision by collision, and the outcome is shown as four moments or as the final "
        "state."
    ),
    groups=(
        Group("hits", _asking(hits), YES_NO_TARGETS, kinds=_OFTEN_MEETING),
        Group("reaches wall", _asking(reaches_wall), YES_NO_TARGETS, kinds=tuple(CHANGES)),
        Group("how many move", _asking(how_many_move), (False, True), kinds=(*_OFTEN_MEETING, "add")),
        Group("who first", _asking(who_first), (False, True)),
        Group("role", _asking(role), ("cause", "enable", "prevent", "neither")),
    ),
    build=build_discs,
    vary=_variations,
    draw=draw_discs,
    show=draw_strip,
    levels=("easy", "medium"),
    optional_levels=("hard",),
    follows="Cause, enable and prevent are defined as in CRAFT (Ates et al., 2022).\n",
)
