"""A bound on how long an exchange takes, kept by one timer for all that are under way."""

import asyncio
from types import TracebackType


class Deadline:
    """Ends with TimeoutError what a task does within it for longer than so many seconds.

    As `asyncio.timeout`, but since all may take the same time, the oldest ends first and one timer is enough: a timer
    for each would be a tenth of what a question over HTTP costs.
    """

    def __init__(self, seconds: float) -> None:
        self._seconds = seconds
        self._begun: dict[asyncio.Task[object], tuple[float, int]] = {}
        """When each task entered, the oldest first, and how often it had been told to stop before."""
        self._late: dict[asyncio.Task[object], int] = {}
        self._timer: asyncio.TimerHandle | None = None

    def __enter__(self) -> None:
        task, loop = asyncio.current_task(), asyncio.get_running_loop()
        assert task is not None
        self._begun[task] = (loop.time(), task.cancelling())
        if self._timer is None:
            self._timer = loop.call_later(self._seconds, self._look)

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        task = asyncio.current_task()
        assert task is not None
        self._begun.pop(task, None)
        if task in self._late:
            before = self._late.pop(task)
            # Somebody else may have told it to stop meanwhile: then it stops.
            if task.uncancel() <= before and kind is asyncio.CancelledError:
                raise TimeoutError from error

    def rest(self) -> None:
        """Let go of the timer, and so of the loop."""
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None

    def _look(self) -> None:
        """End those that are late, and look again when the next may be."""
        loop = asyncio.get_running_loop()
        self._timer = None
        while self._begun:
            task, (begun, before) = next(iter(self._begun.items()))
            if begun + self._seconds > loop.time():
                self._timer = loop.call_at(begun + self._seconds, self._look)
                return
            del self._begun[task]
            self._late[task] = before
            task.cancel()
