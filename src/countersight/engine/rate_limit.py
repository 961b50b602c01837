"""How many questions may be under way: more while the server keeps up, fewer when it asks for patience."""

import asyncio
from collections import deque

FIRST_LIMIT = 8
"""Questions before the first answer: a server that refuses every one shall not be asked many."""
LONGEST_PAUSE = 3600.0


class AdaptiveLimit:
    """Lets at most `limit` questions through at a time.

    The limit grows as in TCP: by one for every answer at first, so that it doubles each round trip; after the first
    overload, by one for each round trip. An overload halves it, once for all the questions sent before it was known;
    a refusal before the first answer takes one away.
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
        """Give a place back."""
        self._active -= 1
        self._wake()

    async def __aenter__(self) -> None:
        await self.enter()

    async def __aexit__(self, *_: object) -> None:
        self.leave()

    def pause(self) -> float:
        """Seconds until the server may be asked again."""
        return max(0.0, self.paused_until - asyncio.get_running_loop().time())

    def kept_up(self) -> None:
        """An answer came; allow more if the limit is what holds us back."""
        if self.limit < self.most and (self._waiting or self._active >= int(self.limit)):
            grown = self.limit + (1.0 if self._shrunk_at < 0 else 1.0 / self.limit)
            self.limit = min(float(self.most), grown)
            self._wake()

    def overloaded(self, sent: float, wait: float) -> None:
        """The server could not take a question sent at that time; ask nobody anything for `wait` seconds."""
        now = asyncio.get_running_loop().time()
        self.paused_until = max(self.paused_until, now + min(wait, LONGEST_PAUSE))
        if sent > self._shrunk_at:
            self._shrunk_at = now
            self.limit = max(1.0, self.limit / 2)

    def refused(self) -> None:
        """The server refused a question and has answered none yet: it is asked no other in its place."""
        self.limit = max(1.0, self.limit - 1)

    def _wake(self) -> None:
        free = int(self.limit) - self._active
        while self._waiting and free > 0:
            place = self._waiting.popleft()
            if not place.done():
                place.set_result(None)
                free -= 1
