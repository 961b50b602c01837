"""Concurrent work: a pool of workers, the event loop, and synchronous wrappers of asynchronous functions."""

import asyncio
import functools
from collections.abc import Awaitable, Callable, Coroutine, Iterator
from concurrent.futures import Future, ThreadPoolExecutor, wait
from typing import Any, Generic, ParamSpec, TypeVar

from countersight.engine.retry import Stopped
from countersight.errors import CountersightError

SYNC_SECONDS = 1.0
ITEMS_BETWEEN_YIELDS = 64

Item = TypeVar("Item")
T = TypeVar("T")
P = ParamSpec("P")


class Workers(Generic[Item]):
    """Processes items with a limited number of concurrent tasks; after a fatal error, the other tasks finish their
    current item."""

    def __init__(
        self, take: Callable[[Item], Awaitable[None]], *, stop: asyncio.Event, sync: Callable[[], None]
    ) -> None:
        """`take` processes one item; `sync` flushes everything written so far to the disk."""
        self._take = take
        self._stop = stop
        self._sync = sync
        self._fatal: Exception | None = None

    async def work(self, items: Iterator[Item], concurrency: int) -> None:
        """Process all items until none is left or `stop` is set; raises an error that would affect every remaining
        item."""
        syncing = asyncio.create_task(self._sync_for_ever())
        try:
            async with asyncio.TaskGroup() as group:
                for _ in range(concurrency):
                    group.create_task(self._one_by_one(items))
        finally:
            syncing.cancel()
        if self._fatal:
            raise self._fatal

    async def _one_by_one(self, items: Iterator[Item]) -> None:
        count = 0
        while not self._stop.is_set():
            try:
                item = next(items, None)
                if item is None:
                    return
                await self._take(item)
            except Stopped:
                return
            except (CountersightError, OSError) as error:
                self._end(error)
                return
            count += 1
            if (
                count % ITEMS_BETWEEN_YIELDS == 0
            ):  # without this, work that never waits would keep the loop from handling Ctrl-C
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
    """Run a coroutine to completion, with uvloop if it is installed, which needs slightly less CPU per HTTP request."""
    try:
        from uvloop import new_event_loop
    except ImportError:  # uvloop does not exist for Windows
        return asyncio.run(work)
    with asyncio.Runner(loop_factory=new_event_loop) as runner:
        return runner.run(work)


def blocking(work: Callable[[], Coroutine[Any, Any, T]]) -> T:
    """Run a coroutine to completion, even if an event loop is already running, as in a notebook.

    In that case the coroutine runs in another thread; an interrupt of this thread cancels it.
    """
    try:
        loop = asyncio.get_running_loop()
    except RuntimeError:
        loop = None
    if loop is None:  # outside the `except` block, so that errors of `work` are not chained to its exception
        return run_loop(work())
    cancel_ready: Future[Callable[[], object]] = Future()

    async def cancellable() -> T:
        task, loop = asyncio.current_task(), asyncio.get_running_loop()
        assert task is not None
        cancel_ready.set_result(lambda: loop.call_soon_threadsafe(task.cancel))
        return await work()

    with ThreadPoolExecutor(1) as thread:
        running = thread.submit(lambda: run_loop(cancellable()))
        try:
            return running.result()
        except KeyboardInterrupt:
            cancel_ready.result()()
            wait([running])
            raise


def synchronous(function: Callable[P, Coroutine[Any, Any, T]]) -> Callable[P, T]:
    """Return the synchronous version of an asynchronous function: `run` for `run_async`."""

    @functools.wraps(function)
    def call(*arguments: P.args, **named: P.kwargs) -> T:
        return blocking(lambda: function(*arguments, **named))

    call.__name__ = call.__qualname__ = function.__name__.removesuffix("_async")
    return call
