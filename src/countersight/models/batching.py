"""Processes waiting items in batches, in a separate thread, so that the event loop is not blocked."""

import asyncio
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Any, Generic, TypeVar

from countersight.errors import ModelError

Item = TypeVar("Item")
Result = TypeVar("Result")


class Batcher(Generic[Item]):
    """Collects items into batches. If a batch fails, its items are processed one by one; only the faulty one fails."""

    def __init__(self, compute: Callable[[list[Item]], Sequence[Any]], take: Callable[[list[Item]], list[int]]) -> None:
        """`compute` returns a result or an exception for each item; `take` returns the positions of the next batch."""
        self._compute, self._take = compute, take
        self._thread = ThreadPoolExecutor(1)
        self._waiting: list[tuple[Item, asyncio.Future[Any]]] = []
        self._working: asyncio.Task[None] | None = None

    async def ask(self, item: Item) -> Any:
        """Queue an item and return its result."""
        result: asyncio.Future[Any] = asyncio.get_running_loop().create_future()
        self._waiting.append((item, result))
        if self._working is None or self._working.done():
            self._working = asyncio.create_task(self._work())
        return await result

    async def run(self, work: Callable[[], Result]) -> Result:
        """Run a function in the batcher's own thread."""
        return await asyncio.get_running_loop().run_in_executor(self._thread, work)

    async def close(self) -> None:
        """Cancel waiting items; the batcher can be used again afterwards, in any event loop."""
        if self._working is not None and not self._working.done():
            self._working.cancel()
            await asyncio.gather(self._working, return_exceptions=True)
            for _, result in self._waiting:
                result.cancel()
            self._waiting.clear()
        self._thread.shutdown(wait=False, cancel_futures=True)
        self._thread = ThreadPoolExecutor(1)

    async def _work(self) -> None:
        await asyncio.sleep(0)  # let all pending callers add their items, to compute them in one batch
        while self._waiting:
            taken = set(self._take([item for item, _ in self._waiting]))
            batch = [one for place, one in enumerate(self._waiting) if place in taken]
            self._waiting = [one for place, one in enumerate(self._waiting) if place not in taken]
            await self._run_batch(batch)

    async def _run_batch(self, batch: list[tuple[Item, asyncio.Future[Any]]]) -> None:
        items = [item for item, _ in batch]
        try:
            results = await self.run(lambda: self._compute(items))
        except asyncio.CancelledError:
            for _, future in batch:
                future.cancel()
            raise
        except Exception as error:  # callers get the exception; nobody awaits this task itself
            if len(batch) > 1 and not isinstance(error, ModelError):
                for one in batch:
                    await self._run_batch([one])
                return
            results = [error] * len(batch)
        for (_, future), result in zip(batch, results, strict=True):
            if future.done():  # the caller was cancelled
                continue
            if isinstance(result, Exception):
                future.set_exception(result)
            else:
                future.set_result(result)
