"""The local model and its queue of questions.

A request arrives at `LocalModel` and waits in `Queue`; a thread processes requests in batches. `ranking.py` ranks
options, and `writing.py` generates replies. Both store shared tokens only once, in a tree (`trees.py`).

Batches are as large as memory allows. The limit is found by trial: if a batch does not fit, half of it is tried, and
later batches are not larger. No request is lost. Further requests can join a running batch, so that the device is never
idle.
"""

import asyncio
import contextlib
import sys
import threading
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import chain, count
from typing import Any

from countersight.errors import AskingFailed, ModelError
from countersight.models.local.conversation import Feed, Loaded, picture_limits
from countersight.models.local.loading import (
    find_device,
    find_dtype,
    find_folder,
    fingerprint,
    free_memory,
    has_torchvision,
    is_out_of_memory,
    is_text_only,
    load,
    read_config,
)
from countersight.models.protocol import Answer, Displayed, ModelSettings, Request, check_options
from countersight.text import printable

PLACES = {"cuda": 12}
"""The multiple of the default concurrency used on a GPU: one batch runs, one is prepared and one waits."""
SWITCH = {"cuda": 0.0005}
"""The thread switch interval in seconds: with Python's default of 0.005, the thread that feeds the GPU often waits for
those that prepare pictures."""
_MOST_WORDS = 16
"""The initial number of questions in a batch of a text-only model; small, since programs and their prompts are long."""


class LocalModel(Displayed):
    """A local model, run by transformers, that generates replies and ranks options.

    Most models accept pictures; text-only models write programs, or answer without seeing the picture.
    """

    def __init__(self, name: str, where: str, settings: ModelSettings) -> None:
        folder = find_folder(where)
        device = find_device(settings.device)
        config = read_config(folder)
        self.name = name
        self.needs_picture = not is_text_only(config)
        self.picture_limits = picture_limits(config.model_type) if self.needs_picture else (0, 0)
        self.settings: dict[str, Any] = {
            "max_tokens": settings.max_tokens,
            "temperature": settings.temperature,
            "seed": settings.seed,
            "dtype": find_dtype(settings.dtype, device, config),
            **({"pictures": "torchvision" if has_torchvision() else "pillow"} if self.needs_picture else {}),
            "weights": fingerprint(folder),
        }
        self.remarks: list[str] = []
        """Remarks about the model to show to the user."""
        self._where, self._options = where, settings
        kind = device.partition(":")[0]
        self.places = PLACES.get(kind, 1)
        """The number of concurrent questions, as a multiple of the default for servers."""
        self._queue = Queue(
            most=settings.batch or (MOST[kind] if self.needs_picture else _MOST_WORDS),
            room=float("inf") if settings.batch else ROOM[kind],
        )
        self._loaded: Loaded | None = None
        self._switch = sys.getswitchinterval()

    async def reply(self, request: Request) -> Answer:
        """Return the next turn of a conversation."""
        self._refuse_pictures(request)
        answer: Answer = await self._queue.ask(self._write, request)
        return answer

    async def losses(self, request: Request) -> tuple[float, ...]:
        """Return the loss of each option after the conversation."""
        check_options(request)
        self._refuse_pictures(request)
        losses: tuple[float, ...] = await self._queue.ask(self._rank, request)
        return losses

    async def close(self) -> None:
        """Cancel waiting questions and free the memory."""
        queue, self._queue = self._queue, Queue(self._queue.most, self._queue.room)
        await queue.close()
        self._loaded = None
        sys.setswitchinterval(self._switch)
        free_memory()

    def _refuse_pictures(self, request: Request) -> None:
        if request.pictures and not self.needs_picture:
            raise ModelError(f"{self.name} does not accept pictures; choose the prompt text-only")

    def _write(self, requests: Feed) -> Iterator[tuple[int, Answer | AskingFailed]]:
        from countersight.models.local.writing import write_answers

        queue = self._queue
        return write_answers(self._load_once(), requests, self._options, lambda: queue.closed)

    def _rank(self, requests: Feed) -> Iterator[tuple[int, tuple[float, ...] | AskingFailed]]:
        from countersight.models.local.probing import ranking_sight
        from countersight.models.local.ranking import rank_requests

        loaded = self._load_once()
        sight = ranking_sight(loaded)
        if sight is None and not self.remarks:
            self.remarks.append(
                f"{self.name} cannot share the common prefix of options, so each option is computed in full."
            )
        return rank_requests(sight, loaded, requests)

    def _load_once(self) -> Loaded:
        """Return the model. It is loaded at the first question, so that repeating a finished run does not load it."""
        if self._loaded is None:
            from transformers.utils import logging

            logging.set_verbosity_error()  # its messages and progress bars would disturb our own display
            logging.disable_progress_bar()
            options = self._options
            self._loaded = load(self._where, device=options.device, dtype=options.dtype)
            sys.setswitchinterval(SWITCH.get(self._loaded.device.type, self._switch))
        return self._loaded


QUIET = 0.02
"""The number of seconds without a new question after which waiting questions are processed."""
MOST = {"cuda": 256, "mps": 64, "cpu": 64}
"""The initial number of questions in a batch."""
ROOM = {"cuda": 131_072.0, "mps": 16_384.0, "cpu": 8_192.0}
"""The initial number of tokens in a batch; small without a GPU, since main memory must not run out."""
_AHEAD = 2
"""The number of batches in progress if requests can join later: one is prepared while the other runs."""
CLOSING = 10.0
"""Seconds that `Queue.close` waits for the current batch."""


Work = Callable[[Feed], Iterable[tuple[int, Any]]]
"""A function that processes requests and yields their results by number; a result may be an exception."""


_Kind = tuple[Work, int]


@dataclass(frozen=True, slots=True, eq=False)
class _Job:
    work: Work
    request: Request
    future: asyncio.Future[Any]
    loop: asyncio.AbstractEventLoop
    weight: int

    @property
    def kind(self) -> _Kind:
        """The kind of job; only conversations with the same number of pictures share a batch, as processors require."""
        return self.work, len(self.request.pictures)

    @property
    def scene(self) -> int:
        """The id of the conversation's first picture; questions about one picture stay together, to encode it once."""
        return next((id(turn.picture.data) for turn in self.request.turns if turn.picture), id(self))

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


def request_weight(request: Request) -> int:
    """Return the approximate number of tokens of a request, for comparison only."""
    words = sum(len(turn.text) for turn in request.turns) + sum(len(option.text) for option in request.options)
    pictures = sum(picture.width * picture.height for picture in request.pictures)
    return 16 + words // 4 + pictures // 784


class Queue:
    """Collects questions into batches of at most `most` questions and, padded to the longest, `room` tokens."""

    def __init__(self, most: int, room: float) -> None:
        self.most = most
        self.room = room
        self._room_before = room
        """The value of `room` with which a batch last fitted into memory."""
        self._waiting: list[_Job] = []
        self._changed = threading.Condition()
        self._closed = threading.Event()
        self._thread: threading.Thread | None = None
        self._fatal: ModelError | None = None

    @property
    def closed(self) -> bool:
        """Whether the queue was closed."""
        return self._closed.is_set()

    async def ask(self, work: Work, request: Request) -> Any:
        """Queue a request and return what `work` computes for it."""
        if self.closed:
            raise RuntimeError("the model was closed")
        if self._fatal:
            raise self._fatal
        loop = asyncio.get_running_loop()
        job = _Job(work, request, loop.create_future(), loop, request_weight(request))
        with self._changed:
            self._waiting.append(job)
            self._changed.notify()
        if self._thread is None:
            # A daemon thread, so that a long batch does not keep the program from exiting.
            self._thread = threading.Thread(target=self._serve, name="countersight-local", daemon=True)
            self._thread.start()
        return await job.future

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
                self._changed.wait(QUIET)
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

        def further() -> Iterator[Request]:
            for job in self._take(kind, list(jobs.values())):
                jobs[next(numbers)] = job
                yield job.request

        numbers = count(len(part))
        feed = Feed([job.request for job in part], self.most, further if growing else lambda: ())
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

    def _take(self, kind: _Kind | None = None, under_way: Sequence[_Job] = ()) -> list[_Job]:
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

    def _fitting(self, kind: _Kind, under_way: Sequence[_Job], most: int, room: float) -> list[_Job]:
        """Return waiting questions that fit, largest first, so that insufficient memory is detected early."""
        scenes: dict[int, list[_Job]] = {}
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
