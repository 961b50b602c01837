"""Worlds as eyes for programs see them: from pixels alone, as they are and as they would be."""

import re
from typing import Final

from countersight.detection import Patch, ToolFailed
from countersight.errors import Unclear
from countersight.picture import Pixels
from countersight.programs.eyes.supports import room_of, see_supports
from countersight.programs.eyes.table import see_discs, table_of
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
    """The world that a picture shows; None where it shows none. Raises NotAScene where that cannot be told surely."""
    if pixels.ndim != 3 or pixels.shape[0] != pixels.shape[1] or pixels.shape[0] not in SIDES:
        return None
    if look := room_of(pixels):
        return see_supports(pixels, look)
    look = table_of(pixels)
    return see_discs(pixels, look) if look else None


def answer_about(world: World, question: str) -> str:
    """What is asked of a world, or of the world that a change would make of it, or why; raises ToolFailed."""
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
            raise ToolFailed(f"what would come of it cannot be said: {error}") from None
    return _said(answered(question, world, options), question)


def _said(said: str | None, question: str) -> str:
    if said is None:
        raise ToolFailed(f"these eyes cannot say {question[:80]!r} of such a world")
    return said


def patches_in(world: World, wanted: re.Match[str]) -> list[Patch]:
    """Where the things of a name are."""
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
