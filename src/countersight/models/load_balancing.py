"""Distributes requests over several endpoints of one model; prefers the least busy one and pauses failing ones."""

import asyncio
from collections.abc import Awaitable, Callable
from typing import Any, TypeVar

from countersight.errors import AskingFailed, Overloaded, Unreachable
from countersight.models.endpoint import Endpoint
from countersight.models.protocol import Answer, Displayed, Request

SHORTEST_PAUSE = 2.0
"""The number of seconds that an endpoint is paused after a failure; doubled after each further failure, up to
LONGEST_PAUSE."""
LONGEST_PAUSE = 60.0

Got = TypeVar("Got")


class _EndpointState:
    """One endpoint and its state."""

    def __init__(self, endpoint: Endpoint) -> None:
        self.endpoint = endpoint
        self.in_progress = self.answers = self.failures = 0
        self.paused_until = 0.0


class LoadBalancedModel(Displayed):
    """A model that distributes requests over several endpoints."""

    needs_picture = True

    def __init__(self, name: str, endpoints: list[Endpoint]) -> None:
        self.name = name
        self.settings = endpoints[0].settings
        self._endpoints = [_EndpointState(endpoint) for endpoint in endpoints]

    @property
    def observed(self) -> dict[str, Any]:
        """The facts that the endpoints discovered, and the number of answers of each endpoint."""
        together: dict[str, Any] = {}
        for state in self._endpoints:
            together |= state.endpoint.observed
        return together | {"answers": {state.endpoint.service.host: state.answers for state in self._endpoints}}

    @property
    def is_priced(self) -> bool:
        """Whether the price is known for all endpoints."""
        return all(state.endpoint.is_priced for state in self._endpoints)

    @property
    def remarks(self) -> tuple[str, ...]:
        """Remarks to show to the user at the end."""
        return tuple(remark for state in self._endpoints for remark in state.endpoint.remarks)

    async def reply(self, request: Request) -> Answer:
        """Return the next turn from one of the endpoints."""
        return await self._ask_least_busy(lambda endpoint: endpoint.reply(request))

    async def losses(self, request: Request) -> tuple[float, ...]:
        """Return the loss of each option; one endpoint ranks all options of a request."""
        return await self._ask_least_busy(lambda endpoint: endpoint.losses(request))

    async def close(self) -> None:
        """Close all connections."""
        for state in self._endpoints:
            await state.endpoint.close()

    async def _ask_least_busy(self, ask: Callable[[Endpoint], Awaitable[Got]]) -> Got:
        """Ask the least busy working endpoint; if it is unreachable or overloaded, ask the next."""
        tried: list[_EndpointState] = []
        while True:
            state = self._best(tried)
            state.in_progress += 1
            try:
                got = await ask(state.endpoint)
            except (Unreachable, Overloaded) as failure:
                self._pause(state, failure)
                tried.append(state)
                if len(tried) == len(self._endpoints):
                    raise
            except AskingFailed as failure:
                if failure.again:
                    self._pause(state, failure)
                raise
            else:
                state.answers += 1
                state.failures = 0
                return got
            finally:
                state.in_progress -= 1

    def _best(self, tried: list[_EndpointState]) -> _EndpointState:
        now = asyncio.get_running_loop().time()
        left = [state for state in self._endpoints if state not in tried]
        return min(left, key=lambda state: (state.paused_until > now, state.in_progress, state.paused_until))

    def _pause(self, state: _EndpointState, failure: AskingFailed) -> None:
        state.failures += 1
        wait = min(LONGEST_PAUSE, SHORTEST_PAUSE * 2.0 ** (state.failures - 1))
        if isinstance(failure, Overloaded) and failure.wait is not None:
            wait = failure.wait
        state.paused_until = asyncio.get_running_loop().time() + wait
