"""The questions of the suite of discs, asked before anything moves and shown as four moments."""

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import partial
from itertools import permutations
from random import Random

from msgspec.structs import replace

from countersight.case import Option
from countersight.english import article
from countersight.errors import Unclear
from countersight.picture import Pixels
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
from countersight.suites.worlds.suite import DISCS_NAME
from countersight.text import several
from countersight.worlds import (
    CLEAR_DIFFERENCE,
    COLOURS,
    JITTERS,
    Disc,
    DiscChange,
    Discs,
    Motion,
    PutDisc,
    RemoveDisc,
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
    "Each disc slides three times as far as its arrow is long, unless it hits something, and slows down in proportion "
    "to its speed; what meets flies apart four fifths as fast as it met. Dots are weights."
)
"""The rule at the start of every question about what will happen; see `worlds.discs`."""
SHOWN_INTRO = "The four pictures show what happens, from start to end."
END_INTRO = "The picture shows the end, and a line for the way of every disc that moved."
TWO_TABLES = "The four pictures above show what happens on the table, those below what happens without the {name}."
MIN_VISIBLE_MOVEMENT = 30
"""The least movement in pixels of a disc that counts as moving, so that its line is visible in the final picture."""
_ROLES = {(False, "yes", "no"): "cause", (True, "yes", "no"): "enable", (True, "no", "yes"): "prevent"}
"""The role of a disc in the motion of another, by three facts about the other: whether it was pushed, whether it
reaches a wall, and whether it would do so without the first disc."""
_CHANGES = 10
_OPTIONS = 4


def disc_changes(world: Discs, rng: Random) -> Iterator[WordedChange]:
    """Return the possible changes of a table."""
    for disc in world.discs:
        yield removal(disc)
        for weight in (1, 4):
            if weight != disc.weight:
                words = f"{{X}} had {several(weight, 'dot')} instead of {disc.weight:.0f}"
                yield WordedChange(PutDisc(replace(disc, weight=weight)), fill_template(words, X=disc), disc, "replace")
        for way in ("left", "right", "up", "down"):
            moved = PutDisc(shifted_disc(disc, way))
            yield WordedChange(moved, fill_template(f"{{X}} were its own width farther {way}", X=disc), disc, "move")
        for changed, words, kind in _PUSHES if disc.is_pushed else ():
            yield WordedChange(PutDisc(changed(disc)), fill_template(f"{{X}} were {words}", X=disc), disc, kind)
        yield _one_more(world, disc, rng)


_PUSHES: tuple[tuple[Callable[[Disc], Disc], str, str], ...] = (
    (lambda disc: faster(disc, 2.0), "twice as fast", "speed"),
    (lambda disc: faster(disc, 0.5), "half as fast", "speed"),
    (lambda disc: faster(disc, 0.0), "at rest", "speed"),
    (lambda disc: turned(disc, 1), "pushed a quarter turn to the right", "turn"),
    (lambda disc: turned(disc, 2), "pushed the other way", "turn"),
    (lambda disc: turned(disc, 3), "pushed a quarter turn to the left", "turn"),
)


def _one_more(world: Discs, disc: Disc, rng: Random) -> WordedChange:
    """Return a change that adds a disc of an unused colour next to another disc."""
    colour = rng.choice([each for each in COLOURS if each not in {other.colour for other in world.discs}])
    side = rng.choice(("left", "right"))
    new = new_disc(colour, disc, side)
    where = fill_template(f"lay to the {side} of {{X}}, with room for just one more between them", X=disc)
    like = "of the same size, with 2 dots,"
    words = TextAndSkeleton(f"{article(new.colour)} {new.name} {like} {where.text}", f"a disc {like} {where.skeleton}")
    return WordedChange(PutDisc(new), words, disc, "add")


def hits(change: WorldDraft, rng: Random) -> Iterator[WorldDraft]:
    """Return drafts that ask whether two discs touch each other, now and after the change."""
    for one, other in permutations(_others(change), 2):
        what = f"the {one.name} and the {other.name} touch each other"
        yield _boolean(change, what, f"{SHOWN_INTRO} Do {what}?", partial(hits_or_not, one.id, other.id))


def hits_or_not(one: str, other: str, happens: Motion) -> str:
    """Return whether two discs touch each other."""
    return yes_or_no(other in happens.hit_by(one))


def reaches_wall(change: WorldDraft, rng: Random) -> Iterator[WorldDraft]:
    """Return drafts that ask whether a disc reaches a wall."""
    for disc in _others(change):
        what = f"the {disc.name} reach a wall"
        yield _boolean(change, what, f"{SHOWN_INTRO} Does {what}?", partial(reaches, disc.id))


def reaches(disc: str, happens: Motion) -> str:
    """Return whether a disc reaches a wall."""
    return yes_or_no(happens.reaches_wall(disc))


def _boolean(change: WorldDraft, what: str, shown: str, fact: Callable[[Motion], str]) -> WorldDraft:
    assert change.worded_change
    now, then = fact(motion(change.world)), fact(motion(change.after))
    return replace(
        change,
        target=(now, then),
        factual=WorldQuestion(f"{RULE} Will {what}?", now),
        counterfactual=WorldQuestion(f"{RULE} Would {what} if {change.worded_change.words.text}?", then),
        shown=WorldQuestion(shown, then),
        fact=fact,
    )


def how_many_move(change: WorldDraft, rng: Random) -> Iterator[WorldDraft]:
    """Yield drafts that ask how many discs move, if all movements are large enough to see."""
    assert change.worded_change
    both = motion(change.world), motion(change.after)
    if any(happens.length(name) < MIN_VISIBLE_MOVEMENT for happens in both for name in happens.moved()):
        return
    now, then = map(_moving, both)
    yield replace(
        change,
        target=now != then,
        kind="number",
        factual=WorldQuestion(f"{RULE} How many discs will move?", now),
        counterfactual=WorldQuestion(f"{RULE} How many discs would move if {change.worded_change.words.text}?", then),
        shown=WorldQuestion(f"{END_INTRO} How many discs moved?", then),
        fact=_moving,
        view="end",
    )


def _moving(happens: Motion) -> str:
    return str(len(happens.moved()))


def who_first(change: WorldDraft, rng: Random) -> Iterator[WorldDraft]:
    """Yield drafts that ask which of four a disc would touch first; the factual question asks which is nearest.

    All four are on the table if it has enough discs; otherwise the fourth is a disc of another colour.
    """
    assert change.worded_change
    now, then = motion(change.world), motion(change.after)
    for disc in _others(change):
        met = [*now.hit_by(disc.id), *then.hit_by(disc.id)]
        there = {other.id: other for other in _others(change) if other.id != disc.id}
        right = there.pop(_first(disc.id, then), None)
        if right is None:
            continue
        # Of the others, one that the disc meets comes first.
        others = sorted(rng.sample(list(there.values()), len(there)), key=lambda each: each.id not in met)
        chosen = [right, *others[:1], *rng.sample(others[1:], min(2, len(others[1:])))]
        options = [
            Option(f"the {each.name}", "answer" if each is right else "graph" if each.id in met else "image")
            for each in chosen
        ]
        if len(options) == _OPTIONS - 1:
            absent = sorted(set(COLOURS) - {each.colour for each in change.world.discs})
            options.append(Option(f"the {rng.choice(absent)} disc", "text"))
        near = nearest(chosen, disc)
        if near is None or len(options) < _OPTIONS:
            continue
        asked = f"Which of these would the {disc.name} touch first if {change.worded_change.words.text}?"
        yield replace(
            change,
            target=_first(disc.id, now) != right.id,
            kind="choice",
            factual=WorldQuestion(f"Which of these is nearest to the {disc.name}?", f"the {near.name}"),
            counterfactual=WorldQuestion(f"{RULE} {asked}", options[0].text),
            shown=WorldQuestion(f"{SHOWN_INTRO} Which of these does the {disc.name} touch first?", options[0].text),
            options=tuple(options),
            fact=partial(_first, disc.id),
        )


def role(change: WorldDraft, rng: Random) -> Iterator[WorldDraft]:
    """Return drafts that ask whether a disc causes, enables or prevents an event: another disc reaches a wall
    (CRAFT)."""
    assert change.worded_change
    about = change.worded_change.about
    for disc in _others(change):
        fact = partial(reaches, disc.id)
        known = disc.is_pushed, fact(motion(change.world)), fact(motion(change.after))
        target = _ROLES.get(known, "neither")
        options = {
            "cause": f"it brings the {disc.name} there, which was at rest",
            "enable": f"it helps the {disc.name}, which was pushed, to get there",
            "prevent": f"it keeps the {disc.name}, which was pushed, from getting there",
            "neither": "none of these",
        }
        asked = f"What does the {about.name} do about the {disc.name} reaching a wall?"
        tables = f"Think of the table as it is, and of the table without the {about.name}."
        yield replace(
            change,
            skeleton="role",
            target=target,
            kind="choice",
            counterfactual=WorldQuestion(f"{RULE} {tables} {asked}", options[target]),
            shown=WorldQuestion(f"{TWO_TABLES.format(name=about.name)} {asked}", options[target]),
            options=tuple(Option(text, "answer" if name == target else "text") for name, text in options.items()),
            fact=fact,
            says_change=False,
            view="both",
        )


def _first(disc: str, happens: Motion) -> str:
    return next(iter(happens.hit_by(disc)), "")


def under_changes(
    drafting: Callable[[WorldDraft, Random], Iterator[WorldDraft]],
) -> Callable[..., Iterator[WorldDraft]]:
    """Return a function that drafts questions about a table under some of its changes."""

    def drafts(world: Discs, kind: str, rng: Random, dropped: Counter[str]) -> Iterator[WorldDraft]:
        some = [worded_change for worded_change in disc_changes(world, rng) if worded_change.kind == kind]
        for worded_change in rng.sample(some, min(_CHANGES, len(some))):
            assert isinstance(worded_change.change, DiscChange)
            after = apply_disc_change(world, worded_change.change)
            if has_room(after):
                change = WorldDraft(
                    world=world, worded_change=worded_change, after=after, skeleton=worded_change.words.skeleton
                )
                found = list(drafting(change, rng))
                yield from rng.sample(found, len(found))

    return drafts


def _others(change: WorldDraft) -> list[Disc]:
    """Return the discs that may be asked about: all except the changed one."""
    assert change.worded_change
    return [disc for disc in change.world.discs if disc.id != change.worded_change.about.id]


def planning(world: Discs, kind: str, rng: Random, dropped: Counter[str]) -> Iterator[WorldDraft]:
    """Return drafts that ask which of four discs must go so that a fifth does not reach the wall it reaches now."""
    now = motion(world)
    for disc in rng.sample(world.discs, len(world.discs)):
        if not now.reaches_wall(disc.id):
            continue
        others = [other for other in rng.sample(world.discs, len(world.discs)) if other is not disc]
        needed = [other for other in others if not motion(_without(world, other)).reaches_wall(disc.id)]
        spared = [other for other in others if other not in needed]
        chosen = [*needed[:1], *spared[: _OPTIONS - 1]]
        leftmost = find_leftmost(chosen) if needed and len(chosen) == _OPTIONS else None
        if leftmost:
            met = now.hit_by(disc.id)
            yield plan_draft(
                chosen,
                WorldQuestion("Which of these is farthest to the left?", f"the {leftmost.name}"),
                f"{RULE} Which of these would have to be taken away so that the {disc.name} does not reach a wall?",
                f"{SHOWN_INTRO} Which of these is not in the pictures?",
                ["graph" if other.id in met else "image" for other in chosen[1:]],
                world=world,
                after=_without(world, chosen[0]),
                fact=partial(reaches, disc.id),
                rivals=tuple(other.id for other in chosen[1:]),
            )


def _without(world: Discs, disc: Disc) -> Discs:
    return apply_disc_change(world, RemoveDisc(disc.id))


def find_leftmost(chosen: Sequence[Disc]) -> Disc | None:
    """Return the disc farthest to the left; None if the difference is too small to see."""
    first, second, *_ = sorted(chosen, key=lambda disc: disc.x)
    return first if second.x - first.x >= CLEAR_DIFFERENCE else None


_KINDS = ("remove", "add", "replace", "move", "turn", "speed")
_MEETING = ("remove", "turn", "speed")
"""Changes that often alter which discs meet."""
_MOVING = (*_MEETING, "add")
"""Changes that often alter which discs move."""


def _doubt(draft: WorldDraft, rng: Random) -> str:
    """Return why the answers are uncertain: they differ with slightly larger or smaller discs or in slightly different
    worlds."""
    if draft.proof:
        if reason := doubt_about_removal(draft):
            return reason
        others = [jittered_discs(draft.world, rng) for _ in range(JITTERS)]
        if draft.fact and not _is_same(draft, draft.world, resized_discs(draft.world)):
            return "radius"
        is_certain = draft.is_proved(others) and (not draft.fact or _is_same(draft, draft.world, others))
        return "" if is_certain else "jitter"
    if _needs_bank_shot(draft):
        return "bank"
    rivals = [apply_disc_change(draft.world, RemoveDisc(name)) for name in draft.rivals]
    for world in (draft.world, draft.after, *rivals):
        if not _is_same(draft, world, resized_discs(world)):
            return "radius"
        if not _is_same(draft, world, (jittered_discs(world, rng) for _ in range(JITTERS))):
            return "jitter"
    return ""


def doubt_about_removal(draft: WorldDraft) -> str:
    """Return why a viewer could not judge which removal is right, apart from small changes of the world."""
    if _needs_bank_shot(draft):
        return "bank"
    return "" if draft.is_proved(resized_discs(draft.world)) else "radius"


def _needs_bank_shot(draft: WorldDraft) -> bool:
    is_hard = sum(disc.is_pushed for disc in draft.world.discs) > 1
    return not is_hard and any(_has_bank_shot(motion(world)) for world in (draft.world, draft.after))


def _has_bank_shot(happens: Motion) -> bool:
    """Return whether a disc meets another after bouncing off a wall, which cannot be judged by eye."""
    bounced: set[str] = set()
    for event in happens.events:
        if event.is_wall:
            bounced.add(event.disc)
        elif bounced & {event.disc, event.other}:
            return True
    return False


def _is_same(draft: WorldDraft, world: Discs, others: Iterable[Discs]) -> bool:
    """Return whether all other tables have the same answer as a table."""
    assert draft.fact
    answer = draft.fact(motion(world))
    try:
        return all(draft.fact(motion(other)) == answer for other in others)
    except Unclear:
        return False


def _show(draft: WorldDraft) -> Pixels:
    """Draw the changed table: four moments, the end, or four moments below those of the unchanged table."""
    if draft.view == "both":
        return draw_both(draft.world, draft.after)
    return draw_end(draft.after) if draft.view == "end" else draw_strip(draft.after)


DISCS = WorldSuite(
    name=DISCS_NAME,
    description=(
        "Discs on a table with walls, some of them pushed, and questions about what would happen under a change. "
        "Every answer is computed collision by collision, and the outcome is shown as four moments or as the final "
        "state."
    ),
    groups=(
        Group("hits", under_changes(hits), YES_NO_TARGETS, _MEETING),
        Group("reaches wall", under_changes(reaches_wall), YES_NO_TARGETS, _KINDS),
        Group("how many move", under_changes(how_many_move), (False, True), _MOVING),
        Group("who first", under_changes(who_first), (False, True), ("remove",)),
        Group("role", under_changes(role), ("cause", "enable", "prevent", "neither")),
        Group("planning", planning),
    ),
    build=build_discs,
    doubt=_doubt,
    draw=draw_discs,
    show=_show,
    levels=("easy", "medium"),
    optional_levels=("hard",),
    follows="Cause, enable and prevent are as in CRAFT (Ates et al., 2022).\n",
)
