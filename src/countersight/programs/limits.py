"""The limits of a program (time, memory, calls, depth), the kinds of failures, and the record of its tool calls."""

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
"""Why a program failed; "forbidden" means that it tried to access files, the network or the machine."""

LONGEST_REASON = 200


class ProgramFailed(Exception):  # noqa: N818 - the name says what happened
    """Raised if a program gave no answer; the message is the reason, and `kind` the kind of failure."""

    def __init__(self, kind: FailureKind, reason: str) -> None:
        reason = printable(reason[: 2 * LONGEST_REASON])  # the reason may contain text of the program
        super().__init__(reason if len(reason) <= LONGEST_REASON else reason[:LONGEST_REASON] + "…")
        self.kind = kind


Value = TypeVar("Value")


class Limits(msgspec.Struct, frozen=True):
    """Limits of one program; if one is exceeded, the program is stopped and its question fails."""

    seconds: float = 5.0
    """The maximum number of seconds that a Python program may run. An ordinary program takes a few milliseconds, or up
    to a thousand times as long on a busy machine. Waiting for a tool does not count."""
    step_seconds: float = 60.0
    """The maximum number of seconds that a step program may run. Its steps may have to wait, because programs share
    threads.
    """
    waiting: float = 600.0
    """The maximum total time of its tools in seconds, without the time in Countersight's own queues."""
    memory: int = 32 * 1024 * 1024
    """The maximum memory in bytes; an ordinary program needs less than one million."""
    calls: int = 64
    """The maximum number of questions to the vision tools and to the language model."""
    round_trips: int = 5_000
    """The maximum number of calls, including comparisons of patches."""
    depth: int = 200
    """The maximum depth of nested function calls."""


class Clock:
    """The remaining wall-clock time of a program for one purpose."""

    def __init__(self, seconds: float, exceeded: str) -> None:
        self._left, self._exceeded = seconds, exceeded

    async def spend(self, waiting: Awaitable[Value]) -> Value:
        """Await something within the remaining time; raises ProgramFailed."""
        started = perf_counter()
        try:
            async with asyncio.timeout(self._left) as time_limit:
                return await waiting
        except TimeoutError:
            if not time_limit.expired():  # a timeout of the tool itself
                raise
            raise ProgramFailed("timeout", self._exceeded) from None
        finally:
            self._left -= perf_counter() - started


def tool_clock(limits: Limits) -> Clock:
    """Return the time limit for the tools of one program."""
    return Clock(limits.waiting, f"its tools took more than {limits.waiting:g} s")


LONGEST_PROGRAM = 8_000
LONGEST_TEXT = 200
MOST_CALLS = 64
MOST_BOXES = 64


class Tracing:
    """Records the calls of one program."""

    def __init__(self) -> None:
        self._calls: list[ToolCall] = []
        self._unkept = 0

    def note(self, name: str, arguments: str, result: str, boxes: Iterable[Box] = ()) -> None:
        """Record a call and its result."""
        if len(self._calls) >= MOST_CALLS:
            self._unkept += 1
            return
        found = tuple(box for box, _ in zip(boxes, range(MOST_BOXES), strict=False))
        self._calls.append(ToolCall(shortened(name), shortened(arguments), shortened(result), found))

    def trace(self, program: str, failure: str = "") -> Trace:
        """Return the recorded calls with their program."""
        return Trace(shortened(program, LONGEST_PROGRAM), tuple(self._calls), self._unkept, failure)


def shortened(text: str, longest: int = LONGEST_TEXT) -> str:
    """Shorten a text to `longest` characters, and make it encodable."""
    text = text if len(text) <= longest else text[: longest - 1] + "…"
    return text if text.isascii() else text.encode("utf-8", "replace").decode()
