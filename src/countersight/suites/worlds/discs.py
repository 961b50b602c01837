"""The suite of discs: a table with walls, what touches what, and what would."""

from random import Random

from countersight.errors import Unclear
from countersight.picture import Pixels
from countersight.suites.worlds.disc_plans import planning
from countersight.suites.worlds.disc_questions import (
    hits,
    how_many_move,
    reaches_wall,
    role,
    under_changes,
    who_first,
)
from countersight.suites.worlds.drafts import Draft, Group, WorldSuite
from countersight.worlds import (
    JITTERS,
    Discs,
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

_KINDS = ("remove", "remove", "add", "replace", "move", "turn", "speed")
_LAYOUT = ("remove", "remove", "add", "turn", "speed")
"""Changes that often alter who meets whom."""


def _is_stable(draft: Draft, rng: Random) -> bool:
    """Whether the answers are the same in slightly different worlds, and with all discs a little larger or smaller."""
    assert isinstance(draft.world, Discs)
    assert isinstance(draft.after, Discs)
    assert draft.fact
    rivals = (changed_discs(draft.world, Take(name)) for name in draft.rivals)
    for world in (draft.world, draft.after, *rivals):
        answer = draft.fact(motion(world))
        jitters = (jittered_discs(world, rng) for _ in range(JITTERS))
        for other in (*beside_discs(world), *jitters):
            try:
                if draft.fact(motion(other)) != answer:
                    return False
            except Unclear:
                return False
    return True


def _hardness(draft: Draft) -> dict[str, str | int]:
    assert isinstance(draft.after, Discs)
    return {"things": len(draft.after.discs), "depth": len(motion(draft.after).events)}


def _show(draft: Draft) -> Pixels:
    """What would happen: four moments, the end, or four moments below those of the table as it is."""
    assert isinstance(draft.world, Discs)
    assert isinstance(draft.after, Discs)
    if draft.view == "both":
        return draw_both(draft.world, draft.after)
    return draw_end(draft.after) if draft.view == "end" else draw_strip(draft.after)


_BOTH = (("yes", "yes"), ("yes", "no"), ("no", "yes"), ("no", "no"))
DISCS = WorldSuite(
    name="discs",
    description="Discs on a table with walls, some of which have just been pushed, and what would happen if something "
    "were otherwise: every answer is worked out collision by collision, and what happens is shown as four moments "
    "or as it ends.",
    groups=(
        Group("hits", under_changes(hits), _BOTH, _LAYOUT),
        Group("reaches wall", under_changes(reaches_wall), _BOTH, _KINDS),
        Group("how many move", under_changes(how_many_move), (False, True), _LAYOUT),
        Group("who first", under_changes(who_first), (False, True), ("remove",)),
        Group("role", under_changes(role), ("cause", "enable", "prevent", "neither")),
        Group("planning", planning, (None,)),
    ),
    build=build_discs,
    is_stable=_is_stable,
    hardness=_hardness,
    draw=draw_discs,
    show=_show,
    follows="Cause, enable and prevent are as in CRAFT (Ates et al., 2022).\n",
)
