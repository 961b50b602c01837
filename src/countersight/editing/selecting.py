"""Find where an edit takes place in a photograph: by an annotation or a detector."""

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
    mask_from_box,
    open_detector,
    open_segmenter,
    opencv,
)
from countersight.editing.colours import of_colour
from countersight.editing.protocol import EditRequest
from countersight.editing.things import ThingDescription, choose_things, meant_by, named_apart, read_thing
from countersight.errors import EditFailed
from countersight.models import ModelSettings
from countersight.picture import Pixels

SHARE = 0.25
"""The minimum share of an object's pixels that must have a colour for the object to match it."""
MOST_CUT = 120_000
"""The maximum number of pixels for segmentation; larger areas are scaled down."""


FINDING = ("annotations", "detector", "segmenter")
"""Options that tell an editor how to find the object to change."""


class SelectedArea(NamedTuple):
    """The pixels to change, and how they were found."""

    mask: Mask
    how: str


class Selector:
    """Finds objects in photographs by their description."""

    def __init__(self, annotations: str = "", detector: str = "", segmenter: str = "") -> None:
        """Open the files named in the options in FINDING."""
        self._annotations = Annotations(Path(annotations)) if annotations else None
        self._segmenter: Segmenter | None = open_segmenter(Path(segmenter)) if segmenter else None
        self._detector: Detector | None = open_detector(detector, ModelSettings()) if detector else None
        self.settings: dict[str, Any] = {}
        if annotations:
            self.settings["annotations"] = fingerprint(Path(annotations))
        if self._segmenter is not None:
            self.settings |= self._segmenter.settings
        if self._detector is not None:
            self.settings |= self._detector.settings

    @property
    def looks(self) -> bool:
        """Whether it can find objects by name."""
        return self._annotations is not None or self._detector is not None

    def names(self, name: str, pixels: Pixels) -> tuple[str, ...]:
        """Return descriptions of the objects it can find in a picture, each of which fits only one object."""
        size = (pixels.shape[1], pixels.shape[0])
        things = [] if self._annotations is None else list(self._annotations.things(name, size))
        if self._detector is not None and self._detector.classes:
            things = things or self._boxes(self._detector, "", pixels)
        return tuple(named_apart(things))

    def target(self, request: EditRequest, pixels: Pixels) -> SelectedArea:
        """Return the area to change: the objects that the target of the request describes."""
        named = read_thing(request.instruction.target)
        if self._annotations is not None and meant_by(named.noun, self._annotations.categories):
            things = self._annotations.things(request.name, (pixels.shape[1], pixels.shape[0]))
            return self._chosen(named, things, self._annotations.categories, pixels, "annotated")
        if self._detector is not None:
            classes = self._detector.classes or (named.noun,)
            if meant_by(named.noun, classes):
                things = self._boxes(self._detector, named.noun, pixels)
                return self._chosen(named, things, classes, pixels, "detected")
        raise EditFailed(
            f"“{named.words[:80]}” could not be located: "
            + ("no known object has this name" if self.looks else "there are no annotations and no detector")
        )

    def _chosen(
        self,
        named: ThingDescription,
        things: Sequence[AnnotatedThing],
        categories: Sequence[str],
        pixels: Pixels,
        known: str,
    ) -> SelectedArea:
        def coloured(thing: AnnotatedThing, colour: str) -> bool:
            return float(of_colour(pixels[self._outline(thing, pixels)][None], colour).mean()) >= SHARE

        chosen = choose_things(named, things, categories, coloured, known)
        mask = np.logical_or.reduce([self._outline(thing, pixels) for thing in chosen])
        listed = ", ".join(f"{thing.category} {thing.id}" for thing in chosen[:8])
        listed += " and more" if len(chosen) > 8 else ""
        if known == "annotated":
            return SelectedArea(mask, f"annotation of {listed}")
        return SelectedArea(mask, f"{'segmenter' if self._segmenter else 'GrabCut'} in the detector's box of {listed}")

    def _boxes(self, detector: Detector, words: str, pixels: Pixels) -> list[AnnotatedThing]:
        """Return the objects that a detector finds, each with a box but no outline yet."""
        try:
            found = detector.boxes(Image.fromarray(pixels), words)
        except ToolFailed as failure:
            raise EditFailed(str(failure)) from None
        return [AnnotatedThing(nth, each.name, each.box, crowd=False, outline=b"") for nth, each in enumerate(found, 1)]

    def _outline(self, thing: AnnotatedThing, pixels: Pixels) -> Mask:
        """Return the mask of an object; if only its box is known, it is cut out by the segmenter or by colour."""
        if thing.outline in (b"", b"[]", b"null") and self._segmenter is not None:
            return self._segmenter.cut_out(pixels, thing.box)
        if not thing.outline:
            return grab_cut(pixels, thing.box)
        return thing.mask((pixels.shape[1], pixels.shape[0]))


def grab_cut(pixels: Pixels, box: Corners) -> Mask:
    """Return the mask of the object in a box, separated from its background by colour (Rother et al. 2004)."""
    cv2 = opencv()
    inside = mask_from_box(box, (pixels.shape[1], pixels.shape[0]))
    left, top, right, bottom = box_of(inside)
    margin = max(right - left, bottom - top) // 2 + 2
    part = np.s_[max(0, top - margin) : bottom + margin, max(0, left - margin) : right + margin]
    around = inside[part]
    if around.all():
        return inside  # the box covers the whole picture, so there is no background to compare with
    size = around.shape[1], around.shape[0]
    scale = min(1.0, (MOST_CUT / around.size) ** 0.5)
    small = max(1, round(size[0] * scale)), max(1, round(size[1] * scale))
    cut = cv2.resize(pixels[part][:, :, ::-1], small, interpolation=cv2.INTER_AREA)
    boxed = cv2.resize(around.astype(np.uint8), small, interpolation=cv2.INTER_NEAREST)
    labels = np.where(boxed, cv2.GC_PR_FGD, cv2.GC_BGD).astype(np.uint8)
    cv2.setRNGSeed(0)
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
