"""Asynchronous work for those who do not write asynchronous code: in a script, in a thread, in a notebook."""

import asyncio
from collections.abc import Callable, Coroutine
from concurrent.futures import Future, ThreadPoolExecutor, wait
from typing import Any, TypeVar

from countersight.engine.loops import run_loop

T = TypeVar("T")


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
