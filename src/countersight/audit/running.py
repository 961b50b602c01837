"""Many cases at a time, each step once, and a stop that loses nothing."""

import asyncio
import signal
import sys
from collections.abc import Awaitable, Callable, Iterator
from typing import Generic, Protocol, TypeVar

from countersight.audit.steps import Steps
from countersight.audit.tally import AuditTally
from countersight.engine import Stopped
from countersight.errors import CountersightError

SYNC_SECONDS = 1.0


class Named(Protocol):
    """Anything with an id."""

    @property
    def id(self) -> str:
        """By which its steps know it."""
        ...


One = TypeVar("One", bound=Named)


async def stoppable(work: Callable[[asyncio.Event], Awaitable[None]]) -> bool:
    """Do work that Ctrl-C stops between steps; whether it was stopped."""
    stop = asyncio.Event()
    task = asyncio.ensure_future(work(stop))

    def interrupt() -> None:
        if stop.is_set():
            task.cancel()
        else:
            stop.set()
            print("\nStopping: waiting for the steps under way; Ctrl-C again to leave them.", file=sys.stderr)

    loop = asyncio.get_running_loop()
    for number in (signal.SIGINT, signal.SIGTERM):
        loop.add_signal_handler(number, interrupt)
    try:
        await task
    except asyncio.CancelledError:
        return True
    return stop.is_set()


class Runner(Generic[One]):
    """Takes one after the other through its steps, so many at a time; what stops it lets the others finish theirs."""

    def __init__(
        self,
        take: Callable[[int, One], Awaitable[None]],
        steps: Steps,
        tally: AuditTally,
        full: int,
        stop: asyncio.Event,
    ) -> None:
        """`take` is told the row of each; `full` is the most steps one can take."""
        self._take = take
        self._steps = steps
        self._tally = tally
        self._full = full
        self._stop = stop
        self._fatal: Exception | None = None

    async def run(self, those: Iterator[tuple[int, One]], concurrency: int) -> None:
        """Until none is left, or the work is stopped; raises where every further step would fail too."""
        self._tally.limit = concurrency
        syncing = asyncio.create_task(self._sync_for_ever())
        try:
            async with asyncio.TaskGroup() as group:
                for _ in range(concurrency):
                    group.create_task(self._work(those))
        finally:
            syncing.cancel()
        if self._fatal:
            raise self._fatal
        self._tally.total = self._tally.done

    async def _work(self, those: Iterator[tuple[int, One]]) -> None:
        while not self._stop.is_set():
            try:
                row, one = next(those, (-1, None))
                if one is None:
                    return
                self._tally.cases += 1
                await self._take(row, one)
                self._tally.total -= self._full - self._steps.taken.pop(one.id, 0)
            except Stopped:
                return
            except (CountersightError, OSError) as error:
                self._fatal = self._fatal or error
                self._stop.set()
                return

    async def _sync_for_ever(self) -> None:
        while True:
            await asyncio.sleep(SYNC_SECONDS)
            try:
                await asyncio.to_thread(self._steps.sync)
            except OSError as error:
                self._fatal = self._fatal or error
                self._stop.set()
