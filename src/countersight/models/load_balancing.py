"""One model behind several endpoints: the least busy is asked first, and one that fails is left alone for a while."""

import asyncio
from collections.abc import Awaitable, Callable
from typing import Any, TypeVar

from countersight.errors import AskingFailed, Overloaded, Unreachable
from countersight.models.endpoint import Endpoint
from countersight.models.protocol import Answer, Displayed, Request

FIRST_REST = 2.0
"""Seconds that an endpoint is left alone when it fails; twice as long each further time, up to a minute."""
LONGEST_REST = 60.0

Got = TypeVar("Got")


class _Place:
    """One endpoint, and how it is doing."""

    def __init__(self, endpoint: Endpoint) -> None:
        self.endpoint = endpoint
        self.under_way = self.answers = self.failures = 0
        self.rests_until = 0.0


class LoadBalancedModel(Displayed):
    """Asks several endpoints as one."""

    needs_picture = True

    def __init__(self, name: str, endpoints: list[Endpoint]) -> None:
        self.name = name
        self.settings = endpoints[0].settings
        self._places = [_Place(endpoint) for endpoint in endpoints]

    @property
    def observed(self) -> dict[str, Any]:
        """What the endpoints were found to take, and how much each has done."""
        together: dict[str, Any] = {}
        for place in self._places:
            together |= place.endpoint.observed
        return together | {"answers": {place.endpoint.service.host: place.answers for place in self._places}}

    @property
    def is_priced(self) -> bool:
        """Whether it is known what an answer costs, whoever gives it."""
        return all(place.endpoint.is_priced for place in self._places)

    @property
    def remarks(self) -> tuple[str, ...]:
        """What whoever asked should know at the end."""
        return tuple(remark for place in self._places for remark in place.endpoint.remarks)

    async def reply(self, request: Request) -> Answer:
        """What the model says next, wherever it is asked."""
        return await self._anywhere(lambda endpoint: endpoint.reply(request))

    async def losses(self, request: Request) -> tuple[float, ...]:
        """How little the model expected each option; all of them are ranked by one endpoint."""
        return await self._anywhere(lambda endpoint: endpoint.losses(request))

    async def close(self) -> None:
        """Let go of all connections."""
        for place in self._places:
            await place.endpoint.close()

    async def _anywhere(self, ask: Callable[[Endpoint], Awaitable[Got]]) -> Got:
        """Ask the least busy that is well; where it is gone or has too much to do, the next."""
        tried: list[_Place] = []
        while True:
            place = self._best(tried)
            place.under_way += 1
            try:
                got = await ask(place.endpoint)
            except (Unreachable, Overloaded) as failure:
                self._rest(place, failure)
                tried.append(place)
                if len(tried) == len(self._places):
                    raise
            except AskingFailed as failure:
                if failure.again:
                    self._rest(place, failure)
                raise
            else:
                place.answers += 1
                place.failures = 0
                return got
            finally:
                place.under_way -= 1

    def _best(self, tried: list[_Place]) -> _Place:
        now = asyncio.get_running_loop().time()
        left = [place for place in self._places if place not in tried]
        return min(left, key=lambda place: (place.rests_until > now, place.under_way, place.rests_until))

    def _rest(self, place: _Place, failure: AskingFailed) -> None:
        place.failures += 1
        wait = min(LONGEST_REST, FIRST_REST * 2.0 ** (place.failures - 1))
        if isinstance(failure, Overloaded) and failure.wait is not None:
            wait = failure.wait
        place.rests_until = asyncio.get_running_loop().time() + wait
