"""Ctrl-C that loses nothing: the first waits for what is under way, the second leaves it."""

import signal
import sys
from collections.abc import Awaitable, Callable
from typing import TYPE_CHECKING, TypeVar

if TYPE_CHECKING:
    import asyncio

T = TypeVar("T")

GOES_ON = "Stopped. The same command goes on from here."
STOPPED = 130


def stoppable(work: Callable[["asyncio.Event"], Awaitable[T]], waits_for: str) -> T | None:
    """Do work that Ctrl-C stops: it is handed an event that says so. None where it was left."""
    from countersight.engine import run_loop

    return run_loop(_stoppable(work, waits_for))


async def _stoppable(work: Callable[["asyncio.Event"], Awaitable[T]], waits_for: str) -> T | None:
    import asyncio

    stop = asyncio.Event()
    task = asyncio.ensure_future(work(stop))

    def interrupt() -> None:
        if stop.is_set():
            task.cancel()
        else:
            stop.set()
            print(f"\nStopping: waiting for the {waits_for} under way; Ctrl-C again to leave them.", file=sys.stderr)

    loop = asyncio.get_running_loop()
    for number in (signal.SIGINT, signal.SIGTERM):
        loop.add_signal_handler(number, interrupt)
    try:
        return await task
    except asyncio.CancelledError:
        return None
