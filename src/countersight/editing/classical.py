"""Edit photographs under a mask: remove or recolour objects.

Pixels outside the mask are unchanged, bit for bit. The hole that a removed object leaves is filled by OpenCV here, and
by a network in `inpaint`.
"""

import asyncio
from collections.abc import Callable
from typing import Any

import numpy as np

from countersight.detection import Mask, difference, encode_mask, opencv
from countersight.editing.colours import COLOURS, colour_in
from countersight.editing.pictures import decoded, png_picture, recolour_area, unchanged, with_margin
from countersight.editing.protocol import Abilities, Action, Edited, EditorSettings, EditRequest
from countersight.editing.selecting import FINDING, Selector
from countersight.errors import EditFailed, EditorError
from countersight.picture import LONGEST_SIDE, Pixels
from countersight.registry import with_options
from countersight.scenes import Rgb, rgb

Fill = Callable[[Pixels, Mask], Pixels]
"""A function that fills the masked part of a picture from its surroundings."""


LARGEST_HOLE = 0.6
"""The maximum share of a picture that a mask may cover; a larger hole leaves too little of the picture to fill it."""
ACTIONS: tuple[Action, ...] = ("remove", "recolour")
_VALUES = {"recolour": ", ".join(COLOURS)}


class Retoucher:
    """An editor of photographs that changes only masked pixels, with a given method of filling holes."""

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
        """Do nothing, because there are no connections to close."""

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
        instruction = request.instruction
        if instruction.action not in ACTIONS:
            raise EditFailed(
                f"this editor cannot do “{instruction.action}”, only {', '.join(ACTIONS)}; choose a generative editor"
            )
        colour = _colour_for(instruction.value) if instruction.action == "recolour" else None
        selection = self._selector.target(request, pixels)
        mask = selection.mask if colour else _hole(selection.mask)
        after = recolour_area(pixels, mask, colour) if colour else self._fill(pixels, mask)
        if not difference(pixels, after).any():
            raise EditFailed("the edit would change nothing")
        # Pixels outside the mask are restored, in case the method changed some.
        picture = png_picture(np.where(mask[:, :, None], after, pixels))
        return Edited(picture, encode_mask(mask), {"seed": request.seed, "mask from": selection.how})


def _hole(mask: Mask) -> Mask:
    """Return the mask of an object to remove, with its margin."""
    hole = with_margin(mask)
    if hole.mean() > LARGEST_HOLE:
        raise EditFailed(
            f"the mask covers {hole.mean():.0%} of the picture, so too little of the picture is left to fill the hole"
        )
    return hole


def _colour_for(value: str) -> Rgb:
    colour = colour_in(value)
    if colour is None:
        raise EditFailed(f"“{value[:80]}” is not a known colour: use {', '.join(COLOURS)} or #rrggbb")
    return rgb(colour)


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
