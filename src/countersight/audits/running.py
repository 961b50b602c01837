"""Many cases at a time through the steps of an audit."""

import asyncio
from collections.abc import Awaitable, Callable, Iterator
from typing import Generic, Protocol, TypeVar

from countersight.audits.steps import Steps
from countersight.audits.tally import AuditTally
from countersight.engine import Workers


class Named(Protocol):
    """Anything with an id."""

    @property
    def id(self) -> str:
        """By which its steps know it."""
        ...


One = TypeVar("One", bound=Named)


class Runner(Generic[One]):
    """Takes one after the other through its steps, so many at a time; what stops it lets the others finish theirs."""

    def __init__(
        self,
        take: Callable[[int, One], Awaitable[None]],
        steps: Steps,
        tally: AuditTally,
        full: int,
        stop: asyncio.Event,
    ) -> None:
        """`take` is told the row of each; `full` is the most steps one can take."""
        self._take = take
        self._steps = steps
        self._tally = tally
        self._full = full
        self._stop = stop

    async def run(self, those: Iterator[tuple[int, One]], concurrency: int) -> None:
        """Until none is left, or the work is stopped; raises where every further step would fail too."""
        self._tally.limit = concurrency
        await Workers(self._through, stop=self._stop, sync=self._steps.sync).work(those, concurrency)
        self._tally.total = self._tally.done

    async def _through(self, that: tuple[int, One]) -> None:
        row, one = that
        self._tally.cases += 1
        await self._take(row, one)
        self._tally.total -= self._full - self._steps.taken.pop(one.id, 0)
