"""Observations and groups of pictures, from run folders to every format."""

import csv
import io
from pathlib import Path

import pytest
from axe_playwright_python.sync_playwright import Axe
from making import case, dataset
from playwright.sync_api import Browser
from rich.console import Console

from countersight.case import Case
from countersight.cli import main
from countersight.html import Grid
from countersight.reports import load, print_tables
from countersight.reports.write import ReportFiles, write_report

from .runs import right, run


def cases(count: int, suite: str = "") -> list[Case]:
    return [case(number, suite=suite, image=f"images/COCO_{number:012}.png") for number in range(count)]


def said(count: int, wrong_as_it_is: int = 0, wrong_under_change: int = 0) -> dict[int, tuple[str, str]]:
    """Right answers to so many cases, but for the first few of each world."""
    made = cases(count)
    answers = {}
    for row in range(count):
        factual, counterfactual = right(made, row)
        answers[row] = (
            "E" if row < wrong_as_it_is else factual,
            "E" if row < wrong_under_change else counterfactual,
        )
    return answers


def cells(found: Grid, line: int = 0) -> list[str]:
    return [" ".join((cell.text, *cell.details)) for cell in found.lines[line].cells]


def rows_of(files: ReportFiles, table: str) -> list[dict[str, str]]:
    return [row for row in csv.DictReader(io.StringIO(files.csv.read_text(encoding="utf-8"))) if row["table"] == table]


def printed(files: ReportFiles) -> str:
    console = Console(file=io.StringIO(), width=160, record=True)
    print_tables(files.data, console)
    return " ".join(console.export_text().split())


def test_a_run_is_observed_with_its_drop_correlation_and_best_and_worst_group(tmp_path: Path) -> None:
    source = dataset(tmp_path / "d", cases(40, "cfmm"))
    answers = said(40, 10, 20)
    answers[19] = right(cases(40), 19)  # in one group, and for it a wrong one in the other
    answers[20] = answers[20][0], "E"
    files = write_report([run(tmp_path / "r", source, answers)], tmp_path / "out")
    [found] = files.data.analyses
    worlds, counterfactual = found.tables
    assert cells(worlds)[3].startswith("25.0 11.9 to 41.5 p = 0.002")
    assert cells(worlds)[4].startswith("0.58 0.26 to 0.89")
    assert cells(counterfactual)[:2] == ["group 1", "20"]
    assert counterfactual.note.startswith("Best and worst are 10.0 points apart (")
    markdown = files.markdown.read_text(encoding="utf-8")
    assert "## Observations" in markdown
    assert "### From best to worst, acc\\_c: gpt-4o" in markdown
    assert r"\caption{Factual and counterfactual accuracy.}" in files.latex.read_text(encoding="utf-8")
    [phi] = [row for row in rows_of(files, "observations") if row["measure"] == "phi"]
    assert float(phi["value"]) == pytest.approx(0.57735, abs=1e-5)
    assert (phi["run"], phi["n"], phi["method"]) == ("gpt-4o", "40", "Mantel-Haenszel score")
    assert "From best to worst, acc_c: gpt-4o" in printed(files)
    assert 'id="analysis-0"' in files.html.read_text(encoding="utf-8")


def test_what_cfmm_observed_is_told_of_cfmm_alone(tmp_path: Path) -> None:
    source = dataset(tmp_path / "d", cases(40))
    assert load([run(tmp_path / "unasked", source, {})]).report.analyses == ()
    files = write_report([run(tmp_path / "r", source, said(40, 10, 20))], tmp_path / "out")
    assert files.data.analyses == ()
    assert "CFMM" not in files.html.read_text(encoding="utf-8")


def test_prompts_are_held_against_the_0_shot_run_of_the_same_model(tmp_path: Path) -> None:
    source = dataset(tmp_path / "d", cases(40))
    runs = [
        run(tmp_path / "zero", source, said(40, 0, 30)),
        run(tmp_path / "other", source, said(40, 20, 20), model="openai:other"),
        run(tmp_path / "cot", source, said(40, 0, 10), prompt="cot"),
        run(tmp_path / "one", source, said(40, 4, 30), prompt="1-shot"),
        run(tmp_path / "lonely", source, said(40), model="openai:lonely", prompt="cot"),
    ]
    files = write_report(runs, tmp_path / "out")
    [found] = files.data.analyses
    [table] = found.tables
    assert cells(table) == [
        "gpt-4o, cot minus gpt-4o, 0-shot",
        "0.0 −10.9 to 10.9 p = 1.000 n = 40",
        "50.0 34.1 to 65.9 p < 0.001 n = 40",
        cells(table)[3],
        "50.0 34.1 to 65.9 p < 0.001 n = 40",
    ]
    assert cells(table)[3].startswith("−50.0 ")
    assert cells(table, 1)[1].startswith("−10.0 ")
    changes = [row for row in rows_of(files, "prompts") if row["minus_run"]]
    assert {(row["run"], row["minus_run"]) for row in changes} == {
        ("gpt-4o, cot", "gpt-4o, 0-shot"),
        ("gpt-4o, 1-shot", "gpt-4o, 0-shot"),
    }
    [drop] = [row for row in changes if (row["run"], row["measure"]) == ("gpt-4o, cot", "drop")]
    assert (drop["value"], drop["method"]) == (
        "-0.5",
        "Tango score; McNemar exact, for the number of independent cases",
    )


def test_a_ranked_run_is_held_against_a_ranked_one_and_else_it_is_said(tmp_path: Path) -> None:
    source = dataset(tmp_path / "d", cases(8))
    zero, ranked = run(tmp_path / "zero", source, said(8)), run(tmp_path / "r", source, said(8, 1), answering="rank")
    cot = run(tmp_path / "cot", source, said(8, 0, 2), prompt="cot", answering="rank")
    [table] = load([zero, ranked, cot]).report.analyses[0].tables
    assert cells(table)[1].startswith("12.5 ")
    [table] = load([zero, cot]).report.analyses[0].tables
    assert cells(table)[0].endswith("options ranked minus answers written")


def test_a_run_of_one_world_is_observed_as_far_as_that_goes(tmp_path: Path) -> None:
    made = [case(n, suite="cfmm", factual=None, shown=None, counterfactual_image=None) for n in range(6)]
    source = dataset(tmp_path / "d", made)
    answers = {row: (None, made[row].counterfactual.answer if row % 2 else "D") for row in range(4)}
    [found] = load([run(tmp_path / "r", source, answers)]).report.analyses
    assert [each.title for each in found.tables] == ["From best to worst, acc_c: gpt-4o"]


PEOPLE = "id,bb_gender,bb_skin\n" + "".join(
    f"{number},{'Female' if number < 20 else 'Male'},{'Light' if number % 3 else 'Dark'}\n" for number in range(36)
)


def test_groups_of_pictures_are_compared_in_every_format(tmp_path: Path) -> None:
    (tmp_path / "people.csv").write_text(PEOPLE + "0,Male,Dark\n", encoding="utf-8")
    source = dataset(tmp_path / "d", cases(40))
    runs = [
        run(tmp_path / "a", source, said(40, 0, 18)),
        run(tmp_path / "b", source, said(40, 0, 0), model="openai:other"),
    ]
    files = write_report(runs, tmp_path / "out", groups=tmp_path / "people.csv")
    found, skin = files.data.analyses
    assert [each.heading for each in (found, skin)] == ["Groups of pictures: bb_gender", "Groups of pictures: bb_skin"]
    assert found.about == (
        "people.csv contains the pictures of 36 of 40 cases; 35 cases are about pictures in exactly one group. "
        "Left out: 1 picture in several groups, 0 pictures with no value."
    )
    markdown = files.markdown.read_text(encoding="utf-8")
    assert "| **gap: Female minus Male** | 35 | 35 | – | – | 89.5 (" in markdown
    gap = next(row for row in rows_of(files, "groups by bb_gender") if row["group"] == "Female minus Male")
    assert (gap["measure"], gap["n"], gap["method"]) == (
        "diff",
        "35",
        "score (MOVER), Holm",
    )
    assert "gap: Female minus Male" in printed(files)
    assert "gap: Female minus Male" in files.html.read_text(encoding="utf-8")
    assert "caption{By bb" in files.latex.read_text(encoding="utf-8")


def test_hostile_names_of_groups_stay_in_their_place(tmp_path: Path) -> None:
    rows = "id,<script>alert(1)</script>\n" + "".join(f"{n},{'</script><b>' if n % 2 else '=1+1'}\n" for n in range(8))
    (tmp_path / "people.csv").write_text(rows, encoding="utf-8")
    made = run(tmp_path / "a", dataset(tmp_path / "d", cases(8)), said(8))
    files = write_report([made], tmp_path / "out", groups=tmp_path / "people.csv")
    page = files.html.read_text(encoding="utf-8")
    assert "<script>alert" not in page
    assert "&lt;/script&gt;&lt;b&gt;" in page
    assert "'=1+1" in files.csv.read_text(encoding="utf-8")


def test_the_command_line_takes_groups_and_says_what_is_wrong_with_them(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    people = tmp_path / "people.csv"
    people.write_text(PEOPLE, encoding="utf-8")
    made = run(tmp_path / "a", dataset(tmp_path / "d", cases(40)), said(40, 0, 18))
    report = ["report", str(made), "-o", str(tmp_path / "out")]
    assert main([*report, "--groups", str(people)]) == 0
    shown = capsys.readouterr().out
    assert shown.index("Groups of pictures: bb_gender") < shown.index("Groups of pictures: bb_skin")
    assert main([*report, "--groups", str(tmp_path / "none.csv")]) == 2
    assert "none.csv: No such file" in capsys.readouterr().err


@pytest.mark.browser
def test_the_analyses_are_accessible_and_fit_a_phone(tmp_path: Path, browser: Browser) -> None:
    (tmp_path / "people.csv").write_text(PEOPLE, encoding="utf-8")
    source = dataset(tmp_path / "d", cases(40, "cfmm"))
    runs = [run(tmp_path / "zero", source, said(40, 0, 18)), run(tmp_path / "cot", source, said(40, 9), prompt="cot")]
    files = write_report(runs, tmp_path / "out", gallery=1, groups=tmp_path / "people.csv")
    page = browser.new_page(viewport={"width": 360, "height": 740}, color_scheme="dark")
    page.goto(files.html.as_uri())
    assert "Effect of prompts" in page.locator("#analysis-1 caption").inner_text()
    assert page.get_by_role("link", name="bb_gender").get_attribute("href") == "#analysis-2"
    assert page.evaluate("document.documentElement.scrollWidth") <= 360
    found = Axe().run(page).response["violations"]
    assert [(rule["id"], rule["nodes"][0]["html"][:150]) for rule in found] == []
    page.close()
