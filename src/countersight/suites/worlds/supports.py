"""The suite of supports: blocks, planks, cups, shelves and strings, and what would fall."""

from random import Random

from countersight.errors import Unclear
from countersight.picture import Pixels
from countersight.suites.worlds import backwards
from countersight.suites.worlds.drafts import WorldDraft, WorldSuite, proved
from countersight.suites.worlds.hardness import hardness
from countersight.suites.worlds.questions import GROUPS
from countersight.suites.worlds.suite import SUPPORTS_NAME
from countersight.worlds import (
    JITTERS,
    RemoveThing,
    Supports,
    WorldChange,
    build_supports,
    draw_supports,
    fallen,
    jittered,
    outcome,
)


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
    further={"least-change": (backwards.SUPPORTS_LEAST,), "several-changes": backwards.SUPPORTS_SEVERAL},
)
