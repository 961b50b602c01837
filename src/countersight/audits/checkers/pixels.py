"""Edits checked by their pixels: counted where we drew the scene; elsewhere the colour, and what is left of a thing."""

import asyncio
from collections.abc import Mapping
from typing import NamedTuple

import numpy as np

from countersight.audits.checkers.protocol import CheckResult, EditShown, cannot_tell, question_of
from countersight.audits.probes import Check
from countersight.audits.records import Actor
from countersight.detection import grown, read_mask
from countersight.editing import Drawn, EditRequest, colour_share
from countersight.editing.exact import changed_scene
from countersight.editing.quality import seams_of
from countersight.errors import BadPicture, EditFailed
from countersight.picture import Picture, Pixels, as_seen
from countersight.programs.eyes import NotAScene, Seen, see, see_world
from countersight.scenes import NAMED, Scene, facts_by_name
from countersight.worlds import is_alike

LEAST_COLOUR = 0.4
"""Of the pixels under the mask at least this share must have the new colour."""
MOST_LEFT = 0.6
"""Texture under the mask that is more like the old one than this is the old one."""
LEAST_APART = 0.3
"""How far the colours of a thing must be from those around it, from 0 to 1, before they tell whether it is gone."""
SURELY_GONE = 0.45
"""Of the way from what is around a hole to the thing that was there: so near to what is around, it is gone."""
MOST_LIKE = 0.55
"""So near to the thing, it is the thing, or another one like it."""
AROUND = 16
"""Pixels around a hole that it is compared with."""
LEAST = 64


class PixelChecker:
    """Checks by pixels alone; needs no model."""

    def __init__(self) -> None:
        self.party = Actor("pixels")

    async def check(self, edit: EditShown, key: str) -> CheckResult:
        """What the pixels tell."""
        return await asyncio.to_thread(checked, edit)

    async def close(self) -> None:
        """There is nothing to let go of."""


def checked(edit: EditShown) -> CheckResult:
    """What the pixels of an edit tell; the same for the same pictures, so that anybody can check it again."""
    if edit.scene is not None:
        return _counted(edit, edit.scene)
    try:
        before, after = np.asarray(as_seen(edit.before)), np.asarray(as_seen(edit.after))
        mask = None if edit.mask is None else read_mask(edit.mask, (before.shape[1], before.shape[0]))
    except (BadPicture, EditFailed) as error:
        return cannot_tell("pixels", edit.instruction, str(error))
    if mask is None or after.shape != before.shape or not mask.any():
        return cannot_tell("pixels", edit.instruction, "the editor does not say where it changed something")
    if edit.instruction.action == "recolour":
        return _coloured(edit, before, after, mask)
    if edit.instruction.action in ("remove", "replace"):
        return _left(edit, before, after, mask)
    return cannot_tell("pixels", edit.instruction, f"pixels alone do not tell of “{edit.instruction.action}”")


def as_asked(picture: Picture, wanted: Drawn) -> bool | None:
    """Whether a picture shows what is wanted, seen from its pixels alone; None where that cannot be seen."""
    try:
        pixels = np.asarray(as_seen(picture))
        if isinstance(wanted, Scene):
            return _counts(see(pixels), wanted)
        world = see_world(pixels)
    except (NotAScene, BadPicture):
        return None
    return None if world is None else is_alike(world, wanted)


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


def _counted(edit: EditShown, scene: Drawn) -> CheckResult:
    try:
        wanted, _ = changed_scene(scene, EditRequest(edit.before, edit.instruction, edit.seed, scene=scene))
    except (EditFailed, ValueError) as error:
        return cannot_tell("pixels", edit.instruction, f"what was asked has no meaning in the scene: {error}")
    done = as_asked(edit.after, wanted)
    if done is None:
        return cannot_tell("pixels", edit.instruction, "what is drawn cannot be told surely")
    if isinstance(wanted, Scene):
        seen = "flowers, circles and dots count as asked" if done else "flowers, circles or dots do not count as asked"
    else:
        seen = "things are where they should be" if done else "things are not those, or not where they should be"
    return CheckResult(Check("pixels", question_of(edit.instruction), done, seen))


def _coloured(edit: EditShown, before: Pixels, after: Pixels, mask: np.ndarray) -> CheckResult:
    shares = [colour_share(pixels[mask], edit.instruction.value) for pixels in (before, after)]
    if shares[0] is None or shares[1] is None:
        return cannot_tell("pixels", edit.instruction, f"“{edit.instruction.value[:40]}” is no colour we know")
    done = shares[1] >= LEAST_COLOUR and shares[1] > shares[0]
    seen = f"{shares[1]:.0%} of it has the colour; it was {shares[0]:.0%}"
    measures = {"before": round(shares[0], 3), "after": round(shares[1], 3)}
    return CheckResult(Check("pixels", question_of(edit.instruction), done, seen, measures=measures))


def _left(edit: EditShown, before: Pixels, after: Pixels, mask: np.ndarray) -> CheckResult:
    found = gone(before, after, mask)
    if edit.instruction.action == "replace" and found.done:  # whether the new thing is there, colours do not tell
        return cannot_tell("pixels", edit.instruction, "it is painted over; what is there now pixels do not tell")
    return CheckResult(
        Check("pixels", question_of(edit.instruction), found.done, found.seen, measures=dict(found.measures))
    )


class Gone(NamedTuple):
    """Whether a thing is gone from a photograph; None where its colours do not tell."""

    done: bool | None
    seen: str
    measures: Mapping[str, float]


def gone(before: Pixels, after: Pixels, mask: np.ndarray) -> Gone:
    """Whether what fills a hole looks like what is around it, and no longer like the thing that was there.

    A fill that looks like the removed thing may be the thing itself or another one like it: neither is a removal.
    """
    left = seams_of(before, after, mask).left
    if left is not None and left >= MOST_LEFT:
        return Gone(False, f"what was there can still be seen (texture alike by {left:.2f})", {"left": left})
    core, around = ~grown(~mask, 2), grown(mask, AROUND) & ~grown(mask, 2)
    if core.sum() < LEAST or around.sum() < LEAST:
        return Gone(None, "the mask is too small or too large to be measured", {})
    thing, fill, ring = _colours(before[core]), _colours(after[core]), _colours(before[around])
    apart, to_thing, to_ring = _distance(thing, ring), _distance(fill, thing), _distance(fill, ring)
    likes_thing = to_ring / (to_ring + to_thing) if to_ring + to_thing else 0.5
    measures = {"apart": round(apart, 3), "like the thing": round(likes_thing, 3)}
    if likes_thing > MOST_LIKE:
        return Gone(False, f"what is there now looks like what was removed ({likes_thing:.2f})", measures)
    if apart < LEAST_APART:
        return Gone(None, f"it had the colours of what is around it ({apart:.2f} apart)", measures)
    if likes_thing > SURELY_GONE:
        return Gone(None, f"what is there now looks like neither ({likes_thing:.2f})", measures)
    return Gone(True, f"what is there now looks like what is around it ({likes_thing:.2f})", measures)


def _colours(pixels: np.ndarray) -> np.ndarray:
    """The share of pixels in each of 512 coarse colours, spread a little so that near ones overlap."""
    coarse = (pixels.reshape(-1, 3) // 32).astype(np.int64)
    counts = np.bincount(coarse @ np.array([64, 8, 1]), minlength=512).astype(float).reshape(8, 8, 8)
    for axis in range(3):
        padded = np.pad(counts, [(1, 1) if each == axis else (0, 0) for each in range(3)], mode="edge")
        counts = 0.25 * padded.take(range(8), axis) + 0.5 * counts + 0.25 * padded.take(range(2, 10), axis)
    shares: np.ndarray = counts.ravel() / counts.sum()
    return shares


def _distance(one: np.ndarray, other: np.ndarray) -> float:
    """Hellinger's distance of two shares, from 0 to 1."""
    return float(np.sqrt(max(0.0, 1.0 - np.sqrt(one * other).sum())))
