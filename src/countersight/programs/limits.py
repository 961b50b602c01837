"""The limits of a program: computing time, waiting time, memory, calls and depth."""

import asyncio
from collections.abc import Awaitable
from time import perf_counter
from typing import TypeVar

import msgspec

from countersight.programs.failures import ProgramFailed

Value = TypeVar("Value")


class Limits(msgspec.Struct, frozen=True):
    """Limits of one program; if one is exceeded, the program is stopped and its question fails."""

    seconds: float = 5.0
    """The maximum computing time in seconds. An ordinary program takes a few milliseconds, or up to a thousand times as
    long on a busy machine. Waiting for a tool does not count."""
    wall: float = 60.0
    """The maximum wall-clock seconds of a step program. For Python programs, all time is wall-clock time."""
    waiting: float = 600.0
    """The maximum time of its tools in seconds, in total, without the time in Countersight's own queues."""
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
