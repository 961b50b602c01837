"""How much a program may take: it was written by a model, and nobody has read it."""

import asyncio
from collections.abc import Awaitable
from time import perf_counter
from typing import TypeVar

import msgspec

from countersight.programs.failures import ProgramFailed

Value = TypeVar("Value")


class Limits(msgspec.Struct, frozen=True):
    """What one program may take before it is stopped and its case has failed."""

    seconds: float = 5.0
    """Time it may compute; an ordinary program takes a few milliseconds, and a thousand times as long on a machine that
    is busy with other things. Waiting for a tool does not count."""
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


class ToolTime:
    """What is left of the time that the tools of one program may take."""

    def __init__(self, limits: Limits) -> None:
        self._all = self._left = limits.waiting

    async def spend(self, waiting: Awaitable[Value]) -> Value:
        """What a tool gives, if it does in time; raises ProgramFailed."""
        started = perf_counter()
        try:
            async with asyncio.timeout(self._left) as retry:
                return await waiting
        except TimeoutError:
            if not retry.expired():  # the tool's own
                raise
            raise ProgramFailed("timeout", f"its tools took more than {self._all:g} s") from None
        finally:
            self._left -= perf_counter() - started
