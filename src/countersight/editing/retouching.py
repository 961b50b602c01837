"""What can be done to the pixels under a mask: filling, recolouring, blurring, pasting. Pure functions over arrays."""

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray
from PIL import Image, ImageFilter

from countersight.detection import Mask, box_of
from countersight.picture import Pixels
from countersight.scenes import Rgb

Fill = Callable[[Pixels, Mask], Pixels]
"""Paints over what is under a mask as if it had never been there."""
Lab = NDArray[np.float64]

_TO_XYZ = np.array(
    [[0.4124564, 0.3575761, 0.1804375], [0.2126729, 0.7151522, 0.0721750], [0.0193339, 0.1191920, 0.9503041]]
)
_WHITE = _TO_XYZ.sum(axis=1)
_CORNER = 6 / 29


def recoloured(pixels: Pixels, mask: Mask, colour: Rgb) -> Pixels:
    """What is under the mask in another colour, with its own light and shade.

    In Lab: hue and saturation become the colour's, lightness keeps its variation and is drawn towards the colour's, as
    dark red light-kept would not be called yellow. White, grey and black lose their hue and take the lightness.
    """
    left, top, right, bottom = box_of(mask)
    part = np.s_[top:bottom, left:right]
    under = mask[part]
    lab = _to_lab(pixels[part])
    goal = _to_lab(np.array([[colour]], np.uint8))[0, 0]
    lightness, chroma = lab[..., 0], np.hypot(lab[..., 1], lab[..., 2])
    middle, usual = float(np.median(lightness[under])), float(np.median(chroma[under]))
    # What is much lighter or darker than most of the thing is not its paint: windows, tyres, letters.
    paint = np.exp(-(((lightness - middle) / 38) ** 2))
    if np.hypot(*goal[1:]) < 12:
        shade = lightness + paint * (goal[0] - middle)
        hues = lab[..., 1:] * 0.08
    else:
        shade = lightness + paint * np.clip(0.75 * (goal[0] - middle), -45, 45)
        strength = np.clip(chroma / usual, 0.3, 1.25) if usual > 12 else np.ones_like(chroma)
        # Lights and deep shadows have little colour of their own.
        strength = strength * np.clip(np.minimum(lightness, 100 - lightness) / 14, 0.15, 1)
        hues = strength[..., None] * goal[1:]
    changed = _from_lab(np.concatenate((np.clip(shade, 0, 100)[..., None], hues), axis=2))
    painted = pixels.copy()
    painted[part] = changed
    return blended(pixels, painted, mask, 1.2)


def blurred(pixels: Pixels, mask: Mask) -> Pixels:
    """What is under the mask so blurred that nothing of it can be made out, mixed with nothing from around it."""
    left, top, right, bottom = box_of(mask)
    radius = max(4.0, 0.12 * max(right - left, bottom - top))
    alone = Image.fromarray(np.where(mask[:, :, None], pixels, 0).astype(np.uint8))
    soft = np.asarray(alone.filter(ImageFilter.GaussianBlur(radius)), np.float32)
    washed = np.clip(soft / np.maximum(_soft(mask, radius), 0.02)[:, :, None], 0, 255).astype(np.uint8)
    return blended(pixels, washed, mask, 1.5)


def pasted(onto: Pixels, pixels: Pixels, mask: Mask, at: tuple[int, int], factor: float = 1.0) -> tuple[Pixels, Mask]:
    """A thing cut out of a picture, made larger or smaller, with its left top at a place of another; and where it is.

    What would lie beyond the border is cut off. The mask of a thing that is wholly outside is empty.
    """
    left, top, right, bottom = box_of(mask)
    size = max(1, round((right - left) * factor)), max(1, round((bottom - top) * factor))
    thing = Image.fromarray(pixels[top:bottom, left:right]).resize(size, Image.Resampling.LANCZOS)
    shape = Image.fromarray(mask[top:bottom, left:right].astype(np.uint8) * 255).resize(size, Image.Resampling.BILINEAR)
    whole, there = Image.fromarray(onto), Image.new("L", (onto.shape[1], onto.shape[0]))
    whole.paste(thing, at)
    there.paste(shape, at)
    under: Mask = np.asarray(there) >= 128
    return blended(onto, np.asarray(whole), under, 1.0), under


def blended(before: Pixels, after: Pixels, mask: Mask, feather: float) -> Pixels:
    """The one picture under the mask, the other outside it, to the bit; the seam is softened inside the mask only."""
    soft = _soft(mask, feather)
    weight = np.where(mask, np.clip(2 * soft - 1, 0.35, 1), 0)[:, :, None]
    mixed = before + weight * (after.astype(np.float32) - before)
    return np.where(mask[:, :, None], np.round(mixed), before).astype(np.uint8)


def _soft(mask: Mask, radius: float) -> NDArray[np.float32]:
    """A mask with soft edges, from 0 to 1."""
    image = Image.fromarray(mask.astype(np.uint8) * 255).filter(ImageFilter.GaussianBlur(radius))
    return np.asarray(image, np.float32) / np.float32(255)


def _to_lab(pixels: Pixels) -> Lab:
    tones = pixels / 255.0
    linear = np.where(tones <= 0.04045, tones / 12.92, ((tones + 0.055) / 1.055) ** 2.4)
    ratio = linear @ _TO_XYZ.T / _WHITE
    root = np.where(ratio > _CORNER**3, np.cbrt(ratio), ratio / (3 * _CORNER**2) + 4 / 29)
    x, y, z = root[..., 0], root[..., 1], root[..., 2]
    return np.stack((116 * y - 16, 500 * (x - y), 200 * (y - z)), axis=-1)


def _from_lab(lab: Lab) -> Pixels:
    y = (lab[..., 0] + 16) / 116
    root = np.stack((y + lab[..., 1] / 500, y, y - lab[..., 2] / 200), axis=-1)
    ratio = np.where(root > _CORNER, root**3, 3 * _CORNER**2 * (root - 4 / 29))
    linear = np.clip((ratio * _WHITE) @ np.linalg.inv(_TO_XYZ).T, 0, 1)
    tones = np.where(linear <= 0.0031308, 12.92 * linear, 1.055 * linear ** (1 / 2.4) - 0.055)
    pixels: Pixels = np.round(np.clip(tones, 0, 1) * 255).astype(np.uint8)
    return pixels
