"""The checker protocol: a checker receives an edit and decides whether it did what was requested."""

from typing import Protocol

import msgspec
import numpy as np

from countersight.audits.manifest import Actor
from countersight.audits.records import Check
from countersight.detection import Mask, read_mask
from countersight.editing import Instruction
from countersight.errors import ModelError
from countersight.picture import Picture, Pixels, as_seen
from countersight.registry import Plug, Registry
from countersight.scenes import Scene


class EditShown(msgspec.Struct, frozen=True):
    """An edit as shown to a checker."""

    instruction: Instruction
    before: Picture
    after: Picture
    mask: bytes | None = None
    """A PNG, white in the area to be edited; None if unknown."""
    scene: Scene | None = None
    """The scene before the edit, if the picture was generated."""
    seed: int = 0

    def pixels(self) -> tuple[Pixels, Pixels, Mask | None]:
        """Return the pixels before and after, and the mask, if known; raises BadPicture or EditFailed."""
        before, after = np.asarray(as_seen(self.before)), np.asarray(as_seen(self.after))
        mask = None if self.mask is None else read_mask(self.mask, (before.shape[1], before.shape[0]))
        return before, after, mask if after.shape == before.shape else None


class Checker(Protocol):
    """The interface of a checker, which decides whether an edit did what was requested."""

    party: Actor

    async def check(self, edit: EditShown, key: str) -> Check:
        """Return whether the edit did what was requested; raises the errors of an `AskedModel`."""
        ...


def question_of(instruction: Instruction) -> str:
    """Return the question that checkers answer about an edit."""
    target, value = instruction.target or instruction.concept, instruction.value
    match instruction.action:
        case "remove":
            return f"Is “{target}” gone?"
        case "recolour" if value:
            return f"Is “{target}” {value} now?"
        case "replace" if value:
            return f"Is there “{value}” in place of “{target}”?"
        case "nothing":
            return "Is the picture unchanged?"
    return f"Does the picture show this: {instruction.positive}"


def cannot_tell(checker: str, instruction: Instruction, why: str) -> Check:
    """Return an undecided check."""
    return Check(checker, question_of(instruction), None, why)


CHECKERS: Registry[Checker] = Registry(
    "checker",
    {
        "pixels": Plug(
            "pixels",
            "in generated scenes, counts objects; in photographs, compares colours and textures inside the mask",
            "countersight.audits.checkers.pixels:PixelChecker",
        ),
        "seams": Plug(
            "seams",
            "checks whether an edited photograph looks real: the border of its mask and the texture inside",
            "countersight.audits.checkers.seams:SeamChecker",
        ),
        "detector": Plug(
            "detector:PATH",
            "checks with a detector whether the object is gone or has appeared",
            "countersight.audits.checkers.detected:DetectorChecker",
        ),
    },
    ModelError,
)
"""The checkers that need no language model; any vision model is a checker too."""

ANY_VIEWER = {"MODEL": "any model that sees pictures; see: countersight list models"}
