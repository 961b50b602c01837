"""Find where an edit takes place in a photograph: by a mask, a box, a point, an annotation, a detector, or a colour."""

import re
from collections.abc import Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from PIL import Image

from countersight.detection import (
    AnnotatedThing,
    Annotations,
    Corners,
    Detector,
    Mask,
    Segmenter,
    ToolFailed,
    box_of,
    fingerprint,
    grown,
    of_box,
    open_detector,
    open_segmenter,
    opencv,
    read_mask,
)
from countersight.editing.protocol import EditRequest
from countersight.editing.things import Named, choose_things, meant_by, named_apart, of_colour, read_thing
from countersight.errors import EditFailed
from countersight.models import ModelSettings
from countersight.picture import Pixels

_NUMBER = r"\s*(-?\d{1,6}(?:\.\d{1,6})?)\s*"
_BOX = re.compile(rf"\bbox\b[^\d-]*{_NUMBER},?{_NUMBER},?{_NUMBER},?{_NUMBER}", re.IGNORECASE)
_POINT = re.compile(rf"\bpoint\b[^\d-]*{_NUMBER},?{_NUMBER}", re.IGNORECASE)
SHARE = 0.25
"""Least share of a thing's pixels in a colour that names it."""
LETTERS = 0.03
"""Gaps in a patch, such as letters on a sign, are filled up to this share of the picture's longer side."""
LEAST_PATCH = 0.002
"""Least share of the picture for a patch of colour to be named."""
CLEAR = 2.0
"""How many times as large as the next one a patch must be to be "the" patch."""


MOST_CUT = 120_000
"""Most pixels for segmentation; larger parts are scaled down."""


class SelectedArea(NamedTuple):
    """The pixels to change, and how they were found."""

    mask: Mask
    how: str


class Selector:
    """Finds the things in photographs that words describe."""

    def __init__(self, annotations: Path | None = None, segmenter: Path | None = None, detector: str = "") -> None:
        self._annotations = None if annotations is None else Annotations(annotations)
        self._segmenter: Segmenter | None = None if segmenter is None else open_segmenter(segmenter)
        self._detector: Detector | None = open_detector(detector, ModelSettings()) if detector else None
        self.settings: dict[str, Any] = {}
        if annotations is not None:
            self.settings["annotations"] = fingerprint(annotations)
        if self._segmenter is not None:
            self.settings |= self._segmenter.settings
        if self._detector is not None:
            self.settings |= self._detector.settings

    @property
    def looks(self) -> bool:
        """Whether it can find things by name."""
        return self._annotations is not None or self._detector is not None

    def names(self, name: str, pixels: Pixels) -> tuple[str, ...]:
        """Return the things it can find in a picture, each in words that describe only this thing."""
        size = (pixels.shape[1], pixels.shape[0])
        things = [] if self._annotations is None else list(self._annotations.things(name, size))
        if self._detector is not None and self._detector.classes:
            things = things or self._boxes(self._detector, "", pixels)
        return tuple(named_apart(things))

    def target(self, request: EditRequest, pixels: Pixels) -> SelectedArea:
        """Return the area to change: the mask of the request, or what its target describes."""
        if request.mask is not None:
            mask = read_mask(request.mask, (pixels.shape[1], pixels.shape[0]))
            if not mask.any():
                raise EditFailed("the mask is completely black, so nothing may be changed")
            return SelectedArea(mask, "mask of the request")
        return self.find(request.instruction.target, request, pixels)

    def find(self, words: str, request: EditRequest, pixels: Pixels) -> SelectedArea:
        """Return the area that words describe."""
        if box := _BOX.search(words):
            left, top, right, bottom = (float(number) for number in box.groups())
            return self._in_box((left, top, right, bottom), pixels, request.seed)
        if point := _POINT.search(words):
            return self._at_point((float(point[1]), float(point[2])), pixels)
        named = read_thing(words)
        if self._annotations is not None:
            meant = meant_by(named.noun, self._annotations.categories)
            if meant:
                things = self._annotations.things(request.name, (pixels.shape[1], pixels.shape[0]))
                return self._chosen(named, things, meant, pixels, words, "annotated")
        if self._detector is not None:
            meant = meant_by(named.noun, self._detector.classes or (named.noun,))
            if meant:
                things = self._boxes(self._detector, named.noun, pixels)
                return self._chosen(named, things, meant, pixels, words, "detected")
        if named.colour:
            return _patch(named.colour, pixels)
        raise EditFailed(
            f"“{words[:80]}” could not be located: "
            + ("no known object has this name" if self.looks else "there are no annotations and no detector")
            + ", and no mask, box or colour is given"
        )

    def _chosen(
        self,
        named: Named,
        things: Sequence[AnnotatedThing],
        meant: frozenset[str],
        pixels: Pixels,
        words: str,
        known: str,
    ) -> SelectedArea:
        def coloured(thing: AnnotatedThing, colour: str) -> bool:
            return float(of_colour(pixels[self._outline(thing, pixels)][None], colour).mean()) >= SHARE

        chosen = choose_things(named, things, meant, coloured, words, known)
        mask = np.logical_or.reduce([self._outline(thing, pixels) for thing in chosen])
        listed = ", ".join(f"{thing.category} {thing.id}" for thing in chosen[:8])
        listed += " and more" if len(chosen) > 8 else ""
        if known == "annotated":
            return SelectedArea(mask, f"annotation of {listed}")
        return SelectedArea(mask, f"{'segmenter' if self._segmenter else 'GrabCut'} in the detector's box of {listed}")

    def _boxes(self, detector: Detector, words: str, pixels: Pixels) -> list[AnnotatedThing]:
        """What a detector finds: things with a box and no outline yet."""
        try:
            found = detector.boxes(Image.fromarray(pixels), words)
        except ToolFailed as failure:
            raise EditFailed(str(failure)) from None
        return [AnnotatedThing(nth, each.name, each.box, crowd=False, outline=b"") for nth, each in enumerate(found, 1)]

    def _outline(self, thing: AnnotatedThing, pixels: Pixels) -> Mask:
        """A thing's mask, or, where only its box is known, what a segmenter or its colours tell of it."""
        if thing.outline in (b"", b"[]", b"null") and self._segmenter is not None:
            return self._segmenter.cut_out(pixels, box=thing.box)
        if not thing.outline:
            return grab_cut(pixels, thing.box, seed=0)
        return thing.mask((pixels.shape[1], pixels.shape[0]))

    def _in_box(self, box: Corners, pixels: Pixels, seed: int) -> SelectedArea:
        if self._segmenter is not None:
            return SelectedArea(self._segmenter.cut_out(pixels, box=box), "segmenter in a box")
        return SelectedArea(grab_cut(pixels, box, seed), "GrabCut in a box")

    def _at_point(self, point: tuple[float, float], pixels: Pixels) -> SelectedArea:
        if self._segmenter is None:
            raise EditFailed("a point needs a segmenter: name the folder of one with segmenter=FOLDER")
        return SelectedArea(self._segmenter.cut_out(pixels, point=point), "segmenter at a point")


def grab_cut(pixels: Pixels, box: Corners, seed: int) -> Mask:
    """Return the thing in a box, separated from its background by colour (Rother et al. 2004)."""
    cv2 = opencv()
    inside = of_box(box, (pixels.shape[1], pixels.shape[0]))
    left, top, right, bottom = box_of(inside)
    margin = max(right - left, bottom - top) // 2 + 2
    part = np.s_[max(0, top - margin) : bottom + margin, max(0, left - margin) : right + margin]
    around = inside[part]
    if around.all():
        return inside  # the box is the picture: there is nothing around it to tell it from
    size = around.shape[1], around.shape[0]
    scale = min(1.0, (MOST_CUT / around.size) ** 0.5)
    small = max(1, round(size[0] * scale)), max(1, round(size[1] * scale))
    cut = cv2.resize(pixels[part][:, :, ::-1], small, interpolation=cv2.INTER_AREA)
    boxed = cv2.resize(around.astype(np.uint8), small, interpolation=cv2.INTER_NEAREST)
    labels = np.where(boxed, cv2.GC_PR_FGD, cv2.GC_BGD).astype(np.uint8)
    cv2.setRNGSeed(seed % 2**31)
    models = np.zeros((1, 65)), np.zeros((1, 65))
    try:
        cv2.grabCut(np.ascontiguousarray(cut), labels, None, *models, 5, cv2.GC_INIT_WITH_MASK)
    except cv2.error as error:
        raise EditFailed(f"nothing can be cut out of the box ({str(error.err)[:120]})") from None
    thing = ((labels == cv2.GC_FGD) | (labels == cv2.GC_PR_FGD)).astype(np.uint8)
    mask = np.zeros(inside.shape, bool)
    mask[part] = cv2.resize(thing, size, interpolation=cv2.INTER_NEAREST).astype(bool) & around
    if mask.sum() < 0.02 * inside.sum():
        raise EditFailed("nothing in the box stands out from its surroundings")
    return mask


def _patch(colour: str, pixels: Pixels) -> SelectedArea:
    """The one large patch of a colour, its holes filled; two of a size are two too many."""
    cv2 = opencv()
    there = of_colour(pixels, colour).astype(np.uint8)
    there = cv2.morphologyEx(there, cv2.MORPH_OPEN, np.ones((3, 3), np.uint8))
    gap = max(7, round(LETTERS * max(there.shape)))
    there = cv2.morphologyEx(there, cv2.MORPH_CLOSE, cv2.getStructuringElement(cv2.MORPH_ELLIPSE, (gap, gap)))
    contours, _ = cv2.findContours(there, cv2.RETR_EXTERNAL, cv2.CHAIN_APPROX_NONE)
    contours = sorted(contours, key=cv2.contourArea, reverse=True)
    if not contours or cv2.contourArea(contours[0]) < LEAST_PATCH * there.size:
        raise EditFailed(f"there is no {colour} area in the picture")
    if len(contours) > 1 and cv2.contourArea(contours[0]) < CLEAR * cv2.contourArea(contours[1]):
        raise EditFailed(f"several {colour} areas have about the same size, so the target is ambiguous")
    filled = np.zeros_like(there)
    cv2.drawContours(filled, contours[:1], 0, 1, cv2.FILLED)
    return SelectedArea(grown(filled.astype(bool), 1), f"largest {colour} patch")
