"""Measure an edit: aligned with the original, compared inside and outside its mask, and judged by a rule."""

import io
from typing import NamedTuple, Protocol

import msgspec
import numpy as np
from msgspec.structs import replace
from numpy.typing import NDArray
from PIL import Image

from countersight.detection import Mask, grow_mask
from countersight.editing.quality.registration import STILL, Warp, farthest, register
from countersight.editing.quality.ssim import RADIUS, similarity
from countersight.errors import BadPicture
from countersight.picture import Picture, Pixels, as_seen

LARGEST = 1536
"""The maximum side in pixels for comparison; larger pictures are scaled down, because smaller details do not matter."""
SEEN = 64
"""The minimum length in pixels of the shorter side for a perceptual network."""


class EditQuality(msgspec.Struct, frozen=True, omit_defaults=True):
    """Measurements of the difference between a picture and its edit, after alignment."""

    good: bool
    """Whether the edit is good enough to count, according to `RULE`."""
    reason: str = ""
    """Why the edit does not count, as a sentence that starts in lower case; empty for a good edit."""
    warp: tuple[float, ...] = ()
    """The affine map (a b c d e f) that aligns the edit with the original; empty if no alignment was needed.

    The point x, y of the original is at ax + by + c, dx + ey + f of the edit, after the edit is scaled to the
    original's size.
    """
    ssim_inside: float | None = None
    ssim_outside: float | None = None
    lpips_inside: float | None = None
    lpips_outside: float | None = None
    """The similarity (SSIM) and perceptual distance (LPIPS) inside and outside the mask; None if the part is empty or,
    for LPIPS, if there are no weights."""
    changed_inside: float | None = None
    changed_outside: float | None = None
    """The shares of changed pixels inside and outside the mask."""
    registration: str = ""
    """The method of alignment, if one was needed: a shift or an affine map; `none` if neither helped."""
    size: tuple[int, int] | None = None
    """The width and height of the edit, if they differ from the original's."""
    ssim: float | None = None
    lpips: float | None = None
    changed: float | None = None
    """The share of changed pixels in the whole picture; the only share if the editor provides no mask."""


LEVEL = 24
"""A pixel has changed if a channel, averaged over 3 x 3 pixels, differs by more than this (from 0 to 255)."""
LEAST_INSIDE = 0.02
"""The minimum share of pixels inside the mask that must change."""
LEAST_CHANGED = 0.0002
"""The minimum share of pixels of the whole picture that must change if there is no mask."""
MOST_OUTSIDE = 0.05
"""The maximum share of pixels outside the mask that may change."""
MOST_CHANGED = 0.6
"""The maximum share of pixels of the whole picture that may change if there is no mask."""
LEAST_SSIM_OUTSIDE = 0.8
"""The minimum similarity to the original outside the mask."""
MOST_STRETCHED = 0.1
"""The maximum relative difference in the ratio of width to height."""
MOST_MOVED = 0.15
"""The maximum movement of a corner in the alignment, as a share of the longer side."""
RULE = (
    f"less than {LEAST_INSIDE:.0%} of the pixels inside the mask changed (without a mask: less than "
    f"{LEAST_CHANGED:.2%} of all)",
    f"more than {MOST_OUTSIDE:.0%} of the pixels outside the mask changed (without a mask: more than "
    f"{MOST_CHANGED:.0%} of all)",
    f"the structural similarity outside the mask is below {LEAST_SSIM_OUTSIDE:.2f}",
    f"the ratio of width to height differs by more than {MOST_STRETCHED:.0%} from the original's",
    f"aligning it with the original moves a corner by more than {MOST_MOVED:.0%} of the longer side",
)
"""The rule as sentences: an edit is left out of the score if one of them is true. Its limits are chosen so that edits
that only shift, zoom or re-encode a picture pass, and edits that repaint it do not."""


class Perceived(NamedTuple):
    """A perceptual distance, overall and around every pixel."""

    whole: float
    around: NDArray[np.float32]


class PerceptualDistance(Protocol):
    """A perceptual distance between pictures, such as LPIPS."""

    def __call__(self, one: Pixels, other: Pixels) -> Perceived:
        """Return the distance of two pictures of the same size."""
        ...


def measure(
    before: Image.Image,
    after: Image.Image,
    mask: Image.Image | None = None,
    *,
    control: bool = False,
    lpips: PerceptualDistance | None = None,
) -> EditQuality:
    """Return the quality of the edit. A `control` should change nothing, and is good if nothing changed.

    Pictures are in RGB. The mask is white where the editor meant to change something, None if that is unknown, and
    completely black for a control.
    """
    size, original = after.size, before.size
    before = _scaled_down(before, LARGEST)
    inside = np.zeros((before.height, before.width), bool) if control else _mask(mask, before.size)
    outside = np.ones((before.height, before.width), bool) if inside is None else ~grow_mask(inside, RADIUS)
    if after.size != before.size:
        after = after.resize(before.size, Image.Resampling.LANCZOS)
    found = register(before, after, outside)
    scale = original[0] / before.width
    a, b, c, d, e, f = found.warp
    warp = (a, b, c * scale, d, e, f * scale)  # in pixels of the original
    one, other = np.asarray(before.convert("RGB")), np.asarray(after.convert("RGB"))
    valid = np.ones(one.shape[:2], bool)
    if found.warp != STILL:
        other, valid = _aligned(after, found.warp)
        other = np.where(valid[:, :, None], other, one)
    quality = replace(
        _measured(one, other, inside, outside, valid, lpips),
        warp=() if found.warp == STILL else tuple(round(value, 5) for value in warp),
        registration=found.how,
        size=None if size == original else size,
    )
    if abs(size[0] * original[1] / (size[1] * original[0]) - 1) > MOST_STRETCHED:
        wrong = (
            f"the edit has {size[0]} x {size[1]} pixels, a different shape than the original's {original[0]} x "
            f"{original[1]}"
        )
    elif farthest(found.warp, before.size) > MOST_MOVED * max(before.size):
        wrong = "the edit cannot be aligned with the original, because it shows another part of the scene"
    else:
        wrong = _fault(quality)
    return replace(quality, good=not wrong, reason=wrong)


def _fault(quality: EditQuality) -> str:
    """Return what is wrong with an edit; empty if nothing is."""
    inside, outside, whole = quality.changed_inside, quality.changed_outside, quality.changed or 0.0
    if inside is None and outside is None:  # there is no mask
        if whole < LEAST_CHANGED:
            return "nothing changed"
        return f"too much changed: {whole:.0%} of the picture" if whole > MOST_CHANGED else ""
    if inside is not None and inside < LEAST_INSIDE:
        return "nothing changed inside the mask" if whole else "nothing changed"
    if outside is not None and outside > MOST_OUTSIDE:
        return f"too much changed: {outside:.0%} of the pixels outside the mask"
    if quality.ssim_outside is not None and quality.ssim_outside < LEAST_SSIM_OUTSIDE:
        return f"the picture changed outside the mask: the similarity there is {quality.ssim_outside:.2f}"
    return ""


def _scaled_down(picture: Image.Image, side: int) -> Image.Image:
    scale = side / max(picture.size)
    if scale >= 1:
        return picture
    width, height = (max(1, round(length * scale)) for length in picture.size)
    return picture.resize((width, height), Image.Resampling.LANCZOS)


def _measured(
    one: Pixels,
    other: Pixels,
    inside: Mask | None,
    outside: Mask,
    valid: Mask,
    lpips: PerceptualDistance | None,
) -> EditQuality:
    similar = similarity(one, other)
    changed = _changed(one, other)
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


def _changed(one: Pixels, other: Pixels) -> Mask:
    """Return a mask of the changed pixels, each averaged with its eight neighbours so that noise does not count."""
    apart = one.astype(np.int16) - other
    if not apart.any():
        return np.zeros(one.shape[:2], bool)
    padded = np.pad(apart, ((1, 1), (1, 1), (0, 0)), mode="edge")
    rows = padded[:-2] + padded[1:-1] + padded[2:]
    sums = rows[:, :-2] + rows[:, 1:-1] + rows[:, 2:]
    changed: Mask = np.abs(sums).max(axis=2) > 9 * LEVEL
    return changed


def _aligned(after: Image.Image, warp: Warp) -> tuple[Pixels, Mask]:
    """Return the edited picture aligned with the original, and a mask of its valid pixels."""
    edit = after.convert("RGB").transform(after.size, Image.Transform.AFFINE, warp, Image.Resampling.BICUBIC)
    whole = Image.new("L", after.size, 255).transform(after.size, Image.Transform.AFFINE, warp)
    return np.asarray(edit), ~grow_mask(np.asarray(whole) == 0, 2)


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


def measure_edit(
    before: Picture,
    after: Picture,
    mask: bytes | None,
    *,
    control: bool = False,
    lpips: PerceptualDistance | None = None,
) -> EditQuality:
    """Return the quality of an edit; raises BadPicture if the edited picture cannot be decoded."""
    seen, edited = as_seen(before), as_seen(after)
    try:
        area = Image.open(io.BytesIO(mask)).convert("L") if mask else None
    except OSError:
        raise BadPicture("has a mask that cannot be decoded") from None
    return measure(seen, edited, area, control=control, lpips=lpips)
