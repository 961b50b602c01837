"""Asynchronous work for those who do not write asynchronous code: in a script, in a thread, in a notebook."""

import asyncio
from collections.abc import Callable, Coroutine
from concurrent.futures import ThreadPoolExecutor
from typing import Any, TypeVar

T = TypeVar("T")


def blocking(work: Callable[[], Coroutine[Any, Any, T]]) -> T:
    """Do the work and wait for it, also where a loop is running already, as in a notebook."""
    try:
        asyncio.get_running_loop()
    except RuntimeError:
        return asyncio.run(work())
    with ThreadPoolExecutor(1) as thread:  # a loop of its own beside the one that waits for us
        return thread.submit(lambda: asyncio.run(work())).result()
