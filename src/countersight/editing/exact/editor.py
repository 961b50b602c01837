"""Edit generated scenes exactly: the instruction changes the scene data, and the picture is redrawn."""

from random import Random
from typing import Any

import numpy as np

from countersight.detection import Mask, difference, encode_mask, grow_mask, read_mask
from countersight.editing.exact.plans import plan
from countersight.editing.pictures import decoded, unchanged
from countersight.editing.protocol import Edited, EditorSettings, EditRequest
from countersight.errors import EditFailed
from countersight.picture import Picture, Pixels
from countersight.scenes import Scene, apply, draw_both, encode, faults

MARGIN = 2
"""Margin of the mask around the change in pixels, because smoothed edges change a little beyond it."""
STRANGE = 0.02
"""Largest share of pixels in which a picture may differ from the drawing of its scene."""
LEVELS = 32
"""Largest difference of an edge pixel between two versions of the rasteriser."""
MOST = 2_000
"""Maximum number of objects in a scene and corners of a polygon, because a scene may come from an untrusted file."""


class Exact:
    """An editor for pictures whose scene is known; its edits are correct by construction."""

    name = "exact"

    def __init__(self) -> None:
        self.settings: dict[str, Any] = {}

    async def edit(self, request: EditRequest) -> Edited:
        """Return the redrawn picture and the changed scene."""
        return exact_edit(request)

    async def close(self) -> None:
        """Do nothing: there is nothing to close."""


def exact_edit(request: EditRequest) -> Edited:
    """Return the edit, which is deterministic for a given request; raises EditFailed."""
    scene = request.scene
    if scene is None:
        raise EditFailed("the exact editor only edits pictures with a known scene, and this picture has none")
    if request.instruction.action == "nothing":
        return unchanged(request)
    try:
        changed, done = changed_scene(scene, request)
        pixels, mask = _drawn(request, scene, changed)
    except (ValueError, KeyError) as error:  # invalid colours or numbers from a file
        raise EditFailed(f"the scene cannot be drawn: {str(error)[:200]}") from None
    height, width, _ = pixels.shape
    picture = Picture(encode(pixels), "image/png", width, height, plain=True)
    log: dict[str, str | int | float] = {"seed": request.seed, "edits": done}
    return Edited(picture, encode_mask(mask), log, scene=changed)


def changed_scene(scene: Scene, request: EditRequest) -> tuple[Scene, str]:
    """Return the changed scene and a one-line description of the change; raises EditFailed."""
    sizes = [len(scene.polygons) + len(scene.flowers) + sum(1 + len(circle.dots) for circle in scene.circles)]
    sizes += [len(polygon.points) for polygon in scene.polygons]
    if max(sizes) > MOST:
        raise EditFailed(f"the scene has more than {MOST:,} objects or corners")
    # Seeded without the action, so that every action chooses the same flowers.
    edits = plan(request.instruction, scene, Random(request.seed))
    changed = apply(scene, edits)
    if changed == scene:
        raise EditFailed("the edit would change nothing")
    broken = sorted(faults(changed) - faults(scene))
    if broken:
        raise EditFailed(f"the edit would make the scene invalid: {'; '.join(broken[:3])}")
    done = ", ".join(f"{type(edit).__name__.casefold()} {' '.join(edit.ids)}".strip() for edit in edits)
    return changed, done[:500]


def _drawn(request: EditRequest, scene: Scene, changed: Scene) -> tuple[Pixels, Mask]:
    """Return the edited picture and its mask.

    Only the changed area is redrawn, so a picture drawn by another version of the rasteriser keeps its edges
    everywhere else.
    """
    seen = np.asarray(decoded(request.picture))
    before, after = draw_both(scene, changed)
    height, width, _ = before.shape
    if seen.shape != before.shape:
        raise EditFailed(f"the picture has {seen.shape[1]} x {seen.shape[0]} pixels, but its scene {width} x {height}")
    if not np.array_equal(seen, before):
        strange = (np.abs(seen.astype(np.int16) - before) > LEVELS).any(axis=2).mean()
        if strange > STRANGE:
            raise EditFailed(f"the picture does not match its scene: {strange:.0%} of the pixels differ")
    different = difference(before, after)
    if not different.any():
        raise EditFailed("the change cannot be seen in the picture")
    if request.mask is not None and (different & ~read_mask(request.mask, (width, height))).any():
        raise EditFailed("the change would reach beyond the mask")
    edited = seen.copy()
    edited[different] = after[different]
    return edited, grow_mask(different, MARGIN)


def open_exact(name: str, target: str, settings: EditorSettings) -> Exact:
    """Open `exact`."""
    return Exact()
