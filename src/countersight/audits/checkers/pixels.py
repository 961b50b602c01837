"""Check edits by their pixels: exactly for our own scenes; otherwise by colour, and by remains of a thing."""

import asyncio
from collections.abc import Mapping
from typing import NamedTuple

import numpy as np

from countersight.audits.checkers.protocol import CheckResult, EditShown, cannot_tell, question_of
from countersight.audits.records import Actor, Check
from countersight.detection import grown, read_mask
from countersight.editing import EditRequest, colour_share
from countersight.editing.exact import changed_scene
from countersight.editing.quality import seams_of
from countersight.errors import BadPicture, EditFailed
from countersight.picture import Picture, Pixels, as_seen
from countersight.programs.vision import NotAScene, Seen, see
from countersight.scenes import NAMED, Scene, facts_by_name

LEAST_COLOUR = 0.4
"""Least share of the pixels under the mask that must have the new colour."""
MOST_LEFT = 0.6
"""Largest correlation with the old texture under the mask for a thing to be gone."""
MOST_LIKE = 0.5
"""Largest share of patches of a fill that may look like the removed thing."""
LITTLE_LIKE, LITTLE_NEW = 0.12, 0.95
"""A removal is sure where no more patches look like the thing, and the fill is no newer than its surroundings.

Chosen by eye on 64 removals from photographs and tried on 22 others: docs/measurements.md says what came out."""
PLAIN = 1.0
"""A thing less different from its surroundings than this looks like them: nobody can tell whether it is gone."""
FLAT = 2.0
"""A fill whose colours vary less than this (standard deviation of 256 levels) is one flat colour."""
PATCHES = (16, 8)
"""Sides of patches in pixels; the smaller one is used if a hole has too few of the larger."""


class PixelChecker:
    """Checks edits by pixels alone, without a model."""

    def __init__(self) -> None:
        self.party = Actor("pixels")

    async def check(self, edit: EditShown, key: str) -> CheckResult:
        """Return the result of comparing pixels."""
        return await asyncio.to_thread(checked, edit)

    async def close(self) -> None:
        """Do nothing: nothing is held."""


def checked(edit: EditShown) -> CheckResult:
    """Return the result for an edit; the same for the same pictures, so that it can be repeated."""
    if edit.scene is not None:
        return _counted(edit, edit.scene)
    try:
        before, after = np.asarray(as_seen(edit.before)), np.asarray(as_seen(edit.after))
        mask = None if edit.mask is None else read_mask(edit.mask, (before.shape[1], before.shape[0]))
    except (BadPicture, EditFailed) as error:
        return cannot_tell("pixels", edit.instruction, str(error))
    if mask is None or after.shape != before.shape or not mask.any():
        return cannot_tell("pixels", edit.instruction, "the editor reports no mask of the edit")
    if edit.instruction.action == "recolour":
        return _coloured(edit, before, after, mask)
    if edit.instruction.action in ("remove", "replace"):
        return _left(edit, before, after, mask)
    return cannot_tell("pixels", edit.instruction, f"pixels alone cannot check “{edit.instruction.action}”")


def as_asked(picture: Picture, wanted: Scene) -> bool | None:
    """Whether the pixels of a picture show the wanted scene; None if that cannot be seen."""
    try:
        return _counts(see(np.asarray(as_seen(picture))), wanted)
    except (NotAScene, BadPicture):
        return None


def _counts(seen: Seen, wanted: Scene) -> bool:
    known = facts_by_name(wanted)
    counted = {
        "flowers": len(seen.flowers),
        "circles": len(seen.circles),
        "dots": sum(len(circle.dots) for circle in seen.circles),
        "most dots in a circle": max((len(circle.dots) for circle in seen.circles), default=0),
        **{f"flowers inside {colour}": sum(colour in each.inside for each in seen.flowers) for colour in NAMED},
    }
    return all(known[name] == number for name, number in counted.items())


def _counted(edit: EditShown, scene: Scene) -> CheckResult:
    try:
        wanted, _ = changed_scene(scene, EditRequest(edit.before, edit.instruction, edit.seed, scene=scene))
    except (EditFailed, ValueError) as error:
        return cannot_tell("pixels", edit.instruction, f"the instruction does not apply to the scene: {error}")
    assert isinstance(wanted, Scene)
    done = as_asked(edit.after, wanted)
    if done is None:
        return cannot_tell("pixels", edit.instruction, "the scene could not be recognized reliably")
    seen = f"the numbers of flowers, circles {'and dots are' if done else 'or dots are not'} as requested"
    return CheckResult(Check("pixels", question_of(edit.instruction), done, seen))


def _coloured(edit: EditShown, before: Pixels, after: Pixels, mask: np.ndarray) -> CheckResult:
    shares = [colour_share(pixels[mask], edit.instruction.value) for pixels in (before, after)]
    if shares[0] is None or shares[1] is None:
        return cannot_tell("pixels", edit.instruction, f"“{edit.instruction.value[:40]}” is not a known colour")
    done = shares[1] >= LEAST_COLOUR and shares[1] > shares[0]
    seen = f"{shares[1]:.0%} of the area has the colour; before the edit it was {shares[0]:.0%}"
    measures = {"before": round(shares[0], 3), "after": round(shares[1], 3)}
    return CheckResult(Check("pixels", question_of(edit.instruction), done, seen, measures=measures))


def _left(edit: EditShown, before: Pixels, after: Pixels, mask: np.ndarray) -> CheckResult:
    found = gone(before, after, mask)
    if edit.instruction.action == "replace" and found.done:  # whether the new thing is there, colours do not tell
        return cannot_tell(
            "pixels", edit.instruction, "the area was painted over; pixels alone cannot identify the new content"
        )
    return CheckResult(
        Check("pixels", question_of(edit.instruction), found.done, found.seen, measures=dict(found.measures))
    )


class Gone(NamedTuple):
    """Whether a thing is gone from a photograph; None if its colours do not decide."""

    done: bool | None
    seen: str
    measures: Mapping[str, float]


def gone(before: Pixels, after: Pixels, mask: np.ndarray) -> Gone:
    """Return whether a hole is filled like its surroundings, patch by patch, and not with the removed thing.

    A fill that looks like the removed thing may be the thing itself or another one like it: neither is a removal. One
    that looks like nothing around it was invented.
    """
    left = seams_of(before, after, mask).left
    if left is not None and left >= MOST_LEFT:
        return Gone(False, f"the object is still visible (texture similarity {left:.2f})", {"left": left})
    found = next(filter(None, (_resemblance(before, after, mask, side) for side in PATCHES)), None)
    if found is None:
        return Gone(None, "the mask is too small or too large to be measured", {})
    measures = {name: round(value, 3) for name, value in found.items()}
    like, new = measures["like the thing"], measures["new"]
    if like > MOST_LIKE and float(after[mask].std(axis=0).max()) < FLAT:
        return Gone(False, "the area was filled with one flat colour", measures)
    if like > MOST_LIKE:
        return Gone(False, f"the fill resembles the removed object more than its surroundings ({like:.2f})", measures)
    if measures["new before"] < PLAIN:
        return Gone(None, "the object already looked like its surroundings", measures)
    if like > LITTLE_LIKE:
        return Gone(
            None, f"part of the fill resembles the removed object more than its surroundings ({like:.2f})", measures
        )
    if new > LITTLE_NEW:
        return Gone(None, f"the fill does not resemble its surroundings ({new:.2f})", measures)
    return Gone(True, f"the fill resembles its surroundings ({like:.2f}, {new:.2f})", measures)


def _resemblance(before: Pixels, after: Pixels, mask: np.ndarray, side: int) -> dict[str, float] | None:
    """Which share of a fill looks like the thing rather than like what is around it; how new fill and thing are.

    Newness is the distance of patches to the nearest around the hole, as a multiple of the same distance of patches
    beside the hole. None where the hole is smaller than three patches.
    """
    rows, columns = np.nonzero(mask)
    size = int(max(np.ptp(rows), np.ptp(columns)))
    pad = max(48, int(0.6 * size))
    part = np.s_[max(0, rows.min() - pad) : rows.max() + pad, max(0, columns.min() - pad) : columns.max() + pad]
    before, after, mask = before[part], after[part], mask[part]
    fill, _ = _patches(after, mask, side)
    thing, _ = _patches(before, mask, side)
    around, places = _patches(after, ~mask, side)
    beside, here = _patches(after, grown(mask, int(0.35 * size) + 12) & ~mask, side)
    if len(fill) < 3 or len(around) < 20 or not len(beside):
        return None
    apart = np.abs(here[:, None] - places[None]).max(axis=2) > side
    usual = np.median(_nearest(beside, around, apart)) + 2
    to_around = _nearest(fill, around)
    return {
        "like the thing": float((_nearest(fill, thing) < to_around).mean()),
        "new": float(np.median(to_around) / usual),
        "new before": float(np.median(_nearest(thing, around)) / usual),
    }


def _patches(pixels: Pixels, where: np.ndarray, side: int) -> tuple[np.ndarray, np.ndarray]:
    """Patches that lie inside, each as 4 x 4 colours; and the place of each."""
    step, cell = side // 2, side // 4
    if min(where.shape) < side:
        return np.zeros((0, 48), np.float32), np.zeros((0, 2), int)
    inside = np.lib.stride_tricks.sliding_window_view(where, (side, side))[::step, ::step].mean(axis=(2, 3)) >= 0.98
    places = np.argwhere(inside) * step
    cut = [pixels[y : y + side, x : x + side].reshape(4, cell, 4, cell, 3).mean(axis=(1, 3)) for y, x in places]
    return np.array(cut, np.float32).reshape(-1, 48), places


def _nearest(ones: np.ndarray, others: np.ndarray, allowed: np.ndarray | None = None) -> np.ndarray:
    """How far each patch is from the nearest of others, in levels of colour."""
    squares = (ones**2).sum(1)[:, None] + (others**2).sum(1)[None] - 2 * ones @ others.T
    if allowed is not None:
        squares = np.where(allowed, squares, np.inf)
    distances: np.ndarray = np.sqrt(squares.min(axis=1).clip(0) / 48)
    return distances
