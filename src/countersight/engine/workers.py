"""Concurrent work: a pool of workers, the event loop, and asynchronous work for synchronous callers."""

import asyncio
import functools
from collections.abc import Awaitable, Callable, Coroutine, Iterator
from concurrent.futures import Future, ThreadPoolExecutor, wait
from typing import Any, Generic, ParamSpec, TypeVar

from countersight.engine.retry import Stopped
from countersight.errors import CountersightError

SYNC_SECONDS = 1.0
TURNS = 64

One = TypeVar("One")
T = TypeVar("T")
P = ParamSpec("P")


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


def run_loop(work: Coroutine[Any, Any, T]) -> T:
    """Do the work and wait for it. uvloop takes a little less of the processor for a question over HTTP."""
    try:
        from uvloop import new_event_loop
    except ImportError:  # there is none for Windows
        return asyncio.run(work)
    with asyncio.Runner(loop_factory=new_event_loop) as runner:
        return runner.run(work)


def blocking(work: Callable[[], Coroutine[Any, Any, T]]) -> T:
    """Do the work and wait for it, also where a loop is running already, as in a notebook."""
    try:
        asyncio.get_running_loop()
    except RuntimeError:
        return run_loop(work())
    return _beside(work)


def _beside(work: Callable[[], Coroutine[Any, Any, T]]) -> T:
    """Do the work in a loop of its own beside the one that waits for us; whoever interrupts us stops it."""
    begun: Future[Callable[[], object]] = Future()

    async def stoppable() -> T:
        task, loop = asyncio.current_task(), asyncio.get_running_loop()
        assert task is not None
        begun.set_result(lambda: loop.call_soon_threadsafe(task.cancel))
        return await work()

    with ThreadPoolExecutor(1) as thread:
        running = thread.submit(lambda: run_loop(stoppable()))
        try:
            return running.result()
        except KeyboardInterrupt:
            begun.result()()
            wait([running])
            raise


def synchronous(function: Callable[P, Coroutine[Any, Any, T]]) -> Callable[P, T]:
    """The same function for those who do not write asynchronous code: `run` of `run_async`."""

    @functools.wraps(function)
    def call(*arguments: P.args, **named: P.kwargs) -> T:
        return blocking(lambda: function(*arguments, **named))

    call.__name__ = call.__qualname__ = function.__name__.removesuffix("_async")
    return call
