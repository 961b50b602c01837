"""Many things at a time, each once, and a stop that loses nothing: what runs, audits and every other asking share."""

import asyncio
from collections.abc import Awaitable, Callable, Iterator
from typing import Generic, TypeVar

from countersight.engine.retry import Stopped
from countersight.errors import CountersightError

SYNC_SECONDS = 1.0
TURNS = 64

One = TypeVar("One")


class Workers(Generic[One]):
    """Takes one thing after the other, so many at a time; what stops one lets the others finish what they have."""

    def __init__(
        self, take: Callable[[One], Awaitable[None]], *, stop: asyncio.Event, sync: Callable[[], None]
    ) -> None:
        """`take` does the work of one thing; `sync` brings what was written so far to the disk itself."""
        self._take = take
        self._stop = stop
        self._sync = sync
        self._fatal: Exception | None = None

    async def work(self, those: Iterator[One], concurrency: int) -> None:
        """Until none is left, or the work is stopped. Raises where every further one would fail too."""
        syncing = asyncio.create_task(self._sync_for_ever())
        try:
            async with asyncio.TaskGroup() as group:
                for _ in range(concurrency):
                    group.create_task(self._one_by_one(those))
        finally:
            syncing.cancel()
        if self._fatal:
            raise self._fatal

    async def _one_by_one(self, those: Iterator[One]) -> None:
        count = 0
        while not self._stop.is_set():
            try:
                one = next(those, None)
                if one is None:
                    return
                await self._take(one)
            except Stopped:
                return
            except (CountersightError, OSError) as error:
                self._end(error)
                return
            count += 1
            if count % TURNS == 0:  # work that never waits would keep the loop from hearing Ctrl-C
                await asyncio.sleep(0)

    async def _sync_for_ever(self) -> None:
        while True:
            await asyncio.sleep(SYNC_SECONDS)
            try:
                await asyncio.to_thread(self._sync)
            except OSError as error:
                self._end(error)

    def _end(self, error: Exception) -> None:
        self._fatal = self._fatal or error
        self._stop.set()
