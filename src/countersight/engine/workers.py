"""Concurrent work: a pool of workers, the event loop, and synchronous wrappers of asynchronous functions."""

import asyncio
import functools
from collections.abc import Awaitable, Callable, Coroutine, Iterator
from concurrent.futures import Future, ThreadPoolExecutor, wait
from itertools import count
from typing import Any, ParamSpec, TypeVar

from countersight.engine.retry import Stopped
from countersight.errors import CountersightError

SYNC_SECONDS = 1.0
ITEMS_BETWEEN_YIELDS = 64

Item = TypeVar("Item")
T = TypeVar("T")
P = ParamSpec("P")


async def process_all(
    items: Iterator[Item],
    take: Callable[[Item], Awaitable[None]],
    *,
    concurrency: int,
    stop: asyncio.Event,
    sync: Callable[[], None],
) -> None:
    """Process items with a limited number of concurrent tasks until none is left or `stop` is set.

    `take` processes one item; `sync`, called every second, flushes everything written so far to the disk. An error that
    would affect every remaining item is raised after the other tasks have finished their current item.
    """
    fatal: list[Exception] = []

    def end(error: Exception) -> None:
        fatal.append(error)
        stop.set()

    async def one_by_one() -> None:
        for number in count(1):
            try:
                item = None if stop.is_set() else next(items, None)
                if item is None:
                    return
                await take(item)
            except Stopped:
                return
            except (CountersightError, OSError) as error:
                end(error)
                return
            if number % ITEMS_BETWEEN_YIELDS == 0:  # otherwise work that never waits would keep the loop from Ctrl-C
                await asyncio.sleep(0)

    async def sync_for_ever() -> None:
        while True:
            await asyncio.sleep(SYNC_SECONDS)
            try:
                await asyncio.to_thread(sync)
            except OSError as error:
                end(error)

    syncing = asyncio.create_task(sync_for_ever())
    try:
        async with asyncio.TaskGroup() as group:
            for _ in range(concurrency):
                group.create_task(one_by_one())
    finally:
        syncing.cancel()
    if fatal:
        raise fatal[0]


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
