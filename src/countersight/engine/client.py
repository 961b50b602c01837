"""One model, editor or judge as everything that asks uses it: asked on until it answers, within its own bound."""

import asyncio
from collections.abc import Awaitable, Callable
from typing import Generic, TypeVar

from countersight.engine.limit import AdaptiveLimit
from countersight.engine.retry import Answered, RetriesExhausted, Retry, RetryPolicy, ServerStatus, Stopped
from countersight.errors import AskingFailed, CountersightError

Put = TypeVar("Put")
Got = TypeVar("Got")


class Client(Generic[Put, Got]):
    """Puts requests to somebody: so many at a time as they keep up with, each again where that may help."""

    def __init__(
        self, put: Callable[[Put], Awaitable[Got]], retry: RetryPolicy, stop: asyncio.Event, status: ServerStatus
    ) -> None:
        self._put = put
        self.limit = AdaptiveLimit(retry.concurrency, retry.first)
        self._retry = Retry(retry, self.limit, stop, status)

    async def ask(self, request: Put) -> Answered[Got]:
        """What came of a request; fails as `Retry.answered` does."""
        async with self.limit:
            return await self.ask_within(request)

    async def ask_within(self, request: Put) -> Answered[Got]:
        """The same for whoever holds a place among those under way already."""
        return await self._retry.answered(lambda: self._answer(request))

    async def _answer(self, request: Put) -> Got:
        """What they say; whatever they raise, as a plug of somebody else's may, fails this request and no other."""
        try:
            return await self._put(request)
        except (CountersightError, RetriesExhausted, Stopped):
            raise
        except Exception as error:
            raise AskingFailed(f"it raised {type(error).__name__}: {error}", again=False) from error
