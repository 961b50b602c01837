"""Check edits with an object detector: removed objects must no longer be found, and added ones must be."""

import asyncio

import numpy as np
from PIL import Image

from countersight.audits.checkers.protocol import EditShown, cannot_tell, question_of
from countersight.audits.manifest import Actor
from countersight.audits.records import Check
from countersight.detection import (
    Found,
    Mask,
    ToolFailed,
    box_of,
    classes_of,
    mask_from_box,
    open_detector,
    read_mask,
    shared,
)
from countersight.editing import noun_in
from countersight.errors import BadPicture, EditFailed
from countersight.models import ModelSettings
from countersight.picture import Picture, as_seen

COVERED = 0.3
"""A box belongs to the edit if at least this share of it lies under the mask."""
SAME = 0.5
"""Boxes with a larger intersection over union show the same object."""
CERTAIN, FAINT, TOUCHED = 0.8, 0.05, 0.1
"""A removal is confirmed only if the object was found with at least this score, nothing is found in its place with at
least this score, and no other object covers more than this share of the mask.

The values were chosen by inspecting 141 removals from photographs; see docs/measurements.md for results on others."""


class DetectorChecker:
    """Detects objects in the edited area before and after an edit."""

    def __init__(self, where: str) -> None:
        self._detector = open_detector(where, ModelSettings())
        self.party = Actor(f"detector:{where}", dict(self._detector.settings))

    async def check(self, edit: EditShown, key: str) -> Check:
        """Check whether the object is found in the edited area before and after the edit."""
        try:
            return await asyncio.to_thread(self._check, edit)
        except (BadPicture, EditFailed, ToolFailed) as error:
            return cannot_tell(self.party.name, edit.instruction, str(error))

    async def close(self) -> None:
        """Release the pictures."""
        await self._detector.close()

    def _check(self, edit: EditShown) -> Check:
        told = edit.instruction
        target = noun_in(told.target or told.concept)
        if told.action == "add":
            thing = noun_in(told.value or told.target or told.concept)
            was, now = (len(self._found(edit, picture, thing)) for picture in (edit.before, edit.after))
            return self._said(edit, now > was, f"{thing}: {now} found after the edit, {was} before")
        if told.action == "remove":
            return self._check_removal(edit, target)
        if not self._found(edit, edit.before, target):
            return cannot_tell(self.party.name, told, f"the detector does not find {target} before the edit either")
        still = self._found(edit, edit.after, target)
        seen = f"{target} is still found ({still[0].score:.2f})" if still else f"{target} is no longer found"
        match told.action:
            case "replace" if told.value:
                value = noun_in(told.value)
                came = self._found(edit, edit.after, value)
                there = f"{value} is {'' if came else 'not '}found there"
                return self._said(edit, bool(came) and not still, f"{there}, {seen}")
            case "recolour" | "resize" | "move":
                # A detector does not see colour or position, so it can only reject such an edit.
                return self._said(edit, None if still else False, seen if still else f"{seen}, although it should stay")
        return cannot_tell(self.party.name, told, f"a detector cannot check “{told.action}”")

    def _check_removal(self, edit: EditShown, target: str) -> Check:
        """Confirm a removal if the object was found with certainty, overlapped no other, and left nothing behind."""
        image = as_seen(edit.before)
        before, after = (self._boxes(each, target, FAINT) for each in (image, as_seen(edit.after).resize(image.size)))
        wanted = self._classes(target)
        candidates = [each for each in before if each.name in wanted and each.score >= self._detector.least]
        if edit.mask is not None:
            mask = read_mask(edit.mask, image.size)
            candidates = [each for each in candidates if _covered(each, mask)]
        if not candidates:
            why = f"the detector does not find {target} before the edit either"
            return cannot_tell(self.party.name, edit.instruction, why)
        if edit.mask is None:
            mask = mask_from_box(candidates[0].box, image.size)
        left, top, right, bottom = box_of(mask)
        hole = Found((left, top, right, bottom), target, 1.0)
        thing = max(candidates, key=lambda each: shared(each, hole))
        others = [each for each in before if shared(each, hole) <= SAME]
        # Things that were found before at the same place were there already.
        came = [
            each
            for each in after
            if (_covered(each, mask) or shared(each, hole) > SAME)
            and not any(other.name == each.name and shared(other, each) > SAME for other in others)
        ]
        still = next((each for each in came if each.name in wanted and each.score >= self._detector.least), None)
        if still is not None:
            return self._said(edit, False, f"{target} is still found ({still.score:.2f})")
        near = [each for each in others if each.score >= self._detector.least and _share_of(each, mask) > TOUCHED]
        doubt = ""
        if came:
            doubt = f"{came[0].name} is found in its place ({came[0].score:.2f})"
        elif thing.score < CERTAIN:
            doubt = f"{target} was found with too little certainty ({thing.score:.2f})"
        elif near:
            doubt = f"{near[0].name} overlaps with it, so removing it may leave an impossible picture"
        if doubt:
            return cannot_tell(self.party.name, edit.instruction, doubt)
        return self._said(edit, True, f"{target} is no longer found")

    def _classes(self, noun: str) -> frozenset[str]:
        """Return the detector's classes for a noun, or the noun itself if the detector accepts any word."""
        classes = self._detector.classes
        return classes_of(noun, classes) if classes else frozenset({noun})

    def _boxes(self, image: Image.Image, noun: str, least: float | None = None) -> list[Found]:
        return self._detector.boxes(image, "" if self._detector.classes else noun, least)

    def _found(self, edit: EditShown, picture: Picture, noun: str) -> list[Found]:
        """Return the objects with this name in the edited area of a picture."""
        wanted = self._classes(noun)
        image = as_seen(picture)
        mask = None if edit.mask is None else read_mask(edit.mask, image.size)
        found = self._boxes(image, noun)
        return [each for each in found if each.name in wanted and (mask is None or _covered(each, mask))]

    def _said(self, edit: EditShown, done: bool | None, seen: str) -> Check:
        return Check(self.party.name, question_of(edit.instruction), done, seen)


def _covered(found: Found, mask: Mask) -> bool:
    """Whether enough of a box lies under the mask."""
    try:
        inside = mask_from_box(found.box, (mask.shape[1], mask.shape[0]))
    except EditFailed:
        return False
    return float(np.mean(mask[inside])) >= COVERED


def _share_of(found: Found, mask: Mask) -> float:
    """Return the share of a mask that lies in a box."""
    try:
        inside = mask_from_box(found.box, (mask.shape[1], mask.shape[0]))
    except EditFailed:
        return 0.0
    return float(np.mean(inside[mask]))
