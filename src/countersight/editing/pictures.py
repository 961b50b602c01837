"""Pixel operations for edits: decode, crop, scale, recolour, blend and encode."""

import io

import numpy as np
from numpy.typing import NDArray
from PIL import Image, ImageFilter

from countersight.detection import Mask, box_of, encode_mask, grow_mask, opencv, size_as_seen
from countersight.editing.protocol import Edited, EditRequest
from countersight.errors import BadPicture, EditFailed
from countersight.picture import Picture, Pixels, as_seen
from countersight.scenes import Rgb

Lab = NDArray[np.float32]
FEATHER = 1.2
"""The width in pixels of the soft seam of a recoloured area."""
MARGIN = 0.012
"""The margin around an object that is also painted over, as a share of the picture's longer side. Outlines drawn by
people are not exact, and a remaining rim would be visible."""


def decoded(picture: Picture) -> Image.Image:
    """Return a picture as viewers show it; raises EditFailed if it cannot be decoded."""
    try:
        return as_seen(picture)
    except BadPicture as error:
        raise EditFailed(f"the picture {error}") from None


def png_picture(pixels: Pixels) -> Picture:
    """Encode pixels as a PNG file."""
    file = io.BytesIO()
    Image.fromarray(pixels).save(file, "PNG", compress_level=4)
    return Picture(file.getvalue(), "image/png", pixels.shape[1], pixels.shape[0], plain=True)


def unchanged(request: EditRequest) -> Edited:
    """Return the edit that changes nothing: the same picture, and an empty mask."""
    width, height = size_as_seen(request.picture)
    mask = encode_mask(np.zeros((height, width), bool))
    return Edited(request.picture, mask, {"seed": request.seed}, scene=request.scene)


def with_margin(mask: Mask) -> Mask:
    """Return the mask of an object, enlarged by the margin that is also painted over."""
    return grow_mask(mask, max(2, round(MARGIN * max(mask.shape))))


def crop_around(mask: Mask, context: float, smallest: int) -> tuple[slice, slice]:
    """Return the part of a picture around a mask, as close to square as the picture allows.

    `context` is the margin around the mask on every side, as a multiple of the mask's size; `smallest` is the smallest
    side in pixels.
    """
    left, top, right, bottom = box_of(mask)
    side = max(smallest, round((1 + 2 * context) * max(right - left, bottom - top)))

    def span(first: int, last: int, length: int) -> slice:
        start = max(0, min((first + last - side) // 2, length - side))
        return slice(start, min(length, start + side))

    return span(top, bottom, mask.shape[0]), span(left, right, mask.shape[1])


def scaled(pixels: Pixels, size: tuple[int, int]) -> Pixels:
    """Return a picture with this height and width."""
    if pixels.shape[:2] == size:
        return pixels
    return np.asarray(Image.fromarray(pixels).resize(size[::-1], Image.Resampling.LANCZOS))


def scaled_hole(hole: Mask, size: tuple[int, int]) -> Mask:
    """Return a hole with this height and width, enlarged to contain every pixel that scaling mixed with its content."""
    if hole.shape == size:
        return hole
    image = Image.fromarray(hole.astype(np.uint8) * 255).resize(size[::-1], Image.Resampling.BOX)
    return grow_mask(np.asarray(image) > 0, 3)


def recolour_area(pixels: Pixels, mask: Mask, colour: Rgb) -> Pixels:
    """Return the picture with the masked part in another colour, keeping its light and shade.

    In Lab space, hue and saturation are replaced, and lightness keeps its variation but moves towards the lightness of
    the new colour: dark red that turns yellow must also become lighter. For white, grey and black, only lightness is
    used.
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
    return blend_under_mask(pixels, painted, mask)


def _to_lab(pixels: Pixels) -> Lab:
    cv2 = opencv()
    lab: Lab = cv2.cvtColor(pixels.astype(np.float32) / 255, cv2.COLOR_RGB2LAB)
    return lab


def _from_lab(lab: Lab) -> Pixels:
    cv2 = opencv()
    tones = cv2.cvtColor(lab.astype(np.float32), cv2.COLOR_LAB2RGB)
    pixels: Pixels = np.round(np.clip(tones, 0, 1) * 255).astype(np.uint8)
    return pixels


def blend_under_mask(before: Pixels, after: Pixels, mask: Mask) -> Pixels:
    """Return `after` under the mask and `before` outside, bit for bit; the seam is softened only inside the mask."""
    edge = Image.fromarray(mask.astype(np.uint8) * 255).filter(ImageFilter.GaussianBlur(FEATHER))
    soft = np.asarray(edge, np.float32) / np.float32(255)
    weight = np.where(mask, np.clip(2 * soft - 1, 0.35, 1), 0)[:, :, None]
    mixed = before + weight * (after.astype(np.float32) - before)
    return np.where(mask[:, :, None], np.round(mixed), before).astype(np.uint8)


def keep_outside(mask: Mask, original: Picture, edited: Picture) -> Picture:
    """Return the edited picture inside the mask and the original outside it, at the size of the original.

    Editors that repaint a whole picture shift and tint parts that should not change; a masked edit must not do this.
    Raises BadPicture if the edited picture cannot be decoded.
    """
    before, after = np.asarray(as_seen(original).convert("RGB")), np.asarray(as_seen(edited).convert("RGB"))
    return png_picture(np.where(mask[:, :, None], scaled(after, before.shape[:2]), before))
