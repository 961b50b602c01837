"""scores.json, what changed between two of them, and the summary of a report in Markdown."""

import json
from itertools import product
from pathlib import Path

import msgspec
import pytest
from making import case, dataset

import countersight as cs
from countersight.case import Case, Cell, Question
from countersight.cli import main
from countersight.number_formats import percent
from countersight.reports.scores_file import ScoresFile

from .runs import right, run

CASES = [case(number) for number in range(20)]
SCHEMA = Path(__file__).parents[2] / "docs" / "scores.schema.json"


def made(folder: Path, wrong: int, model: str = "openai:m", unread: int = 0) -> Path:
    """A run that has so many of the counterfactual questions wrong, and the last ones unread."""
    source = folder / "d"
    if not source.exists():
        dataset(source, CASES)
    said = {row: (right(CASES, row)[0], "A" if row < wrong else right(CASES, row)[1]) for row in range(len(CASES))}
    said |= {row: (right(CASES, row)[0], "Hm.") for row in range(len(CASES) - unread, len(CASES))}
    return run(folder / f"run-{wrong}-{model[-1]}", source, said, model=model)


def reported(folder: Path, wrong: int, unread: int = 0) -> Path:
    """The report on such a run."""
    return cs.report(made(folder, wrong, unread=unread), out=folder / f"report-{wrong}").json.parent


def test_scores_are_written_as_the_schema_says(tmp_path: Path) -> None:
    written = json.loads((reported(tmp_path, 5, unread=2) / "scores.json").read_bytes())
    [found] = written["runs"]
    drop = found["groups"]["all"]["drop"]
    assert (written["format"], written["cases"], found["label"]) == ("countersight-scores-1", 20, "m")
    assert (drop["value"], drop["n"], drop["bounds"]) == (0.35, 20, {"low": 0.25, "high": 0.35})
    assert drop["low"] < 0.35 < drop["high"]
    assert set(found["groups"]) == {*(each.group for each in CASES), "all"}
    assert msgspec.json.decode(msgspec.json.encode(written), type=ScoresFile).runs[0].model == "openai:m"


def test_the_documented_schema_is_that_of_the_file() -> None:
    assert json.loads(SCHEMA.read_bytes()) == msgspec.json.schema(ScoresFile)


@pytest.mark.parametrize(
    ("condition", "status"),
    [
        ("drop > 2", 1),
        ("drop > 25", 0),  # it is exactly that
        ("drop >= 25", 1),
        ("counterfactual < -10", 1),
        ("factual < 0", 0),
        ("shown > 0", 1),  # what cannot be compared does not pass
    ],
)
def test_a_condition_fails_the_comparison(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], condition: str, status: int
) -> None:
    old, new = made(tmp_path, 5), made(tmp_path, 10, "openai:n")
    assert main(["compare", str(old), str(new), "--fail-if", condition]) == status
    shown = capsys.readouterr()
    assert "+25.0" in shown.out
    assert shown.err.startswith("Failed: ") == bool(status)
    assert bool(shown.err) == bool(status)
    assert ("counterfactual changed by −25.0 points" in shown.err) == condition.startswith("counterfactual")
    assert ("Passed: no condition of --fail-if is met (1 checked)." in shown.out) == (not status)


def test_a_comparison_says_what_is_compared_with_n_and_intervals(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    old, new = reported(tmp_path, 5, unread=2), made(tmp_path, 10, "openai:n")
    assert main(["compare", str(old), str(new)]) == 0
    shown = " ".join(capsys.readouterr().out.split())
    assert "20 cases: m (old) and n (new)" in shown
    assert "The two runs differ in their model: openai:m and openai:n." in shown
    assert "unread: 25.0…35.0" in shown
    [drop] = [each for each in cs.compare(old / "scores.json", new) if each.measure == "drop"]
    assert (drop.before.n, drop.after.n) == (20, 20)
    assert drop.interval.low < drop.points / 100 < drop.interval.high
    for figure in (drop.before, drop.interval):
        assert f"{percent(figure.low)}…{percent(figure.high)}" in shown
    assert shown.count("n=20") == 8  # both values of four measures: all cases were answered in both worlds
    assert main(["compare", str(new), str(new)]) == 0
    assert "differ in their" not in capsys.readouterr().out


def test_scores_have_what_papers_report_of_sets(tmp_path: Path) -> None:
    """HallusionBench: two figures and two questions a set, VD and VS; one answer is wrong."""
    cases = [
        Case(
            id=f"{category}-{chosen}-{question}-{figure}",
            suite="hallusionbench",
            group=f"{category} chart",
            factual=Question("Is it so?", "yes", "boolean"),
            cell=Cell(f"{category}/chart/{chosen}", str(question), str(figure)),
        )
        for category, chosen, question, figure in product(("VD", "VS"), (0, 1), (0, 1), (1, 2))
    ]
    made = run(
        tmp_path / "r", dataset(tmp_path / "d", cases), {row: ("yes" if row else "no", None) for row in range(16)}
    )
    written = json.loads(cs.report(made, out=tmp_path / "out").json.read_bytes())
    assert {key: written["names"][key] for key in ("factual", "question_accuracy", "picture_accuracy")} == {
        "factual": "aAcc",
        "question_accuracy": "qAcc",
        "picture_accuracy": "fAcc",
    }
    [found] = written["runs"]
    category = found["divisions"]["category"]
    for line, answers, wholes, sets in (
        (found["groups"]["all"], (15, 16), (7, 8), (3, 4)),
        (category["VD"], (7, 8), (3, 4), (1, 2)),
        (category["VS"], (8, 8), (4, 4), (2, 2)),
    ):
        keys = ("factual", "question_accuracy", "picture_accuracy", "set_accuracy")
        assert [(line[key]["hits"], line[key]["n"]) for key in keys] == [answers, wholes, wholes, sets]


def test_a_run_that_is_gone_fails_the_comparison(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    first, second = made(tmp_path, 5), made(tmp_path, 10, "openai:n")
    cs.report([first, second], out=tmp_path / "both")
    assert main(["compare", str(tmp_path / "both"), str(first), "--fail-if", "drop > 90"]) == 1
    assert "n: is in only one of the two reports" in capsys.readouterr().err
    assert main(["compare", str(tmp_path / "both"), str(second)]) == 0


def test_a_script_compares_reports(tmp_path: Path) -> None:
    found = cs.compare(made(tmp_path, 5), str(made(tmp_path, 10)))
    assert {each.measure: round(each.points, 6) for each in found} == {
        "factual": 0.0,
        "factual_in_both": 0.0,
        "counterfactual": -25.0,
        "counterfactual_in_both": -25.0,
        "drop": 25.0,
        "both_right": -25.0,
        "unread_rate": 0.0,
    }


def test_what_cannot_be_compared_is_said(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    report = reported(tmp_path, 5)
    other = json.loads((report / "scores.json").read_bytes())
    (tmp_path / "other.json").write_text(json.dumps(other | {"fingerprint": "0" * 32}), encoding="utf-8")
    (tmp_path / "torn.json").write_text('{"runs": [', encoding="utf-8")
    for words, reason in (
        ([report, tmp_path / "other.json"], "different datasets"),
        ([report, tmp_path / "torn.json"], "is not a scores.json"),
        ([report, tmp_path], "does not exist"),
        ([report, report, "--fail-if", "drop"], "'drop' is not a condition"),
        ([report, report, "--fail-if", "fall > 2"], "there is no measure 'fall'"),
        ([report, report, "--fail-if", "accuracy > 2"], "write 'factual > 2' or 'counterfactual > 2'"),
    ):
        assert main(["compare", *map(str, words)]) == 2
        assert reason in capsys.readouterr().err


@pytest.mark.parametrize(("cases", "seed", "warning"), [(10, 0, "(5 and 10)"), (5, 1, "(5 and 5)"), (5, 0, "")])
def test_runs_of_different_cases_are_compared_with_a_warning(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], cases: int, seed: int, warning: str
) -> None:
    source = dataset(tmp_path / "d", CASES)
    chosen = cs.ModelSettings(seed=seed)
    runs = [
        cs.run(source, "chance", out=tmp_path / "old", cases=5),
        cs.run(source, "chance", out=tmp_path / "new", cases=cases, settings=chosen),
    ]
    assert main(["compare", *(str(each.path) for each in runs)]) == 0
    told = " ".join(capsys.readouterr().out.split())
    assert ("the runs cover different cases" in told) == bool(warning)
    assert warning in told


def test_the_summary_in_markdown_is_short_and_all_that_is_printed(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    cases = [case(number, group=f"group {number % 14}") for number in range(28)]
    source = dataset(tmp_path / "d", cases)
    runs = [
        run(tmp_path / f"r{n}", source, {row: right(cases, row) for row in range(28 - n)}, model=f"openai:m{n}")
        for n in range(5)
    ]
    for chosen in (runs[:1], runs):
        words = ["report", *map(str, chosen), "-o", str(tmp_path / "out"), "--gallery", "1", "--to", "markdown"]
        assert main(words) == 0
        shown = capsys.readouterr().out
        assert shown == (tmp_path / "out/summary.md").read_text(encoding="utf-8")
        assert shown.startswith("## d\n")
        assert "| --- | ---: |" in shown
        assert len(shown.splitlines()) < 40
