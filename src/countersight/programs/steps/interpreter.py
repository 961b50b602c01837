"""Runs step programs: each operation is a function of its arguments and the vision tool; nothing else can be called."""

import asyncio
import inspect
from collections.abc import Awaitable, Callable
from time import thread_time
from typing import Final, TypeVar

import msgspec

from countersight.detection import Box, Patch, ToolFailed, Vision, look_for, size_as_seen
from countersight.picture import Picture
from countersight.programs.failures import Clock, Limits, ProgramFailed, Tracing, shortened, tool_clock
from countersight.programs.steps.parsing import BadExpression, Name, ProgramStep, evaluate
from countersight.text import unknown

LONGEST_TEXT = 500
"""The maximum number of characters in a search term or a question."""

Kind = TypeVar("Kind")


class PictureView(msgspec.Struct, frozen=True):
    """The picture, or a part of it."""

    picture: Picture
    part: Patch | None = None

    @property
    def box(self) -> Box:
        """The box in the picture."""
        return self.part.box if self.part else (0, 0, *size_as_seen(self.picture))


class BadArgument(Exception):  # noqa: N818 - it names the thing
    """Raised if an argument is missing or of the wrong type; the message says which, and what it must be."""


class Arguments:
    """The arguments of a step by name, checked on access."""

    def __init__(self, values: dict[str, object]) -> None:
        self._values = values

    def view(self, name: str) -> PictureView:
        """Return an argument that is the picture, or a part of it."""
        return self._of_type(name, PictureView, "the picture or a part of it")

    def text(self, name: str) -> str:
        """Return a text argument of limited length."""
        text = self._of_type(name, str, "a text")
        if len(text) > LONGEST_TEXT:
            raise BadArgument(f"{name}= has more than {LONGEST_TEXT} characters")
        return shortened(text, LONGEST_TEXT)  # half a surrogate pair could not be sent

    def patches(self, name: str) -> list[Patch]:
        """Return an argument with found things."""
        return self._of_type(name, list, "what LOC found")  # steps create no other lists

    def number(self, name: str) -> int:
        """Return an argument that is a number of things."""
        value = self._of_type(name, int, "a whole number")
        if isinstance(value, bool) or not 0 <= value <= 10_000:
            raise BadArgument(f"{name}= must be a sensible number of things")
        return value

    def any(self, name: str) -> object:
        """Return an argument of any type."""
        return self._of_type(name, object, "given")

    def _of_type(self, name: str, kind: type[Kind], what: str) -> Kind:
        if name not in self._values:
            raise BadArgument(f"{name}= is missing")
        value = self._values[name]
        if not isinstance(value, kind):
            raise BadArgument(f"{name}= must be {what}")
        return value


Seeing = Callable[["StepRun", Arguments], Awaitable[object]]
"""An operation that awaits the vision tool."""
Reckoning = Callable[["StepRun", Arguments], object]
"""An operation that only computes, in a thread, since comparing hundreds of things takes a while."""
Operation = Seeing | Reckoning


class StepRun:
    """A run of a program on one picture."""

    def __init__(self, picture: Picture, vision: Vision, tracing: Tracing, limits: Limits) -> None:
        self.vision = vision
        self.results: dict[str, object] = {"IMAGE": PictureView(picture)}
        self._tracing = tracing
        self._limits = limits
        self._left = limits.seconds
        self._time = tool_clock(limits)
        self._clock = Clock(limits.wall, f"it did not finish within {limits.wall:g} s of wall time")

    async def run(self, steps: list[ProgramStep]) -> object:
        """Return the value of the RESULT step, or of the last step if there is none."""
        last: object = None
        for step in steps:
            last = await self._step(step)
            if step.operation == "RESULT":
                return last
        return last

    async def _step(self, step: ProgramStep) -> object:
        where = f"line {step.line}: "
        operation = OPERATIONS.get(step.operation)
        if operation is None:
            raise ProgramFailed("unknown tool", where + unknown("operation", step.operation, OPERATIONS))
        arguments = Arguments({name: self._value(value, where) for name, value in step.arguments.items()})
        try:
            result = await self._done(operation, arguments)
        except (BadArgument, BadExpression) as error:
            raise ProgramFailed("error", f"{where}{step.operation}: {error}") from None
        except ToolFailed as error:
            self._tracing.note(step.operation, step.given, f"failed: {error}")
            raise ProgramFailed("tool failure", f"{where}{error}") from None
        self.results[step.result] = result
        shown, boxes = _shown(result)
        self._tracing.note(step.operation, step.given, shown, boxes)
        return result

    async def _done(self, operation: Operation, arguments: Arguments) -> object:
        """Run an operation within the time of the program or of its tools."""
        if inspect.iscoroutinefunction(operation):
            return await self._time.spend(operation(self, arguments))
        result, taken = await self._clock.spend(asyncio.to_thread(_timed, lambda: operation(self, arguments)))
        self._left -= taken
        if self._left < 0:
            raise ProgramFailed("timeout", f"it did not finish within {self._limits.seconds:g} s")
        return result

    def _value(self, value: object, where: str) -> object:
        if not isinstance(value, Name):
            return value
        if value.id not in self.results:
            raise ProgramFailed("error", f"{where}{value.id[:40]!r} is not the result of an earlier step")
        return self.results[value.id]


async def run_steps(
    steps: list[ProgramStep], picture: Picture, vision: Vision, tracing: Tracing, limits: Limits | None = None
) -> object:
    """Run a program on a picture and return its result; steps are recorded. Raises ProgramFailed."""
    return await StepRun(picture, vision, tracing, limits or Limits()).run(steps)


def _timed(work: Callable[[], object]) -> tuple[object, float]:
    """Return the result of some work, and the CPU seconds of this thread."""
    started = thread_time()
    return work(), thread_time() - started


_HALVES: Final[dict[str, Callable[[Box], Box]]] = {
    "TOP": lambda whole: (whole[0], whole[1], whole[2], (whole[1] + whole[3]) // 2),
    "BOTTOM": lambda whole: (whole[0], (whole[1] + whole[3]) // 2, whole[2], whole[3]),
    "LEFT": lambda whole: (whole[0], whole[1], (whole[0] + whole[2]) // 2, whole[3]),
    "RIGHT": lambda whole: ((whole[0] + whole[2]) // 2, whole[1], whole[2], whole[3]),
}
"""Names of halves of the picture, which are not things."""


async def _loc(run: StepRun, given: Arguments) -> list[Patch]:
    view, wanted = given.view("image"), given.text("object")
    if half := _HALVES.get(wanted):
        return [Patch(half(view.box), wanted)]
    return await look_for(run.vision, view.picture, wanted, view.part)


def _count(run: StepRun, given: Arguments) -> int:
    return len(given.patches("box"))


async def _vqa(run: StepRun, given: Arguments) -> str:
    view = given.view("image")
    return await run.vision.query(view.picture, given.text("question"), view.part)


def _eval(run: StepRun, given: Arguments) -> object:
    return evaluate(given.text("expr"), run.results)


def _result(run: StepRun, given: Arguments) -> object:
    return given.any("var")


def _crop(run: StepRun, given: Arguments) -> PictureView:
    """Return the first found thing as a part of the picture; the whole if nothing was found."""
    view, found = given.view("image"), given.patches("box")
    return PictureView(view.picture, found[0]) if found else view


def _crop_beside(part: Callable[[Box, Box], Box]) -> Operation:
    """Return an operation that crops an area next to the first found thing; the whole if nothing was found."""

    def crop(run: StepRun, given: Arguments) -> PictureView:
        view, found = given.view("image"), given.patches("box")
        if not found:
            return view
        left, top, right, bottom = part(found[0].box, view.box)
        if right <= left or bottom <= top:
            raise ToolFailed("that part is outside the picture")
        return PictureView(view.picture, Patch((left, top, right, bottom)))

    return crop


def _around(thing: Box, whole: Box) -> Box:
    """Return a box 1.5 times as wide and high, which shows what is in front of or behind something."""
    across, down = (thing[2] - thing[0]) / 4, (thing[3] - thing[1]) / 4
    return (
        max(round(thing[0] - across), whole[0]),
        max(round(thing[1] - down), whole[1]),
        min(round(thing[2] + across), whole[2]),
        min(round(thing[3] + down), whole[3]),
    )


def _inside(run: StepRun, given: Arguments) -> list[Patch]:
    regions = given.patches("of")
    return [thing for thing in given.patches("box") if any(thing.is_in(region) for region in regions)]


def _outside(run: StepRun, given: Arguments) -> list[Patch]:
    regions = given.patches("of")
    return [thing for thing in given.patches("box") if not any(thing.is_in(region) for region in regions)]


def _without(run: StepRun, given: Arguments) -> list[Patch]:
    gone = set(given.patches("of"))
    return [thing for thing in given.patches("box") if thing not in gone]


def _first(key: Callable[[Patch], float]) -> Operation:
    def first(run: StepRun, given: Arguments) -> list[Patch]:
        return sorted(given.patches("box"), key=key)[: given.number("n")]

    return first


def _top_row(run: StepRun, given: Arguments) -> list[Patch]:
    """Return the things at the height of the topmost one."""
    found = given.patches("box")
    if not found:
        return []
    highest = min(found, key=lambda thing: thing.middle[1])
    return [thing for thing in found if thing.middle[1] < highest.box[3]]


def _fullest(run: StepRun, given: Arguments) -> list[Patch]:
    """Return the region with the most things in it, as a list; empty if there is no region."""
    things, regions = given.patches("of"), given.patches("box")
    return sorted(regions, key=lambda region: -sum(thing.is_in(region) for thing in things))[:1]


OPERATIONS: Final[dict[str, Operation]] = {
    "LOC": _loc,
    "COUNT": _count,
    "VQA": _vqa,
    "EVAL": _eval,
    "RESULT": _result,
    "CROP": _crop,
    "CROP_LEFTOF": _crop_beside(lambda thing, whole: (whole[0], whole[1], thing[0], whole[3])),
    "CROP_RIGHTOF": _crop_beside(lambda thing, whole: (thing[2], whole[1], whole[2], whole[3])),
    "CROP_ABOVE": _crop_beside(lambda thing, whole: (whole[0], whole[1], whole[2], thing[1])),
    "CROP_BELOW": _crop_beside(lambda thing, whole: (whole[0], thing[3], whole[2], whole[3])),
    **dict.fromkeys(
        ("CROP_FRONTOF", "CROP_INFRONTOF", "CROP_INFRONT", "CROP_BEHIND", "CROP_AHEAD"), _crop_beside(_around)
    ),
    "INSIDE": _inside,
    "OUTSIDE": _outside,
    "WITHOUT": _without,
    "TOPMOST": _first(lambda thing: thing.middle[1]),
    "BOTTOMMOST": _first(lambda thing: -thing.middle[1]),
    "LEFTMOST": _first(lambda thing: thing.middle[0]),
    "RIGHTMOST": _first(lambda thing: -thing.middle[0]),
    "TOP_ROW": _top_row,
    "FULLEST": _fullest,
}
"""The operations of step programs by name."""


def _shown(result: object) -> tuple[str, list[Box]]:
    """Describe a result briefly, with its boxes in the picture."""
    if isinstance(result, list):
        return f"{len(result)} found", [patch.box for patch in result]
    if isinstance(result, PictureView):
        return ("a part of the picture", [result.part.box]) if result.part else ("the picture", [])
    return str(result)[:LONGEST_TEXT], []
