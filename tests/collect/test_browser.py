"""Every flow in a real browser: by keyboard alone, without JavaScript, and with no violation that axe finds."""

import re
import time
from collections.abc import Iterator
from itertools import count
from pathlib import Path

import pytest
from collecting import ANSWERS, make_campaign, served, states
from killable import free_port
from playwright.sync_api import Browser, Locator, Page, expect
from sqlalchemy import select
from tiers import mostly_slow

from countersight.collect import export_campaign, make_demo, people, tables
from countersight.collect.campaign import Campaign
from countersight.collect.web.visit import COOKIE

pytestmark = pytest.mark.browser

FLOWS = ("cosim", "cfmm", "cvqa", "verify", "answer", "judge")


class Hall:
    """Campaigns that are served, and people who are logged in to them."""

    def __init__(self, browser: Browser, address: str, campaign: Campaign) -> None:
        self.browser, self.address, self.campaign = browser, address, campaign
        self._visitors = count(1)

    def enter(self, name: str, role: people.Role = "worker", **how: object) -> Page:
        """A page of somebody who is logged in; nobody else has the name, also where a test is tried again."""
        context = self.browser.new_context(base_url=self.address, **how)
        context.set_default_timeout(120_000)
        name = f"{next(self._visitors)} {name}"
        number = self.campaign.store.write_now(lambda c: people.add_person(c, name, role, time.time()))
        self.campaign.store.write_now(
            lambda c: people.agree(c, number, self.campaign.settings.consent.version, time.time())
        )
        token = self.campaign.store.write_now(lambda c: people.begin_session(c, number, time.time()))
        context.add_cookies([{"name": COOKIE, "value": token, "url": self.address}])
        page = context.new_page()
        page.faults = []
        page.on("pageerror", lambda error: page.faults.append(str(error)))
        page.on("dialog", lambda dialog: page.faults.append(f"dialog {dialog.message}"))
        return page


@pytest.fixture
def hall(flow: str, tmp_path: Path, browser: Browser, request: pytest.FixtureRequest) -> Iterator[Hall]:
    """A campaign of one flow, for one test: seats that another took would keep two people from meeting at one item."""
    source = {"source": request.getfixturevalue("audited")} if flow == "judge" else {}
    make_campaign(tmp_path / "campaign", flow, 16, **source)
    with served(tmp_path / "campaign") as (address, campaign):
        yield Hall(browser, address, campaign)


def press(button: Locator) -> None:
    """Press what leads to another page, and wait until that is there with its scripts."""
    with button.page.expect_navigation():
        button.click()


def begin(page: Page, phase: str) -> None:
    """Begin a phase from the first page, with the mouse."""
    page.goto("/work")
    press(page.locator(f"form[action='/work/{phase}'] button"))


def press_to(page: Page, wanted: str, most: int = 60) -> None:
    """Press Tab until the element is reached."""
    for _ in range(most):
        if page.evaluate("wanted => document.activeElement.matches(wanted)", wanted):
            return
        page.keyboard.press("Tab")
    raise AssertionError(f"{wanted} is not reached by Tab")


def fill_by_keyboard(page: Page, fields: dict[str, str]) -> None:
    """Fill a form with Tab, arrows, Space and letters."""
    page.keyboard.press("Home")
    page.evaluate("document.getElementById('main').focus()")  # where the link "Skip to the content" leads
    names = page.eval_on_selector_all("#task [name]", "all => all.map(each => each.name)")
    for name in dict.fromkeys(each for each in names if each in fields):
        kind = page.eval_on_selector(f"#task [name='{name}']", "each => each.type")
        press_to(page, f"#task [name='{name}']")
        if kind == "radio":
            _choose(page, name, fields[name])
        else:
            page.keyboard.press("Control+a")
            page.keyboard.type(fields[name])


def _choose(page: Page, name: str, value: str) -> None:
    page.keyboard.press("Space")
    for _ in range(10):
        if page.evaluate(f"document.querySelector(\"[name='{name}']:checked\")?.value") == value:
            return
        page.keyboard.press("ArrowDown")
    raise AssertionError(f"{name} cannot be set to {value} by keyboard")


def wanted(page: Page, flow: str, phase: str) -> dict[str, str]:
    """The form that is in order; of pictures the second."""
    fields = dict(ANSWERS[f"{flow}/{phase}"])
    if phase == "question":
        picture = page.eval_on_selector_all("[name='picture']", "all => all[1].value")
        fields = {"picture": picture, **fields}  # a box belongs to the picture that was chosen before it
    return fields


def start(page: Page, phase: str, title: str) -> None:
    """Begin a phase from the first page, by keyboard."""
    page.goto("/work")
    press_to(page, f"form[action='/work/{phase}'] button")
    page.keyboard.press("Enter")
    page.wait_for_url("**/task/**")
    assert page.locator("h1").inner_text() == title


SEQUENCES = {
    "cosim": ["question", "change", "distractor"],
    "cfmm": ["write", "blind"],
    "cvqa": ["verify", "verify"],
    "verify": ["verify", "verify"],
    "answer": ["answer", "answer"],
    "judge": ["judge", "judge", "judge"],
}


@pytest.mark.parametrize("flow", mostly_slow(FLOWS, {"cvqa"}))
def test_a_flow_goes_from_the_first_page_to_its_export_by_keyboard_alone(hall, flow, tmp_path):
    titles = {phase.name: phase.title for phase in hall.campaign.flow.phases}
    for place, phase in enumerate(SEQUENCES[flow]):
        page = hall.enter(f"keyboard {place}")
        start(page, phase, titles[phase])
        fill_by_keyboard(page, wanted(page, flow, phase))
        page.keyboard.press("Control+Enter")
        page.wait_for_selector("text=Sent.")
        assert page.faults == []
        page.context.close()
    assert "done" in states(hall.campaign)
    export_campaign(hall.campaign, tmp_path / "out")
    assert any((tmp_path / "out").iterdir())


@pytest.mark.slow
@pytest.mark.parametrize("flow", FLOWS)
def test_a_flow_works_without_javascript(hall, flow):
    for place, phase in enumerate(SEQUENCES[flow]):
        page = hall.enter(f"plain {place}", java_script_enabled=False)
        begin(page, phase)
        if phase == "question":
            page.locator("[name='picture']").first.check()
        fill(page, ANSWERS[f"{flow}/{phase}"])
        press(page.get_by_role("button", name="Save draft"))
        expect(page.locator("#saved")).to_contain_text("Saved")
        press(page.locator("#send"))
        expect(page.locator("main")).to_contain_text("Sent.")
        page.context.close()
    assert states(hall.campaign).count("done") == 1


def test_what_is_typed_while_the_server_is_away_is_there_when_it_is_back(browser, tmp_path):
    folder = make_campaign(tmp_path / "campaign", "verify", 2)
    port = free_port()  # which nobody else is given while the server is away
    with served(folder, port) as (address, campaign):
        page = Hall(browser, address, campaign).enter("typist")
        begin(page, "verify")
        task = page.url
        page.locator("#words").fill("saved on the server")
        expect(page.locator("#saved")).to_contain_text("Saved")
    page.locator("#words").fill("typed while the server was away")
    expect(page.locator("#saved")).to_contain_text("cannot be reached. It is stored in this browser.")
    page.locator("#send").click()  # nobody answers: nothing was acknowledged
    page.wait_for_url("chrome-error://**")
    with served(folder, port):
        page.goto(task)
        assert page.locator("#words").input_value() == "typed while the server was away"
        expect(page.locator("#saved")).to_contain_text("Saved")
        page.wait_for_function("localStorage.length === 0")  # the server has it now
        # A copy that is older than the text on the server, which was typed in another browser, is not shown.
        page.evaluate(
            "form => localStorage.setItem('countersight draft ' + form, '{\"typed\": 1, \"values\": []}')",
            task.split("/")[-1],
        )
        page.reload()
        assert page.locator("#words").input_value() == "typed while the server was away"
        assert page.evaluate("localStorage.length") == 0
        fill(page, ANSWERS["verify/verify"] | {"words": "as it was sent"})
        press(page.locator("#send"))
        expect(page.locator("main")).to_contain_text("Sent.")
        assert page.evaluate("localStorage.length") == 0
        assert page.faults == []


@pytest.mark.parametrize("flow", ["verify"])
def test_on_a_phone_the_picture_stays_in_sight_can_be_enlarged_and_buttons_are_on_the_screen(hall):
    phone = {"viewport": {"width": 390, "height": 800}}
    page = hall.enter("looker", **phone)
    begin(page, "verify")
    expect(page.locator("#task [name='related']").first).to_be_focused()
    width = page.locator(".frame img").bounding_box()["width"]
    page.get_by_role("button", name="Larger").click()
    assert page.locator(".frame img").bounding_box()["width"] > 1.4 * width
    page.evaluate("scrollTo(0, 600)")
    assert 0 <= page.locator(".frame").bounding_box()["y"] < 400
    fill(page, ANSWERS["verify/verify"])
    press(page.locator("#send"))
    lead = hall.enter("lead", "lead", **phone)
    lead.goto("/lead/pay")
    button = lead.get_by_role("button", name=re.compile("^Approve")).bounding_box()
    assert button["x"] >= 0
    assert button["x"] + button["width"] <= 390
    assert button["height"] < 50  # in one line


@pytest.mark.parametrize("flow", ["verify"])
def test_fields_that_are_not_needed_are_hidden(hall):
    page = hall.enter("decider")
    begin(page, "verify")
    expect(page.locator("#right")).to_be_visible()
    expect(page.locator("#answer")).to_be_hidden()
    page.locator("[name='right'][value='no']").check()
    expect(page.locator("#answer")).to_be_visible()
    page.locator("[name='related'][value='no']").check()
    expect(page.locator("#right")).to_be_hidden()
    expect(page.locator("#answer")).to_be_hidden()


@pytest.mark.parametrize("flow", ["cosim"])
def test_on_a_phone_the_picture_to_mark_stays_in_sight(hall):
    page = hall.enter("marker", viewport={"width": 390, "height": 800})
    begin(page, "question")
    page.evaluate("scrollTo(0, 900)")
    assert 0 <= page.locator("#marking").bounding_box()["y"] < 400


@pytest.mark.parametrize("flow", ["cfmm"])
def test_a_leak_is_announced_as_one_types(hall):
    page = hall.enter("leaky")
    begin(page, "write")
    page.locator("[name='counterfactual_answer'][value='A']").check()
    page.locator("#option_a").fill("blue")
    page.locator("#option_b").fill("red")
    page.locator("#counterfactual").focus()
    page.keyboard.type("If I painted this bus blue, what color would it be?")
    page.wait_for_selector("#leak:has-text('names the answer')")
    assert page.locator("#leak").get_attribute("aria-live") == "polite"
    expect(page.locator("#counterfactual")).to_be_focused()


@pytest.mark.parametrize("flow", ["cosim"])
def test_ctrl_and_enter_in_a_flag_send_the_flag(hall):
    author, page = hall.enter("author"), hall.enter("flagger")
    begin(author, "question")
    author.locator("[name='picture']").first.check()
    fill(author, ANSWERS["cosim/question"])
    press(author.locator("#send"))
    begin(page, "change")
    fill(page, ANSWERS["cosim/change"])
    page.locator("details.flag summary").click()
    page.locator("[name='flag_reason'][value='wrong']").check()
    page.locator("#flag_words").fill("this is quite wrong")
    with page.expect_navigation():
        page.keyboard.press("Control+Enter")
    expect(page.locator("main")).to_contain_text("Flagged.")
    assert states(hall.campaign).count("flagged") == 1


@pytest.mark.parametrize("flow", ["cosim"])
def test_a_box_is_drawn_with_the_mouse(hall):
    page = hall.enter("painter", viewport={"width": 1200, "height": 900})
    begin(page, "question")
    page.locator("[data-picture]").nth(2).click()
    expect(page.locator("[name='picture']").nth(2)).to_be_checked()
    page.wait_for_function("document.querySelector('#marking img').complete")  # only then it has its size
    frame = page.locator("#marking").bounding_box()
    page.mouse.move(frame["x"] + 0.25 * frame["width"], frame["y"] + 0.1 * frame["height"])
    page.mouse.down()
    page.mouse.move(frame["x"] + 0.75 * frame["width"], frame["y"] + 0.4 * frame["height"], steps=4)
    page.mouse.up()
    numbers = [int(page.locator(f"#{side}").input_value()) for side in ("left", "top", "width", "height")]
    assert all(abs(found - drawn) <= 1 for found, drawn in zip(numbers, (25, 10, 50, 30), strict=True))
    assert page.faults == []


HOSTILE = "<img src=x onerror=alert(1)>\"'><svg onload=alert(2)>"
CLEAN = {"left", "top", "width", "height", "distractor_1", "distractor_2", "distractor_3"}
"""Fields that take numbers; and distractors, which must differ by more than this."""


def spoiled(page: Page, flow: str, phase: str) -> dict[str, str]:
    """A form that is in order, with something hostile in every field that takes free text."""
    fields = wanted(page, flow, phase) | {"words": "", "pcs_reason": "", "ncc_reason": ""}
    for name, value in fields.items():
        field = page.locator(f"#task textarea[name='{name}'], #task input[name='{name}']:not([type=radio])")
        if field.count() and name not in CLEAN and not (flow == "cvqa" and name == "answer"):
            fields[name] = f"{value.rstrip('?')} {HOSTILE}{'?' if value.endswith('?') else ''}"
    return fields


def fill(page: Page, fields: dict[str, str]) -> None:
    """Fill a form as somebody with a mouse does."""
    for name, value in fields.items():
        field = page.locator(f"#task [name='{name}']")
        if field.count() == 0:
            continue
        if field.first.get_attribute("type") == "radio":
            page.locator(f"#task [name='{name}'][value='{value}']").check()
        else:
            field.fill(value)


@pytest.mark.parametrize("flow", mostly_slow(FLOWS, {"cfmm"}))
def test_hostile_text_in_every_field_of_every_flow_is_shown_harmless(hall, flow):
    how = {"bypass_csp": True}  # the policy would stop a script: here nothing may even become one
    lead = hall.enter(f"a careful lead {HOSTILE}", "lead", **how)
    latest = select(tables.contribution.c.item_id).order_by(tables.contribution.c.id.desc()).limit(1)
    for place, phase in enumerate(SEQUENCES[flow]):
        page = hall.enter(f"mallory {place} {HOSTILE}", **how)
        begin(page, phase)
        assert_harmless(page)
        fill(page, spoiled(page, flow, phase))
        press(page.get_by_role("button", name="Save draft"))
        assert_harmless(page)
        press(page.locator("#send"))
        expect(page.locator("main")).to_contain_text("Sent.")
        page.goto("/mine")
        assert_harmless(page)
        lead.goto(f"/lead/items/{hall.campaign.store.read(lambda c: c.execute(latest).scalar_one())}")
        assert_harmless(lead)
        page.context.close()
    assert flow == "answer" or HOSTILE in lead.locator("main").inner_text()
    for path in ("/lead", "/lead/people", "/lead/pay", "/review", "/account"):
        lead.goto(path)
        assert_harmless(lead)


def assert_harmless(page: Page) -> None:
    """Nothing ran, and nothing of what was typed became an element."""
    assert page.faults == []
    assert page.locator("img[src='x'], svg[onload], [onerror]").count() == 0


@pytest.mark.slow
def test_the_demo_shows_the_model_in_the_loop(browser, tmp_path):
    make_demo(tmp_path / "demo")
    with served(tmp_path / "demo") as (address, campaign):
        page = Hall(browser, address, campaign).enter("guest")
        page.goto("/test/distractor")
        page.locator("input[value='2']").check()
        press(page.get_by_role("button", name="Send"))
        press(page.locator("form[action='/work/distractor'] button"))
        for place in (1, 2, 3):
            page.locator(f"#distractor_{place}").fill(f"Yes, because {'very ' * place}many flowers are gone now.")
        page.locator("#check").click()
        page.wait_for_selector("#checked:has-text('Check 1 of 5')")
        assert re.search(
            r"Distractor 3: \d+ % — (fools the model|does not fool the model)", page.locator("#checked").inner_text()
        )
