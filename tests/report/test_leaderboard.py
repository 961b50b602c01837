"""The leaderboard: runs of any suites and the results of papers, ranked where they are comparable."""

import csv
import io
import re
from collections.abc import Iterator
from pathlib import Path

import msgspec
import pytest
from axe_playwright_python.sync_playwright import Axe
from making import case, dataset
from playwright.sync_api import Browser, Page, expect
from waiting import settled

from countersight.case import Case, Question
from countersight.cli import main
from countersight.errors import CountersightError
from countersight.leaderboards.boards import Board, Leaderboard, LeaderboardFiles, write_leaderboard

from .runs import run

HOSTILE = "endpoint:http://x/v1#</script><img src=x onerror=alert(1)>\u202eevil"
ASPECTS = ("count", "color", "size", "shape", "direction", "common")


def real(number: int) -> Case:
    """A case of C-VQA-Real: 2 as it is, 1 under a change."""
    return Case(
        id=f"real-{number}",
        suite="cvqa-real",
        group=("direct", "indirect")[number % 2],
        factual=Question("How many?", "2", "number"),
        counterfactual=Question("How many if one left?", "1", "number"),
    )


def said(cases: int, right_as_it_is: int, right_under_change: int) -> dict[int, tuple[str, str]]:
    return {
        row: ("2" if row < right_as_it_is else "9", "1" if row < right_under_change else "9") for row in range(cases)
    }


@pytest.fixture(scope="module")
def files(tmp_path_factory: pytest.TempPathFactory) -> LeaderboardFiles:
    """Two datasets of one suite, and a dataset of none."""
    folder = tmp_path_factory.mktemp("leaderboard")
    first, second = dataset(folder / "first", map(real, range(20))), dataset(folder / "second", map(real, range(10)))
    other = dataset(folder / "other", 4)
    runs = [
        run(folder / "weak", first, said(20, 15, 5), model="openai:weak"),
        run(folder / "strong", first, said(20, 20, 15), model="openai:strong"),
        run(folder / "thinking", first, said(20, 20, 15), model="openai:strong", prompt="cot"),
        run(folder / "elsewhere", second, said(10, 10, 10), model=HOSTILE),
        run(folder / "own", other, {0: ("A", "B"), 1: ("B", "A")}),
    ]
    return write_leaderboard(runs, folder / "out")


def board(found: Leaderboard, suite: str, line: str) -> Board:
    return next(each for boards in found.suites if boards.suite == suite for each in boards.boards if each.line == line)


def test_runs_of_a_dataset_are_put_into_tiers_by_counterfactual_accuracy(files: LeaderboardFiles) -> None:
    here, there = board(files.data, "cvqa-real", "all").pools
    assert [(entry.run.label, entry.run.prompt, entry.tier) for entry in here.entries] == [
        ("strong", "0-shot", 1),
        ("strong", "cot", 1),
        ("weak", "0-shot", 2),
    ]
    assert here.title.startswith("Measured on first, 20 cases, fingerprint ")
    assert [entry.tier for entry in there.entries] == [1]
    strong = here.entries[0]
    assert (strong.group.n, strong.run.model) == (20, "openai:strong")
    imagined = strong.scores["counterfactual"]
    assert (imagined.value, imagined.n) == (0.75, 20)
    assert imagined.low is not None
    assert imagined.high is not None
    assert imagined.low < 0.75 < imagined.high
    assert strong.scores["drop"].value == 0.25


def test_tables_of_papers_are_shown_as_printed(files: LeaderboardFiles) -> None:
    page = files.html.read_text(encoding="utf-8")
    reported = page[page.index("<summary>C-VQA, Table 3") :]
    assert re.search(r'<tr class="reported"><th scope="row" dir="auto">ViperGPT', reported)
    assert "Zhang" in reported


def test_a_dataset_without_a_suite_has_its_own_boards(files: LeaderboardFiles) -> None:
    *_, own = files.data.suites
    assert (own.suite, own.title) == ("", "other")
    assert own.boards[0].pools[0].entries[0].scores["factual"].value == 1.0


def test_totals_of_cfmm_come_first_and_the_papers_tables_last(tmp_path: Path) -> None:
    cases = [case(number, suite="cfmm", group=aspect) for number, aspect in enumerate(ASPECTS)]
    source = dataset(tmp_path / "d", [msgspec.structs.replace(each, shown=None) for each in cases])
    made = run(tmp_path / "r", source, {row: ("ABCD"[row % 4], "B") for row in range(6)})
    files = write_leaderboard([made], tmp_path / "out")
    [suite] = files.data.suites
    total = suite.boards[0]
    assert (total.title, total.measures["both_right"]) == ("Total of all groups", "acc+")
    [measured] = total.pools
    assert measured.entries[0].scores["counterfactual"].value == 6.0
    assert [each.line for each in suite.boards] == ["total", "all", *ASPECTS]
    page = files.html.read_text(encoding="utf-8")
    first, second, *_ = page.split("<caption")[1:]
    assert "Sums of the groups" in first
    assert "with 95% intervals. Tiers by acc_c." in first
    assert "Shares in per cent" in second
    assert "428.96" in page[page.index("<summary>CFMM, Table 3") :]


def test_the_csv_file_contains_every_row(files: LeaderboardFiles) -> None:
    rows = list(csv.DictReader(io.StringIO(files.csv.read_text(encoding="utf-8"))))
    assert len(rows) == sum(
        len(pool.entries) for suite in files.data.suites for each in suite.boards for pool in each.pools
    )
    strong = next(row for row in rows if (row["model"], row["line"]) == ("openai:strong", "all"))
    assert (strong["tier"], strong["counterfactual"], strong["n"]) == ("1", "0.75", "20")
    assert len(strong["fingerprint"]) == 32


def test_a_run_without_answers_makes_an_empty_table(tmp_path: Path) -> None:
    found = write_leaderboard([run(tmp_path / "r", dataset(tmp_path / "d", 2), {})], tmp_path / "out")
    assert found.data.suites[0].boards == ()
    assert "has an answer yet" in found.html.read_text(encoding="utf-8")


def test_a_run_whose_replies_are_all_unread_is_not_ranked(tmp_path: Path) -> None:
    """Nothing is known of a model whose every reply is unread: 0.0% in the last tier would say it is the worst."""
    source = dataset(tmp_path / "d", map(real, range(8)))
    answers = {
        "good": ("2", "1"),
        "bad": ("9", "9"),
        "deaf": ("Who knows?", "Who knows?"),
        "half deaf": ("2", "Who knows?"),
    }
    runs = [run(tmp_path / who, source, dict.fromkeys(range(8), each), model=who) for who, each in answers.items()]
    found = write_leaderboard(runs, tmp_path / "out")
    [measured, *_] = board(found.data, "cvqa-real", "all").pools
    assert {entry.run.label: entry.tier for entry in measured.entries} == {"good": 1, "bad": 2, "half deaf": None}
    assert set(measured.entries[-1].scores) == {"factual"}
    assert found.data.unscored == ("deaf on d: no answer could be read in the replies to 16 of 16 questions",)
    assert found.data.runs == found.data.suites[0].runs == 3
    page = found.html.read_text(encoding="utf-8")
    assert "could be scored: deaf on d: no answer could be read" in page
    assert {entry.run.label: entry.group.unread_rate for entry in measured.entries} == {
        "good": 0,
        "bad": 0,
        "half deaf": 0.5,
    }
    assert "Between 0.0% and 50.0% of the replies are unread" in page


def test_a_score_has_bounds_for_its_unread_replies(tmp_path: Path) -> None:
    source = dataset(tmp_path / "d", map(real, range(8)))
    answers = {row: ("Who knows?" if row < 2 else "2", "1") for row in range(8)}
    found = write_leaderboard([run(tmp_path / "vague", source, answers)], tmp_path / "out")
    [entry] = board(found.data, "cvqa-real", "all").pools[0].entries
    assert (entry.scores["factual"].value, entry.scores["factual"].if_right) == (0.75, 1.0)
    assert "unread: 75.0\xa0to\xa0100.0" in found.html.read_text(encoding="utf-8")
    [row] = [row for row in csv.DictReader(found.csv.open()) if row["line"] == "all"]
    assert [row[f"drop_unread_{end}"] for end in ("low", "high")] == ["-0.25", "0.0"]


def test_a_figure_over_fewer_answers_shows_its_n(tmp_path: Path) -> None:
    source = dataset(tmp_path / "d", map(real, range(20)))
    runs = [run(tmp_path / "whole", source, said(20, 9, 9)), run(tmp_path / "part", source, said(5, 5, 5))]
    page = write_leaderboard(runs, tmp_path / "out").html.read_text(encoding="utf-8")
    _, part, whole, *_ = page.split("<tr>")[1:]
    assert part.count("n = 5") == 4
    assert "n = " not in whole.partition("</tr>")[0]


def test_a_moved_dataset_is_found_by_its_fingerprint(tmp_path: Path) -> None:
    source = dataset(tmp_path / "d", 2)
    made = run(tmp_path / "r", source, {0: ("A", "B")})
    source.rename(tmp_path / "elsewhere")
    with pytest.raises(CountersightError, match="as `dataset`"):
        write_leaderboard([made], tmp_path / "out")
    found = write_leaderboard([made], tmp_path / "out", datasets=[dataset(tmp_path / "x", 1), tmp_path / "elsewhere"])
    assert found.data.suites[0].title == "elsewhere"


def test_the_command_writes_a_leaderboard_or_reports_an_error(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    made = str(run(tmp_path / "r", dataset(tmp_path / "d", map(real, range(4))), said(4, 4, 2)))
    assert main(["leaderboard", made, "-o", str(tmp_path / "out")]) == 0
    assert capsys.readouterr().out.startswith("C-VQA-Real: 1 run, ")
    assert sorted(path.name for path in (tmp_path / "out").iterdir()) == [
        "leaderboard.csv",
        "leaderboard.html",
    ]
    assert main(["leaderboard", str(tmp_path), "-o", str(tmp_path / "out")]) == 0  # a folder of runs
    assert capsys.readouterr().out.startswith("C-VQA-Real: 1 run, ")
    cases = [msgspec.structs.replace(case(number, suite="cfmm", group="count"), shown=None) for number in range(4)]
    no_total = run(tmp_path / "cfmm", dataset(tmp_path / "c", cases), {0: ("A", "B")})
    assert main(["leaderboard", str(no_total), "-o", str(tmp_path / "out")]) == 0
    assert capsys.readouterr().out.startswith("CFMM: 1 run, ")
    assert main(["leaderboard", made, made]) == 2
    assert f"{made} is given twice" in capsys.readouterr().err
    assert main(["leaderboard", str(tmp_path / "d")]) == 2
    assert "is not a run" in capsys.readouterr().err


@pytest.fixture
def page(browser: Browser, files: LeaderboardFiles) -> Iterator[Page]:
    opened = browser.new_page(viewport={"width": 1280, "height": 900})
    opened.goto(files.html.as_uri())
    yield opened
    opened.close()


def shows(page: Page, *models: str, first: bool = False) -> None:
    """Wait until the first table has rows of these models, or has them first."""

    def check() -> None:
        rows = page.locator("#suite-0 table").first.locator("tbody tr:visible th")
        found = [words.splitlines()[0] for words in rows.all_inner_texts()]
        assert found[: len(models) if first else None] == list(models)

    settled(check)


@pytest.mark.browser
def test_name_tier_and_main_figure_are_visible_without_scrolling(page: Page) -> None:
    for width in (1280, 390):
        page.set_viewport_size({"width": width, "height": 800})
        wide = "all => all.filter(each => each.scrollWidth > each.clientWidth).length"
        assert page.locator(".scroll:visible").evaluate_all(wide) == 0
        for part in ("th", "td[data-label=tier]", "td.main"):
            box = page.locator(f"#suite-0 tbody tr {part}").first.bounding_box()
            assert box
            assert box["x"] >= 0
            assert box["x"] + box["width"] <= width
            assert width < 1280 or box["y"] + box["height"] <= 800  # nor downwards


@pytest.mark.browser
@pytest.mark.parametrize("width", [1280, 390])
def test_a_column_sorts_within_each_dataset_and_both_ways(page: Page, width: int) -> None:
    page.set_viewport_size({"width": width, "height": 800})
    shows(page, "strong", "strong", "weak", first=True)
    table = page.locator("#suite-0 table").first
    drop = table.get_by_role("button", name="drop")
    drop.click()
    expect(table.locator("th[aria-sort]")).to_have_attribute("aria-sort", "descending")
    expect(table.locator("th[aria-sort]")).to_have_text("drop")
    shows(page, "weak", "strong", "strong", first=True)
    drop.press("Enter")  # it is a button: keys work
    expect(table.locator("th[aria-sort]")).to_have_attribute("aria-sort", "ascending")
    shows(page, "strong", first=True)
    table.get_by_role("button", name="model").click()
    shows(page, "strong", "strong", "weak", first=True)


@pytest.mark.browser
def test_rows_are_filtered_by_kind_and_by_text(page: Page) -> None:
    page.get_by_label("Rows").select_option("reported")
    shows(page)
    page.get_by_label("Rows").select_option("")
    page.get_by_label("Model or prompt").fill("COT")
    shows(page, "strong")
    expect(page.locator("#status")).to_have_text(re.compile(r"^\d+ of \d+ rows match\.$"))
    page.get_by_label("Model or prompt").fill("no such model")
    expect(page.locator("#status")).to_have_text("No row matches. Clear a filter to see more.")


@pytest.mark.browser
def test_the_page_makes_no_requests_and_runs_no_script_from_a_name(browser: Browser, files: LeaderboardFiles) -> None:
    context = browser.new_context()
    page = context.new_page()
    requests: list[str] = []
    troubles: list[str] = []
    page.on("request", lambda request: requests.append(request.url))
    page.on("console", lambda message: troubles.append(message.text))
    page.on("pageerror", lambda error: troubles.append(str(error)))
    page.on("dialog", lambda dialog: (troubles.append("dialog"), dialog.dismiss()))
    page.goto(files.html.as_uri())
    page.get_by_role("button", name="tier").first.click()
    expect(page.locator("th[aria-sort]")).to_have_text("tier")
    assert [url for url in requests if not url.startswith("data:")] == [files.html.as_uri()]
    assert troubles == []
    assert page.locator("img").count() == 0
    assert "\u202e" not in page.content()
    policy = page.locator("meta[http-equiv]").get_attribute("content") or ""
    assert "default-src 'none'" in policy
    assert "unsafe" not in policy
    context.close()


@pytest.mark.browser
def test_tables_are_shown_without_javascript(browser: Browser, files: LeaderboardFiles) -> None:
    context = browser.new_context(java_script_enabled=False)
    page = context.new_page()
    page.goto(files.html.as_uri())
    shows(page, "strong", "strong", "weak", first=True)
    assert not page.locator("#choices").is_visible()
    context.close()


@pytest.mark.slow
@pytest.mark.browser
def test_the_page_is_accessible_and_fits_a_phone(page: Page) -> None:
    page.set_viewport_size({"width": 360, "height": 740})
    page.emulate_media(
        reduced_motion="reduce", color_scheme="dark"
    )  # a colour on its way to another has a contrast of its own
    assert page.evaluate("document.documentElement.scrollWidth") <= 360
    found = Axe().run(page).response["violations"]
    assert [(rule["id"], rule["nodes"][0]["html"][:150]) for rule in found] == []
