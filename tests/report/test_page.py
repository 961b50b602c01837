"""The page in a real browser."""

import re
from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import msgspec
import pytest
from axe_playwright_python.sync_playwright import Axe
from PIL import Image
from playwright.sync_api import Browser, Page, expect

from countersight.figures import Figure
from countersight.html import Thumbnail
from countersight.reports.data import GalleryAnswer, PageData
from countersight.reports.page import render
from countersight.scoring import Outcome

from . import specimen
from .specimen import HOSTILE

pytestmark = pytest.mark.browser

DESK = {"width": 1280, "height": 900}
PHONE = {"width": 360, "height": 740}


class Opened:
    """A page and what went on behind it."""

    def __init__(self, page: Page) -> None:
        self.page = page
        self.requests: list[str] = []
        self.troubles: list[str] = []
        page.on("request", lambda request: self.requests.append(request.url))
        page.on("console", lambda message: self.troubles.append(message.text))
        page.on("pageerror", lambda error: self.troubles.append(str(error)))
        page.on("dialog", lambda dialog: (self.troubles.append("dialog: " + dialog.message), dialog.dismiss()))


class Opener:
    """Opens reports, each written once, in one page for each way to look at them."""

    def __init__(self, browser: Browser, folder: Path) -> None:
        self.browser = browser
        self.folder = folder
        self.pages: dict[str, Opened] = {}
        self.written: list[PageData] = []

    def __call__(self, data: PageData, fragment: str = "", **settings: Any) -> Opened:
        place = next((nth for nth, each in enumerate(self.written) if each is data), len(self.written))
        file = self.folder / f"{place}.html"
        if place == len(self.written):
            file.write_text(render(data), encoding="utf-8")
            self.written.append(data)
        if str(settings) not in self.pages:
            context = self.browser.new_context(**{"viewport": DESK, **settings})
            self.pages[str(settings)] = Opened(context.new_page())
        opened = self.pages[str(settings)]
        opened.page.goto("about:blank")
        opened.requests.clear()
        opened.troubles.clear()
        opened.page.goto(file.as_uri() + fragment)
        return opened


@pytest.fixture(scope="module")
def open_page(browser: Browser, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Opener]:
    opener = Opener(browser, tmp_path_factory.mktemp("pages"))
    yield opener
    for opened in opener.pages.values():
        opened.page.context.close()


def says(page: Page, words: str) -> None:
    """Wait until the page says this of its cases."""
    expect(page.locator("#status")).to_have_text(words)


def choose(page: Page, words: str) -> None:
    page.get_by_label(re.compile(f"^{words}")).check()


def scroll_to_end(page: Page) -> None:
    page.locator(".card").last.scroll_into_view_if_needed()


def violations(page: Page, part: str | None = None) -> list[str]:
    found = Axe().run(page, context=part).response["violations"]
    return [f"{rule['id']}: {[node['html'][:150] for node in rule['nodes'][:3]]}" for rule in found]


def test_the_page_loads_without_a_request_or_a_complaint_and_runs_nothing_else(open_page: Opener) -> None:
    opened = open_page(specimen.page(60, "first", "second"))
    expect(opened.page.locator("h1")).to_have_text("cvqa-synthetic")
    expect(opened.page.locator(".card")).to_have_count(24)
    scroll_to_end(opened.page)
    last = opened.page.locator(".card").last.locator("img").last
    expect(last).to_have_attribute("src", re.compile("^data:image/webp;base64,"))
    assert last.evaluate("image => image.decode().then(() => image.naturalWidth)") == 224
    away = [url for url in opened.requests if not url.startswith(("file:", "data:"))]
    assert (away, opened.troubles) == ([], [])
    assert len([url for url in opened.requests if url.startswith("file:")]) == 1
    policy = opened.page.locator("meta[http-equiv]").get_attribute("content") or ""
    assert "default-src 'none'" in policy
    assert "unsafe" not in policy
    adding = "document.body.append(Object.assign(document.createElement('script'), {text: 'window.ran = 1'}))"
    opened.page.evaluate(adding)
    assert opened.page.evaluate("window.ran") is None


def test_what_has_no_figure_is_last_whichever_way_a_table_is_sorted(open_page: Opener) -> None:
    data = specimen.page(1, "good", "bad", "unread")
    good, bad, unread = data.report.runs
    nothing = msgspec.structs.replace(unread.overall, factual=Figure(None, 0.0, 1.0, 0), drop=None)
    runs = (msgspec.structs.replace(unread, rows=(*unread.rows[:-1], nothing)), good, bad)
    page = open_page(msgspec.structs.replace(data, report=msgspec.structs.replace(data.report, runs=runs))).page
    table = page.locator("table").first
    for _ in range(2):
        table.get_by_role("button", name="drop").click()
        expect(table.locator("tbody tr").last).to_contain_text("unread")


def test_every_figure_is_saved_as_svg_and_as_png(open_page: Opener, tmp_path: Path) -> None:
    opened = open_page(specimen.page(2, "first", HOSTILE))
    saved = []
    for button in opened.page.get_by_role("button", name=re.compile("^Save as")).all():
        with opened.page.expect_download() as download:
            button.click()
        saved.append(tmp_path / download.value.suggested_filename)
        download.value.save_as(saved[-1])
    names = [f"{figure}.{kind}" for figure in ("finding", "groups") for kind in ("svg", "png")]
    assert [file.name for file in saved] == names
    for drawn, painted in zip(saved[::2], saved[1::2], strict=True):
        sheet = ElementTree.parse(drawn).getroot()
        with Image.open(painted) as picture:
            assert picture.size == (2 * int(sheet.attrib["width"]), 2 * int(sheet.attrib["height"]))
            assert len(picture.convert("RGB").getcolors(10**6)) > 20
    assert opened.troubles == []


def test_each_outcome_has_its_filter(open_page: Opener) -> None:
    page = open_page(specimen.page(60)).page
    worlds = ("factual right, counterfactual wrong", "factual wrong, counterfactual right")
    for words in (*worlds, "both right", "both wrong", "unread", "failed"):
        choose(page, words)
        says(page, "10 cases, 1 to 10 shown.")
        expect(page.locator(".card")).to_have_count(10)


def test_filters_combine_and_counts_follow(open_page: Opener) -> None:
    page = open_page(specimen.page(60, "first", "second")).page
    choose(page, "factual right, counterfactual wrong")
    says(page, "20 cases, 1 to 20 shown.")  # ten of either run
    page.get_by_label("Run", exact=True).select_option("second")
    says(page, "10 cases, 1 to 10 shown.")
    expect(page.locator(".card").first.locator(".who")).to_have_text(["second"] * 3)
    page.get_by_label("Group", exact=True).select_option("flowers outside (15)")
    shown = [f"case-{number:06}" for number in range(60) if (number + 1) % 6 == 0 and number % 4 == 0]
    expect(page.locator(".card h3")).to_have_text(shown)
    tallies = [int(words) for words in page.locator(".tally").all_inner_texts()]
    assert tallies[0] == sum(tallies[1:]) == 15


def test_search_finds_text_in_replies(open_page: Opener) -> None:
    data = specimen.page(40)
    odd = msgspec.structs.replace(data.cases[33], answers=({"factual": GalleryAnswer("right", "A Zebra!", 8, "A")},))
    page = open_page(msgspec.structs.replace(data, cases=(*data.cases[:33], odd, *data.cases[34:]))).page
    page.locator("#search").fill("zebra")
    expect(page.locator("#status")).to_have_text("1 case, 1 to 1 shown.")
    expect(page.locator(".card h3")).to_have_text("case-000033")
    page.get_by_role("button", name="Clear filters").click()
    expect(page.locator("#status")).to_have_text("40 cases, 1 to 24 shown.")
    page.locator("#search").fill("no such words")
    expect(page.locator("#status")).to_have_text("No case matches. Clear a filter to see more.")
    expect(page.locator(".card")).to_have_count(0)


def test_the_address_carries_the_filters(open_page: Opener) -> None:
    data = specimen.page(200, "first", "second")
    page = open_page(data).page
    choose(page, "both wrong")
    page.get_by_label("Run", exact=True).select_option("first")
    page.get_by_role("button", name="Next").click()
    says(page, "33 cases, 25 to 33 shown.")
    again = open_page(data, page.evaluate("location.hash")).page
    says(again, "33 cases, 25 to 33 shown.")
    expect(again.get_by_label(re.compile("^both wrong"))).to_be_checked()


def test_an_address_made_up_by_somebody_is_harmless(open_page: Opener) -> None:
    opened = open_page(specimen.page(60), "#cases?outcome=__proto__&run=%00&group=<img>&page=-9e99&q=%FF<b>x")
    expect(opened.page.locator("#search")).to_have_value("\ufffd<b>x")
    assert opened.troubles == []


def test_the_gallery_works_from_the_keyboard(open_page: Opener) -> None:
    page = open_page(specimen.page(60)).page
    page.locator("#outcome--1").focus()
    page.keyboard.press("ArrowRight")
    says(page, "10 cases, 1 to 10 shown.")
    page.locator("button.picture").first.focus()
    page.keyboard.press("Enter")
    expect(page.locator("dialog")).to_be_visible()
    expect(page.locator("#zoom-title")).to_have_text("case-000000, factual picture")
    page.keyboard.press("ArrowRight")
    expect(page.locator("#zoom-title")).to_have_text("case-000000, counterfactual picture")
    page.keyboard.press("Escape")
    expect(page.locator("dialog")).to_be_hidden()
    expect(page.locator("button.picture").first).to_be_focused()


def test_a_picture_that_a_model_never_saw_says_so_large_and_small(open_page: Opener) -> None:
    data = specimen.page(2, "first", "second")
    told = [tuple({**answers} for answers in case.answers) for case in data.cases]
    for answers in told[1]:
        del answers["shown"]
    cases = tuple(msgspec.structs.replace(case, answers=each) for case, each in zip(data.cases, told, strict=True))
    first, second = data.report.runs
    runs = (first, msgspec.structs.replace(second, shows_pictures=False))  # by a prompt without pictures
    data = msgspec.structs.replace(data, report=msgspec.structs.replace(data.report, runs=runs), cases=cases)
    page = open_page(data).page
    for number, words in enumerate(("not shown to second", "not shown to the model")):
        figures = page.locator(".card").nth(number).locator("figure")
        expect(figures.nth(0).locator("small")).to_have_text("not shown to second")
        expect(figures.nth(1).locator("small")).to_have_text(words)
        figures.nth(1).locator("button.picture").click()
        expect(page.locator("#zoom-title")).to_have_text(f"case-{number:06}, counterfactual picture, {words}")
        page.keyboard.press("Escape")


def test_the_link_of_a_case_leads_to_that_case_alone(open_page: Opener) -> None:
    data = specimen.page(12)
    cases = tuple(msgspec.structs.replace(case, id=f"c{number}") for number, case in enumerate(data.cases))
    page = open_page(msgspec.structs.replace(data, cases=cases)).page
    page.context.grant_permissions(["clipboard-read", "clipboard-write"])
    copier = page.get_by_role("button", name="Copy link to case c1", exact=True)
    copier.click()
    expect(copier).to_have_text("Copied")
    assert page.evaluate("navigator.clipboard.readText()") == page.url.partition("#")[0] + "#cases?case=c1"
    page.get_by_role("link", name="c1", exact=True).click()
    says(page, "1 case, 1 to 1 shown. Clear the filters to see the others.")
    page.get_by_role("button", name="Clear filters").click()
    says(page, "12 cases, 1 to 12 shown.")


def test_one_run_right_and_another_not_leaves_out_what_was_not_scored(open_page: Opener) -> None:
    data = specimen.page(4, "first", "second")
    verdicts: tuple[Outcome, ...] = ("wrong", "missing", "cut", "unread")
    cases = tuple(
        msgspec.structs.replace(
            case,
            answers=(
                {"counterfactual": GalleryAnswer("right", "B", 1, "B")},
                {"counterfactual": GalleryAnswer(verdict)},
            ),
        )
        for case, verdict in zip(data.cases, verdicts, strict=True)
    )
    page = open_page(msgspec.structs.replace(data, cases=cases)).page
    page.get_by_label("Compare two runs, counterfactual").select_option("first right, second not")
    says(page, "2 cases, 1 to 2 shown.")
    assert {*page.locator(".verdict").all_inner_texts()} == {"✓ right", "✗ wrong", "? unread"}


def test_a_long_reply_is_folded_and_a_cut_one_says_so(open_page: Opener) -> None:
    data = specimen.page(1)
    cut = GalleryAnswer("wrong", "word " * 800, 10_000_000, "C")
    case = msgspec.structs.replace(data.cases[0], answers=({"factual": cut},))
    page = open_page(msgspec.structs.replace(data, cases=(case,))).page
    expect(page.locator(".whole")).to_have_count(0)
    page.locator(".reply summary").click()
    expect(page.locator(".cut")).to_have_text(
        "The first 4,000 of 10,000,000 characters; the rest is in the run folder."
    )


def test_the_request_as_it_was_sent_is_one_click_away(open_page: Opener) -> None:
    data = specimen.page(1)
    spent = {"finish": "stop", "tokens_in": 1200, "tokens_out": 3, "cost": 0.00031, "seconds": 0.5}
    told = GalleryAnswer("cut", "It is", 5, sent=1, **spent)
    requests = ("other", "<b>Is it?</b>\nyes")
    case = msgspec.structs.replace(data.cases[0], answers=({"factual": told},), requests=requests)
    page = open_page(msgspec.structs.replace(data, cases=(case,))).page
    assert page.locator(".verdict").inner_text() == "✂ cut off"
    expect(page.get_by_text("ended by stop · 1,200 + 3 tokens · $0.00031 · 0.50 s")).to_be_visible()
    page.get_by_text("The request as it was sent").click()
    expect(page.locator(".request .whole")).to_have_text("<b>Is it?</b>\nyes")


def test_a_bad_picture_is_a_stated_placeholder(open_page: Opener) -> None:
    data = specimen.page(1)
    page = open_page(msgspec.structs.replace(data, pictures=(Thumbnail(fault="is cut off"), data.pictures[1]))).page
    expect(page.locator(".placeholder")).to_have_text("No picture: it is cut off.")


def test_hostile_text_is_only_text(open_page: Opener) -> None:
    data = specimen.page(6, HOSTILE, "second")
    report = data.report
    run = msgspec.structs.replace(
        report.runs[0],
        model=HOSTILE,
        prompt=HOSTILE,
        rows=tuple(msgspec.structs.replace(group, group=HOSTILE + group.group) for group in report.runs[0].rows),
    )
    report = msgspec.structs.replace(report, dataset=HOSTILE, fingerprint=HOSTILE, runs=(run, report.runs[1]), cases=7)
    evil = GalleryAnswer("wrong", HOSTILE, len(HOSTILE), HOSTILE)
    cases = tuple(
        msgspec.structs.replace(
            case,
            id=HOSTILE + case.id,
            group=HOSTILE,
            change=HOSTILE,
            questions={key: specimen.AskedQuestion(HOSTILE, HOSTILE, (HOSTILE, "b")) for key in case.questions},
            answers=({"factual": evil, "shown": GalleryAnswer("failed", reason=HOSTILE)}, {"counterfactual": evil}),
        )
        for case in data.cases
    )
    pictures = (Thumbnail(fault=HOSTILE), *data.pictures[1:])
    opened = open_page(PageData(report, cases, pictures))
    page = opened.page
    expect(page.locator(".card")).to_have_count(6)
    page.locator("button.picture").first.click()
    page.locator("#zoom-close").click()
    page.locator("#search").fill("<b>bold</b>")
    expect(page.locator("#status")).to_contain_text("6 cases")
    assert page.locator("img[src=x], b:text-is('bold'), [onerror]").count() == 0
    assert page.locator(".reply").first.inner_text() == HOSTILE.replace("\x00", "␀").replace("\ud800", "\ufffd")
    assert "\u202e" not in page.locator("h1").inner_text()
    assert [url for url in opened.requests if not url.startswith(("file:", "data:"))] == []
    assert opened.troubles == []


@pytest.mark.slow
@pytest.mark.parametrize(("scheme", "size"), [("light", DESK), ("dark", PHONE)], ids=["desk-light", "phone-dark"])
def test_axe_finds_nothing(open_page: Opener, scheme: str, size: dict[str, int]) -> None:
    # Without motion: a colour on its way from one to another has a contrast of its own.
    how = {"viewport": size, "color_scheme": scheme, "reduced_motion": "reduce"}
    page = open_page(specimen.page(6, "first", "second"), **how).page
    ground = {"light": "rgb(246, 246, 243)", "dark": "rgb(17, 19, 21)"}[scheme]
    assert page.evaluate("getComputedStyle(document.body).backgroundColor") == ground
    choose(page, "factual right, counterfactual wrong")
    page.locator(".reply summary").first.click()
    expect(page.locator(".reply .whole").first).to_be_visible()
    assert violations(page) == []
    page.locator("button.picture").first.click()
    expect(page.locator("dialog")).to_be_visible()
    assert violations(page, "dialog") == []  # all else is as it was
    page.locator("#zoom-close").click()
    page.locator("#search").fill("nothing like it")
    expect(page.locator(".card")).to_have_count(0)
    assert violations(page) == []


def test_a_phone_never_scrolls_sideways(open_page: Opener) -> None:
    page = open_page(specimen.page(30, "first", "a" * 300), viewport=PHONE).page
    scroll_to_end(page)
    assert page.evaluate("document.documentElement.scrollWidth") == PHONE["width"]
    page.locator("button.picture").first.click()
    expect(page.locator("dialog")).to_be_visible()
    assert page.evaluate("document.documentElement.scrollWidth") == PHONE["width"]
    assert page.evaluate("document.querySelector('dialog').getBoundingClientRect().right") <= PHONE["width"]


def test_the_finding_of_five_long_names_is_read_on_a_phone_without_scaling(open_page: Opener) -> None:
    names = [f"endpoint:http://127.0.0.1:8000/v1#some-family-of-models-{n}-billion-instruct-preview" for n in range(5)]
    page = open_page(specimen.page(2, *names), viewport={"width": 390, "height": 844}).page
    panel = page.locator(".finding-panel")
    sizes = panel.locator("span, b, small, li, text").evaluate_all(
        "all => all.filter(each => each.textContent.trim()).map(each => parseFloat(getComputedStyle(each).fontSize))"
    )
    assert min(sizes) >= 11
    assert panel.locator("svg[role=img]").first.evaluate("drawing => drawing.getBoundingClientRect().width") > 250
    links = page.locator(".top nav a").evaluate_all(
        "nodes => nodes.map(node => node.getBoundingClientRect()).map(box => [box.left, box.right])"
    )
    assert len(links) > 4
    assert all(right <= left for (_, right), (left, _) in pairwise(links))
    assert page.locator(".lede").count() == 1


def test_five_runs_with_every_column_fit_their_card_and_few_cases_leave_room_for_the_name(open_page: Opener) -> None:
    """A table was 98 px wider than its card at 1,280 px, and a name beside "too few cases" had 45 px on a phone."""
    data = specimen.page(2, *(f"a-family-of-models-with-{n}-billion-parameters-and-a-long-name" for n in range(5)))
    amiss = dict.fromkeys(("unread", "restated", "cut", "empty", "failed", "missing"), 12)
    runs = []
    for run in data.report.runs:
        few = specimen.difference(0.3, 3, 0.25)
        overall = msgspec.structs.replace(run.overall, **amiss, drop=few, in_both=(run.overall.factual,) * 2)
        runs.append(msgspec.structs.replace(run, rows=(*run.rows[:-1], overall)))
    data = msgspec.structs.replace(data, report=msgspec.structs.replace(data.report, runs=tuple(runs)))
    wide = "all => all.filter(each => each.scrollWidth > each.clientWidth).length"
    assert open_page(data, viewport={"width": 1280, "height": 800}).page.locator(".scroll").evaluate_all(wide) == 0
    page = open_page(data, viewport={"width": 390, "height": 844}).page
    expect(page.locator(".finding-panel .plot-drop small").first).to_contain_text("too few cases")
    names = page.locator(".finding-panel .plot-name").evaluate_all(
        "all => all.map(each => each.getBoundingClientRect().width)"
    )
    assert min(filter(None, names)) > 110


def test_without_script_tables_and_figures_are_still_there(open_page: Opener) -> None:
    page = open_page(specimen.page(60), java_script_enabled=False).page
    expect(page.locator("#scores table")).to_be_visible()
    expect(page.locator("#drop figure")).to_be_visible()
    expect(page.locator("#filters")).to_be_hidden()
    assert "need JavaScript" in page.locator("#cases").inner_text()


@pytest.mark.slow
def test_three_thousand_cases_are_made_as_they_are_looked_at(open_page: Opener) -> None:
    page = open_page(specimen.page(3000, "first", "second", total=9000)).page
    times = page.evaluate("performance.getEntriesByType('navigation')[0].toJSON()")
    print(f"3,000 cases: cards made {times['domContentLoadedEventEnd']:.0f} ms after the address was opened")
    expect(page.locator("#cases .about")).to_contain_text("3,000 of 9,000 cases, drawn with seed 0")
    expect(page.locator(".card")).to_have_count(24)
    assert page.evaluate("[...document.images].filter(image => image.src).length") < 100
    choose(page, "failed")
    expect(page.locator("#status")).to_have_text("1,000 cases, 1 to 24 shown.")
