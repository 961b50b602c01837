"""Figures about the whole campaign: shown as they were a moment ago, and worked out anew behind the page."""

import asyncio
import time
from collections import defaultdict
from collections.abc import Callable
from typing import Any, Final

import msgspec
from sqlalchemy import Connection

from countersight.collect.database import Store

_FRESH: Final = 5.0
"""Seconds for which a figure is good enough."""
_SHARE: Final = 20
"""A figure that takes long is worked out less often: one part in so many of the time at most goes into it."""


class Kept(msgspec.Struct, frozen=True):
    """A figure as it was."""

    value: Any
    at: float
    """When it was worked out, as a clock on the wall says."""
    until: float
    """How long it is good enough, on the clock that is never set."""

    @property
    def is_fresh(self) -> bool:
        """Whether it is good enough still."""
        return time.monotonic() < self.until


class Keeper:
    """The figures of one server, by name."""

    def __init__(self, store: Store) -> None:
        self._store = store
        self._kept: dict[str, Kept] = {}
        self._locks: defaultdict[str, asyncio.Lock] = defaultdict(asyncio.Lock)
        self._renewing: dict[str, asyncio.Task[Kept]] = {}

    async def latest(self, name: str, question: Callable[[Connection], Any]) -> Kept:
        """The figure, worked out first where it is old; whoever else asks meanwhile gets the same one."""
        async with self._locks[name]:
            kept = self._kept.get(name)
            if kept is None or not kept.is_fresh:
                begun = time.monotonic()
                value = await self._store.read_slowly(question)
                ended = time.monotonic()
                kept = Kept(value, time.time(), ended + max(_FRESH, _SHARE * (ended - begun)))
                self._kept[name] = kept
        return kept

    async def recent(self, name: str, question: Callable[[Connection], Any]) -> Kept:
        """The figure at once, although it may be old; where it is, a new one is worked out for whoever comes next."""
        kept = self._kept.get(name)
        if kept is None:
            return await self.latest(name, question)
        if not kept.is_fresh and not self._locks[name].locked():
            self.renew(name, question)
        return kept

    def renew(self, name: str, question: Callable[[Connection], Any]) -> None:
        """Work a figure out behind the pages, for whoever asks next."""
        self._renewing[name] = asyncio.create_task(self.latest(name, question))  # held, or it might be collected
