"""Retries and rate limits: the number of concurrent requests, how often each is repeated, and when a run gives up."""

import asyncio
import logging
import random
import re
from collections import deque
from collections.abc import Awaitable, Callable
from typing import Generic, Protocol, TypeVar

import msgspec

from countersight.bounds import COUNT, WAIT, check
from countersight.errors import AskingFailed, CountersightError, ModelError, Overloaded, Refused, Unreachable

_log = logging.getLogger(__name__)

_TOO_LONG = re.compile(r"max(?:_completion|_output)?_tokens|context length|max_model_len", re.IGNORECASE)
_NO_PICTURES = re.compile(
    r"at most \d+ images?\b|image input|not a multimodal model|image_url is only supported", re.IGNORECASE
)
"""Messages of servers whose model accepts no pictures, or fewer than the prompt shows."""
MAX_FIRST_REFUSALS = 8
"""The number of refusals without any answer after which the server, not the questions, is assumed to be the cause."""
MAX_REFUSALS_IN_A_ROW = 20
"""The number of refusals in a row after which the run stops, if the server has answered before."""
MAX_SECONDS_WITHOUT_ANSWER = 600.0
"""The number of seconds without an answer after which a run stops if the server rejects every question because it is
overloaded."""
OVERLOAD_ATTEMPTS_FACTOR = 2
"""The factor for `attempts`: a question fails after that many overload errors in a row without any answer."""

FIRST_LIMIT = 8
"""The number of concurrent questions before the first answer; low, because the server may refuse every one."""
MAX_PAUSE_SECONDS = 3600.0

RequestT = TypeVar("RequestT")
AnswerT = TypeVar("AnswerT")


class RetryPolicy(msgspec.Struct, frozen=True):
    """The number of attempts of a request, and the waiting times between them."""

    concurrency: int = 64
    attempts: int = 5
    backoff: float = 0.5
    """The number of seconds before the second attempt; each further wait is twice as long, with jitter, up to 30."""
    gone: float = 600.0
    """The number of seconds to wait for a server that answered before and has become unreachable."""
    first: int = FIRST_LIMIT
    """The number of concurrent requests at the start of a run."""

    def __post_init__(self) -> None:
        check(COUNT, concurrency=self.concurrency, attempts=self.attempts, first=self.first)
        check(WAIT, backoff=self.backoff, gone=self.gone)


class ServerStatus(Protocol):
    """The part of the state of a run that the client uses; progress displays show it too."""

    before: int
    """The number of questions answered in an earlier process."""
    failed_before: int
    """The number of questions that failed in an earlier process; the server may reject all of them again."""
    trouble: str
    """The server's last error message; empty after an answer."""


class Answered(msgspec.Struct, Generic[AnswerT], frozen=True):
    """The result of a request, with the number of attempts and the time it took."""

    answer: AnswerT
    seconds: float
    """The duration of the successful attempt, in seconds."""
    attempts: int


class RetriesExhausted(Exception):  # noqa: N818 - it names what happened
    """All retries of a question failed; `failure` says why."""

    def __init__(self, failure: AskingFailed, attempts: int) -> None:
        super().__init__(str(failure))
        self.failure = failure
        self.attempts = attempts


class Stopped(Exception):  # noqa: N818 - it names what happened
    """Raised if the user stops the run before there is an answer."""


class AdaptiveLimit:
    """Lets at most `limit` questions through at a time.

    The limit grows as in TCP: first by one per answer, which doubles it each round trip; after the first overload, by
    one per round trip. An overload halves it, once for all questions sent before the overload was known; a refusal
    before the first answer lowers it by one.
    """

    def __init__(self, most: int, first: int = FIRST_LIMIT) -> None:
        self.most = most
        self.limit = float(min(most, first))
        self.paused_until = 0.0
        self._active = 0
        self._shrunk_at = float("-inf")
        self._waiting: deque[asyncio.Future[None]] = deque()

    async def __aenter__(self) -> None:
        """Wait for a free slot."""
        while self._active >= int(self.limit):
            place = asyncio.get_running_loop().create_future()
            self._waiting.append(place)
            await place
        self._active += 1

    async def __aexit__(self, *_: object) -> None:
        self._active -= 1
        self._wake()

    def pause(self) -> float:
        """Return the seconds until the server may be asked again."""
        return max(0.0, self.paused_until - asyncio.get_running_loop().time())

    def answered(self) -> None:
        """Raise the limit after an answer, if all slots are in use."""
        if self.limit < self.most and (self._waiting or self._active >= int(self.limit)):
            grown = self.limit + (1.0 if self._shrunk_at < 0 else 1.0 / self.limit)
            self.limit = min(float(self.most), grown)
            self._wake()

    def overloaded(self, sent: float, wait: float) -> None:
        """Lower the limit because a question sent at that time was rejected; pause all questions for `wait` seconds."""
        now = asyncio.get_running_loop().time()
        self.paused_until = max(self.paused_until, now + min(wait, MAX_PAUSE_SECONDS))
        if sent > self._shrunk_at:
            self._shrunk_at = now
            self.limit = max(1.0, self.limit / 2)

    def refused(self) -> None:
        """Lower the limit by one after a refusal, while the server has not answered anything yet."""
        self.limit = max(1.0, self.limit - 1)

    def _wake(self) -> None:
        free = int(self.limit) - self._active
        while self._waiting and free > 0:
            place = self._waiting.popleft()
            if not place.done():
                place.set_result(None)
                free -= 1


class Client(Generic[RequestT, AnswerT]):
    """Sends requests to one model, editor or judge, with adaptive concurrency and retries.

    `send` sends one request. The engine and audits send all their requests through this class.
    """

    def __init__(
        self,
        send: Callable[[RequestT], Awaitable[AnswerT]],
        retry: RetryPolicy,
        stop: asyncio.Event,
        status: ServerStatus,
    ) -> None:
        self.limit = AdaptiveLimit(retry.concurrency, retry.first)
        self._send, self._policy, self._stop, self._status = send, retry, stop, status
        self._answers = 0
        self._refusals = 0
        self._last_answer = asyncio.get_running_loop().time()
        self._jitter = random.Random()

    async def ask(self, request: RequestT) -> Answered[AnswerT]:
        """Send a request until it is answered; raises RetriesExhausted if all attempts fail.

        Raises Stopped if the user stops first, and ModelError if every further request would fail too.
        """
        async with self.limit:
            if self._stop.is_set():  # while this request waited for a slot
                raise Stopped
            return await self.ask_within(request)

    async def ask_within(self, request: RequestT) -> Answered[AnswerT]:
        """Send a request as `ask` does, for callers that already hold a slot of the limit."""
        clock = asyncio.get_running_loop().time
        faults = overloads = unanswered_overloads = 0
        while True:
            while (pause := self.limit.pause()) > 0:
                await self._sleep(pause)
            sent, answers = clock(), self._answers
            try:
                answer = await self._answer(request)
            except Overloaded as error:
                overloads += 1
                # A server that answers other questions is only busy: this alone never fails a question.
                unanswered_overloads = unanswered_overloads + 1 if self._answers == answers else 0
                wait = self._wait(overloads)
                if error.wait is not None:  # the server's own value is best, unless it is 0
                    wait = max(error.wait, min(wait, 1.0))
                self.limit.overloaded(sent, wait if error.wait is None else error.wait)
                failure: AskingFailed = error
            except AskingFailed as error:
                faults += 1
                wait = self._wait(faults)
                failure = error
            else:
                self._answers += 1
                self._refusals = 0
                self._last_answer = clock()
                self._status.trouble = ""
                self.limit.answered()
                return Answered(answer, round(clock() - sent, 4), faults + overloads + 1)
            self._status.trouble = str(failure)
            if self._may_come_back(failure):
                minutes = f"{self._policy.gone / 60:.0f} minutes"
                self._status.trouble = f"trying again for up to {minutes}: {failure}"
            _log.debug("attempt %d failed: %s", faults + overloads, failure)
            tried = (
                faults >= self._policy.attempts
                or unanswered_overloads >= self._policy.attempts * OVERLOAD_ATTEMPTS_FACTOR
            )
            if tried and self._may_come_back(failure):
                faults, tried = 1, False
            self._stop_if_hopeless(failure, tried)
            if tried or not failure.again:
                raise RetriesExhausted(failure, faults + overloads)
            await self._sleep(wait)

    def _may_come_back(self, failure: AskingFailed) -> bool:
        """Whether an unreachable server has answered recently enough to wait for it."""
        known = bool(self._answers or self._status.before)
        seconds_without_answer = asyncio.get_running_loop().time() - self._last_answer
        return isinstance(failure, Unreachable) and known and seconds_without_answer < self._policy.gone

    def _stop_if_hopeless(self, failure: AskingFailed, tried: bool) -> None:
        """Raise ModelError if all remaining questions would fail too."""
        seconds_without_answer = asyncio.get_running_loop().time() - self._last_answer
        if tried and isinstance(failure, Unreachable):
            raise ModelError(f"{failure}; start the server, then run the same command to continue")
        if tried and isinstance(failure, Overloaded) and seconds_without_answer > MAX_SECONDS_WITHOUT_ANSWER:
            raise ModelError(
                f"the server has rejected every question for {seconds_without_answer / 60:.0f} minutes ({failure})"
            )
        if not isinstance(failure, Refused):
            return
        self._refusals += 1
        advice = _advice(str(failure))
        if not self._answers and not self._status.before:
            self.limit.refused()
            if self._refusals >= MAX_FIRST_REFUSALS:
                raise ModelError(f"the server refuses every question ({failure}); {advice}")
        elif self._refusals >= MAX_REFUSALS_IN_A_ROW + self._status.failed_before:
            raise ModelError(
                f"the server answered before and has now refused {self._refusals} questions in a row ({failure}); "
                f"{advice}, then run the same command to continue"
            )

    def _wait(self, times: int) -> float:
        return min(30.0, self._policy.backoff * 2.0 ** (times - 1)) * self._jitter.uniform(0.5, 1.0)

    async def _sleep(self, seconds: float) -> None:
        """Wait; raises Stopped if the user stops meanwhile."""
        try:
            async with asyncio.timeout(seconds):
                await self._stop.wait()
        except TimeoutError:
            return
        raise Stopped

    async def _answer(self, request: RequestT) -> AnswerT:
        """Send a request; an unexpected exception, for example in a plug-in, fails only this request."""
        try:
            return await self._send(request)
        except (CountersightError, RetriesExhausted, Stopped):
            raise
        except Exception as error:
            raise AskingFailed(f"unexpected {type(error).__name__}: {error}", again=False) from error


def _advice(refusal: str) -> str:
    """Return what to check if a server refuses every question with this message."""
    if _TOO_LONG.search(refusal):
        return "set a smaller `max_tokens`, or serve the model with a longer context"
    if _NO_PICTURES.search(refusal):
        return "choose a model that accepts pictures (and a server set up for them), or the prompt text-only"
    return "check the key, the address and the model name"
