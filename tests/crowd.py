"""A crowd of simulated workers over real HTTP, a server that can be killed, and what the database says afterwards."""

import asyncio
import os
import random
import re
import signal
import socket
import subprocess
import sys
import time
from collections import defaultdict
from pathlib import Path

import aiohttp
from collecting import without_tests
from making import case, picture
from sqlalchemy import Connection, func, select

from countersight.collect import Campaign, new_campaign
from countersight.collect.database import tables
from countersight.collect.people import Role, add_person, agree, begin_session
from countersight.collect.web.visit import COOKIE
from countersight.collect.work import free_expired
from countersight.dataset import DatasetWriter

CSRF = re.compile(r'name="csrf" value="([0-9a-f]+)"')
PAUSE = (1.0, 3.0)
"""Seconds a worker looks at a page: people take ten times as long, or more."""


class Load:
    """What the workers saw."""

    def __init__(self) -> None:
        self.seconds: dict[str, list[float]] = defaultdict(list)
        self.sent: dict[str, int] = {}
        """The contribution that was acknowledged for each task."""
        self.failures: dict[str, int] = defaultdict(int)
        self.ends = 0.0
        self.processor = 0.0
        """Seconds of processor time that the server took, its start included."""

    def percentile(self, name: str, share: float) -> float:
        """Milliseconds within which so large a share of the requests was answered."""
        ordered = sorted(self.seconds[name])
        return 1000 * ordered[min(len(ordered) - 1, int(share * len(ordered)))] if ordered else float("nan")


class Worker:
    """Somebody who works without a rest."""

    def __init__(
        self, http: aiohttp.ClientSession, address: str, load: Load, cookie: str, seed: int, pause: tuple[float, float]
    ) -> None:
        self.http = http
        self.address = address
        self.load = load
        self.rest = pause
        self.headers = {"Cookie": f"{COOKIE}={cookie}"}
        self.chance = random.Random(seed)
        self.csrf = ""

    async def work(self) -> None:
        """Item after item, until the time is over; whatever fails on the way is tried again, as people do."""
        await asyncio.sleep(self.chance.uniform(0, self.rest[1]))
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
        async with self.http.get(self.address + path, headers=self.headers, allow_redirects=False) as response:
            text = await response.text()
        self.noted(name, begun, response.status, (200, 303))
        found = CSRF.search(text)
        self.csrf = found.group(1) if found else self.csrf
        return text

    async def post(self, name: str, path: str, fields: dict[str, str]) -> str:
        begun = time.perf_counter()
        data = {"csrf": self.csrf, **fields}
        async with self.http.post(
            self.address + path, data=data, headers=self.headers, allow_redirects=False
        ) as response:
            await response.read()
        self.noted(name, begun, response.status, (200, 303, 409))
        return response.headers.get("location", "")

    def noted(self, name: str, begun: float, status: int, usual: tuple[int, ...]) -> None:
        self.load.seconds[name].append(time.perf_counter() - begun)
        if status not in usual:
            self.load.failures[f"{name}: status {status}"] += 1

    async def pause(self) -> None:
        await asyncio.sleep(self.chance.uniform(*self.rest))


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


def make_workers(campaign: Campaign, number: int, role: Role = "worker") -> list[str]:
    """Accounts that are logged in already: logging in is slow on purpose and no part of the work."""

    def make(connection: Connection) -> list[str]:
        now, cookies = time.time(), []
        for place in range(number):
            person = add_person(connection, f"{role} {place}", role, now)
            agree(connection, person, 1, now)
            cookies.append(begin_session(connection, person, now))
        return cookies

    return campaign.store.write_now(make)


class Server:
    """`countersight collect serve` in a process of its own, which can be killed."""

    def __init__(self, campaign: Path, database: str | None) -> None:
        extra = ["--database", database] if database else []
        with socket.socket() as found:
            found.bind(("127.0.0.1", 0))
            port = str(found.getsockname()[1])
        self.address = f"http://127.0.0.1:{port}"
        serve = ["collect", "serve", str(campaign), "--port", port, *extra]
        self.command = [sys.executable, "-m", "countersight", *serve]
        self.log = open(campaign.parent / "server.log", "ab")  # noqa: SIM115 - open as long as the server runs
        self.process: subprocess.Popen[bytes] | None = None
        self.seconds = 0.0
        """Of processor time, of all the processes that were killed."""

    async def start(self) -> None:
        self.process = subprocess.Popen(self.command, stdout=self.log, stderr=self.log)
        for _ in range(4000):  # a machine under load takes its time
            try:
                async with aiohttp.ClientSession() as http, http.get(f"{self.address}/login"):
                    return
            except aiohttp.ClientError:
                await asyncio.sleep(0.05)
        raise RuntimeError("the server does not come up")

    def kill(self) -> None:
        assert self.process is not None
        self.process.send_signal(signal.SIGKILL)
        _, _, used = os.wait4(self.process.pid, 0)
        self.process.returncode = -signal.SIGKILL  # it was waited for already
        self.seconds += used.ru_utime + used.ru_stime


async def run(
    folder: Path,
    database: str | None,
    *,
    workers: int,
    seconds: float,
    kills: int,
    pause: tuple[float, float] = PAUSE,
) -> Load:
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
                asyncio.create_task(Worker(http, server.address, load, cookie, place, pause).work())
                for place, cookie in enumerate(cookies)
            ]
            for _ in range(kills):
                await asyncio.sleep(seconds / (kills + 1))
                server.kill()
                await server.start()
            await asyncio.gather(*at_work)
    finally:
        server.kill()
    load.processor = server.seconds
    return load


LOOKED_AT = (
    "/work",
    "/mine",
    "/account",
    "/lead",
    "/lead/items",
    "/lead/items/1",
    "/lead/people",
    "/lead/pay",
    "/review",
)
"""Pages of a lead, who sees all there are; the pages of tasks are in the load itself."""


async def look(folder: Path, database: str | None, times: int) -> Load:
    """How long each page takes that a lead looks at again and again, one after another, while nobody else works."""
    campaign = Campaign.open(folder / "campaign", database)
    (cookie,) = make_workers(campaign, 1, "lead")
    campaign.close()
    server, load = Server(folder / "campaign", database), Load()
    await server.start()
    try:
        async with aiohttp.ClientSession() as http:
            lead = Worker(http, server.address, load, cookie, 0, PAUSE)
            for _ in range(times):
                for path in LOOKED_AT:
                    await lead.get(path, path)
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


def _faults(connection: Connection, load: Load) -> dict[str, int]:
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
