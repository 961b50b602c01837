"""The measurement of an edit: laid over the original, compared inside and outside its mask, and judged by a rule."""

from typing import NamedTuple, Protocol

import numpy as np
from msgspec.structs import replace
from numpy.typing import NDArray
from PIL import Image

from countersight.detection import Mask, grown
from countersight.editing.quality.record import RULE, EditQuality, Rule
from countersight.editing.quality.registration import STILL, Warp, farthest, register
from countersight.editing.quality.similarity import RADIUS, similarity
from countersight.picture import Pixels

LARGEST = 1536
"""Pictures with a longer side are compared at this size: what cannot be seen there is not what was edited."""
SEEN = 64
"""Pixels of the shorter side below which a perceptual network sees nothing."""


class Perceived(NamedTuple):
    """A distance as people see it, of the whole and around every pixel."""

    whole: float
    around: NDArray[np.float32]


class PerceptualDistance(Protocol):
    """LPIPS, or whatever is used in its place."""

    def __call__(self, one: Pixels, other: Pixels) -> Perceived:
        """How far two pictures of one size are apart."""
        ...


def measure(
    before: Image.Image,
    after: Image.Image,
    mask: Image.Image | None = None,
    *,
    control: bool = False,
    lpips: PerceptualDistance | None = None,
    rule: Rule = RULE,
) -> EditQuality:
    """How good the edit is. A `control` was to change nothing, and is good if nothing changed.

    Pictures in red, green and blue; the mask is white where the editor meant to change something, None where nobody
    knows, and black all over for a control.
    """
    size, original = after.size, before.size
    before = _within(before, LARGEST)
    inside = np.zeros((before.height, before.width), bool) if control else _mask(mask, before.size)
    outside = np.ones((before.height, before.width), bool) if inside is None else ~grown(inside, RADIUS)
    if after.size != before.size:
        after = after.resize(before.size, Image.Resampling.LANCZOS)
    found = register(before, after, outside)
    scale = original[0] / before.width
    one, other = np.asarray(before.convert("RGB")), np.asarray(after.convert("RGB"))
    valid = np.ones(one.shape[:2], bool)
    if found.warp != STILL:
        other, valid = _laid_over(after, found.warp)
        other = np.where(valid[:, :, None], other, one)
    quality = replace(
        _measured(one, other, inside, outside, valid, lpips, rule),
        warp=() if found.warp == STILL else tuple(round(value, 5) for value in _scaled(found.warp, scale)),
        registration=found.how,
        size=None if size == original else size,
    )
    if abs(size[0] * original[1] / (size[1] * original[0]) - 1) > rule.most_stretched:
        wrong = f"the edit is {size[0]} x {size[1]} pixels, another shape than {original[0]} x {original[1]}"
    elif farthest(found.warp, before.size) > rule.most_moved * max(before.size):
        wrong = "the edit could not be laid over the original: it shows another part of the scene"
    else:
        wrong = _fault(quality, rule)
    return replace(quality, good=not wrong, reason=wrong)


def _within(picture: Image.Image, side: int) -> Image.Image:
    scale = side / max(picture.size)
    if scale >= 1:
        return picture
    width, height = (max(1, round(length * scale)) for length in picture.size)
    return picture.resize((width, height), Image.Resampling.LANCZOS)


def _scaled(warp: Warp, scale: float) -> Warp:
    a, b, c, d, e, f = warp
    return a, b, c * scale, d, e, f * scale


def _measured(
    one: Pixels,
    other: Pixels,
    inside: Mask | None,
    outside: Mask,
    valid: Mask,
    lpips: PerceptualDistance | None,
    rule: Rule,
) -> EditQuality:
    similar = similarity(one, other)
    changed = _changed(one, other, rule.level)
    perceived = None if lpips is None or min(one.shape[:2]) < SEEN else lpips(one, other)
    distance = None if perceived is None else perceived.around
    quality = EditQuality(
        good=True,
        ssim=_mean(similar, valid),
        changed=_mean(changed, valid),
        lpips=None if perceived is None else round(perceived.whole, 5),
    )
    if inside is None:
        return quality
    return replace(
        quality,
        ssim_inside=_mean(similar, inside & valid),
        ssim_outside=_mean(similar, outside & valid),
        lpips_inside=_mean(distance, inside & valid),
        lpips_outside=_mean(distance, outside & valid),
        changed_inside=_mean(changed, inside & valid),
        changed_outside=_mean(changed, outside & valid),
    )


def _fault(quality: EditQuality, rule: Rule) -> str:
    """What is wrong with an edit, by the rule; nothing if it is empty."""
    inside, outside, whole = quality.changed_inside, quality.changed_outside, quality.changed or 0.0
    if inside is None and outside is None:  # nobody knows where it was to change
        if whole < rule.least_changed:
            return "nothing changed"
        return f"too much changed: {whole:.0%} of the picture" if whole > rule.most_changed else ""
    if inside is not None and inside < rule.least_inside:
        return "nothing changed where something was to change" if whole else "nothing changed"
    if outside is not None and outside > rule.most_outside:
        return f"too much changed: {outside:.0%} of the pixels outside the mask"
    if quality.ssim_outside is not None and quality.ssim_outside < rule.least_ssim_outside:
        return f"what was to stay looks different: outside the mask the similarity is {quality.ssim_outside:.2f}"
    return ""


def _changed(one: Pixels, other: Pixels, level: int) -> Mask:
    """Which pixels changed, each averaged with its eight neighbours so that noise does not count."""
    apart = one.astype(np.int16) - other
    if not apart.any():
        return np.zeros(one.shape[:2], bool)
    padded = np.pad(apart, ((1, 1), (1, 1), (0, 0)), mode="edge")
    rows = padded[:-2] + padded[1:-1] + padded[2:]
    sums = rows[:, :-2] + rows[:, 1:-1] + rows[:, 2:]
    changed: Mask = np.abs(sums).max(axis=2) > 9 * level
    return changed


def _laid_over(after: Image.Image, warp: Warp) -> tuple[Pixels, Mask]:
    """The edited picture where the original has it, and which pixels it has at all."""
    edit = after.convert("RGB").transform(after.size, Image.Transform.AFFINE, warp, Image.Resampling.BICUBIC)
    whole = Image.new("L", after.size, 255).transform(after.size, Image.Transform.AFFINE, warp)
    return np.asarray(edit), ~grown(np.asarray(whole) == 0, 2)


def _mean(values: NDArray[np.float32] | Mask | None, where: Mask) -> float | None:
    if values is None or not where.any():
        return None
    return round(float(values[where].mean()), 5)


def _mask(mask: Image.Image | None, size: tuple[int, int]) -> Mask | None:
    if mask is None:
        return None
    if mask.size != size:
        mask = mask.resize(size, Image.Resampling.NEAREST)
    return np.asarray(mask.convert("L")) >= 128
