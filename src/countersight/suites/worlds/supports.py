"""The suite of supports: blocks, planks, cups, shelves and strings, and what would fall."""

from random import Random

from countersight.errors import Unclear
from countersight.suites.worlds.drafts import Draft, WorldSuite
from countersight.suites.worlds.hardness import hardness
from countersight.suites.worlds.questions import GROUPS
from countersight.worlds import JITTERS, Supports, WorldChange, build_supports, draw_supports, fallen, jittered, outcome


def _is_stable(draft: Draft, rng: Random) -> bool:
    """Whether the same things fall in every slightly different world, before and after the change."""
    assert isinstance(draft.world, Supports)
    jitters = [jittered(draft.world, rng) for _ in range(JITTERS)]
    try:
        if fallen(draft.world, jitters=jitters):
            return False
        if draft.told is None:
            return True
        assert isinstance(draft.told.change, WorldChange)
        return outcome(draft.world, draft.told.change, jitters=jitters).fallen == draft.fallen
    except Unclear:
        return False


SUPPORTS = WorldSuite(
    name="supports",
    description="Small worlds of blocks, planks, cups, shelves and strings, and what would fall if something in them "
    "were otherwise: every answer is solved by static equilibrium, and every changed world is drawn too.",
    groups=GROUPS,
    build=build_supports,
    is_stable=_is_stable,
    hardness=hardness,
    draw=draw_supports,
    show=draw_supports,
)
