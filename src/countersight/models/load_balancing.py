"""Distributes requests over several endpoints of one model: the least busy is preferred, a failing one is paused."""

import asyncio
from collections.abc import Awaitable, Callable
from typing import Any, TypeVar

from countersight.errors import AskingFailed, Overloaded, Unreachable
from countersight.models.endpoint import Endpoint
from countersight.models.protocol import Answer, Displayed, Request

FIRST_REST = 2.0
"""Seconds that an endpoint is paused after a failure; doubled after each further failure, up to LONGEST_REST."""
LONGEST_REST = 60.0

Got = TypeVar("Got")


class _EndpointState:
    """One endpoint and its state."""

    def __init__(self, endpoint: Endpoint) -> None:
        self.endpoint = endpoint
        self.under_way = self.answers = self.failures = 0
        self.rests_until = 0.0


class LoadBalancedModel(Displayed):
    """A model that distributes requests over several endpoints."""

    needs_picture = True

    def __init__(self, name: str, endpoints: list[Endpoint]) -> None:
        self.name = name
        self.settings = endpoints[0].settings
        self._places = [_EndpointState(endpoint) for endpoint in endpoints]

    @property
    def observed(self) -> dict[str, Any]:
        """The facts that the endpoints discovered, and the number of answers of each endpoint."""
        together: dict[str, Any] = {}
        for place in self._places:
            together |= place.endpoint.observed
        return together | {"answers": {place.endpoint.service.host: place.answers for place in self._places}}

    @property
    def is_priced(self) -> bool:
        """Whether the price is known for all endpoints."""
        return all(place.endpoint.is_priced for place in self._places)

    @property
    def remarks(self) -> tuple[str, ...]:
        """Remarks to show to the user at the end."""
        return tuple(remark for place in self._places for remark in place.endpoint.remarks)

    async def reply(self, request: Request) -> Answer:
        """Return the next turn from one of the endpoints."""
        return await self._ask_least_busy(lambda endpoint: endpoint.reply(request))

    async def losses(self, request: Request) -> tuple[float, ...]:
        """Return the loss of each option; one endpoint ranks all options of a request."""
        return await self._ask_least_busy(lambda endpoint: endpoint.losses(request))

    async def close(self) -> None:
        """Close all connections."""
        for place in self._places:
            await place.endpoint.close()

    async def _ask_least_busy(self, ask: Callable[[Endpoint], Awaitable[Got]]) -> Got:
        """Ask the least busy working endpoint; if it is unreachable or overloaded, ask the next."""
        tried: list[_EndpointState] = []
        while True:
            place = self._best(tried)
            place.under_way += 1
            try:
                got = await ask(place.endpoint)
            except (Unreachable, Overloaded) as failure:
                self._pause(place, failure)
                tried.append(place)
                if len(tried) == len(self._places):
                    raise
            except AskingFailed as failure:
                if failure.again:
                    self._pause(place, failure)
                raise
            else:
                place.answers += 1
                place.failures = 0
                return got
            finally:
                place.under_way -= 1

    def _best(self, tried: list[_EndpointState]) -> _EndpointState:
        now = asyncio.get_running_loop().time()
        left = [place for place in self._places if place not in tried]
        return min(left, key=lambda place: (place.rests_until > now, place.under_way, place.rests_until))

    def _pause(self, place: _EndpointState, failure: AskingFailed) -> None:
        place.failures += 1
        wait = min(LONGEST_REST, FIRST_REST * 2.0 ** (place.failures - 1))
        if isinstance(failure, Overloaded) and failure.wait is not None:
            wait = failure.wait
        place.rests_until = asyncio.get_running_loop().time() + wait
