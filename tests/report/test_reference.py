"""Runs set beside what papers report, in every format."""

import csv
import io
import re
from pathlib import Path

import msgspec
import pytest
from rich.console import Console

from countersight.case import Case, Question
from countersight.cli import main
from countersight.errors import CountersightError
from countersight.reports import ReportData, load, print_tables
from countersight.reports.tables import grids, reference_table
from countersight.reports.write import ReportFiles, write_report

from .running import answered, cello, cfmm, cosim, right


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A run of CFMM whose basic answers are all right and whose counterfactual answers are all wrong."""
    return answered(tmp_path_factory.mktemp("cfmm") / "run", cfmm(), lambda case, question: "A")


@pytest.fixture(scope="module")
def files(run: Path) -> ReportFiles:
    return write_report([run], run.with_name("out"), reference=())


def lines(files: ReportFiles | ReportData, source: str) -> list[list[str]]:
    report = files if isinstance(files, ReportData) else files.data
    (grid,) = (grid for grid in grids(report) if grid.title.startswith(f"Comparison with {source}:"))
    return [[cell.text for cell in line.cells] for line in grid.lines]


def test_measured_rows_come_first_then_the_papers_as_printed(files: ReportFiles) -> None:
    measured, *reported = lines(files, "CFMM, Table 3")
    assert measured == ["gpt-4o", "24", "600.0", "0.0", "0.0"]
    assert reported[0] == ["Qwen-VL, 0-shot", "1,200", "428.96", "288.73", "145.63"]
    assert reported[-1] == ["Monkey, 1-shot CoT", "1,200", "422.74", "306.96", "148.2"]
    assert len(reported) == 21


def test_only_the_named_tables_are_set_beside_a_run(run: Path) -> None:
    assert [table.key for table in load([run], reference=["cfmm-3"]).report.references] == ["cfmm-3"]
    assert load([run]).report.references == ()


def test_every_format_marks_what_was_measured_and_what_is_reported(files: ReportFiles) -> None:
    text = files.markdown.read_text(encoding="utf-8")
    assert "## Comparison with CFMM, Table 2: Accuracy on the six aspects of CFMM, options ranked by loss" in text
    assert (
        "| gpt-4o (measured; asked differently) | 24 | 100.0 (39.8 to 100.0; n = 4) | 0.0 (0.0 to 60.2; n = 4) |"
        in text
    )
    assert "| Qwen-VL, 0-shot (reported) | 1,200 | 84.77 | 43.10 | 31.03 |" in text
    assert "they are reported in CFMM, Table 2 (Li et al., Eyes Can Deceive:" in text
    text = files.latex.read_text(encoding="utf-8")
    assert r"    Qwen{-}VL, 0{-}shot {\scriptsize(reported)} & 1,200 & 428.96 & 288.73 & 145.63 \\" in text
    assert r"\caption{Comparison with CFMM, Table 3: Totals of CFMM" in text
    page = files.html.read_text(encoding="utf-8")
    assert '<a href="#reported">Published results</a>' in page
    assert '<tr><th scope="row" dir="auto">gpt-4o<small>measured</small><small>asked differently</small></th>' in page
    assert '<tr class="reported"><th scope="row" dir="auto">Qwen-VL, 0-shot<small>reported</small></th>' in page
    console = Console(file=io.StringIO(), width=80, record=True)
    print_tables(files.data, console)
    text = console.export_text()
    assert "gpt-4o measured" in text
    assert re.search(r"Qwen-VL, 0-shot reported +1,200 +428\.96 +288\.73 +145\.63", text)
    assert max(map(len, text.splitlines())) <= 80


def test_a_run_that_was_not_asked_as_the_paper_asks_says_so(files: ReportFiles) -> None:
    (grid,) = (grid for grid in grids(files.data) if grid.title.startswith("Comparison with CFMM, Table 3:"))
    assert "gpt-4o differs from the paper: answers were generated" in grid.note
    ranked = msgspec.structs.replace(files.data.runs[0], answering="rank", prompt="1-shot")
    note = reference_table(msgspec.structs.replace(files.data, runs=(ranked,)), files.data.references[0]).note
    assert "prompt 1-shot instead of 0-shot or cfmm-1-shot or cfmm-1-shot-cot" in note
    as_published = msgspec.structs.replace(ranked, prompt="cfmm-1-shot")
    grid = reference_table(msgspec.structs.replace(files.data, runs=(as_published,)), files.data.references[0])
    assert "otherwise" not in grid.note
    assert grid.lines[0].cells[0].details == ("measured", "asked as 1-shot")


def test_csv_gives_reported_figures_as_shares_with_their_source(files: ReportFiles) -> None:
    rows = list(csv.DictReader(io.StringIO(files.csv.read_text(encoding="utf-8"))))
    reported = [row for row in rows if row["table"] == "reported"]
    assert len(reported) == 21 * (18 + 3)
    one = next(row for row in reported if (row["run"], row["group"]) == ("LLaVA, 1-shot", "count"))
    assert (one["measure"], one["value"], one["model"], one["prompt"]) == ("factual", "0.8736", "LLaVA", "1-shot")
    assert (one["method"], one["n"], one["low"], one["fingerprint"]) == ("reported in CFMM, Table 2", "", "", "")
    total = next(row for row in reported if (row["run"], row["group"]) == ("LLaVA, 1-shot", "total"))
    assert (total["value"], total["n"]) == ("4.4379", "1200")
    measured = next(row for row in rows if (row["table"], row["group"]) == ("scores", "total"))
    assert (measured["value"], measured["method"]) == ("6.0", "exact binomial (MOVER)")


def test_drops_of_c_vqa_are_drops_and_groups_without_an_answer_are_empty(tmp_path: Path) -> None:
    cases = [
        Case(
            id=str(number),
            suite="cvqa-real",
            group="direct",
            factual=Question("How many?", "2", "number"),
            counterfactual=Question("How many if one left?", "1", "number"),
        )
        for number in range(4)
    ]
    run = answered(tmp_path / "run", cases, lambda case, question: "2")
    files = load([run], reference=["cvqa"]).report
    measured, *reported = lines(files, "C-VQA, Table 6")
    assert measured[1:] == ["4", "100.0", "0.0", "100.0", *"––––––"]
    found = {row[0]: row[1:] for row in reported}
    assert found["WizardCoder-Python-7B"][-3:] == ["27.7", "29.5", "−1.8"]
    assert found["CodeLlama-34B-Instruct"][1:4] == ["78.3", "68.3", "10.0"]
    (gpt4v,) = lines(files, "C-VQA, Table 5")[1:]
    assert gpt4v == ["GPT-4V", "–", "50.4", "14.6", "35.8", "56.8", "40.7", "16.1", "65.9", "48.0", "17.9"]
    llava = next(row for row in lines(files, "C-VQA, Table 3") if row[0].startswith("LLaVA-7B"))
    assert llava[2:5] == ["38.8", "38.8", "0.0"]


def test_cosim_by_change_type_stands_beside_the_papers_model(tmp_path: Path) -> None:
    run = answered(tmp_path / "run", cosim(("human addition", "object removal"), ("human addition",)), right)
    files = load([run], reference=["cosim"]).report
    measured, reported = lines(files, "CoSIm, Table 4")
    assert measured == ["gpt-4o", "2", "–", "100.0", "–", "–", "–", "100.0", "–", "–", "–"]
    assert reported[:4] == ["Full (Image-TC-Response)", "800", "46.41", "37.87"]
    assert lines(files, "CoSIm, Table 3")[-1] == ["Human", "50", "98", "–"]


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("cfmm-9", "there is no reported table 'cfmm-9'; did you mean 'cfmm-"),
        ("cosim", "cosim has no results that can be compared with a run of cfmm; choose one of cfmm-2, cfmm-3"),
    ],
)
def test_a_wrong_name_on_the_command_line_is_a_sentence(
    run: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str], name: str, words: str
) -> None:
    status = main(["report", str(run), "-o", str(tmp_path / "out"), "--reference", name])
    assert status == 2
    assert capsys.readouterr().err.startswith(f"countersight: {words}")
    assert not (tmp_path / "out").exists()
    assert not (run / "scores.parquet").exists()


def test_the_command_line_sets_all_tables_of_the_suite_beside_the_run(
    run: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["report", str(run), "-o", str(tmp_path / "out"), "--reference"]) == 0
    shown = capsys.readouterr().out
    assert "Comparison with CFMM, Table 2" in shown
    assert "Comparison with CFMM, Table 3" in shown


def test_a_suite_of_which_no_paper_reports_is_refused(tmp_path: Path) -> None:
    run = answered(tmp_path / "run", cello(("AR", "chain")), right)
    with pytest.raises(CountersightError, match="there are no published results for cello"):
        load([run], reference=())
