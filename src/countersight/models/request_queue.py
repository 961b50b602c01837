"""A queue of questions for a model in this process: a thread processes them in batches.

Batches are as large as memory allows. The limit is found by trial: if a batch does not fit, half of it is tried, and
later batches are not larger. No question is lost. Further questions can join a running batch, so that the device is
never idle.
"""

import asyncio
import contextlib
import gc
import sys
import threading
from collections.abc import Callable, Hashable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import chain, count
from typing import Any, TypeVar

from countersight.errors import AskingFailed, ModelError
from countersight.text import printable

Item = TypeVar("Item")
Result = TypeVar("Result")


class Feed(dict[int, Item]):
    """The questions of a batch by number. More can be added while the batch runs; answered ones are removed."""

    def __init__(
        self, requests: Iterable[Item], most: int = 0, further: Callable[[], Iterable[Item]] = lambda: ()
    ) -> None:
        super().__init__(enumerate(requests))
        self.most = most or len(self)
        """The maximum number of concurrent answers."""
        self._further, self._number = further, len(self)

    def more(self) -> list[int]:
        """Add questions that have arrived and fit, and return their numbers."""
        added = dict(enumerate(self._further(), self._number))
        self.update(added)
        self._number += len(added)
        return list(added)

    def answered(self, results: Iterable[tuple[int, Result]]) -> Iterator[tuple[int, Result]]:
        """Yield the results of questions, and remove the questions."""
        for number, result in results:
            del self[number]
            yield number, result


_AHEAD = 2
"""The number of batches in progress if requests can join later: one is prepared while the other runs."""
CLOSING = 10.0
"""The number of seconds that `Queue.close` waits for the current batch."""


Work = Callable[[Feed[Any]], Iterable[tuple[int, Any]]]
"""A function that processes questions and yields their results by number; a result may be an exception."""


@dataclass(frozen=True, slots=True, eq=False)
class _Job:
    work: Work
    item: Any
    future: asyncio.Future[Any]
    loop: asyncio.AbstractEventLoop
    kind: Hashable
    weight: int
    scene: Hashable

    def tell(self, result: Any) -> None:
        def settle() -> None:
            if self.future.done():  # the caller was cancelled
                return
            if isinstance(result, BaseException):
                self.future.set_exception(result)
            else:
                self.future.set_result(result)

        with contextlib.suppress(RuntimeError):  # the event loop may be closed by now
            self.loop.call_soon_threadsafe(settle)


class Queue:
    """Collects questions into batches of at most `most` questions, whose weight when padded is at most `room`."""

    def __init__(self, most: int, room: float = float("inf"), quiet: float = 0.02) -> None:
        self.most = most
        self.room = room
        self._room_before = room
        """The value of `room` with which a batch last fitted into memory."""
        self._quiet = quiet
        """The number of seconds without a new question after which waiting questions are processed."""
        self._waiting: list[_Job] = []
        self._changed = threading.Condition()
        self._closed = threading.Event()
        self._thread: threading.Thread | None = None
        self._fatal: ModelError | None = None

    def renewed(self) -> "Queue":
        """Return an empty queue with the same limits, for a model that is used again after it was closed."""
        return Queue(self.most, self.room, self._quiet)

    @property
    def closed(self) -> bool:
        """Whether the queue was closed."""
        return self._closed.is_set()

    async def ask(
        self, work: Work, item: Any, *, kind: Hashable = None, weight: int = 1, scene: Hashable = None
    ) -> Any:
        """Queue a question and return what `work` computes for it.

        A batch has one `work` and one `kind`. Its memory depends on the largest `weight`. Questions about one `scene`
        stay together.
        """
        if self.closed:
            raise RuntimeError("the model was closed")
        if self._fatal:
            raise self._fatal
        loop = asyncio.get_running_loop()
        future: asyncio.Future[Any] = loop.create_future()
        job = _Job(work, item, future, loop, (work, kind), weight, future if scene is None else scene)
        with self._changed:
            self._waiting.append(job)
            self._changed.notify()
        if self._thread is None:
            # A daemon thread, so that a long batch does not keep the program from exiting.
            self._thread = threading.Thread(target=self._serve, name="countersight-questions", daemon=True)
            self._thread.start()
        return await future

    async def close(self) -> None:
        """Cancel waiting questions and end the thread."""
        self._closed.set()
        with self._changed:
            left, self._waiting = self._waiting, []
            self._changed.notify()
        for job in left:
            job.future.cancel()
        if self._thread is not None:
            await asyncio.to_thread(self._thread.join, CLOSING)

    def _serve(self) -> None:
        while not self.closed:
            self._process(self._gather())
        self._tell_all(self._waiting, asyncio.CancelledError())  # put back while the queue was closed

    def _tell_all(self, jobs: Iterable[_Job], result: Any) -> None:
        """Pass a result to the callers. A result cut short by closing the queue is not an answer."""
        for job in jobs:
            job.tell(asyncio.CancelledError() if self.closed else result)

    def _gather(self) -> list[_Job]:
        """Wait for questions and return the next batch, which is empty after closing."""
        with self._changed:
            while not self._waiting and not self.closed:
                self._changed.wait()
            there = 0
            while there < len(self._waiting) < self.most and not self.closed:
                there = len(self._waiting)
                self._changed.wait(self._quiet)
        return self._take()

    def _process(self, batch: list[_Job]) -> None:
        """Process a batch and pass on the results as they arrive; jobs that did not fit are queued again."""
        parts = [batch]
        growing = True
        while parts:
            part = parts.pop()
            error = self._attempt(part, growing=growing)
            growing = False
            if self.closed:
                return self._tell_all(chain(part, *parts), asyncio.CancelledError())
            if error is None:
                self._room_before = self.room
            elif isinstance(error, ModelError):  # the following questions cannot be answered either
                self._fatal = error
                with self._changed:
                    rest, self._waiting = [*parts, self._waiting], []
                return self._tell_all(chain(part, *rest), error)
            elif len(part) == 1:
                if is_out_of_memory(error):  # this question alone is too large; the limit for others stays
                    free_memory()
                    self.room = self._room_before
                self._tell_all(part, _asking_failure(error))
            elif is_out_of_memory(error):
                free_memory()
                self.room = min(self.room, len(part) * max(job.weight for job in part)) / 2
                with self._changed:
                    self._waiting[:0] = chain(part, *parts)
                return None
            else:  # one of them is the cause: find out which
                half = len(part) // 2
                parts += [part[half:], part[:half]]
        return None

    def _attempt(self, part: list[_Job], *, growing: bool) -> Exception | None:
        """Compute jobs and return the error, if any; jobs without a result stay in `part`."""
        if not part:
            return None
        jobs, kind = dict(enumerate(part)), part[0].kind

        def further() -> Iterator[Any]:
            for job in self._take(kind, list(jobs.values())):
                jobs[next(numbers)] = job
                yield job.item

        numbers = count(len(part))
        feed = Feed([job.item for job in part], self.most, further if growing else lambda: ())
        try:
            for number, result in feed.answered(part[0].work(feed)):
                self._tell_all([jobs.pop(number)], result)
            if jobs:
                raise ValueError(f"{len(jobs)} questions got neither an answer nor an error")
        except Exception as error:  # a model may raise anything; the caller gets the exception
            # The traceback keeps references to tensors that use memory.
            error.__traceback__ = error.__context__ = error.__cause__ = None
            if isinstance(error, RuntimeError) and "CUDA error" in str(error) and not is_out_of_memory(error):
                # The device failed and cannot compute anything more in this process.
                return ModelError(f"{_shorten_error(error)}; run the same command to continue")
            return error
        finally:
            part[:] = jobs.values()
        return None

    def _take(self, kind: Hashable = None, under_way: Sequence[_Job] = ()) -> list[_Job]:
        """Take waiting jobs of one kind, as many as fit next to those in progress."""
        with self._changed:
            self._waiting = [job for job in self._waiting if not job.future.cancelled()]
            if kind:  # further questions for work in progress
                taken = self._fitting(kind, under_way, _AHEAD * self.most, _AHEAD * self.room)
            elif taken := self._fitting(self._waiting[0].kind, [], self.most, self.room) if self._waiting else []:
                # The questions about one picture may exceed the limit.
                most = int(min(self.most, self.room / max(job.weight for job in taken)))
                taken = taken[: max(1, most)]
            chosen = set(taken)
            self._waiting = [job for job in self._waiting if job not in chosen]
        return taken

    def _fitting(self, kind: Hashable, under_way: Sequence[_Job], most: int, room: float) -> list[_Job]:
        """Return waiting questions that fit, largest first, so that insufficient memory is detected early."""
        scenes: dict[Hashable, list[_Job]] = {}
        for job in self._waiting:
            if job.kind == kind:
                scenes.setdefault(job.scene, []).append(job)
        found: list[_Job] = []
        number, heaviest = len(under_way), max((job.weight for job in under_way), default=0)
        for scene in sorted(scenes.values(), key=lambda jobs: -max(job.weight for job in jobs)):
            number, heaviest = number + len(scene), max(heaviest, *(job.weight for job in scene))
            if (found or under_way) and (number > most or heaviest * number > room):
                break
            found += scene
        return found


def _asking_failure(error: Exception) -> Exception:
    """Return the exception for a question without an answer."""
    if isinstance(error, AskingFailed):
        return error
    if is_out_of_memory(error):
        return AskingFailed("this question does not fit into memory, even in a batch of one", again=False)
    return AskingFailed(f"the model failed ({_shorten_error(error)})", again=False)


def _shorten_error(error: Exception) -> str:
    text = printable(f"{type(error).__name__}: {error}")
    return text if len(text) <= 200 else text[:200] + "…"


_SIGNS = ("out of memory", "alloc_failed", "can't allocate memory", "not enough memory")
"""Phrases in exceptions of other types that mean that a device is out of memory."""


def is_out_of_memory(error: BaseException) -> bool:
    """Whether an error means that memory ran out, on any device."""
    if isinstance(error, MemoryError) or type(error).__name__ == "OutOfMemoryError":  # torch has one of its own
        return True
    return isinstance(error, RuntimeError) and any(sign in str(error).lower() for sign in _SIGNS)


def free_memory() -> None:
    """Release unused memory of the process and, if torch is loaded, of the device."""
    gc.collect()
    torch = sys.modules.get("torch")
    if torch is None:
        return
    if torch.cuda.is_available():
        torch.cuda.empty_cache()
    elif torch.backends.mps.is_available():
        torch.mps.empty_cache()
