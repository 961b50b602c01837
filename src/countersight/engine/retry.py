"""Retries: how often and how long a server is asked again, and when to give up."""

import asyncio
import logging
import random
import re
from collections.abc import Awaitable, Callable
from typing import Generic, Protocol, TypeVar

import msgspec

from countersight.engine.rate_limit import FIRST_LIMIT, AdaptiveLimit
from countersight.errors import AskingFailed, CountersightError, ModelError, Overloaded, Refused, Unreachable

_log = logging.getLogger(__name__)

_TOO_LONG = re.compile(r"max(?:_completion|_output)?_tokens|context length|max_model_len", re.IGNORECASE)
REFUSALS = 8
"""So many questions refused and none answered: it is not about the questions."""
IN_A_ROW = 20
"""So many questions refused one after the other by a server that has answered before: it does so no longer."""
LONGEST_DROUGHT = 600.0
"""Seconds without an answer after which a server that turns every question away is left alone."""
TURNED_AWAY = 2
"""A question may be turned away so many times as often as it may fail otherwise, while the server answers nobody."""

Put = TypeVar("Put")
Got = TypeVar("Got")


class RetryPolicy(msgspec.Struct, frozen=True):
    """How often and how patiently requests are retried."""

    concurrency: int = 64
    attempts: int = 5
    backoff: float = 0.5
    """Seconds before the second attempt; each further wait is twice as long, with jitter, up to 30."""
    gone: float = 600.0
    """Seconds to wait for a server that answered before and has become unreachable."""
    first: int = FIRST_LIMIT
    """Number of concurrent requests at the start of a run."""

    def __post_init__(self) -> None:
        for name, least in (("concurrency", 1), ("attempts", 1), ("first", 1), ("backoff", 0), ("gone", 0)):
            number = getattr(self, name)
            if not isinstance(number, int | float) or number < least:
                raise CountersightError(f"{name} must be a number of at least {least}, not {number!r}")


class ServerStatus(Protocol):
    """What is known of a server, for whoever watches."""

    before: int
    """Questions it answered to an earlier process."""
    failed_before: int
    """Questions it failed to answer to an earlier process: they may be refused once more, one after the other."""
    trouble: str
    """What it said last, if that was no answer."""


class Answered(msgspec.Struct, Generic[Got], frozen=True):
    """What came in the end, and what it took."""

    answer: Got
    seconds: float
    """Of the attempt that was answered."""
    attempts: int


class RetriesExhausted(Exception):  # noqa: N818 - it names what happened
    """All retries of a question failed; `failure` says why."""

    def __init__(self, failure: AskingFailed, attempts: int) -> None:
        super().__init__(str(failure))
        self.failure = failure
        self.attempts = attempts


class Stopped(Exception):  # noqa: N818 - it names what happened
    """The user wants to stop, and there is no answer yet."""


class Client(Generic[Put, Got]):
    """Sends requests to one model, editor or judge, with adaptive concurrency and retries.

    `put` sends one request. All clients of the engine and of audits are of this class.
    """

    def __init__(
        self, put: Callable[[Put], Awaitable[Got]], retry: RetryPolicy, stop: asyncio.Event, status: ServerStatus
    ) -> None:
        self.limit = AdaptiveLimit(retry.concurrency, retry.first)
        self._put, self._policy, self._stop, self._status = put, retry, stop, status
        self._answers = 0
        self._refusals = 0
        self._last_answer = asyncio.get_running_loop().time()
        self._jitter = random.Random()

    async def ask(self, request: Put) -> Answered[Got]:
        """Ask until there is an answer. Raises RetriesExhausted, or Stopped if the user stops first.

        Raises ModelError where every further question would fail too.
        """
        async with self.limit:
            return await self.ask_within(request)

    async def ask_within(self, request: Put) -> Answered[Got]:
        """The same for whoever holds a place among those under way already."""
        clock = asyncio.get_running_loop().time
        faults = turned_away = in_vain = 0
        while True:
            while (pause := self.limit.pause()) > 0:
                await self._sleep(pause)
            sent, answers = clock(), self._answers
            try:
                answer = await self._answer(request)
            except Overloaded as error:
                turned_away += 1
                # A server that answers others has only too much to do: that alone never fails a question.
                in_vain = in_vain + 1 if self._answers == answers else 0
                wait = self._wait(turned_away)
                if error.wait is not None:  # the server knows best; but "now" said to all at once is no answer
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
                self.limit.kept_up()
                return Answered(answer, round(clock() - sent, 4), faults + turned_away + 1)
            self._status.trouble = str(failure)
            _log.debug("attempt %d failed: %s", faults + turned_away, failure)
            tried = faults >= self._policy.attempts or in_vain >= self._policy.attempts * TURNED_AWAY
            if tried and self._may_come_back(failure):
                faults, tried = 1, False
            self._stop_if_hopeless(failure, tried)
            if tried or not failure.again:
                raise RetriesExhausted(failure, faults + turned_away)
            await self._sleep(wait)

    def _may_come_back(self, failure: AskingFailed) -> bool:
        """Whether a server that is gone has answered before, and not too long ago to be waited for."""
        known = bool(self._answers or self._status.before)
        drought = asyncio.get_running_loop().time() - self._last_answer
        return isinstance(failure, Unreachable) and known and drought < self._policy.gone

    def _stop_if_hopeless(self, failure: AskingFailed, tried: bool) -> None:
        """Raise where asking on would only fail every question that is left."""
        drought = asyncio.get_running_loop().time() - self._last_answer
        if isinstance(failure, Refused):
            self._stop_if_refused(failure)
        elif tried and isinstance(failure, Unreachable):
            raise ModelError(f"{failure}; start the server, then run the same command to continue")
        elif tried and isinstance(failure, Overloaded) and drought > LONGEST_DROUGHT:
            raise ModelError(f"the server has rejected every question for {drought / 60:.0f} minutes ({failure})")

    def _stop_if_refused(self, failure: Refused) -> None:
        """Raise where it is the server that refuses, not some of the questions that are refused."""
        self._refusals += 1
        if self._answers or self._status.before:
            if self._refusals >= IN_A_ROW + self._status.failed_before:
                raise ModelError(
                    f"the server answered before and has now refused {self._refusals} questions in a row "
                    f"({failure}); {_advice(failure)}, then run the same command to continue"
                )
            return
        self.limit.refused()
        if self._refusals >= REFUSALS:
            raise ModelError(f"the server refuses every question ({failure}); {_advice(failure)}")

    def _wait(self, times: int) -> float:
        return min(30.0, self._policy.backoff * 2.0 ** (times - 1)) * self._jitter.uniform(0.5, 1.0)

    async def _sleep(self, seconds: float) -> None:
        """Wait; Stopped if the user stops meanwhile."""
        try:
            async with asyncio.timeout(seconds):
                await self._stop.wait()
        except TimeoutError:
            return
        raise Stopped

    async def _answer(self, request: Put) -> Got:
        """What they say; whatever they raise, as a plug-in may, fails this request and no other."""
        try:
            return await self._put(request)
        except (CountersightError, RetriesExhausted, Stopped):
            raise
        except Exception as error:
            raise AskingFailed(f"it raised {type(error).__name__}: {error}", again=False) from error


def _advice(failure: Refused) -> str:
    """What to do about a server that refuses, as far as its words say."""
    if _TOO_LONG.search(str(failure)):
        return "set a smaller `max_tokens`, or serve the model with a longer context"
    return "check the key, the address and the model name"
