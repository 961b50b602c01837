"""Campaigns for tests, visitors who come by HTTP without a browser, and a server that a browser can reach."""

import re
import socket
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import uvicorn
from answers import ANSWERS
from making import dataset
from sqlalchemy import select
from starlette.testclient import TestClient

from countersight.collect import people, tables
from countersight.collect.campaign import Campaign
from countersight.collect.demo import draw_pictures
from countersight.collect.flows import Sources
from countersight.collect.managing import new_campaign
from countersight.collect.web.app import application
from countersight.collect.web.visit import COOKIE


def make_campaign(folder: Path, flow: str, number: int = 6, database: str | None = None, **more: Any) -> Path:
    """A small campaign of a flow, without tests to pass; `more` has its sources."""
    language = more.pop("language", "en")
    if flow in ("cosim", "cfmm"):
        draw_pictures(folder.with_name("drawn"), max(3, number) if flow == "cosim" else number)
        more["pictures"] = folder.with_name("drawn")
    elif "source" not in more:
        more["source"] = dataset(folder.with_name("asked"), number)
    new_campaign(folder, flow, Sources(**more), title="A campaign", language=language, database=database)
    if flow == "cosim" and number < 3:  # three pictures make three items
        campaign = Campaign.open(folder, database)
        campaign.store.write_now(lambda c: c.execute(tables.item.delete().where(tables.item.c.id > number)))
        campaign.close()
    without_tests(folder)
    return folder


def without_tests(folder: Path) -> None:
    """Take the qualification tests out of a campaign's settings."""
    text = (folder / "campaign.toml").read_text(encoding="utf-8")
    text = re.sub(r"\[phases\.\w+\.test\]\nversion = 1\n", "", text)
    text = re.sub(r"\[\[phases\.\w+\.test\.questions\]\]\n(?:\w+ = .*\n)*", "", text)
    (folder / "campaign.toml").write_text(text, encoding="utf-8")


def setting(folder: Path, old: str, new: str) -> None:
    """Change one line of a campaign's settings."""
    text = (folder / "campaign.toml").read_text(encoding="utf-8")
    assert old in text
    (folder / "campaign.toml").write_text(text.replace(old, new, 1), encoding="utf-8")


class Visitor:
    """Somebody who visits the pages, logged in or not, and sends their forms with the right token."""

    def __init__(self, app: Any, campaign: Campaign, name: str = "", role: people.Role = "worker") -> None:
        self.client = TestClient(app, base_url="http://testserver", follow_redirects=False)
        self.campaign = campaign
        self.name = name
        self.csrf = ""
        if name:
            self.id = campaign.store.write_now(lambda c: _account(c, campaign, name, role))
            token = campaign.store.write_now(lambda c: people.begin_session(c, self.id, time.time()))
            self.client.cookies.set(COOKIE, token)
            self.get("/account")

    def get(self, path: str) -> Any:
        response = self.client.get(path)
        found = re.search(r'name="csrf" value="([0-9a-f]+)"', response.text)
        self.csrf = found.group(1) if found else self.csrf
        return response

    def post(self, path: str, **fields: str) -> Any:
        return self.client.post(path, data={"csrf": self.csrf, **fields})

    def begin(self, phase: str) -> str | None:
        """Take an item of a phase: the path of its task, or None where there is none."""
        place = self.post(f"/work/{phase}").headers["location"]
        return place if place.startswith("/task/") else None

    def contribute(self, phase: str, **changes: str) -> str | None:
        """Take an item and send a form that is in order; the path of the task. The next item is then held already."""
        task = self.begin(phase)
        if task is None:
            return None
        fields = ANSWERS[f"{self.campaign.flow.name}/{phase}"] | changes
        if phase == "question":
            fields["picture"] = re.search(r'name="picture" value="([^"]+)"', self.get(task).text).group(1)
        sent = self.post(task, **fields)
        assert sent.status_code == 303, sent.text
        return task


def _account(connection: Any, campaign: Campaign, name: str, role: people.Role) -> int:
    number = people.add_person(connection, name, role, time.time())
    people.agree(connection, number, campaign.settings.consent.version, time.time())
    return number


def states(campaign: Campaign) -> list[str]:
    """The states of all items, in order."""
    return list(
        campaign.store.read(lambda c: c.execute(select(tables.item.c.state).order_by(tables.item.c.id)).scalars().all())
    )


@contextmanager
def opened(folder: Path, database: str | None = None) -> Iterator[tuple[Any, Campaign]]:
    """The application of a campaign, for visitors without a browser."""
    campaign = Campaign.open(folder, database)
    try:
        yield application(campaign), campaign
    finally:
        campaign.close()


@contextmanager
def served(folder: Path, port: int = 0) -> Iterator[tuple[str, Campaign]]:
    """A campaign served on a port of this machine, any that is free where none is named: its address."""
    campaign = Campaign.open(folder)
    listening = socket.create_server(("127.0.0.1", port))  # handed over open: nobody takes the port meanwhile
    server = uvicorn.Server(uvicorn.Config(application(campaign), log_level="warning"))
    thread = threading.Thread(target=server.run, args=([listening],), daemon=True)
    thread.start()
    try:
        while not server.started:
            assert thread.is_alive(), "the server does not come up"
            time.sleep(0.01)
        yield f"http://127.0.0.1:{listening.getsockname()[1]}", campaign
    finally:
        server.should_exit = True
        thread.join()
