"""Run work in several processes, with results in order."""

import os
import signal
import sys
import threading
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sized
from concurrent.futures import Future, ProcessPoolExecutor
from contextlib import contextmanager
from multiprocessing import get_context, parent_process
from multiprocessing.connection import wait
from types import ModuleType
from typing import TypeVar

from countersight.system import cores

Task = TypeVar("Task")
Done = TypeVar("Done")


def in_order(work: Callable[[Task], Done], tasks: Iterable[Task], *, workers: int | None = None) -> Iterator[Done]:
    """Yield the results of `work` for all `tasks`, in order, using `workers` processes (default: one per core).

    `work` must have no side effects and depend only on its argument, so that it can run in any process.
    """
    workers = workers or cores()
    workers = min(workers, len(tasks)) if isinstance(tasks, Sized) else workers
    if workers <= 1:
        yield from map(work, tasks)
        return
    # Processes are spawned, not forked: the caller may run threads, such as those of a progress bar.
    pool = ProcessPoolExecutor(workers, get_context("spawn"), initializer=_exit_with_parent)
    try:
        waiting: deque[Future[Done]] = deque()
        for task in tasks:
            with _block_interrupts(), _hide_main_script():
                waiting.append(pool.submit(work, task))
            if len(waiting) > 4 * workers:  # limits the memory used
                yield waiting.popleft().result()
        while waiting:
            yield waiting.popleft().result()
    finally:
        pool.shutdown(cancel_futures=True)


@contextmanager
def _hide_main_script() -> Iterator[None]:
    """Prevent workers from importing the calling script; without a main guard, it would run again in each of them."""
    script = sys.modules["__main__"]
    sys.modules["__main__"] = ModuleType("__main__")
    try:
        yield
    finally:
        sys.modules["__main__"] = script


@contextmanager
def _block_interrupts() -> Iterator[None]:
    """Block Ctrl-C in workers started in this context; only the parent process reacts to it."""
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


def _exit_with_parent() -> None:
    """Exit when the parent process ends for any reason."""
    parent = parent_process()
    if parent is None:
        return

    def watch() -> None:
        wait([parent.sentinel])
        os._exit(1)

    threading.Thread(target=watch, daemon=True).start()
