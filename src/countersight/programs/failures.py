"""What a program may take, how it can fail, and what is kept of what it did."""

import asyncio
from collections.abc import Awaitable, Iterable
from time import perf_counter
from typing import Literal, TypeVar

import msgspec

from countersight.case import ToolCall, Trace
from countersight.detection import Box
from countersight.text import printable

FailureKind = Literal[
    "no program",
    "syntax error",
    "unknown tool",
    "tool failure",
    "wrong type of answer",
    "timeout",
    "memory",
    "too many calls",
    "too deep",
    "forbidden",
    "error",
]
"""From the code model that wrote none to the program that broke down by itself; "forbidden" is one that reached for
files, the network or the machine."""

LONGEST_REASON = 200


class ProgramFailed(Exception):  # noqa: N818 - it names what happened
    """A program that gave no answer. The message is the reason; `kind` says of which sort it is."""

    def __init__(self, kind: FailureKind, reason: str) -> None:
        reason = printable(reason[: 2 * LONGEST_REASON])  # it may hold what the program said
        super().__init__(reason if len(reason) <= LONGEST_REASON else reason[:LONGEST_REASON] + "…")
        self.kind = kind


Value = TypeVar("Value")


class Limits(msgspec.Struct, frozen=True):
    """What one program may take before it is stopped and its case has failed."""

    seconds: float = 5.0
    """Time it may compute; an ordinary program takes a few milliseconds, and a thousand times as long on a machine that
    is busy with other things. Waiting for a tool does not count."""
    wall: float = 60.0
    """Seconds by the clock that a program of steps may compute, on however busy a machine. A Python program's time is
    always the clock's."""
    waiting: float = 600.0
    """Seconds that its tools may take together. What waits in a queue of ours for its turn takes nothing."""
    memory: int = 32 * 1024 * 1024
    """Bytes; an ordinary program needs less than one million."""
    calls: int = 64
    """Questions to the eyes and to the language model."""
    round_trips: int = 5_000
    """Everything it may ask of us, comparing patches included."""
    depth: int = 200
    """Calls of functions within functions."""


class Clock:
    """What is left of the seconds by the clock that a program may take for one thing."""

    def __init__(self, seconds: float, exceeded: str) -> None:
        self._left, self._exceeded = seconds, exceeded

    async def spend(self, waiting: Awaitable[Value]) -> Value:
        """What is waited for, if it comes in time; raises ProgramFailed."""
        started = perf_counter()
        try:
            async with asyncio.timeout(self._left) as time_limit:
                return await waiting
        except TimeoutError:
            if not time_limit.expired():  # the tool's own
                raise
            raise ProgramFailed("timeout", self._exceeded) from None
        finally:
            self._left -= perf_counter() - started


def tool_clock(limits: Limits) -> Clock:
    """The time that the tools of one program may take."""
    return Clock(limits.waiting, f"its tools took more than {limits.waiting:g} s")


LONGEST_PROGRAM = 8_000
LONGEST_TEXT = 200
MOST_CALLS = 64
MOST_BOXES = 64


class Tracing:
    """The calls of one program, noted as they happen."""

    def __init__(self) -> None:
        self._calls: list[ToolCall] = []
        self._unkept = 0

    def note(self, name: str, arguments: str, result: str, boxes: Iterable[Box] = ()) -> None:
        """Note a call and what it gave."""
        if len(self._calls) >= MOST_CALLS:
            self._unkept += 1
            return
        found = tuple(box for box, _ in zip(boxes, range(MOST_BOXES), strict=False))
        self._calls.append(ToolCall(shortened(name), shortened(arguments), shortened(result), found))

    def trace(self, program: str, failure: str = "") -> Trace:
        """All that was noted, with the program it belongs to."""
        return Trace(shortened(program, LONGEST_PROGRAM), tuple(self._calls), self._unkept, failure)


def shortened(text: str, longest: int = LONGEST_TEXT) -> str:
    """A text that is not too long to keep, and that can be written to a file."""
    text = text if len(text) <= longest else text[: longest - 1] + "…"
    return text if text.isascii() else text.encode("utf-8", "replace").decode()
