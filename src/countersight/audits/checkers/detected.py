"""Check edits with a detector: whether removed things are still found, and added things are found."""

import asyncio
from collections.abc import Sequence

import numpy as np

from countersight.audits.checkers.protocol import CheckResult, EditShown, cannot_tell, question_of
from countersight.audits.records import Actor, Check
from countersight.detection import Found, Mask, ToolFailed, classes_of, of_box, open_detector, read_mask
from countersight.editing import noun_in
from countersight.errors import BadPicture, EditFailed
from countersight.models import ModelSettings
from countersight.picture import as_seen

COVERED = 0.3
"""Least share of a box that must lie under the mask to belong to the edit."""


class DetectorChecker:
    """Detects things before and after an edit, in the edited area."""

    def __init__(self, where: str) -> None:
        self._detector = open_detector(where, ModelSettings())
        self.party = Actor(f"detector:{where}", dict(self._detector.settings))

    async def check(self, edit: EditShown, key: str) -> CheckResult:
        """Return the result of detection under the mask, before and after."""
        try:
            return await asyncio.to_thread(self._check, edit)
        except (BadPicture, EditFailed, ToolFailed) as error:
            return cannot_tell(self.party.name, edit.instruction, str(error))

    async def close(self) -> None:
        """Release the pictures."""
        await self._detector.close()

    def _check(self, edit: EditShown) -> CheckResult:
        instruction = edit.instruction
        target = noun_in(instruction.target or instruction.concept)
        wanted = self._meant(target)
        before, after = self._found(edit, edit.before), self._found(edit, edit.after)
        was, now = _of(before, wanted), _of(after, wanted)
        if not was:
            return cannot_tell(
                self.party.name, instruction, f"the detector does not find {target} before the edit either"
            )
        match instruction.action:
            case "remove":
                if now:
                    return self._said(edit, False, f"{target} is still found ({now[0].score:.2f})")
                instead = f"; {after[0].name} is, in its place" if after else ""
                return self._said(edit, True, f"{target} is no longer found{instead}")
            case "recolour" | "resize" | "move":
                seen = f"{target} is still found" if now else f"{target} is no longer found, although it should stay"
                # Which colour or place it has, a detector does not tell: what it sees can only speak against an edit.
                return self._said(edit, None if now else False, seen)
            case "replace":
                return self._replaced(edit, target, now, after)
        return cannot_tell(self.party.name, instruction, f"a detector cannot check “{instruction.action}”")

    def _replaced(self, edit: EditShown, target: str, now: Sequence[Found], after: Sequence[Found]) -> CheckResult:
        value = noun_in(edit.instruction.value)
        came = _of(after, self._meant(value))
        seen = f"{value} is {'' if came else 'not '}found there, {target} is {'still' if now else 'no longer'} found"
        return self._said(edit, bool(came) and not now, seen)

    def _meant(self, noun: str) -> frozenset[str]:
        return classes_of(noun, self._detector.classes) if self._detector.classes else frozenset({noun})

    def _found(self, edit: EditShown, picture: object) -> list[Found]:
        image = as_seen(picture)  # type: ignore[arg-type]
        mask = None if edit.mask is None else read_mask(edit.mask, image.size)
        words = "" if self._detector.classes else noun_in(edit.instruction.target or edit.instruction.concept)
        return [each for each in self._detector.boxes(image, words) if mask is None or _covered(each, mask)]

    def _said(self, edit: EditShown, done: bool | None, seen: str) -> CheckResult:
        return CheckResult(Check(self.party.name, question_of(edit.instruction), done, seen))


def _of(found: Sequence[Found], names: frozenset[str]) -> list[Found]:
    return [each for each in found if each.name in names]


def _covered(found: Found, mask: Mask) -> bool:
    try:
        inside = of_box(found.box, (mask.shape[1], mask.shape[0]))
    except EditFailed:
        return False
    return float(np.mean(mask[inside])) >= COVERED
