"""Compare `models/posting.py`, which posts JSON over aiohttp's connections, with a plain aiohttp session.

`python -m benchmarks.posting`. Both send the same bodies to the same server and take turns in this process. The result
is the client's processor time per request.
"""

import asyncio
import statistics
import time
from collections.abc import Awaitable, Callable

import aiohttp

from benchmarks.asking import server
from countersight.models.http_post import Post

REQUESTS = 2000
ROUNDS = 5
CONCURRENCY = 64
BODY = b'{"model": "nothing", "messages": [{"role": "user", "content": "' + b"x" * 4000 + b'"}]}'


def measure() -> dict[str, float]:
    """Return the processor time per request of both in milliseconds, and their ratio."""
    with server(0.0) as url:
        ours, plain = asyncio.run(_both(f"{url}/chat/completions"))
    return {
        "ms of CPU a request, posting.py": ours,
        "ms of CPU a request, aiohttp session": plain,
        "posting.py / aiohttp session": ours / plain,
    }


async def _both(url: str) -> tuple[float, float]:
    async with aiohttp.ClientSession(connector=aiohttp.TCPConnector(limit=0)) as session:
        post = Post(session, url, {})

        async def ours() -> None:
            await post.send(BODY, lambda content: content.read())

        async def plain() -> None:
            async with session.post(url, data=BODY, headers={"Content-Type": "application/json"}) as response:
                await response.read()

        times: dict[str, list[float]] = {"ours": [], "plain": []}
        for _ in range(ROUNDS):
            for name, ask in (("ours", ours), ("plain", plain)):
                times[name].append(await _timed(ask))
    return statistics.median(times["ours"]), statistics.median(times["plain"])


async def _timed(ask: Callable[[], Awaitable[None]]) -> float:
    waiting = iter(range(REQUESTS))

    async def work() -> None:
        for _ in waiting:
            await ask()

    begun = time.process_time()
    await asyncio.gather(*(work() for _ in range(CONCURRENCY)))
    return 1000 * (time.process_time() - begun) / REQUESTS


if __name__ == "__main__":
    for name, value in measure().items():
        print(f"{name:<40} {value:8.3f}")
