"""The loop that asynchronous work runs in: the fastest that is installed."""

import asyncio
from collections.abc import Coroutine
from typing import Any, TypeVar

T = TypeVar("T")


def run_loop(work: Coroutine[Any, Any, T]) -> T:
    """Do the work and wait for it. uvloop takes a little less of the processor for a question over HTTP."""
    try:
        from uvloop import new_event_loop
    except ImportError:  # there is none for Windows
        return asyncio.run(work)
    with asyncio.Runner(loop_factory=new_event_loop) as runner:
        return runner.run(work)
