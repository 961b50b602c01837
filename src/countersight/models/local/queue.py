"""Questions that wait for a model which computes here: what has come in together is answered together.

A thread takes whatever waits and makes batches of it, as large as the memory allows. How large that is turns out by
itself: where one does not fit, half of it is tried, and no later batch is made as large. Nothing is lost by it.
"""

import asyncio
import contextlib
import threading
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from countersight.errors import AskingFailed, ModelError
from countersight.models.local.conversation import count_pictures
from countersight.models.local.memory import forget, is_full
from countersight.models.protocol import Request
from countersight.text import printable

QUIET = 0.02
"""Seconds without a new question after which those that wait are taken."""
MOST = {"cuda": 256, "mps": 64, "cpu": 64}
"""Questions in a batch at first; a graphics processor is fed while it computes, and idle only between two batches."""
ROOM = {"cuda": 131_072.0, "mps": 16_384.0, "cpu": 8_192.0}
"""Tokens in a batch at first; where graphics memory is short that turns out, but on the processor it must not."""
CLOSING = 10.0
"""Seconds for which closing waits for the batch under way."""

Work = Callable[[list[Request]], Sequence[Any]]
"""Computes what is asked about some requests, an entry for each; an entry that is an exception fails that one."""


@dataclass(frozen=True, slots=True, eq=False)
class _Job:
    work: Work
    request: Request
    future: asyncio.Future[Any]
    loop: asyncio.AbstractEventLoop
    weight: int

    @property
    def kind(self) -> tuple[Work, int]:
        """Only conversations with the same number of pictures share a batch: processors want them even."""
        return self.work, count_pictures(self.request)

    @property
    def scene(self) -> int:
        """The first picture of the conversation. Questions about the same one stay together, to look at it once."""
        return next((id(turn.picture.data) for turn in self.request.turns if turn.picture), id(self))

    def tell(self, result: Any) -> None:
        def settle() -> None:
            if self.future.done():  # whoever asked has gone
                return
            if isinstance(result, BaseException):
                self.future.set_exception(result)
            else:
                self.future.set_result(result)

        with contextlib.suppress(RuntimeError):  # the loop may be closed by now
            self.loop.call_soon_threadsafe(settle)


def weight(request: Request) -> int:
    """About how many tokens a request comes to; only how it compares with others matters."""
    words = sum(len(turn.text) for turn in request.turns) + sum(len(option.text) for option in request.options)
    pictures = sum(picture.width * picture.height for picture in request.pictures)
    return 16 + words // 4 + pictures // 784


class Queue:
    """Gathers questions into batches of at most `most`, whose longest times their number is at most `room`."""

    def __init__(self, most: int, room: float) -> None:
        self.most = most
        self.room = room
        self._room_before = room
        """The room at the time when something last fitted."""
        self._waiting: list[_Job] = []
        self._changed = threading.Condition()
        self._closed = threading.Event()
        self._thread: threading.Thread | None = None
        self._fatal: ModelError | None = None

    @property
    def closed(self) -> bool:
        """Whether nobody waits for answers any more."""
        return self._closed.is_set()

    async def ask(self, work: Work, request: Request) -> Any:
        """What `work` computes for a request, in whatever batch it comes."""
        if self.closed:
            raise RuntimeError("the model was closed")
        if self._fatal:
            raise self._fatal
        loop = asyncio.get_running_loop()
        job = _Job(work, request, loop.create_future(), loop, weight(request))
        with self._changed:
            self._waiting.append(job)
            self._changed.notify()
        if self._thread is None:
            # A daemon: a batch that takes minutes must not keep a program alive that was told to end.
            self._thread = threading.Thread(target=self._serve, name="countersight-local", daemon=True)
            self._thread.start()
        return await job.future

    async def close(self) -> None:
        """Let go of what waits, and end the thread."""
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
            for job, result in self._answered(self._gather()):
                # What was cut short because the queue was closed is no answer.
                job.tell(asyncio.CancelledError() if self.closed else result)
        for job in self._waiting:  # put back while the queue was being closed
            job.tell(asyncio.CancelledError())

    def _gather(self) -> list[_Job]:
        """The next batch; empty where nobody waits any more."""
        with self._changed:
            while not self._waiting and not self.closed:
                self._changed.wait()
            there = 0
            while there < len(self._waiting) < self.most and not self.closed:
                there = len(self._waiting)
                self._changed.wait(QUIET)
            self._waiting = [job for job in self._waiting if not job.future.cancelled()]
            batch = self._choose()
            self._waiting = [job for job in self._waiting if job not in batch]
        return batch

    def _answered(self, batch: list[_Job]) -> Iterator[tuple[_Job, Any]]:
        """Jobs of a batch with their results; those for which there was no room wait again."""
        parts = [batch]
        while parts:
            part = parts.pop()
            results = self._attempt(part)
            if isinstance(results, ModelError):  # nothing that is still to come can be answered either
                self._fatal = results
                with self._changed:
                    rest, self._waiting = [*parts, self._waiting], []
                yield from ((job, results) for each in (part, *rest) for job in each)
                return
            if not isinstance(results, Exception):
                self._room_before = self.room
                yield from results
            elif len(part) == 1:
                if is_full(results):  # it was this one, then; the others need not make room for it
                    forget()
                    self.room = self._room_before
                yield part[0], _failure(results)
            elif is_full(results):
                forget()
                self.room = min(self.room, len(part) * max(job.weight for job in part)) / 2
                with self._changed:
                    self._waiting[:0] = [job for each in (part, *parts) for job in each]
                return
            else:  # one of them is at fault: look which
                half = len(part) // 2
                parts += [part[half:], part[:half]]

    def _attempt(self, part: list[_Job]) -> list[tuple[_Job, Any]] | Exception:
        """Some jobs with their results, or the one reason why there are none."""
        if not part:
            return []
        try:
            return list(zip(part, part[0].work([job.request for job in part]), strict=True))
        except Exception as error:  # a model may raise anything; whoever waits is told
            # Its traceback holds on to the memory that ran out.
            error.__traceback__ = error.__context__ = error.__cause__ = None
            return ModelError(f"{_short(error)}; run the same command to go on") if _is_broken(error) else error

    def _choose(self) -> list[_Job]:
        """The heaviest questions that wait, each with its scene's others: memory runs out early or not at all."""
        if not self._waiting:
            return []
        kind = self._waiting[0].kind
        scenes: dict[int, list[_Job]] = {}
        for job in self._waiting:
            if job.kind == kind:
                scenes.setdefault(job.scene, []).append(job)
        batch: list[_Job] = []
        for scene in sorted(scenes.values(), key=lambda jobs: -max(job.weight for job in jobs)):
            heaviest = max(job.weight for job in (*batch, *scene))
            if batch and (len(batch) + len(scene) > self.most or heaviest * (len(batch) + len(scene)) > self.room):
                break
            batch += scene
        # One scene alone may be more than there is room for.
        return batch[: max(1, int(min(self.most, self.room / max(job.weight for job in batch))))]


def _is_broken(error: Exception) -> bool:
    """Whether the device itself gave up, after which it computes nothing more in this process."""
    return isinstance(error, RuntimeError) and "CUDA error" in str(error) and not is_full(error)


def _failure(error: Exception) -> Exception:
    """Why one question got no answer."""
    if isinstance(error, AskingFailed):
        return error
    if is_full(error):
        return AskingFailed("this question does not fit into memory, even alone", again=False)
    return AskingFailed(f"the model cannot compute it ({_short(error)})", again=False)


def _short(error: Exception) -> str:
    text = printable(f"{type(error).__name__}: {error}")
    return text if len(text) <= 200 else text[:200] + "…"
