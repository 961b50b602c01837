"""Edit photographs under a mask: remove, recolour, move or resize objects.

Pixels outside the mask are unchanged, bit for bit. The hole that a removed or moved object leaves is filled by OpenCV
here, and by a network in `inpaint`.
"""

import asyncio
import io
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from PIL import Image, ImageFilter

from countersight.detection import Mask, box_of, difference, encode_mask, grow_mask, opencv
from countersight.editing.protocol import Abilities, Action, Edited, EditorSettings, EditRequest
from countersight.editing.selecting import SelectedArea, Selector
from countersight.editing.things import COLOURS, colour_in, direction_in, factors_in
from countersight.errors import BadPicture, EditFailed, EditorError
from countersight.picture import LONGEST_SIDE, Picture, Pixels, as_seen
from countersight.registry import with_options
from countersight.scenes import Rgb, rgb

Fill = Callable[[Pixels, Mask], Pixels]
"""A function that fills the masked part of a picture from its surroundings."""
Lab = NDArray[np.float32]


def recolour_area(pixels: Pixels, mask: Mask, colour: Rgb) -> Pixels:
    """Return the picture with the masked part in another colour, keeping its light and shade.

    In Lab space, hue and saturation are replaced, and lightness keeps its variation but moves towards that of the new
    colour: dark red turned yellow must also become lighter. For white, grey and black only the lightness is used.
    """
    left, top, right, bottom = box_of(mask)
    part = np.s_[top:bottom, left:right]
    under = mask[part]
    lab = _to_lab(pixels[part])
    goal = _to_lab(np.array([[colour]], np.uint8))[0, 0]
    lightness, chroma = lab[..., 0], np.hypot(lab[..., 1], lab[..., 2])
    middle, usual = float(np.median(lightness[under])), float(np.median(chroma[under]))
    # Parts much lighter or darker than most of the object (windows, tyres, letters) keep their colour.
    paint = np.exp(-(((lightness - middle) / 38) ** 2))
    if np.hypot(*goal[1:]) < 12:
        shade = lightness + paint * (goal[0] - middle)
        hues = lab[..., 1:] * 0.08
    else:
        shade = lightness + paint * np.clip(0.75 * (goal[0] - middle), -45, 45)
        strength = np.clip(chroma / usual, 0.3, 1.25) if usual > 12 else np.ones_like(chroma)
        # Highlights and deep shadows have little colour.
        strength = strength * np.clip(np.minimum(lightness, 100 - lightness) / 14, 0.15, 1)
        hues = strength[..., None] * goal[1:]
    changed = _from_lab(np.concatenate((np.clip(shade, 0, 100)[..., None], hues), axis=2))
    painted = pixels.copy()
    painted[part] = changed
    return blend_under_mask(pixels, painted, mask, 1.2)


def paste_object(
    onto: Pixels, pixels: Pixels, mask: Mask, at: tuple[int, int], factor: float = 1.0
) -> tuple[Pixels, Mask]:
    """Paste a scaled object into another picture; return the new picture and the mask of the object.

    Parts beyond the border are cut off. The mask is empty if the whole object is outside.
    """
    left, top, right, bottom = box_of(mask)
    size = max(1, round((right - left) * factor)), max(1, round((bottom - top) * factor))
    thing = Image.fromarray(pixels[top:bottom, left:right]).resize(size, Image.Resampling.LANCZOS)
    shape = Image.fromarray(mask[top:bottom, left:right].astype(np.uint8) * 255).resize(size, Image.Resampling.BILINEAR)
    whole, there = Image.fromarray(onto), Image.new("L", (onto.shape[1], onto.shape[0]))
    whole.paste(thing, at)
    there.paste(shape, at)
    under: Mask = np.asarray(there) >= 128
    return blend_under_mask(onto, np.asarray(whole), under, 1.0), under


def blend_under_mask(before: Pixels, after: Pixels, mask: Mask, feather: float) -> Pixels:
    """Return `after` under the mask and `before` outside, bit for bit; the seam is softened inside the mask only."""
    soft = _soft(mask, feather)
    weight = np.where(mask, np.clip(2 * soft - 1, 0.35, 1), 0)[:, :, None]
    mixed = before + weight * (after.astype(np.float32) - before)
    return np.where(mask[:, :, None], np.round(mixed), before).astype(np.uint8)


def _soft(mask: Mask, radius: float) -> NDArray[np.float32]:
    """Return a mask with soft edges, from 0 to 1."""
    image = Image.fromarray(mask.astype(np.uint8) * 255).filter(ImageFilter.GaussianBlur(radius))
    return np.asarray(image, np.float32) / np.float32(255)


def _to_lab(pixels: Pixels) -> Lab:
    cv2 = opencv()
    lab: Lab = cv2.cvtColor(pixels.astype(np.float32) / 255, cv2.COLOR_RGB2LAB)
    return lab


def _from_lab(lab: Lab) -> Pixels:
    cv2 = opencv()
    tones = cv2.cvtColor(lab.astype(np.float32), cv2.COLOR_LAB2RGB)
    pixels: Pixels = np.round(np.clip(tones, 0, 1) * 255).astype(np.uint8)
    return pixels


MARGIN = 0.012
"""Margin around an object that is painted over too, as a share of the picture's longer side. Outlines drawn by people
are not exact, and a remaining rim would be visible."""
LARGEST_HOLE = 0.6
"""The largest share of a picture that a mask may cover; a larger hole leaves too little to fill it from."""
FINDING = ("annotations", "detector", "segmenter")
"""Options that tell an editor how to find the object to change."""
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
            things = self._selector.names(request.name, np.asarray(as_seen(request.picture)))
        except (BadPicture, EditFailed):
            things = ()  # the edit will report the reason
        return Abilities(ACTIONS, _VALUES, things)

    def _edited(self, request: EditRequest) -> Edited:
        if request.instruction.action == "nothing":
            across, down = request.picture.width, request.picture.height
            size = (across, down) if request.picture.orientation > 4 else (down, across)  # rotated, or upright
            return Edited(request.picture, encode_mask(np.zeros(size, bool)), {"seed": request.seed})
        if max(request.picture.width, request.picture.height) > LONGEST_SIDE:
            raise EditFailed(f"pictures with a side of more than {LONGEST_SIDE:,} pixels are not edited")
        try:
            pixels = np.asarray(as_seen(request.picture))
        except BadPicture as error:
            raise EditFailed(f"the picture {error}") from None
        change = self._change(request)
        selection = self._selector.target(request, pixels)
        after, mask = change(pixels, selection, request)
        if not difference(pixels, after).any():
            raise EditFailed("the edit would change nothing")
        file = io.BytesIO()
        # Pixels outside the mask are restored, in case the method changed some.
        Image.fromarray(np.where(mask[:, :, None], after, pixels)).save(file, "PNG", compress_level=4)
        picture = Picture(file.getvalue(), "image/png", pixels.shape[1], pixels.shape[0], plain=True)
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
        hole = grow_mask(mask, max(2, round(MARGIN * max(pixels.shape[:2]))))
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
    return Retoucher(name, selector_of(options), _telea, {"method": "telea"})


def selector_of(options: dict[str, str]) -> Selector:
    """Return the selector for these options."""
    annotations, segmenter = options.get("annotations"), options.get("segmenter")
    return Selector(
        Path(annotations) if annotations else None,
        Path(segmenter) if segmenter else None,
        options.get("detector", ""),
    )


def _telea(pixels: Pixels, hole: Mask) -> Pixels:
    """Fill a hole by fast marching (Telea 2004)."""
    cv2 = opencv()
    filled: Pixels = cv2.inpaint(pixels, hole.astype(np.uint8), 5, cv2.INPAINT_TELEA)
    return filled
