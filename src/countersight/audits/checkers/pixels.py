"""Check edits by their pixels: exactly for generated scenes, otherwise by colour and by remains of a thing."""

import asyncio

import numpy as np

from countersight.audits.checkers.protocol import CheckResult, EditShown, cannot_tell, question_of
from countersight.audits.checkers.removals import removal_result
from countersight.audits.records import Actor, Check, Local
from countersight.editing import EditRequest, colour_share
from countersight.editing.exact import changed_scene
from countersight.errors import BadPicture, EditFailed
from countersight.picture import Picture, Pixels, as_seen
from countersight.programs.vision import NotAScene, see
from countersight.scenes import NAMED, Scene, facts_by_name

LEAST_COLOUR = 0.4
"""Least share of the pixels under the mask that must have the new colour."""


class PixelChecker(Local):
    """Checks edits by pixels alone, without a model."""

    def __init__(self) -> None:
        self.party = Actor("pixels")

    async def check(self, edit: EditShown, key: str) -> CheckResult:
        """Return the result of comparing pixels."""
        return await asyncio.to_thread(check_pixels, edit)


def check_pixels(edit: EditShown) -> CheckResult:
    """Return the result for an edit, which is always the same for the same pictures."""
    if edit.scene is not None:
        return _check_scene(edit, edit.scene)
    try:
        before, after, mask = edit.pixels()
    except (BadPicture, EditFailed) as error:
        return cannot_tell("pixels", edit.instruction, str(error))
    if mask is None or not mask.any():
        return cannot_tell("pixels", edit.instruction, "the editor reports no mask of the edit")
    if edit.instruction.action == "recolour":
        return _check_recolouring(edit, before, after, mask)
    if edit.instruction.action not in ("remove", "replace"):
        return cannot_tell("pixels", edit.instruction, f"pixels alone cannot check “{edit.instruction.action}”")
    found = removal_result(before, after, mask)
    asked = question_of(edit.instruction)
    return CheckResult(Check("pixels", asked, found.done, found.seen, measures=dict(found.measures)))


def shows(picture: Picture, wanted: Scene) -> bool | None:
    """Whether the pixels of a picture show the wanted scene; None if the scene cannot be recognized."""
    try:
        seen = see(np.asarray(as_seen(picture)))
    except (NotAScene, BadPicture):
        return None
    known = facts_by_name(wanted)
    counted = {
        "flowers": len(seen.flowers),
        "circles": len(seen.circles),
        "dots": sum(len(circle.dots) for circle in seen.circles),
        "most dots in a circle": max((len(circle.dots) for circle in seen.circles), default=0),
        **{f"flowers inside {colour}": sum(colour in each.inside for each in seen.flowers) for colour in NAMED},
    }
    return all(known[name] == number for name, number in counted.items())


def _check_scene(edit: EditShown, scene: Scene) -> CheckResult:
    try:
        wanted, _ = changed_scene(scene, EditRequest(edit.before, edit.instruction, edit.seed, scene=scene))
    except (EditFailed, ValueError) as error:
        return cannot_tell("pixels", edit.instruction, f"the instruction does not apply to the scene: {error}")
    assert isinstance(wanted, Scene)
    done = shows(edit.after, wanted)
    if done is None:
        return cannot_tell("pixels", edit.instruction, "the scene could not be recognized reliably")
    seen = f"the numbers of flowers, circles {'and dots are' if done else 'or dots are not'} as requested"
    return CheckResult(Check("pixels", question_of(edit.instruction), done, seen))


def _check_recolouring(edit: EditShown, before: Pixels, after: Pixels, mask: np.ndarray) -> CheckResult:
    shares = [colour_share(pixels[mask], edit.instruction.value) for pixels in (before, after)]
    if shares[0] is None or shares[1] is None:
        return cannot_tell("pixels", edit.instruction, f"“{edit.instruction.value[:40]}” is not a known colour")
    done = shares[1] >= LEAST_COLOUR and shares[1] > shares[0]
    seen = f"{shares[1]:.0%} of the area has the colour; before the edit it was {shares[0]:.0%}"
    measures = {"before": round(shares[0], 3), "after": round(shares[1], 3)}
    return CheckResult(Check("pixels", question_of(edit.instruction), done, seen, measures=measures))
