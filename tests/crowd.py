"""A crowd of simulated workers who go through a whole flow over real HTTP, with reviewers who decide their flags."""

import asyncio
import random
import re
import time
from collections import defaultdict
from math import inf
from pathlib import Path

import aiohttp
from answers import answer_to
from killable import Server
from sqlalchemy import Connection

from countersight.collect.campaign import Campaign
from countersight.collect.flows import Flow, Phase
from countersight.collect.people import Role, add_person, agree, begin_session
from countersight.collect.web.visit import COOKIE

CSRF = re.compile(r'name="csrf" value="([0-9a-f]+)"')
PAUSE = (2.0, 6.0)
"""Seconds between two things that a worker does: people take longer, mostly."""
_ARRIVING = 15.0
"""Seconds within which all have come, at most."""
_USUAL = (200, 303, 409)
"""What a form that is in order is answered with; 409 where somebody else was quicker."""
_FLAGS = 0.03
"""Share of the items of an earlier phase that are flagged."""
_DRAWN = 0.2
"""Longest time in seconds by which the moment of a kill is postponed."""
_A_REVIEWER_FOR = 50
"""Workers for whom there is one reviewer."""


class Load:
    """What the workers saw."""

    def __init__(self) -> None:
        self.seconds: dict[str, list[float]] = defaultdict(list)
        self.sent: dict[str, int] = {}
        """The contribution that was acknowledged for each task."""
        self.flagged: set[str] = set()
        """Tasks whose flag was acknowledged."""
        self.decided: dict[int, str] = {}
        """What reviewers decided about each flag."""
        self.failures: dict[str, int] = defaultdict(int)
        self.ends = 0.0
        self.processor = 0.0
        """Seconds of processor time that the server took, but for its starts."""

    def percentile(self, names: list[str], share: float) -> float:
        """Milliseconds within which so large a share of the requests was answered."""
        ordered = sorted(second for name in names for second in self.seconds[name])
        return 1000 * ordered[min(len(ordered) - 1, int(share * len(ordered)))] if ordered else float("nan")


class Visitor:
    """Somebody who is logged in, and notes how long each page takes."""

    def __init__(
        self, http: aiohttp.ClientSession, address: str, load: Load, cookie: str, seed: int, pause: tuple[float, float]
    ) -> None:
        self.http, self.address, self.load, self.rest = http, address, load, pause
        self.headers = {"Cookie": f"{COOKIE}={cookie}"}
        self.chance = random.Random(seed)
        self.csrf = ""

    async def get(self, name: str, path: str) -> str:
        begun = time.perf_counter()
        async with self.http.get(self.address + path, headers=self.headers, allow_redirects=False) as response:
            text = await response.text()
        self._note(f"GET {name}", begun, response.status, (200, 303, 404))
        found = CSRF.search(text)
        self.csrf = found.group(1) if found else self.csrf
        return text

    async def post(
        self, name: str, path: str, fields: dict[str, str], *, piece: bool = False, usual: tuple[int, ...] = _USUAL
    ) -> str:
        begun = time.perf_counter()
        headers = self.headers | ({"HX-Request": "true"} if piece else {})
        data = {"csrf": self.csrf, **fields}
        async with self.http.post(self.address + path, data=data, headers=headers, allow_redirects=False) as response:
            await response.read()
        self._note(f"POST {name}", begun, response.status, usual)
        return response.headers.get("location", "")

    async def surely(self, name: str, path: str, fields: dict[str, str]) -> str:
        """Send a form until an answer comes: one whose answer was lost is sent again, and must not count twice."""
        while time.monotonic() < self.load.ends + 20:
            try:
                return await self.post(name, path, fields)
            except (aiohttp.ClientError, TimeoutError):
                self.load.failures["no connection"] += 1
                await asyncio.sleep(0.1)
        return ""

    def _note(self, name: str, begun: float, status: int, usual: tuple[int, ...]) -> None:
        self.load.seconds[name].append(time.perf_counter() - begun)
        if status not in usual:
            self.load.failures[f"{name}: status {status}"] += 1

    async def pause(self) -> None:
        await asyncio.sleep(self.chance.uniform(*self.rest))

    async def work(self) -> None:
        """One thing after another until the time is over; whatever fails on the way is tried again, as people do."""
        await asyncio.sleep(self.chance.uniform(0, min(_ARRIVING, 5 * self.rest[1])))
        while time.monotonic() < self.load.ends:
            try:
                await self.turn()
            except (aiohttp.ClientError, TimeoutError):
                self.load.failures["no connection"] += 1
                await asyncio.sleep(0.1)

    async def turn(self) -> None:
        """One thing to do."""
        raise NotImplementedError


class Worker(Visitor):
    """Somebody who takes an item of whatever phase has one, and goes on with the next until there is none."""

    flow: Flow
    place = ""

    async def turn(self) -> None:
        if self.place.startswith("/task/"):
            self.place = await self.task(self.place.partition("?")[0], self.phase)
            return
        offered = re.findall(r'action="/work/(\w+)"', await self.get("first page", "/work"))
        await self.pause()
        name = self.chance.choice(offered or [phase.name for phase in self.flow.phases])
        self.phase: Phase = self.flow.phase(name)
        self.place = await self.post("take an item", f"/work/{name}", {})

    async def task(self, place: str, phase: Phase) -> str:
        """One item from its page to its sending; where it goes on."""
        page = await self.get("task", place)
        if 'id="task"' not in page:
            return ""
        await self.pause()
        token = place.rpartition("/")[2]
        if phase.verifies and self.chance.random() < _FLAGS:
            words = {"flag_reason": "unclear", "flag_words": "I do not understand this."}
            if "flagged" in await self.surely("flag", f"{place}/flag", words):
                self.load.flagged.add(token)
            return ""
        picture = re.search(r'name="picture" value="([^"]+)"', page)
        fields = answer_to(self.flow.name, phase.name, self.chance.randrange(30), picture.group(1) if picture else "")
        await self.post("draft", f"{place}/draft", fields, piece=True)
        await self.pause()
        await self.ask(place, phase, fields)
        following = await self.surely("send", place, fields)
        sent = re.search(r"sent=(\d+)", following)
        if sent:
            self.load.sent[token] = int(sent.group(1))
        return following

    async def ask(self, place: str, phase: Phase, fields: dict[str, str]) -> None:
        """What a browser asks while somebody writes in this phase."""
        asked = {"cosim/distractor": "check", "cfmm/write": "leak"}
        name = asked.get(f"{self.flow.name}/{phase.name}")
        if name:
            # outside of validation and test there is no model to ask
            await self.post(name, f"{place}/{name}", fields, piece=True, usual=(*_USUAL, 404))
            await self.pause()


class Reviewer(Visitor):
    """Somebody who decides flags."""

    async def turn(self) -> None:
        waiting = re.findall(r'href="/review/(\d+)"', await self.get("review", "/review"))
        await self.pause()
        if not waiting:
            return
        number = self.chance.choice(waiting)
        page = await self.get("flag", f"/review/{number}")
        await self.pause()
        if 'name="outcome"' not in page:  # another reviewer was quicker
            return
        outcome = self.chance.choice(("fair", "unfair"))
        fields = {"outcome": outcome, "note": "looked at it"}
        if await self.post("decide", f"/review/{number}", fields, usual=(303, 404, 409)) == "/review":
            self.load.decided.setdefault(int(number), outcome)


def make_people(campaign: Campaign, number: int, role: Role) -> list[str]:
    """Accounts that are logged in already: logging in is slow on purpose and no part of the work."""

    def make(connection: Connection) -> list[str]:
        now, cookies = time.time(), []
        for place in range(number):
            person = add_person(connection, f"{role} {place} of {now}", role, now)
            agree(connection, person, 1, now)
            cookies.append(begin_session(connection, person, now))
        return cookies

    return campaign.store.write_now(make)


async def run(
    folder: Path,
    database: str | None,
    *,
    workers: int,
    seconds: float,
    kills: int = 0,
    after: float = inf,
    pause: tuple[float, float] = PAUSE,
) -> Load:
    """Let the workers work, and kill the server at drawn moments: after so many contributions, or when it is time."""
    campaign = Campaign.open(folder / "campaign", database)
    cookies = make_people(campaign, workers, "worker")
    deciding = make_people(campaign, max(1, workers // _A_REVIEWER_FOR), "reviewer")
    Worker.flow = campaign.flow
    campaign.close()
    server, load, chance = Server(folder / "campaign", database), Load(), random.Random()
    await server.start()
    try:
        connector, retry = aiohttp.TCPConnector(limit=0), aiohttp.ClientTimeout(total=30)
        async with aiohttp.ClientSession(connector=connector, timeout=retry) as http:
            load.ends = time.monotonic() + seconds
            crowd: list[Visitor] = [
                kind(http, server.address, load, cookie, place, pause)
                for kind, all_of_them in ((Worker, cookies), (Reviewer, deciding))
                for place, cookie in enumerate(all_of_them)
            ]
            at_work = [asyncio.create_task(each.work()) for each in crowd]
            for _ in range(kills):
                wanted, until = len(load.sent) + after, time.monotonic() + seconds / (kills + 1)
                while len(load.sent) < wanted and time.monotonic() < until:
                    await asyncio.sleep(0.01)
                await asyncio.sleep(chance.uniform(0, _DRAWN))
                server.kill()
                await server.start()
            if kills and after < inf:
                load.ends = time.monotonic()
            await asyncio.gather(*at_work)
    finally:
        server.close()
    load.processor = server.answering
    return load
