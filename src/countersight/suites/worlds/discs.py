"""The suite of discs: a table with walls, and which discs touch each other, now and after a change."""

from collections.abc import Iterable
from random import Random

from countersight.errors import Unclear
from countersight.picture import Pixels
from countersight.suites.worlds import backwards
from countersight.suites.worlds.disc_plans import planning
from countersight.suites.worlds.disc_questions import (
    hits,
    how_many_move,
    reaches_wall,
    role,
    under_changes,
    who_first,
)
from countersight.suites.worlds.drafts import Group, WorldDraft, WorldSuite, proved
from countersight.suites.worlds.suite import DISCS_NAME
from countersight.worlds import (
    JITTERS,
    Discs,
    Motion,
    Take,
    beside_discs,
    build_discs,
    changed_discs,
    draw_both,
    draw_discs,
    draw_end,
    draw_strip,
    jittered_discs,
    motion,
)

_KINDS = ("remove", "add", "replace", "move", "turn", "speed")
_MEETING = ("remove", "turn", "speed")
"""Changes that often alter who meets whom."""
_MOVING = (*_MEETING, "add")
"""Changes that often alter who moves."""


def _doubt(draft: WorldDraft, rng: Random) -> str:
    """Whether the answers are other ones with all discs a little larger or smaller, or in slightly different worlds."""
    assert isinstance(draft.world, Discs)
    assert isinstance(draft.after, Discs)
    if not _is_hard(draft.world) and any(_has_bank_shot(motion(world)) for world in (draft.world, draft.after)):
        return "bank"
    if draft.proof:
        if not proved(draft, beside_discs(draft.world)):
            return "radius"
        return "" if proved(draft, [jittered_discs(draft.world, rng) for _ in range(JITTERS)]) else "jitter"
    rivals = [changed_discs(draft.world, Take(name)) for name in draft.rivals]
    for world in (draft.world, draft.after, *rivals):
        if not _is_same(draft, world, beside_discs(world)):
            return "radius"
        if not _is_same(draft, world, (jittered_discs(world, rng) for _ in range(JITTERS))):
            return "jitter"
    return ""


def _is_hard(world: Discs) -> bool:
    """Whether several discs are pushed."""
    return sum(bool(disc.vx or disc.vy) for disc in world.discs) > 1


def _has_bank_shot(happens: Motion) -> bool:
    """Whether a disc meets another after it bounced off a wall: nobody can tell that by eye."""
    bounced: set[str] = set()
    for event in happens.events:
        if event.is_wall:
            bounced.add(event.disc)
        elif bounced & {event.disc, event.other}:
            return True
    return False


def _is_same(draft: WorldDraft, world: Discs, others: Iterable[Discs]) -> bool:
    """Whether the answer about a table is that about all of the others."""
    assert draft.fact
    answer = draft.fact(motion(world))
    try:
        return all(draft.fact(motion(other)) == answer for other in others)
    except Unclear:
        return False


def _hardness(draft: WorldDraft) -> dict[str, str | int]:
    assert isinstance(draft.after, Discs)
    return {"things": len(draft.after.discs), "depth": len(motion(draft.after).events)}


def _show(draft: WorldDraft) -> Pixels:
    """What would happen: four moments, the end, or four moments below those of the table as it is."""
    assert isinstance(draft.world, Discs)
    assert isinstance(draft.after, Discs)
    if draft.view == "both":
        return draw_both(draft.world, draft.after)
    return draw_end(draft.after) if draft.view == "end" else draw_strip(draft.after)


_BOTH = (("yes", "yes"), ("yes", "no"), ("no", "yes"), ("no", "no"))
DISCS = WorldSuite(
    name=DISCS_NAME,
    description=(
        "Discs on a table with walls, some of them pushed, and questions about what would happen under a change. "
        "Every answer is computed collision by collision, and the outcome is shown as four moments or as the final "
        "state."
    ),
    groups=(
        Group("hits", under_changes(hits), _BOTH, _MEETING),
        Group("reaches wall", under_changes(reaches_wall), _BOTH, _KINDS),
        Group("how many move", under_changes(how_many_move), (False, True), _MOVING),
        Group("who first", under_changes(who_first), (False, True), ("remove",)),
        Group("role", under_changes(role), ("cause", "enable", "prevent", "neither")),
        Group("planning", planning, (None,)),
    ),
    build=build_discs,
    doubt=_doubt,
    hardness=_hardness,
    draw=draw_discs,
    show=_show,
    levels=("easy", "medium"),
    by_name=("hard",),
    further={"least-change": (backwards.DISCS_LEAST,), "several-changes": backwards.DISCS_SEVERAL},
    follows="Cause, enable and prevent are as in CRAFT (Ates et al., 2022).\n",
)
