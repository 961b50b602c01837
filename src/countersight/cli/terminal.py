"""The terminal: a progress bar, and safe handling of Ctrl-C."""

import signal
import sys
from collections.abc import Awaitable, Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Final, TypeVar

if TYPE_CHECKING:
    import asyncio

T = TypeVar("T")

RESUME_MESSAGE: Final = "Stopped. Run the same command again to continue."
EXIT_STOPPED: Final = 130


@contextmanager
def counting(what: str, total: int, unit: str) -> Iterator[Callable[[int], None]]:
    """Show a progress bar; call the yielded function with the number of finished items."""
    if not sys.stderr.isatty():
        yield lambda done: None
        return
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

    with Progress(
        TextColumn("{task.description}"),
        BarColumn(),
        MofNCompleteColumn(),
        TextColumn(unit),
        TimeRemainingColumn(),
        console=Console(file=sys.stderr),
        transient=True,
    ) as bar:
        task = bar.add_task(what, total=total)
        yield lambda done: bar.update(task, completed=done)


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
