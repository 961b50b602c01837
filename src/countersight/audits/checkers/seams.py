"""Check whether an edit of a photograph looks real, by the border of its mask and the texture inside.

The thresholds were chosen by inspecting removals; docs/measurements.md has their error rates.
"""

import asyncio
import math
from collections.abc import Mapping
from typing import Final

from countersight.audits.checkers.protocol import EditShown
from countersight.audits.manifest import Actor
from countersight.audits.records import Check
from countersight.editing import Action
from countersight.editing.quality import Seams, seams_of
from countersight.errors import BadPicture, EditFailed

ASKED: Final = "Does it look as if it had never been edited?"
MOST_SEAM: Final = 3.0
LEAST_TEXTURE: Final = 0.55
MOST_TEXTURE: Final = 2.5
MOST_HOLE: Final = 0.1
"""The maximum share of the picture that a hole may cover; all larger fills that we inspected looked unrealistic."""
THRESHOLDS: Final = {
    "most seam": MOST_SEAM,
    "least texture": LEAST_TEXTURE,
    "most texture": MOST_TEXTURE,
    "most hole": MOST_HOLE,
    "most seam of a removal": 2.0,
    "least texture of a removal": 0.4,
    "most hole of a removal": 1.0,
    "most structure of a removal": 1.0,
}
"""The default thresholds of `seams`. Those for removals were chosen on 141 removals, together with the detector's."""
_HOLES: Final = ("remove", "replace", "move", "resize", "add")
"""Actions that paint new content."""


class SeamChecker:
    """Checks whether an edit looks real, without a model."""

    def __init__(self, thresholds: Mapping[str, float] = THRESHOLDS) -> None:
        self.party = Actor("seams", dict(thresholds))
        self._thresholds = thresholds

    async def check(self, edit: EditShown, key: str) -> Check:
        """Return the result for border and texture."""
        return await asyncio.to_thread(check_seams, edit, self._thresholds)


def check_seams(edit: EditShown, thresholds: Mapping[str, float] = THRESHOLDS) -> Check:
    """Check whether an edit looks real; the result is the same for the same pictures and thresholds."""
    if edit.scene is not None:
        return Check("seams", ASKED, None, "a drawing has hard edges of its own")
    try:
        before, after, mask = edit.pixels()
    except (BadPicture, EditFailed) as error:
        return Check("seams", ASKED, None, str(error))
    if edit.instruction.action not in _HOLES or mask is None:
        return Check("seams", ASKED, None, "the edit has no filled area with a known mask")
    return verdict(seams_of(before, after, mask), edit.instruction.action, thresholds)


def verdict(found: Seams, action: Action, thresholds: Mapping[str, float] = THRESHOLDS) -> Check:
    """Return the result that follows from the measurements of an edit."""
    if found.seam is None or found.texture is None:
        return Check("seams", ASKED, None, "the mask is too small or too large to be measured")
    measures = {"seam": found.seam, "texture": found.texture, "hole": found.hole}
    # Audits of earlier versions have no limits of their own for removals.
    special = " of a removal" if action == "remove" and "most structure of a removal" in thresholds else ""

    def limit(name: str) -> float:
        return thresholds.get(name + special, thresholds.get(name, math.inf))

    faults = []
    if found.seam > limit("most seam"):
        faults.append(f"its border is visible (edges {found.seam:.1f} times as strong as nearby)")
    if found.texture < limit("least texture"):
        faults.append(f"it is blurred (texture {found.texture:.2f} times that of its surroundings)")
    if found.texture > limit("most texture"):
        faults.append(f"it is rougher than its surroundings ({found.texture:.1f} times)")
    if found.hole > limit("most hole"):
        faults.append(f"it covers {found.hole:.0%} of the picture, too much to look real")
    if special:
        if found.structure is None:
            return Check("seams", ASKED, None, "the mask is too small or too large to be measured")
        measures["structure"] = found.structure
        if found.structure > limit("most structure"):
            faults.append(f"it has stronger edges than its surroundings ({found.structure:.2f} times)")
    seen = " and ".join(faults) or f"border {found.seam:.1f}, texture {found.texture:.1f}: like its surroundings"
    return Check("seams", ASKED, not faults, seen, measures=measures)
