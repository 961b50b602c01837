"""Check whether an edited photograph looks real: the rim of its mask and the texture inside, by thresholds.

The thresholds were chosen by eye on removals from photographs: docs/measurements.md states how often they are wrong.
"""

import asyncio
from collections.abc import Mapping
from typing import Final

from countersight.audits.checkers.protocol import CheckResult, EditShown
from countersight.audits.records import Actor, Check
from countersight.editing.quality import Seams, seams_of
from countersight.errors import BadPicture, EditFailed

ASKED: Final = "Does it look as if it had never been edited?"
MOST_SEAM: Final = 3.0
LEAST_TEXTURE: Final = 0.55
MOST_TEXTURE: Final = 2.5
MOST_HOLE: Final = 0.1
"""Largest share of the picture that a hole may cover; larger fills were invented in all examples we inspected."""
THRESHOLDS: Final = {
    "most seam": MOST_SEAM,
    "least texture": LEAST_TEXTURE,
    "most texture": MOST_TEXTURE,
    "most hole": MOST_HOLE,
}
_HOLES: Final = ("remove", "replace", "move", "resize", "add")
"""Actions after which something was painted that was not there before."""


class SeamChecker:
    """Checks how an edit looks, without a model."""

    def __init__(self, thresholds: Mapping[str, float] = THRESHOLDS) -> None:
        self.party = Actor("seams", dict(thresholds))
        self._thresholds = thresholds

    async def check(self, edit: EditShown, key: str) -> CheckResult:
        """Return the result for rim and texture."""
        return CheckResult(await asyncio.to_thread(check_seams, edit, self._thresholds))

    async def close(self) -> None:
        """Do nothing: there is nothing to close."""


def check_seams(edit: EditShown, thresholds: Mapping[str, float] = THRESHOLDS) -> Check:
    """Return how an edit looks; the same for the same pictures and thresholds."""
    if edit.scene is not None:
        return Check("seams", ASKED, None, "a drawing has hard edges of its own")
    try:
        before, after, mask = edit.pixels()
    except (BadPicture, EditFailed) as error:
        return Check("seams", ASKED, None, str(error))
    if edit.instruction.action not in _HOLES or mask is None:
        return Check("seams", ASKED, None, "the edit has no filled area with a known mask")
    return verdict(seams_of(before, after, mask), thresholds)


def verdict(found: Seams, thresholds: Mapping[str, float] = THRESHOLDS) -> Check:
    """Return the check that follows from the measurements of an edit."""
    if found.seam is None or found.texture is None:
        return Check("seams", ASKED, None, "the mask is too small or too large to be measured")
    measures = {"seam": found.seam, "texture": found.texture, "hole": found.hole}
    faults = []
    if found.seam > thresholds["most seam"]:
        faults.append(f"its border is visible (steps {found.seam:.1f} times as large as next to it)")
    if found.texture < thresholds["least texture"]:
        faults.append(f"it is blurred (texture {found.texture:.2f} times that of its surroundings)")
    if found.texture > thresholds["most texture"]:
        faults.append(f"it is rougher than its surroundings ({found.texture:.1f} times)")
    if found.hole > thresholds.get("most hole", 1.0):
        faults.append(f"it covers {found.hole:.0%} of the picture, too much to look real")
    seen = " and ".join(faults) or f"border {found.seam:.1f}, texture {found.texture:.1f}: like its surroundings"
    return Check("seams", ASKED, not faults, seen, measures=measures)
