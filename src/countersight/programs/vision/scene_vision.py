"""A vision tool for the pictures of C-VQA-Synthetic, which uses only their pixels."""

import asyncio
import re
from collections import OrderedDict

import numpy as np

from countersight.detection import Patch, ToolFailed
from countersight.errors import BadPicture
from countersight.picture import Picture, as_seen
from countersight.programs.vision.scene import see
from countersight.programs.vision.shapes import NotAScene, Seen
from countersight.scenes import NAMED

_KEPT = 64
"""The number of pictures with cached contents; few are enough, because the questions of a case follow each other."""
_COLOUR = rf"(?P<colour>{'|'.join(NAMED)})"
_THINGS = r"(?P<thing>flower|polygon|circle|dot)s?"
_THING = re.compile(rf"(?:the |all |every |an? )*(?:{_COLOUR} )?{_THINGS}", re.IGNORECASE)
_HOW_MANY = re.compile(rf"how many (?:{_COLOUR} )?{_THINGS}\b[^,;]*", re.IGNORECASE)
_WHICH_COLOUR = re.compile(r"(?:what|which) colou?r (?:is|are|does|do)\b.*", re.IGNORECASE)
_IS_COLOUR = re.compile(rf"(?:is|are) (?:this|the|these|a|it)\b.*\b{_COLOUR}\b.*", re.IGNORECASE)


class SceneVision:
    """Recognises the pictures of C-VQA-Synthetic from their pixels."""

    name = "scene"

    def __init__(self) -> None:
        self.settings: dict[str, object] = {}
        self._looking: OrderedDict[bytes, asyncio.Task[Seen | str]] = OrderedDict()

    async def find(self, picture: Picture, what: str, within: Patch | None) -> list[Patch]:
        """Find flowers, dots, circles, polygons, or polygons of a named colour."""
        wanted = _THING.fullmatch(" ".join(what.split()))
        if wanted is None:
            raise ToolFailed(f"the scene reader finds flowers, dots, circles and polygons, not {what[:60]!r}")
        return await self._found(picture, wanted, within)

    async def query(self, picture: Picture, question: str, within: Patch | None) -> str:
        """Answer how many there are of something, or the colour of a polygon; nothing else is supported."""
        asked = " ".join(question.split()).rstrip("?. ")
        if wanted := _HOW_MANY.fullmatch(asked):
            return str(len(await self._found(picture, wanted, within)))
        if within is not None and within.outline:
            if _WHICH_COLOUR.fullmatch(asked):
                return within.outline
            if named := _IS_COLOUR.fullmatch(asked):
                return "yes" if named["colour"].casefold() == within.outline else "no"
        raise ToolFailed(
            "the scene reader counts flowers, dots, circles and polygons and names the colours of polygons; it "
            f"cannot answer {asked[:60]!r}"
        )

    async def close(self) -> None:
        """Clear the cache."""
        for task in self._looking.values():
            task.cancel()
        self._looking.clear()

    async def _found(self, picture: Picture, wanted: re.Match[str], within: Patch | None) -> list[Patch]:
        thing, colour = wanted["thing"].casefold(), (wanted["colour"] or "").casefold()
        if colour and thing != "polygon":
            raise ToolFailed(f"the scene reader knows only the colours of polygons, not of {thing}s")
        found = _patches(await self._look(picture), thing)
        return [
            patch for patch in found if colour in ("", patch.outline) and (within is None or _reaches(patch, within))
        ]

    async def _look(self, picture: Picture) -> Seen:
        """Return the content of a picture, computed once in a thread, also for concurrent questions."""
        task = self._looking.get(picture.data)
        if task is None:
            task = self._looking[picture.data] = asyncio.create_task(asyncio.to_thread(_seen, picture))
            if len(self._looking) > _KEPT:
                self._looking.popitem(last=False)
        seen = await asyncio.shield(task)
        if isinstance(seen, str):
            raise ToolFailed(seen)
        return seen


def _seen(picture: Picture) -> Seen | str:
    try:
        return see(np.asarray(as_seen(picture)))
    except (NotAScene, BadPicture) as error:
        return f"the picture is not a scene of C-VQA-Synthetic: {error}"


def _reaches(patch: Patch, within: Patch) -> bool:
    """Whether a patch lies in `within`, or is that patch itself."""
    return patch.box == within.box or patch.is_in(within)


def _patches(seen: Seen, thing: str) -> list[Patch]:
    match thing:
        case "flower":
            return [Patch(flower.box, "flower", regions=flower.inside) for flower in seen.flowers]
        case "polygon":
            return [Patch(polygon.box, f"{polygon.colour} polygon", polygon.colour) for polygon in seen.polygons]
        case "circle":
            return [Patch(circle.box, "circle") for circle in seen.circles]
        case _:
            return [Patch(dot, "dot") for circle in seen.circles for dot in circle.dots]
