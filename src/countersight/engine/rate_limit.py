"""Adaptive concurrency: more concurrent questions while the server keeps up, fewer when it is overloaded."""

import asyncio
from collections import deque

FIRST_LIMIT = 8
"""Concurrent questions before the first answer; low, because the server may refuse every one."""
LONGEST_PAUSE = 3600.0


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

    async def enter(self) -> None:
        """Wait for a free slot; release it with `leave`."""
        while self._active >= int(self.limit):
            place = asyncio.get_running_loop().create_future()
            self._waiting.append(place)
            await place
        self._active += 1

    def leave(self) -> None:
        """Release a slot."""
        self._active -= 1
        self._wake()

    async def __aenter__(self) -> None:
        await self.enter()

    async def __aexit__(self, *_: object) -> None:
        self.leave()

    def pause(self) -> float:
        """Return the seconds until the server may be asked again."""
        return max(0.0, self.paused_until - asyncio.get_running_loop().time())

    def kept_up(self) -> None:
        """Raise the limit after an answer, if all slots are in use."""
        if self.limit < self.most and (self._waiting or self._active >= int(self.limit)):
            grown = self.limit + (1.0 if self._shrunk_at < 0 else 1.0 / self.limit)
            self.limit = min(float(self.most), grown)
            self._wake()

    def overloaded(self, sent: float, wait: float) -> None:
        """Lower the limit because a question sent at that time was rejected; pause all questions for `wait` seconds."""
        now = asyncio.get_running_loop().time()
        self.paused_until = max(self.paused_until, now + min(wait, LONGEST_PAUSE))
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
