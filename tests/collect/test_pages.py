"""Axe looks at every page there is: in the light, in the dark and on a phone; all fit at a zoom of 200 % too."""

import time
from collections.abc import Iterator
from contextlib import ExitStack
from importlib.resources import files
from pathlib import Path
from typing import NamedTuple

import pytest
from axe_playwright_python.sync_playwright import Axe
from collecting import Visitor, make_campaign, served, setting
from making import case, dataset
from playwright.sync_api import Browser, Page

from countersight.case import Question
from countersight.collect import people, tables
from countersight.collect.campaign import Campaign
from countersight.collect.settings import settings_text
from countersight.collect.web.app import application
from countersight.collect.web.visit import COOKIE, Visit

pytestmark = [pytest.mark.browser, pytest.mark.slow, pytest.mark.timeout(1200)]

ALL = {"runOnly": ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"]}
# What may differ in the dark, and on small screens; the rest of the rules are about what all of them share.
DARK = {"runOnly": {"type": "rule", "values": ["color-contrast", "link-in-text-block"]}}
SMALL = {"runOnly": {"type": "rule", "values": ["target-size", "scrollable-region-focusable", "color-contrast"]}}
MODES = {
    "light": ({}, ALL),
    "dark": ({"color_scheme": "dark"}, DARK),
    "phone": ({"viewport": {"width": 360, "height": 740}, "has_touch": True}, SMALL),
    "zoom": ({"viewport": {"width": 640, "height": 430}, "device_scale_factor": 2}, None),  # as on a phone, but wider
}
BROKEN_WORDS = """() => [...document.querySelectorAll("th, td, h1, h2, button, label, dt")].flatMap((each) => {
  const texts = [...each.childNodes].filter((node) => node.nodeType === Node.TEXT_NODE);
  return texts.flatMap((node) => [...node.data.matchAll(/[\\p{L}]+/gu)].map((word) => {
    const range = document.createRange();
    range.setStart(node, word.index);
    range.setEnd(node, word.index + word[0].length);
    const lines = new Set([...range.getClientRects()].filter((part) => part.width).map((part) => Math.round(part.top)));
    return lines.size > 1 ? word[0] : "";
  })).filter(Boolean);
})"""
"""Finds the words of tables, headings and buttons that go on in the next line."""
NO_PAGES = {"base.html", "fields.html", "task.html"}
"""Templates that others are made of."""


class Room(NamedTuple):
    """What one person may look at in one campaign."""

    address: str
    cookie: str | None
    paths: list[str]


def page_templates() -> set[str]:
    """Every template that is a page of its own."""
    folder = files("countersight.collect.web") / "templates"
    names = {each.name for each in folder.iterdir() if each.name.endswith(".html")} - NO_PAGES
    return names | {f"tasks/{each.name}" for each in (folder / "tasks").iterdir()}


def cookie_of(visitor: Visitor) -> str:
    return visitor.client.cookies[COOKIE]


def disagree(app: object, campaign: Campaign) -> None:
    """Two people who say different things of the same case."""
    Visitor(app, campaign, "ada").contribute("verify")
    Visitor(app, campaign, "ben").contribute("verify", related="no", words="something else is to be seen")


def cosim(app: object, campaign: Campaign) -> None:
    """Questions, a change, and a flag that waits."""
    campaign.store.write_now(lambda c: c.execute(tables.item.update().values(split="test")))
    ada, ben, carl = (Visitor(app, campaign, name) for name in ("ada", "ben", "carl"))
    for _ in range(5):
        ada.contribute("question")
    ben.contribute("change")
    flagged = carl.begin("change")
    carl.post(f"{flagged}/flag", flag_reason="wrong", flag_words="it is not so at all")


def cfmm(app: object, campaign: Campaign) -> None:
    """A pair that waits for its second person."""
    Visitor(app, campaign, "ada").contribute("write")


PREPARED = {"cosim": cosim, "cfmm": cfmm, "cvqa": disagree, "verify": disagree}
LEADS = [
    "/work", "/mine", "/account", "/consent", "/review", "/review/1", "/lead", "/lead/items", "/lead/items/2",
    "/lead/people", "/lead/people/1", "/lead/pay", "/lead/log", "/lead/tokens", "/review/1/edit/2", "/nowhere",
]  # fmt: skip


def tasks(app: object, campaign: Campaign, address: str) -> Room:
    """A lead with a task of every phase open."""
    lead = Visitor(app, campaign, "lea", "lead")
    found = [lead.begin(phase.name) for phase in campaign.flow.phases]
    assert all(found), f"{campaign.flow.name}: a phase has nothing to do"
    first = campaign.flow.phases[0].name
    more = [*LEADS, f"/guidelines/{first}"] if campaign.flow.name == "cosim" else []
    return Room(address, cookie_of(lead), [*more, *found])


def with_tests(folder: Path) -> Path:
    """A campaign with a test to pass and items whose answer is known."""
    make_campaign(folder, "verify", 3, gold=dataset(folder.with_name("gold"), 3))
    (folder / "campaign.toml").write_text(settings_text("verify", "With a test"), encoding="utf-8")
    setting(folder, "gold_share = 0.05", "gold_share = 0.999999999")
    return folder


def tried(app: object, campaign: Campaign, address: str) -> Iterator[Room]:
    """Newcomers, somebody who failed, somebody who met a known item, pay that was exported, and nobody at all."""
    new, failed, known = (Visitor(app, campaign, name) for name in ("new", "failed", "known"))
    for _ in range(2):
        failed.post("/test/verify", q0="1")
    known.post("/test/verify", q0="2")
    sent = known.post(known.begin("verify"), related="yes", right="yes", factual_right="yes")
    lead = Visitor(app, campaign, "lea", "lead")
    lead.post(f"/lead/pay/approve/{known.id}")
    assert lead.post("/lead/pay/export").status_code == 303
    _, link = campaign.store.write_now(lambda c: people.invite(c, "ines", "worker", time.time()))
    yield Room(address, cookie_of(new), ["/work", "/test/verify"])
    yield Room(address, cookie_of(failed), ["/work", "/test/verify"])
    yield Room(address, cookie_of(known), [sent.headers["location"], "/mine", "/work?sent=1"])
    yield Room(address, cookie_of(lead), ["/lead/pay", "/lead/people"])
    yield Room(address, None, ["/login", f"/join/{link}"])


@pytest.fixture(scope="module")
def rooms(audited: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[list[Room]]:
    """A campaign of every flow, each with something in every phase, and one with tests."""
    bare = case(9, factual=Question("How many?", "3", "number"), counterfactual=None, shown=None, change=None)
    with ExitStack() as stack:
        found = []
        for flow in ("cosim", "cfmm", "cvqa", "verify", "answer", "judge"):
            folder = tmp_path_factory.mktemp(flow) / "campaign"
            pairs = dataset(folder.with_name("pairs"), [case(0), case(1), case(2), bare])
            source = {"cosim": {}, "cfmm": {}, "judge": {"source": audited}}.get(flow, {"source": pairs})
            make_campaign(folder, flow, 8, **source)
            address, campaign = stack.enter_context(served(folder))
            app = application(campaign)
            PREPARED.get(flow, lambda app, campaign: None)(app, campaign)
            found.append(tasks(app, campaign, address))
        address, campaign = stack.enter_context(served(with_tests(tmp_path_factory.mktemp("tested") / "campaign")))
        found += tried(application(campaign), campaign, address)
        yield found


def violations(page: Page, rules: dict[str, object]) -> list[str]:
    found = Axe().run(page, options=rules | {"resultTypes": ["violations"]}).response["violations"]
    return [f"{page.url}: {each['id']} {each['nodes'][0]['html'][:200]}" for each in found]


def looked_at(browser: Browser, room: Room, mode: str) -> Iterator[str]:
    """What is wrong with the pages of a room in a mode."""
    how, rules = MODES[mode]
    # Without motion: a colour on its way from one to another has a contrast of its own.
    context = browser.new_context(base_url=room.address, reduced_motion="reduce", **how)
    if room.cookie:
        context.add_cookies([{"name": COOKIE, "value": room.cookie, "url": room.address}])
    page = context.new_page()
    for path in room.paths:
        page.goto(path)
        yield from violations(page, rules) if rules else ()
        if page.evaluate("document.documentElement.scrollWidth > innerWidth"):
            yield f"{mode}: {path} is too wide"
        yield from (f"{mode}: {path} breaks the word {word}" for word in page.evaluate(BROKEN_WORDS))
        if mode == "light" and path.startswith("/task/"):
            page.locator("#send").click()
            page.wait_for_selector("#faults")  # an empty form comes back with its faults
            yield from violations(page, rules)
    context.close()


@pytest.mark.parametrize("mode", MODES)
def test_axe_finds_nothing_on_any_page_and_all_fit(rooms, browser, mode, monkeypatch):
    seen: set[str] = set()
    render = Visit.render

    def noting(self, template, status=200, **values):
        seen.add(template)
        return render(self, template, status, **values)

    monkeypatch.setattr(Visit, "render", noting)
    assert [fault for room in rooms for fault in looked_at(browser, room, mode)] == []
    assert page_templates() - seen == set()
