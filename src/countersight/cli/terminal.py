"""Safe handling of Ctrl-C in a terminal."""

import signal
import sys
from collections.abc import Awaitable, Callable
from typing import TYPE_CHECKING, Final, TypeVar

if TYPE_CHECKING:
    import asyncio

T = TypeVar("T")

RESUME_MESSAGE: Final = "Stopped. Run the same command again to continue."
EXIT_STOPPED: Final = 130


def run_interruptible(work: Callable[["asyncio.Event"], Awaitable[T]], waits_for: str) -> T | None:
    """Run work that Ctrl-C can stop through an event; returns None if the work was abandoned.

    The first Ctrl-C waits for requests in progress, the second abandons them.
    """
    from countersight.engine import run_loop

    return run_loop(_run_interruptible(work, waits_for))


async def _run_interruptible(work: Callable[["asyncio.Event"], Awaitable[T]], waits_for: str) -> T | None:
    import asyncio

    stop = asyncio.Event()
    task = asyncio.ensure_future(work(stop))

    def interrupt() -> None:
        if stop.is_set():
            task.cancel()
        else:
            stop.set()
            print(
                f"\nStopping: waiting for {waits_for} in progress; press Ctrl-C again to abandon them.", file=sys.stderr
            )

    loop = asyncio.get_running_loop()
    for number in (signal.SIGINT, signal.SIGTERM):
        loop.add_signal_handler(number, interrupt)
    try:
        return await task
    except asyncio.CancelledError:
        return None
