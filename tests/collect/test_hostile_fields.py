"""Hostile text outside of contributions: in settings, names, flags, decisions, and what is typed at the door."""

import re
from pathlib import Path

import pytest
from collecting import make_campaign, served
from playwright.sync_api import Browser, Page
from test_browser import HOSTILE, Hall, assert_harmless, fill, wanted

from countersight.collect.settings import settings_text

pytestmark = [pytest.mark.browser, pytest.mark.slow]


def spoiled(settings: str) -> str:
    """Settings with something hostile in every text that people are shown."""
    hostile = HOSTILE.replace('"', '\\"')
    named = r'^((?:title|contact|text|why|currency|completion_code|screen_out_code) = "(?!""))'
    for place in (named, r'^((?:guidelines|text) = """)', r'^(options = \[")'):
        settings = re.sub(place, lambda found: f"{found.group(1)}{hostile} ", settings, flags=re.MULTILINE)
    return settings


def translate_hostilely(campaign: Path) -> None:
    """Texts of the interface with something hostile in each."""
    folder, hostile = campaign / "locale/en/LC_MESSAGES", HOSTILE.replace('"', '\\"')
    folder.mkdir(parents=True)
    texts = ("Work", "Guidelines", "Flags", "Pages", "Log in", "Review", "Question", "Send")
    catalog = "\n".join(f'msgid "{text}"\nmsgstr "{text} {hostile}"\n' for text in texts)
    (folder / "messages.po").write_text(catalog, encoding="utf-8")


@pytest.fixture
def hall(tmp_path: Path, browser: Browser):
    make_campaign(tmp_path / "campaign", "cosim", 4)
    (tmp_path / "campaign" / "campaign.toml").write_text(spoiled(settings_text("cosim", "A title")), encoding="utf-8")
    translate_hostilely(tmp_path / "campaign")
    with served(tmp_path / "campaign") as (address, campaign):
        yield Hall(browser, address, campaign)


def visit(page: Page, *paths: str) -> None:
    for path in paths:
        page.goto(path)
        assert_harmless(page)


def press(page: Page, button: str, then: str) -> None:
    """Press a button, and look at the page that follows, which has this on it."""
    page.locator(button).click()
    page.wait_for_selector(then)
    assert_harmless(page)


def qualify(page: Page, phase: str) -> None:
    visit(page, f"/guidelines/{phase}", f"/test/{phase}")
    assert HOSTILE in page.locator("main").inner_text()
    for option in page.locator("input[value='2']").all():
        option.check()
    press(page, "main form button", f"form[action='/work/{phase}']")
    press(page, f"form[action='/work/{phase}'] button", "#task")


def test_hostile_settings_flags_and_decisions_are_shown_harmless(hall: Hall):
    how = {"bypass_csp": True}  # the policy would stop a script: here nothing may even become one
    writer = hall.enter("writer", **how)
    visit(writer, "/consent", "/work", "/account", "/nowhere")
    qualify(writer, "question")
    fill(writer, wanted(writer, "cosim", "question"))
    press(writer, "#send", "text=Sent.")

    flagger = hall.enter("flagger", **how)
    qualify(flagger, "change")
    flagger.locator("details.flag summary").click()
    flagger.locator("#flag_words").fill(HOSTILE)
    press(flagger, "details.flag button", "#faults")  # without a reason: it comes back with its text
    flagger.locator("[name='flag_reason'][value='other']").check()
    flagger.locator("#flag_words").fill(f"I say {HOSTILE}")
    press(flagger, "details.flag button", "text=Flagged.")

    reviewer = hall.enter("reviewer", "reviewer", **how)
    visit(reviewer, "/review", "/review/1")
    assert HOSTILE in reviewer.locator("main").inner_text()
    reviewer.locator("#note").fill(f"I think {HOSTILE}")
    press(reviewer, "main form button", "#faults")  # nothing was decided: it comes back
    reviewer.locator("[name='outcome'][value='unfair']").check()
    reviewer.locator("#note").fill(f"I think {HOSTILE}")
    press(reviewer, "main form button", "text=Nothing is waiting for you.")

    lead = hall.enter("lead", "lead", **how)
    visit(lead, "/lead", "/lead/items", "/lead/pay", "/lead/items/1", "/lead/people")
    lead.locator("#name").fill(HOSTILE[:60])
    press(lead, "form[action='/lead/people'] button", ".note code")
    visit(lead, "/lead/items/1")
    assert f"I think {HOSTILE}" in lead.locator("main").inner_text()


def test_hostile_text_at_the_door_is_shown_harmless(hall: Hall):
    page = hall.enter("lead", "lead", bypass_csp=True)
    page.goto("/lead/people")
    page.locator("#name").fill(HOSTILE[:60])
    press(page, "form[action='/lead/people'] button", ".note code")
    invitation = page.locator("code").inner_text()
    page.context.clear_cookies()
    visit(page, invitation, "/login")
    page.locator("#name").fill(HOSTILE)
    page.locator("#password").fill(HOSTILE)
    press(page, "main form button", "#login-fault")
    assert page.locator("#name").input_value() == HOSTILE
