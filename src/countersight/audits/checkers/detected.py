"""Check edits with a detector: whether removed things are still found, and added things are found."""

import asyncio

import numpy as np

from countersight.audits.checkers.protocol import CheckResult, EditShown, cannot_tell, question_of
from countersight.audits.records import Actor, Check
from countersight.detection import Found, Mask, ToolFailed, classes_of, mask_from_box, open_detector, read_mask
from countersight.editing import noun_in
from countersight.errors import BadPicture, EditFailed
from countersight.models import ModelSettings
from countersight.picture import Picture, as_seen

COVERED = 0.3
"""Least share of a box that must lie under the mask to belong to the edit."""


class DetectorChecker:
    """Detects things before and after an edit, in the edited area."""

    def __init__(self, where: str) -> None:
        self._detector = open_detector(where, ModelSettings())
        self.party = Actor(f"detector:{where}", dict(self._detector.settings))

    async def check(self, edit: EditShown, key: str) -> CheckResult:
        """Return whether the thing is found in the edited area before and after."""
        try:
            return await asyncio.to_thread(self._check, edit)
        except (BadPicture, EditFailed, ToolFailed) as error:
            return cannot_tell(self.party.name, edit.instruction, str(error))

    async def close(self) -> None:
        """Release the pictures."""
        await self._detector.close()

    def _check(self, edit: EditShown) -> CheckResult:
        told = edit.instruction
        target = noun_in(told.target or told.concept)
        if told.action == "add":
            thing = noun_in(told.value or told.target or told.concept)
            was, now = (len(self._found(edit, picture, thing)) for picture in (edit.before, edit.after))
            return self._said(edit, now > was, f"{thing} is found there {now} times, {was} times before")
        if not self._found(edit, edit.before, target):
            return cannot_tell(self.party.name, told, f"the detector does not find {target} before the edit either")
        still = self._found(edit, edit.after, target)
        seen = f"{target} is still found ({still[0].score:.2f})" if still else f"{target} is no longer found"
        match told.action:
            case "remove":
                return self._said(edit, not still, seen)
            case "replace" if told.value:
                value = noun_in(told.value)
                came = self._found(edit, edit.after, value)
                there = f"{value} is {'' if came else 'not '}found there"
                return self._said(edit, bool(came) and not still, f"{there}, {seen}")
            case "recolour" | "resize" | "move":
                # A detector does not see colour or position, so it can only reject such an edit.
                return self._said(edit, None if still else False, seen if still else f"{seen}, although it should stay")
        return cannot_tell(self.party.name, told, f"a detector cannot check “{told.action}”")

    def _found(self, edit: EditShown, picture: Picture, noun: str) -> list[Found]:
        """Return the things of this name in the edited area of a picture."""
        classes = self._detector.classes
        wanted = classes_of(noun, classes) if classes else frozenset({noun})
        image = as_seen(picture)
        mask = None if edit.mask is None else read_mask(edit.mask, image.size)
        found = self._detector.boxes(image, "" if classes else noun)
        return [each for each in found if each.name in wanted and (mask is None or _covered(each, mask))]

    def _said(self, edit: EditShown, done: bool | None, seen: str) -> CheckResult:
        return CheckResult(Check(self.party.name, question_of(edit.instruction), done, seen))


def _covered(found: Found, mask: Mask) -> bool:
    try:
        inside = mask_from_box(found.box, (mask.shape[1], mask.shape[0]))
    except EditFailed:
        return False
    return float(np.mean(mask[inside])) >= COVERED
