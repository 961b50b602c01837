"""Check edits by their pixels: exactly in generated scenes, and otherwise by colour and by remains of the object."""

import asyncio
from collections.abc import Mapping
from typing import NamedTuple

import numpy as np

from countersight.audits.checkers.protocol import EditShown, cannot_tell, question_of
from countersight.audits.manifest import Actor
from countersight.audits.records import Check
from countersight.detection import box_of
from countersight.editing import EditRequest, colour_share
from countersight.editing.exact import changed_scene
from countersight.editing.quality import seams_of
from countersight.errors import BadPicture, EditFailed
from countersight.picture import Picture, Pixels, as_seen
from countersight.programs.vision import NotAScene, see
from countersight.scenes import NAMED, Scene, facts_by_name

LEAST_COLOUR = 0.4
"""The minimum share of the pixels under the mask that must have the new colour."""


class PixelChecker:
    """Checks edits by pixels alone, without a model."""

    def __init__(self) -> None:
        self.party = Actor("pixels")

    async def check(self, edit: EditShown, key: str) -> Check:
        """Return the result of comparing pixels."""
        return await asyncio.to_thread(check_pixels, edit)


def check_pixels(edit: EditShown) -> Check:
    """Check an edit; the result is always the same for the same pictures."""
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
    return Check("pixels", asked, found.done, found.seen, measures=dict(found.measures))


def shows(picture: Picture, wanted: Scene) -> bool | None:
    """Whether the pixels of a picture show the expected scene; None if the scene cannot be recognized."""
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


def _check_scene(edit: EditShown, scene: Scene) -> Check:
    try:
        wanted, _ = changed_scene(scene, EditRequest(edit.before, edit.instruction, edit.seed, scene=scene))
    except (EditFailed, ValueError) as error:
        return cannot_tell("pixels", edit.instruction, f"the instruction does not apply to the scene: {error}")
    assert isinstance(wanted, Scene)
    done = shows(edit.after, wanted)
    if done is None:
        return cannot_tell("pixels", edit.instruction, "the scene could not be recognized reliably")
    seen = f"the numbers of flowers, circles {'and dots are' if done else 'or dots are not'} as requested"
    return Check("pixels", question_of(edit.instruction), done, seen)


def _check_recolouring(edit: EditShown, before: Pixels, after: Pixels, mask: np.ndarray) -> Check:
    shares = [colour_share(pixels[mask], edit.instruction.value) for pixels in (before, after)]
    if shares[0] is None or shares[1] is None:
        return cannot_tell("pixels", edit.instruction, f"“{edit.instruction.value[:40]}” is not a known colour")
    done = shares[1] >= LEAST_COLOUR and shares[1] > shares[0]
    seen = f"{shares[1]:.0%} of the area has the colour; before the edit it was {shares[0]:.0%}"
    measures = {"before": round(shares[0], 3), "after": round(shares[1], 3)}
    return Check("pixels", question_of(edit.instruction), done, seen, measures=measures)


MOST_LEFT = 0.6
"""The minimum correlation with the old texture under the mask at which the object counts as still visible."""
MOST_LIKE = 0.5
"""The maximum share of the patches of a fill that may look like the removed object."""
PATCHES = (16, 8)
"""The sides of patches in pixels; the smaller one is used if a hole has too few patches of the larger."""
INSIDE = 0.98
"""The minimum share of a patch's pixels that must lie in an area for the patch to belong to it."""
_NUMBERS = 4 * 4 * 3
"""The length of the description of a patch: 4 x 4 colours with three channels."""
MARGIN_SHARE, LEAST_MARGIN = 0.6, 48
"""The width of the compared area around a hole: this share of the hole's size, and at least this many pixels."""


class RemovalResult(NamedTuple):
    """Whether an object was removed from a photograph: False if still visible, None if the pixels cannot tell."""

    done: bool | None
    seen: str
    measures: Mapping[str, float]


def removal_result(before: Pixels, after: Pixels, mask: np.ndarray) -> RemovalResult:
    """Compare patches to find whether a hole is filled with the removed object or a similar one.

    Pixels cannot confirm a removal: on inspection, a third of the removals that they confirmed were bad.
    """
    left = seams_of(before, after, mask).left
    if left is not None and left >= MOST_LEFT:
        return RemovalResult(False, f"the object is still visible (texture similarity {left:.2f})", {"left": left})
    like = next((like for side in PATCHES if (like := _resemblance(before, after, mask, side)) is not None), None)
    if like is None:
        return RemovalResult(None, "the mask is too small or too large to be measured", {})
    measures = {"like the thing": like}
    if like <= MOST_LIKE:
        seen = f"pixels alone cannot confirm a removal; the fill resembles its surroundings ({like:.2f})"
        return RemovalResult(None, seen, measures)
    seen = f"the fill resembles the removed object more than its surroundings ({like:.2f})"
    return RemovalResult(False, seen, measures)


def _resemblance(before: Pixels, after: Pixels, mask: np.ndarray, side: int) -> float | None:
    """Return the share of a fill that looks more like the removed object than like its surroundings.

    Return None if the hole is smaller than three patches.
    """
    left, top, right, bottom = box_of(mask)
    pad = max(LEAST_MARGIN, int(MARGIN_SHARE * max(right - left, bottom - top)))
    part = np.s_[max(0, top - pad) : bottom + pad, max(0, left - pad) : right + pad]
    before, after, mask = before[part], after[part], mask[part]
    fill, thing, around = (
        _patches(pixels, area, side) for pixels, area in ((after, mask), (before, mask), (after, ~mask))
    )
    if len(fill) < 3 or len(around) < 20:
        return None
    return round(float((_nearest(fill, thing) < _nearest(fill, around)).mean()), 3)


def _patches(pixels: Pixels, where: np.ndarray, side: int) -> np.ndarray:
    """Return the patches inside an area, each as 4 x 4 colours."""
    step, cell = side // 2, side // 4
    if min(where.shape) < side:
        return np.zeros((0, _NUMBERS), np.float32)
    windows = np.lib.stride_tricks.sliding_window_view(where, (side, side))[::step, ::step]
    places = np.argwhere(windows.mean(axis=(2, 3)) >= INSIDE) * step
    cut = [pixels[y : y + side, x : x + side].reshape(4, cell, 4, cell, 3).mean(axis=(1, 3)) for y, x in places]
    return np.array(cut, np.float32).reshape(-1, _NUMBERS)


def _nearest(ones: np.ndarray, others: np.ndarray) -> np.ndarray:
    """Return the distance from each patch to the nearest of the others, in colour levels."""
    squares = (ones**2).sum(1)[:, None] + (others**2).sum(1)[None] - 2 * ones @ others.T
    distances: np.ndarray = np.sqrt(squares.min(axis=1).clip(0) / _NUMBERS)
    return distances
