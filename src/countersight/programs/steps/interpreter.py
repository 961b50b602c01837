"""Runs step programs: each operation is a function of its arguments; nothing else can be called."""

import asyncio
import inspect
from collections.abc import Callable
from typing import Any, Final

import msgspec

from countersight.detection import Box, Patch, ToolFailed, Vision, size_as_seen
from countersight.picture import Picture
from countersight.programs.limits import Clock, Limits, ProgramFailed, Tracing, shortened, tool_clock
from countersight.programs.steps.parsing import BadExpression, Name, ProgramStep, evaluate
from countersight.suggestions import unknown

LONGEST_TEXT = 500
"""The maximum number of characters in a search term or a question."""


class PictureView(msgspec.Struct, frozen=True):
    """The picture, or a part of it."""

    picture: Picture
    part: Patch | None = None

    @property
    def box(self) -> Box:
        """The box in the picture."""
        return self.part.box if self.part else (0, 0, *size_as_seen(self.picture))


class BadArgument(Exception):  # noqa: N818 - the name says what is invalid
    """Raised if an argument is missing or of the wrong type; the message says which, and what it must be."""


_KINDS: Final[dict[str, tuple[type, str]]] = {
    "image": (PictureView, "the picture or a part of it"),
    **dict.fromkeys(("object", "question", "expr"), (str, "a text")),
    **dict.fromkeys(("box", "of"), (list, "what LOC found")),  # steps create no other lists
    "n": (int, "a whole number"),
    "var": (object, "given"),
}
"""The type of each argument, and its description."""


class StepRun:
    """A run of a program on one picture."""

    def __init__(self, picture: Picture, vision: Vision, tracing: Tracing, limits: Limits) -> None:
        self.vision = vision
        self.results: dict[str, object] = {"IMAGE": PictureView(picture)}
        self._tracing = tracing
        self._tool_time = tool_clock(limits)
        self._own_time = Clock(limits.step_seconds, f"it did not finish within {limits.step_seconds:g} s")

    async def run(self, step: ProgramStep) -> object:
        """Return the result of a step, which is stored under its name; raises ProgramFailed."""
        where = f"line {step.line}: "
        operation = OPERATIONS.get(step.operation)
        if operation is None:
            raise ProgramFailed("unknown tool", where + unknown("operation", step.operation, OPERATIONS))
        try:
            result = await self._call(operation, step)
        except (BadArgument, BadExpression) as error:
            raise ProgramFailed("error", f"{where}{step.operation}: {error}") from None
        except ToolFailed as error:
            self._tracing.note(step.operation, step.given, f"failed: {error}")
            raise ProgramFailed("tool failure", f"{where}{error}") from None
        self.results[step.result] = result
        shown, boxes = _describe_result(result)
        self._tracing.note(step.operation, step.given, shown, boxes)
        return result

    async def _call(self, operation: Callable[..., Any], step: ProgramStep) -> object:
        """Run an operation, in a thread unless it is a tool; tools and programs have separate time limits."""
        names = list(inspect.signature(operation).parameters)
        given = {name: self if name == "run" else self._argument(step, name) for name in names}
        if inspect.iscoroutinefunction(operation):
            return await self._tool_time.spend(operation(**given))
        return await self._own_time.spend(asyncio.to_thread(operation, **given))

    def _argument(self, step: ProgramStep, name: str) -> object:
        """Return an argument of a step after checking its type."""
        if name not in step.arguments:
            raise BadArgument(f"{name}= is missing")
        value: object = step.arguments[name]
        if isinstance(value, Name):
            if value.id not in self.results:
                raise BadArgument(f"{value.id[:40]!r} is not the result of an earlier step")
            value = self.results[value.id]
        kind, described = _KINDS[name]
        if not isinstance(value, kind) or (kind is int and isinstance(value, bool)):
            raise BadArgument(f"{name}= must be {described}")
        if isinstance(value, int) and kind is int and not 0 <= value <= 10_000:
            raise BadArgument(f"{name}= must be a whole number from 0 to 10,000")
        if isinstance(value, str) and kind is str:
            if len(value) > LONGEST_TEXT:
                raise BadArgument(f"{name}= has more than {LONGEST_TEXT} characters")
            return shortened(value, LONGEST_TEXT)  # a lone surrogate cannot be sent
        return value


async def run_steps(
    steps: list[ProgramStep], picture: Picture, vision: Vision, tracing: Tracing, limits: Limits | None = None
) -> object:
    """Return the value of the RESULT step, or of the last step if there is none; raises ProgramFailed."""
    run = StepRun(picture, vision, tracing, limits or Limits())
    last: object = None
    for step in steps:
        last = await run.run(step)
        if step.operation == "RESULT":
            break
    return last


_HALVES: Final[dict[str, Callable[[Box], Box]]] = {
    "TOP": lambda whole: (whole[0], whole[1], whole[2], (whole[1] + whole[3]) // 2),
    "BOTTOM": lambda whole: (whole[0], (whole[1] + whole[3]) // 2, whole[2], whole[3]),
    "LEFT": lambda whole: (whole[0], whole[1], (whole[0] + whole[2]) // 2, whole[3]),
    "RIGHT": lambda whole: ((whole[0] + whole[2]) // 2, whole[1], whole[2], whole[3]),
}
"""Names of halves of the picture, which are not things."""


async def _loc(run: StepRun, image: PictureView, object: str) -> list[Patch]:
    if half := _HALVES.get(object):
        return [Patch(half(image.box), object)]
    return await run.vision.find(image.picture, object, image.part)


async def _vqa(run: StepRun, image: PictureView, question: str) -> str:
    return await run.vision.query(image.picture, question, image.part)


def _crop(part: Callable[[Box, Box], Box]) -> Callable[..., PictureView]:
    """Return an operation that crops an area near the first found thing, or returns its input if nothing was found."""

    def crop(image: PictureView, box: list[Patch]) -> PictureView:
        if not box:
            return image
        left, top, right, bottom = part(box[0].box, image.box)
        if right <= left or bottom <= top:
            raise ToolFailed("that part is outside the picture")
        return PictureView(image.picture, Patch((left, top, right, bottom)))

    return crop


def _surroundings(thing: Box, whole: Box) -> Box:
    """Return a box 1.5 times as wide and high, which shows what is in front of or behind something."""
    across, down = (thing[2] - thing[0]) / 4, (thing[3] - thing[1]) / 4
    return (
        max(round(thing[0] - across), whole[0]),
        max(round(thing[1] - down), whole[1]),
        min(round(thing[2] + across), whole[2]),
        min(round(thing[3] + down), whole[3]),
    )


def _is_in_any(thing: Patch, regions: list[Patch]) -> bool:
    return any(thing.is_in(region) for region in regions)


def _without(box: list[Patch], of: list[Patch]) -> list[Patch]:
    gone = set(of)
    return [thing for thing in box if thing not in gone]


def _first_sorted(key: Callable[[Patch], float]) -> Callable[..., list[Patch]]:
    return lambda box, n: sorted(box, key=key)[:n]


def _top_row(box: list[Patch]) -> list[Patch]:
    """Return the things at the height of the topmost one."""
    highest = min(box, key=lambda thing: thing.middle[1], default=None)
    return [thing for thing in box if highest and thing.middle[1] < highest.box[3]]


def _fullest(box: list[Patch], of: list[Patch]) -> list[Patch]:
    """Return the region with the most things in it, as a list; empty if there is no region."""
    return sorted(box, key=lambda region: -sum(thing.is_in(region) for thing in of))[:1]


OPERATIONS: Final[dict[str, Callable[..., Any]]] = {
    "LOC": _loc,
    "COUNT": lambda box: len(box),
    "VQA": _vqa,
    "EVAL": lambda run, expr: evaluate(expr, run.results),
    "RESULT": lambda var: var,
    "CROP": lambda image, box: PictureView(image.picture, box[0]) if box else image,
    "CROP_LEFTOF": _crop(lambda thing, whole: (whole[0], whole[1], thing[0], whole[3])),
    "CROP_RIGHTOF": _crop(lambda thing, whole: (thing[2], whole[1], whole[2], whole[3])),
    "CROP_ABOVE": _crop(lambda thing, whole: (whole[0], whole[1], whole[2], thing[1])),
    "CROP_BELOW": _crop(lambda thing, whole: (whole[0], thing[3], whole[2], whole[3])),
    **dict.fromkeys(
        ("CROP_FRONTOF", "CROP_INFRONTOF", "CROP_INFRONT", "CROP_BEHIND", "CROP_AHEAD"), _crop(_surroundings)
    ),
    "INSIDE": lambda box, of: [thing for thing in box if _is_in_any(thing, of)],
    "OUTSIDE": lambda box, of: [thing for thing in box if not _is_in_any(thing, of)],
    "WITHOUT": _without,
    "TOPMOST": _first_sorted(lambda thing: thing.middle[1]),
    "BOTTOMMOST": _first_sorted(lambda thing: -thing.middle[1]),
    "LEFTMOST": _first_sorted(lambda thing: thing.middle[0]),
    "RIGHTMOST": _first_sorted(lambda thing: -thing.middle[0]),
    "TOP_ROW": _top_row,
    "FULLEST": _fullest,
}
"""The operations of step programs by name; `run` is the run itself, and other parameters are arguments of the step."""


def _describe_result(result: object) -> tuple[str, list[Box]]:
    """Describe a result briefly, with its boxes in the picture."""
    if isinstance(result, list):
        return f"{len(result)} found", [patch.box for patch in result]
    if isinstance(result, PictureView):
        return ("a part of the picture", [result.part.box]) if result.part else ("the picture", [])
    return str(result)[:LONGEST_TEXT], []
