"""Edit photographs under a mask: remove, recolour, move or resize objects.

Pixels outside the mask are unchanged, bit for bit. The hole that a removed or moved object leaves is filled by OpenCV
here, and by a network in `inpaint`.
"""

import asyncio
from collections.abc import Callable
from typing import Any

import numpy as np

from countersight.detection import Mask, box_of, difference, encode_mask, opencv
from countersight.editing.colours import COLOURS, colour_in
from countersight.editing.instruction_values import direction_in, factors_in
from countersight.editing.pictures import decoded, paste_object, png_picture, recolour_area, unchanged, with_margin
from countersight.editing.protocol import Abilities, Action, Edited, EditorSettings, EditRequest
from countersight.editing.selecting import FINDING, SelectedArea, Selector
from countersight.errors import EditFailed, EditorError
from countersight.picture import LONGEST_SIDE, Pixels
from countersight.registry import with_options
from countersight.scenes import rgb

Fill = Callable[[Pixels, Mask], Pixels]
"""A function that fills the masked part of a picture from its surroundings."""


LARGEST_HOLE = 0.6
"""The largest share of a picture that a mask may cover; a larger hole leaves too little to fill it from."""
ACTIONS: tuple[Action, ...] = ("remove", "recolour", "move", "resize")
_VALUES = {
    "recolour": ", ".join(COLOURS),
    "move": "left, right, up or down",
    "resize": "larger or smaller",
}


class Retoucher:
    """An editor of photographs that changes only masked pixels, with its own method of filling holes."""

    def __init__(self, name: str, selector: Selector, fill: Fill, settings: dict[str, Any]) -> None:
        self.name = name
        self.settings = settings | selector.settings
        self._selector, self._fill = selector, fill

    async def edit(self, request: EditRequest) -> Edited:
        """Return the picture with the masked part changed; the rest is unchanged."""
        return await asyncio.to_thread(self._edited, request)

    async def abilities(self, request: EditRequest) -> Abilities:
        """Return the possible actions, and the objects that can be found in the picture."""
        return await asyncio.to_thread(self._abilities, request)

    async def close(self) -> None:
        """Do nothing: there are no connections to close."""

    def _abilities(self, request: EditRequest) -> Abilities:
        if not self._selector.looks:
            return Abilities(ACTIONS, _VALUES)
        try:
            things = self._selector.names(request.name, np.asarray(decoded(request.picture)))
        except EditFailed:
            things = ()  # the edit will report the reason
        return Abilities(ACTIONS, _VALUES, things)

    def _edited(self, request: EditRequest) -> Edited:
        if request.instruction.action == "nothing":
            return unchanged(request)
        if max(request.picture.width, request.picture.height) > LONGEST_SIDE:
            raise EditFailed(f"pictures with a side of more than {LONGEST_SIDE:,} pixels are not edited")
        pixels = np.asarray(decoded(request.picture))
        change = self._change(request)
        selection = self._selector.target(request, pixels)
        after, mask = change(pixels, selection, request)
        if not difference(pixels, after).any():
            raise EditFailed("the edit would change nothing")
        # Pixels outside the mask are restored, in case the method changed some.
        picture = png_picture(np.where(mask[:, :, None], after, pixels))
        return Edited(picture, encode_mask(mask), {"seed": request.seed, "mask from": selection.how})

    def _change(self, request: EditRequest) -> "_Change":
        changes: dict[Action, _Change] = {
            "remove": self._remove,
            "recolour": _recolour,
            "move": self._move,
            "resize": self._resize,
        }
        if request.instruction.action not in changes:
            raise EditFailed(
                f"this editor cannot do “{request.instruction.action}”, only {', '.join(changes)}; "
                "choose a generative editor"
            )
        return changes[request.instruction.action]

    def _remove(self, pixels: Pixels, selection: SelectedArea, _: EditRequest) -> tuple[Pixels, Mask]:
        return self._erase(pixels, selection.mask)

    def _erase(self, pixels: Pixels, mask: Mask) -> tuple[Pixels, Mask]:
        """Return the picture without an object, and the mask of the filled pixels."""
        hole = with_margin(mask)
        if hole.mean() > LARGEST_HOLE:
            raise EditFailed(f"the mask covers {hole.mean():.0%} of the picture, so too little is left to fill it from")
        return self._fill(pixels, hole), hole

    def _move(self, pixels: Pixels, selection: SelectedArea, request: EditRequest) -> tuple[Pixels, Mask]:
        value = request.instruction.value
        way, said = direction_in(value)
        if way is None:
            raise EditFailed(
                f"“{value[:80]}” is not a direction: write left, right, up or down, and a number of pixels"
            )
        dx, dy = way
        left, top, right, bottom = box_of(selection.mask)
        height, width = selection.mask.shape
        free = [width - right if dx > 0 else left] * bool(dx) + [height - bottom if dy > 0 else top] * bool(dy)
        # By default, move it by its own length, so that it does not overlap its old position.
        length = said if said else min([right - left] * bool(dx) + [bottom - top] * bool(dy) + free, default=0)
        if not 0 < length <= min(free, default=0) or length < 0.03 * max(width, height):
            raise EditFailed(f"there is no room to move it {value[:80]}")
        behind, hole = self._erase(pixels, selection.mask)
        after, there = paste_object(behind, pixels, selection.mask, (left + dx * length, top + dy * length))
        return after, hole | there

    def _resize(self, pixels: Pixels, selection: SelectedArea, request: EditRequest) -> tuple[Pixels, Mask]:
        (factor,) = factors_in(request.instruction.value, (1.5,), (0.6,))
        left, top, right, bottom = box_of(selection.mask)
        width, height = (right - left) * factor, (bottom - top) * factor
        # Scale it around the middle of its bottom edge, so that it stays on the ground.
        at = round((left + right - width) / 2), round(bottom - height)
        if width > pixels.shape[1] or height > pixels.shape[0] or min(width, height) < 6:
            raise EditFailed(f"scaled by {factor:g}, it would not fit into the picture, or would be too small to see")
        behind, hole = self._erase(pixels, selection.mask)
        after, there = paste_object(behind, pixels, selection.mask, at, factor)
        return after, hole | there


_Change = Callable[[Pixels, SelectedArea, EditRequest], tuple[Pixels, Mask]]


def _recolour(pixels: Pixels, selection: SelectedArea, request: EditRequest) -> tuple[Pixels, Mask]:
    colour = colour_in(request.instruction.value)
    if colour is None:
        raise EditFailed(
            f"“{request.instruction.value[:80]}” is not a known colour: use {', '.join(COLOURS)} or #rrggbb"
        )
    return recolour_area(pixels, selection.mask, rgb(colour)), selection.mask


def open_classical(name: str, rest: str, settings: EditorSettings) -> Retoucher:
    """Open `classical`, `classical?annotations=FILE.json` or `classical?detector=FILE.onnx&segmenter=FOLDER`."""
    opencv()
    _, options = with_options(rest, FINDING, EditorError)
    return Retoucher(name, Selector(**options), _telea, {"method": "telea"})


def _telea(pixels: Pixels, hole: Mask) -> Pixels:
    """Fill a hole by fast marching (Telea 2004)."""
    cv2 = opencv()
    filled: Pixels = cv2.inpaint(pixels, hole.astype(np.uint8), 5, cv2.INPAINT_TELEA)
    return filled
