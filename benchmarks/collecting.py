"""Collecting under load: simulated workers over real HTTP through a whole flow, on SQLite and on PostgreSQL.

`python -m benchmarks.collecting [--database postgresql] [--kills 20]`. A campaign of 10,000 items is served by
`countersight collect serve` in a process of its own. Every worker takes an item, reads its page, saves a draft and
sends it, with pauses between; answers are such that some items go to a third person. Afterwards the database is asked:
is every contribution that was acknowledged there, once; is any seat taken twice, or held for ever?
"""

import argparse
import asyncio
import os
import random
import re
import signal
import subprocess
import sys
import tempfile
import time
from collections import defaultdict
from contextlib import ExitStack
from pathlib import Path

import aiohttp
from sqlalchemy import func, select

sys.path.insert(0, str(Path(__file__).parents[1] / "tests"))

from collecting import without_tests
from making import case, picture
from postgresql import cluster

from countersight.collect import Campaign, new_campaign
from countersight.collect.database import tables
from countersight.collect.people import add_person, agree, begin_session
from countersight.collect.web.visit import COOKIE
from countersight.collect.work import free_expired
from countersight.dataset import DatasetWriter

PORT = 8477
ADDRESS = f"http://127.0.0.1:{PORT}"
CSRF = re.compile(r'name="csrf" value="([0-9a-f]+)"')
_PAUSE = (1.0, 3.0)
"""Seconds a worker looks at a page: people take twenty times as long."""


class Load:
    """What the workers saw."""

    def __init__(self) -> None:
        self.seconds: dict[str, list[float]] = defaultdict(list)
        self.sent: dict[str, int] = {}
        """The contribution that was acknowledged for each task."""
        self.failures: dict[str, int] = defaultdict(int)
        self.ends = 0.0

    def percentile(self, name: str, share: float) -> float:
        """Milliseconds within which so large a share of the requests was answered."""
        ordered = sorted(self.seconds[name])
        return 1000 * ordered[min(len(ordered) - 1, int(share * len(ordered)))] if ordered else float("nan")


class Worker:
    """Somebody who works without a rest."""

    def __init__(self, http: aiohttp.ClientSession, load: Load, cookie: str, seed: int) -> None:
        self.http = http
        self.load = load
        self.headers = {"Cookie": f"{COOKIE}={cookie}"}
        self.chance = random.Random(seed)
        self.csrf = ""

    async def work(self) -> None:
        """Item after item, until the time is over; whatever fails on the way is tried again, as people do."""
        await asyncio.sleep(self.chance.uniform(0, _PAUSE[1]))
        place = ""
        while time.monotonic() < self.load.ends:
            try:
                if not place.startswith("/task/"):
                    await self.get("home", "/work")
                    phase = self.chance.choice(("verify", "verify", "adjudicate"))
                    place = await self.post("claim", f"/work/{phase}", {})
                    if not place.startswith("/task/"):
                        await self.pause()
                        continue
                place = await self.task(place.partition("?")[0])
            except (aiohttp.ClientError, TimeoutError):
                self.load.failures["no connection"] += 1
                await asyncio.sleep(0.3)

    async def task(self, place: str) -> str:
        """One item from its page to its sending; where it goes on."""
        page = await self.get("task page", place)
        if "form is out of date" in page or 'id="task"' not in page:
            return ""
        await self.pause()
        wrong = self.chance.random() < 0.2
        fields = {
            "related": "no" if wrong else "yes",
            "right": "yes",
            "words": "not in the picture",
            "cause": "mistake",
        }
        await self.post("draft", f"{place}/draft", fields)
        await self.pause()
        token = place.rpartition("/")[2]
        while True:  # a form whose answer was lost is sent again: it must not count twice
            try:
                following = await self.post("send", place, fields)
                break
            except (aiohttp.ClientError, TimeoutError):
                self.load.failures["no connection"] += 1
                await asyncio.sleep(0.3)
                if time.monotonic() > self.load.ends + 20:
                    return ""
        sent = re.search(r"sent=(\d+)", following)
        if sent:
            self.load.sent[token] = int(sent.group(1))
        return following

    async def get(self, name: str, path: str) -> str:
        begun = time.perf_counter()
        async with self.http.get(ADDRESS + path, headers=self.headers, allow_redirects=False) as response:
            text = await response.text()
        self.noted(name, begun, response.status, (200, 303))
        found = CSRF.search(text)
        self.csrf = found.group(1) if found else self.csrf
        return text

    async def post(self, name: str, path: str, fields: dict[str, str]) -> str:
        begun = time.perf_counter()
        data = {"csrf": self.csrf, **fields}
        async with self.http.post(ADDRESS + path, data=data, headers=self.headers, allow_redirects=False) as response:
            await response.read()
        self.noted(name, begun, response.status, (200, 303, 409))
        return response.headers.get("location", "")

    def noted(self, name: str, begun: float, status: int, usual: tuple[int, ...]) -> None:
        self.load.seconds[name].append(time.perf_counter() - begun)
        if status not in usual:
            self.load.failures[f"{name}: status {status}"] += 1

    async def pause(self) -> None:
        await asyncio.sleep(self.chance.uniform(*_PAUSE))


def make_campaign(folder: Path, items: int, database: str | None) -> None:
    """A campaign of the flow `verify` whose items share six pictures, and whose leases end soon."""
    cases = folder / "cases"
    writer = DatasetWriter(cases, name="cases", description="For a benchmark.", license="CC0-1.0", provenance={})
    with writer:
        for number in range(6):
            (writer.staging / "images" / f"{number}.png").write_bytes(picture((40 * number, 90, 120), 400))
        for number in range(items):
            changes = {"image": f"images/{number % 6}.png", "counterfactual_image": None, "shown": None}
            writer.add(case(number, **changes))
    new_campaign(folder / "campaign", "verify", title="Load", source=cases, database=database)
    without_tests(folder / "campaign")


def make_workers(campaign: Campaign, number: int) -> list[str]:
    """Accounts that are logged in already: logging in is slow on purpose and no part of the work."""

    def make(connection: object) -> list[str]:
        now, cookies = time.time(), []
        for place in range(number):
            person = add_person(connection, f"worker {place}", "worker", now)
            agree(connection, person, 1, now)
            cookies.append(begin_session(connection, person, now))
        return cookies

    return campaign.store.write_now(make)


class Server:
    """`countersight collect serve` in a process of its own, which can be killed."""

    def __init__(self, campaign: Path, database: str | None) -> None:
        extra = ["--database", database] if database else []
        self.command = [sys.executable, "-m", "countersight", "collect", "serve", str(campaign), *extra]
        self.log = open(campaign.parent / "server.log", "ab")  # noqa: SIM115 - open as long as the server runs
        self.process: subprocess.Popen[bytes] | None = None

    async def start(self) -> None:
        self.process = subprocess.Popen([*self.command, "--port", str(PORT)], stdout=self.log, stderr=self.log)
        for _ in range(600):
            try:
                async with aiohttp.ClientSession() as http, http.get(f"{ADDRESS}/login"):
                    return
            except aiohttp.ClientError:
                await asyncio.sleep(0.05)
        raise RuntimeError("the server does not come up")

    def kill(self) -> None:
        assert self.process is not None
        self.process.send_signal(signal.SIGKILL)
        self.process.wait()


async def run(folder: Path, database: str | None, *, workers: int, seconds: float, kills: int) -> Load:
    """Let the workers work, and kill the server now and then."""
    campaign = Campaign.open(folder / "campaign", database)
    cookies = make_workers(campaign, workers)
    campaign.close()
    server, load = Server(folder / "campaign", database), Load()
    await server.start()
    try:
        connector, patience = aiohttp.TCPConnector(limit=0), aiohttp.ClientTimeout(total=30)
        async with aiohttp.ClientSession(connector=connector, timeout=patience) as http:
            load.ends = time.monotonic() + seconds
            at_work = [
                asyncio.create_task(Worker(http, load, cookie, place).work()) for place, cookie in enumerate(cookies)
            ]
            for _ in range(kills):
                await asyncio.sleep(seconds / (kills + 1))
                server.kill()
                await server.start()
            await asyncio.gather(*at_work)
    finally:
        server.kill()
    return load


def faults(folder: Path, database: str | None, load: Load) -> dict[str, int]:
    """What went wrong, counted in the database itself."""
    campaign = Campaign.open(folder / "campaign", database)
    try:
        campaign.store.write_now(lambda c: free_expired(c, campaign.settings, time.time() + 86_400))
        found = campaign.store.read(lambda c: _faults(c, load))
    finally:
        campaign.close()
    found["locked"] = (folder / "server.log").read_text(errors="replace").count("database is locked")
    found["server errors"] = (folder / "server.log").read_text(errors="replace").count("Traceback")
    return found


def _faults(connection: object, load: Load) -> dict[str, int]:
    made, lease, item = tables.contribution.c, tables.lease.c, tables.item.c
    there = {row.token: row.contribution_id for row in connection.execute(select(lease.token, lease.contribution_id))}
    limit = {"verify": 2, "adjudicate": 1}
    taken = connection.execute(
        select(lease.phase, func.count()).where(lease.state == "done").group_by(lease.item_id, lease.phase)
    ).all()
    held = select(func.count()).where(lease.state == "active")
    return {
        "acknowledged": len(load.sent),
        "lost": sum(there.get(token) != number for token, number in load.sent.items()),
        "doubled": connection.execute(
            select(func.count()).select_from(
                select(made.lease_id).group_by(made.lease_id).having(func.count() > 1).subquery()
            )
        ).scalar_one(),
        "seats taken twice": sum(number > limit[phase] for phase, number in taken),
        "held for ever": connection.execute(held).scalar_one(),
        "items done": connection.execute(select(func.count()).where(item.state.in_(("done", "removed")))).scalar_one(),
    }


def main(arguments: list[str] | None = None) -> None:
    """Print the figures of one database, with or without kills."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--database", choices=["sqlite", "postgresql"], default="sqlite")
    parser.add_argument("--workers", type=int, default=200)
    parser.add_argument("--items", type=int, default=10_000)
    parser.add_argument("--seconds", type=float, default=60)
    parser.add_argument("--kills", type=int, default=0)
    chosen = parser.parse_args(arguments)
    before = os.getloadavg()[0]
    with ExitStack() as stack:
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory()))
        database = stack.enter_context(cluster(durable=True)) if chosen.database == "postgresql" else None
        make_campaign(folder, chosen.items, database)
        load = asyncio.run(run(folder, database, workers=chosen.workers, seconds=chosen.seconds, kills=chosen.kills))
        found = faults(folder, database, load)
    requests = sum(map(len, load.seconds.values()))
    print(
        f"{chosen.database}: {chosen.workers} workers, {chosen.items:,} items, {chosen.seconds:g} s, "
        f"{chosen.kills} kills"
    )
    print(
        f"  load of the machine before: {before:.1f}; requests: {requests:,} ({requests / chosen.seconds:.0f} a second)"
    )
    for name in load.seconds:
        p50, p95, p99 = (load.percentile(name, share) for share in (0.5, 0.95, 0.99))
        print(f"  {name:10} p50 {p50:7.1f} ms   p95 {p95:7.1f} ms   p99 {p99:7.1f} ms   ({len(load.seconds[name]):,})")
    for name, number in (found | load.failures).items():
        print(f"  {name}: {number:,}")


if __name__ == "__main__":
    main()
