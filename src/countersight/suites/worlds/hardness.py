"""The difficulty of a case: the number of things, the distance of the effect from the change, and its clarity."""

from countersight.errors import Unclear
from countersight.suites.worlds.drafts import WorldDraft
from countersight.worlds import MARGIN, Supports, WorldChange, contacts, outcome

_MARGINS = (10, 15, 20)


def hardness(draft: WorldDraft) -> dict[str, str | int]:
    """Return the facts about difficulty for the case's provenance."""
    assert isinstance(draft.world, Supports)
    found: dict[str, str | int] = {"things": len(draft.world.things), "fallen": len(draft.fallen)}
    if draft.told is None or draft.then or draft.proof:
        return found
    return found | {"depth": _depth(draft), "margin": _margin(draft)}


def _depth(draft: WorldDraft) -> int:
    """How many contacts lie between what is changed and the last thing that falls; 0 where nothing does."""
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
