"""A vision tool for synthetic pictures, scenes and worlds, which uses only their pixels."""

import asyncio
import re
from collections import OrderedDict
from typing import Final

import numpy as np

from countersight.detection import Patch, ToolFailed
from countersight.errors import BadPicture, Unclear
from countersight.picture import Picture, Pixels, as_seen
from countersight.programs.vision.paint import NotAScene
from countersight.programs.vision.scene import Seen, see
from countersight.programs.vision.supports_pixels import room_of, see_supports
from countersight.programs.vision.table import see_discs, table_of
from countersight.scenes import NAMED
from countersight.worlds import COLOUR, SIDE, SIDES, Supports, World, answered, explained, falls_without, supposed, yes

_ANYTHING: Final = "does anything fall"
SUPPOSING: Final = re.compile(r"suppose that (?P<change>[^.?]+)\. (?P<question>.+)", re.IGNORECASE)
WHY: Final = re.compile(r"why: (?P<question>.+)", re.IGNORECASE)
CHOOSING: Final = re.compile(
    r"(?P<question>.+): which of these fits best: (?P<options>.+)\? answer with one of them", re.IGNORECASE
)
THING: Final = re.compile(
    rf"(?:the |all |every |an? )*(?:(?P<colour>{COLOUR}) )?(?P<kind>thing|block|plank|cup|ball|disc|shelf|hook)s?",
    re.IGNORECASE,
)


def see_world(pixels: Pixels) -> World | None:
    """Return the world in a picture; None if it shows none. Raises NotAScene if this is uncertain."""
    if pixels.ndim != 3 or pixels.shape[0] != pixels.shape[1] or pixels.shape[0] not in SIDES:
        return None
    if look := room_of(pixels):
        return see_supports(pixels, look)
    look = table_of(pixels)
    return see_discs(pixels, look) if look else None


def answer_about(world: World, question: str) -> str:
    """Answer a question about a world, about the world after a change, or about the reason; raises ToolFailed."""
    options: tuple[str, ...] = ()
    if why := WHY.fullmatch(question):
        return _said(explained(why["question"], world), question)
    if choosing := CHOOSING.fullmatch(question):
        question, options = choosing["question"], tuple(choosing["options"].split(", "))
    if supposing := SUPPOSING.fullmatch(question):
        question = supposing["question"]
        try:
            if isinstance(world, Supports) and question.casefold() == _ANYTHING:
                return yes(falls_without(world, supposing["change"]))
            world = supposed(world, supposing["change"])
        except Unclear as error:
            raise ToolFailed(f"the outcome cannot be computed: {error}") from None
    return _said(answered(question, world, options), question)


def _said(said: str | None, question: str) -> str:
    if said is None:
        raise ToolFailed(f"the scene reader cannot answer {question[:80]!r} about such a world")
    return said


def patches_in(world: World, wanted: re.Match[str]) -> list[Patch]:
    """Return the places of things with a name."""
    colour, kind = (wanted["colour"] or "").casefold(), wanted["kind"].casefold()
    grown = world.look.side / SIDE
    return [
        Patch((round(left * grown), round(top * grown), round(right * grown), round(bottom * grown)), name)
        for name, (left, top, right, bottom) in _boxes(world)
        if kind in ("thing", name.rpartition(" ")[2]) and (not colour or name.startswith(f"{colour} "))
    ]


def _boxes(world: World) -> list[tuple[str, tuple[float, float, float, float]]]:
    if isinstance(world, Supports):
        corners = [(thing, list(zip(*thing.corners(), strict=True))) for thing in world.things]
        return [(thing.name, (min(xs), min(ys), max(xs), max(ys))) for thing, (xs, ys) in corners]
    return [
        (disc.name, (disc.x - disc.radius, disc.y - disc.radius, disc.x + disc.radius, disc.y + disc.radius))
        for disc in world.discs
    ]


_KEPT = 64
"""The number of pictures whose contents are cached; the questions of a case follow each other."""
_COLOUR = rf"(?P<colour>{'|'.join(NAMED)})"
_THINGS = r"(?P<thing>flower|polygon|circle|dot)s?"
_THING = re.compile(rf"(?:the |all |every |an? )*(?:{_COLOUR} )?{_THINGS}", re.IGNORECASE)
_HOW_MANY = re.compile(rf"how many (?:{_COLOUR} )?{_THINGS}\b[^,;]*", re.IGNORECASE)
_WHICH_COLOUR = re.compile(r"(?:what|which) colou?r (?:is|are|does|do)\b.*", re.IGNORECASE)
_IS_COLOUR = re.compile(rf"(?:is|are) (?:this|the|these|a|it)\b.*\b{_COLOUR}\b.*", re.IGNORECASE)


class SceneVision:
    """Recognises the pictures of C-VQA-Synthetic and of worlds from their pixels."""

    name = "scene"

    def __init__(self) -> None:
        self.settings: dict[str, object] = {}
        self._looking: OrderedDict[bytes, asyncio.Task[Seen | World | str]] = OrderedDict()

    async def find(self, picture: Picture, what: str, within: Patch | None) -> list[Patch]:
        """Find flowers, dots, circles, polygons, or polygons of a named colour; in a world its things."""
        if thing := THING.fullmatch(" ".join(what.split())):
            world = await self._look(picture)
            if isinstance(world, Seen):
                return []
            return [patch for patch in patches_in(world, thing) if within is None or _reaches(patch, within)]
        wanted = _THING.fullmatch(" ".join(what.split()))
        if wanted is None:
            raise ToolFailed(f"the scene reader finds flowers, dots, circles and polygons, not {what[:60]!r}")
        return await self._found(picture, wanted, within)

    async def query(self, picture: Picture, question: str, within: Patch | None) -> str:
        """Answer how many there are of something, or the colour of a polygon; nothing else is supported."""
        asked = " ".join(question.split()).rstrip("?. ")
        seen = await self._look(picture)
        if not isinstance(seen, Seen):
            return await asyncio.to_thread(answer_about, seen, asked)
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
        seen = await self._look(picture)
        if not isinstance(seen, Seen):
            return []
        found = _patches(seen, thing)
        return [
            patch for patch in found if colour in ("", patch.outline) and (within is None or _reaches(patch, within))
        ]

    async def _look(self, picture: Picture) -> Seen | World:
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


def _seen(picture: Picture) -> Seen | World | str:
    try:
        pixels = np.asarray(as_seen(picture))
        return see_world(pixels) or see(pixels)
    except (NotAScene, BadPicture) as error:
        return f"the picture is not a drawn scene: {error}"


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
