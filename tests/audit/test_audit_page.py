"""The page of an audit in a real browser, with mouse or keyboard, and in print."""

import json
import re
from typing import Any

import msgspec
import pytest
from axe_playwright_python.sync_playwright import Axe
from evidence import HOSTILE, KINDS, write_audit
from insider import rechained, replace, reviewed
from playwright.sync_api import Browser, Page, expect

from countersight.audits import finishing
from countersight.audits.calibration.calibration_file import CALIBRATION, Calibration
from countersight.audits.calibration.judge_accuracy import JudgeSheet, rate, verdict_accuracy
from countersight.audits.finishing import finish
from countersight.audits.manifest import Actor
from countersight.audits.records import Failed
from countersight.audits.sessions import begin_session
from countersight.audits.step_log import LOG

DESK = {"width": 1280, "height": 900}
PHONE = {"width": 360, "height": 740}
browsed = pytest.mark.browser


@pytest.fixture(scope="module")
def page_file(tmp_path_factory):
    base = tmp_path_factory.mktemp("audits")
    folder = write_audit(base / "seer")
    begin_session(folder, "A. Operator")
    label = {"case": "ball-0", "concept": 1, "person": "R. Viewer", "pcs": 0, "ncc": 1, "at": "2026-11-20"}
    reviewed(folder, label, label | {"concept": 7})
    return finish(folder).html


@pytest.fixture(scope="module")
def hostile_file(tmp_path_factory):
    return finish(write_audit(tmp_path_factory.mktemp("audits") / "hostile", words=HOSTILE)).html


@pytest.fixture
def opened(browser: Browser):
    """Open a page and record its requests and errors."""
    contexts = []

    def open_page(file, **settings: Any) -> tuple[Page, list[str]]:
        context = browser.new_context(**{"viewport": DESK, **settings})
        contexts.append(context)
        page, troubles = context.new_page(), []
        page.on("console", lambda message: troubles.append(message.text))
        page.on("pageerror", lambda error: troubles.append(str(error)))
        page.on("dialog", lambda dialog: (troubles.append(f"dialog {dialog.message}"), dialog.dismiss()))
        known = (file.as_uri(), "data:")
        page.on("request", lambda request: request.url.startswith(known) or troubles.append(request.url))
        page.goto(file.as_uri())
        return page, troubles

    yield open_page
    for context in contexts:
        context.close()


def violations(page: Page) -> list[str]:
    found = Axe().run(page).response["violations"]
    return [f"{rule['id']}: {[node['html'][:150] for node in rule['nodes'][:3]]}" for rule in found]


def test_the_page_has_a_heading_for_every_supported_point_of_annex_iv(page_file):
    headings = re.findall(r"<h2[^>]*>(.*?)</h2>", page_file.read_text())
    served = " ".join(headings)
    for point in ("Annex IV 1, 2(a)", "2(d), 2(g)", "Annex IV 2(g)", "Annex IV 3, 4", "3, 5", "2(e)"):
        assert point in served
    assert "It is not a conformity assessment" in page_file.read_text()


def test_every_case_shows_replies_edits_and_verdicts(page_file):
    words = page_file.read_text()
    assert words.count('<article class="card audited"') == len(KINDS)
    for told in (
        "edited for test",
        "Excluded: bad edit: too much changed: 100% of the pixels outside the mask.",
        "There is no edited picture: there is no blue ball",
        "2 of 7 tests do not count: bad edit (1); no edited picture (1).",
        "Nothing to test: the extractor finds nothing that could be changed",
        "A step failed: answer: 503: try later",
        "shift by phase correlation",
        "0.238 in the mask, 1.000 around it",
        "R. Viewer",
        "2 verdicts reviewed, 1 overturned",
        "seer-2026-10-01",
    ):
        assert told in words


@browsed
def test_the_page_makes_no_requests_and_logs_no_errors(opened, page_file):
    page, troubles = opened(page_file)
    expect(page.locator("h1")).to_contain_text("Faithfulness of the explanations")
    assert troubles == []


@browsed
@pytest.mark.parametrize(
    "settings",
    [
        pytest.param({}, id="light"),
        pytest.param({"color_scheme": "dark", "viewport": PHONE}, id="dark phone", marks=pytest.mark.slow),
    ],
)
def test_the_page_is_accessible(opened, page_file, settings):
    page, _ = opened(page_file, reduced_motion="reduce", **settings)
    assert violations(page) == []
    assert not page.evaluate("document.documentElement.scrollWidth > document.documentElement.clientWidth")


@browsed
def test_hostile_text_is_displayed_without_effect(opened, hostile_file):
    page, troubles = opened(hostile_file)
    expect(page.locator(".card").first).to_contain_text("<img src=x onerror=alert(1)>")
    assert page.locator("main img, main b:text-is('bold')").count() == 0
    assert troubles == []


@browsed
def test_the_slider_can_be_used_with_keys_and_reports_its_position(opened, page_file):
    page, _ = opened(page_file, reduced_motion="reduce")
    views = page.locator("#case-0 .views")
    slider = views.get_by_role("slider")
    expect(slider).to_have_attribute("aria-valuetext", "50% edited, 50% as it was")
    slider.focus()
    page.keyboard.press("Home")
    expect(slider).to_have_attribute("aria-valuetext", "0% edited, 100% as it was")
    assert views.evaluate("node => node.style.getPropertyValue('--cut')") == "100%"
    page.keyboard.press("ArrowRight")
    expect(slider).to_have_attribute("aria-valuetext", "1% edited, 99% as it was")
    page.keyboard.press("End")
    expect(slider).to_have_attribute("aria-valuetext", "100% edited, 0% as it was")
    assert "0%" in views.locator(".after").evaluate("node => getComputedStyle(node).clipPath")


@browsed
def test_the_page_shows_both_pictures_their_difference_and_the_mask(opened, page_file):
    page, _ = opened(page_file)
    case = page.locator("#case-0")
    for words, seen in (("Difference", ["difference"]), ("Mask", ["mask"]), ("Side by side", ["before", "after"])):
        button = case.get_by_role("button", name=words)
        button.click()
        expect(button).to_have_attribute("aria-pressed", "true")
        for key in ("before", "after", "difference", "mask"):
            expect(case.locator(f"figure.{key}")).to_be_visible(visible=key in seen)


@browsed
def test_tests_are_filtered_by_verdict_kind_edit_and_words(opened, page_file):
    page, _ = opened(page_file)
    status, cards = page.locator("#status"), page.locator(".card:visible")
    expect(status).to_have_text("9 cases, 7 tests")
    page.get_by_label(re.compile("^neither follows")).check()
    expect(status).to_have_text("1 of 7 tests, in 1 cases")
    expect(cards).to_have_count(1)
    expect(cards.first).to_contain_text("ball-3")
    page.get_by_role("button", name="Clear filters").click()
    page.get_by_label("Kind of concept", exact=True).select_option("attribute")
    expect(status).to_have_text("4 of 7 tests, in 4 cases")
    page.get_by_label("Edit", exact=True).select_option("remove")
    expect(status).to_have_text("0 of 7 tests, in 0 cases")
    page.get_by_role("button", name="Clear filters").click()
    page.get_by_label(re.compile("^Text in")).fill("503: TRY")
    expect(cards).to_have_count(1)


@browsed
def test_without_javascript_pictures_are_side_by_side(opened, page_file):
    page, _ = opened(page_file, java_script_enabled=False)
    case = page.locator("#case-0")
    for key in ("before", "after", "difference", "mask"):
        expect(case.locator(f"figure.{key}")).to_be_visible()
    expect(page.locator("#filters")).to_be_hidden()
    expect(case.get_by_role("slider")).to_have_count(0)


@browsed
def test_in_print_pictures_are_side_by_side_and_cases_are_not_split(opened, page_file):
    page, _ = opened(page_file, color_scheme="dark")
    page.emulate_media(media="print")
    case = page.locator("#case-0")
    before, after = (case.locator(f"figure.{key}").bounding_box() for key in ("before", "after"))
    assert before["x"] + before["width"] <= after["x"]
    expect(case.locator("figure.difference")).to_be_visible()
    expect(case.locator(".edited")).to_be_visible()
    expect(page.locator("#filters")).to_be_hidden()
    expect(case.get_by_role("slider")).to_have_count(0)
    assert case.evaluate("node => getComputedStyle(node).breakInside") == "avoid"
    assert page.evaluate("getComputedStyle(document.body).backgroundColor") == "rgb(255, 255, 255)"
    written = page.pdf(prefer_css_page_size=True)
    assert written.startswith(b"%PDF-")


def test_the_page_of_a_large_audit_shows_cases_of_every_outcome(tmp_path, monkeypatch):
    kinds = ["consistent"] * 30 + ["neither", "undecided", "no picture"]
    folder = write_audit(tmp_path / "a", kinds)
    monkeypatch.setattr(finishing, "GALLERY", 8)
    words = finish(folder).html.read_text()
    assert words.count('<article class="card audited"') == 8
    assert "8 of 33 cases" in words
    for outcome in ("neither", "undecided", "excluded", "consistent"):
        assert f'data-outcome="{outcome}"' in words


def test_an_audit_without_cases_has_a_page(tmp_path):
    words = finish(write_audit(tmp_path / "a", [])).html.read_text()
    assert "No test counts, so there is no score." in words


def test_the_page_of_undecided_tests_says_that_they_count_but_have_no_ccs(tmp_path):
    words = finish(write_audit(tmp_path / "a", ["undecided"] * 3)).html.read_text()
    assert "There is no Counterfactual Consistency Score (CCS)" in words
    assert "In 3 of 3 counted tests, the judges could not decide." in words
    assert "3 of 3 counted tests have no CCS, because judges abstain or are divided." in words
    assert "o test counts" not in words


@pytest.mark.parametrize(
    ("stage", "kept", "told"),
    [
        ("verdict", ("edit",), "In 1 of 2 counted tests, the answer and the explanation followed the edit; in 1, a "
         "step failed, so there is no score."),
        ("edit", (), "Excluded: no edited picture: a step failed (edit: timed out)."),
    ],
)  # fmt: skip
def test_a_test_with_a_failed_step_is_not_called_undecided(tmp_path, stage, kept, told):
    folder = write_audit(tmp_path / "a", ["consistent"] * 2)

    def without(step):
        if step.place.case != "ball-0" or step.place.concept != 1:
            return step
        if step.stage == stage:
            return replace(step, output=Failed("timed out"), asked=())
        return step if kept else None

    rechained(folder / LOG, without)
    finished = finish(folder)
    words = finished.html.read_text()
    assert told in words
    assert f"A step failed: {stage}: timed out" in words
    assert (finished.scores.undecided, finished.scores.unfinished) == (0, len(kept))
    assert "because judges abstain" not in words


# ---- calibration ----------------------------------------------------------------------------------------------------


def test_the_page_shows_the_calibration_and_the_corrected_scores(tmp_path):
    folder = write_audit(tmp_path / "a", ["consistent"] * 12 + ["neither"] * 4)
    found = verdict_accuracy([(1.0, 1)] * 18 + [(0.0, 1)] * 2 + [(0.0, 0)] * 15 + [(1.0, 0)] * 5)
    judge = JudgeSheet(Actor("openai:gpt-9"), 1, found, found, found, {"faithful": rate(9, 10)}, rate(3, 4), rate(9, 9))
    sheet = Calibration((judge,), 40, 7, {}, "0.1.0")
    (folder / CALIBRATION).write_bytes(msgspec.json.encode(sheet))
    words = finish(folder).html.read_text()
    assert "Judges on tests with known verdicts" in words
    assert "40 tests, seed 7: constructed from generated drawings" in words
    assert "18 of 20" in words
    assert "hostile words" in words
    corrected = (0.75 + 0.75 - 1) / (0.9 + 0.75 - 1)
    assert f"{corrected:.3f}" in words
    assert "No judge was calibrated" not in words


# ---- finding one's way ----------------------------------------------------------------------------------------------


def test_scores_are_explained_at_first_use_and_cards_list_their_steps(page_file):
    words = page_file.read_text()
    assert "Prediction Change Score: does the answer follow the edit?" in words[: words.index('id="results"')]
    lines = (page_file.parent / "steps.jsonl").read_text().splitlines()
    for number in (0, 5, 11):
        step = json.loads(lines[number])
        if step["place"].get("case"):
            assert f'title="{step["hash"]}"' in words
            assert f"step {number}, {step['stage']}" in words


def test_many_cases_are_folded_with_their_outcomes(tmp_path):
    few = finish(write_audit(tmp_path / "few", ["consistent"] * 12, control=False)).html.read_text()
    many = finish(write_audit(tmp_path / "many", ["consistent"] * 12 + ["neither"], control=False)).html.read_text()
    assert few.count('<article class="card') == 12
    assert many.count('<details class="card') == 13
    assert many.count('<span class="verdict wrong">neither follows</span>') == 2  # on the fold and inside of it
