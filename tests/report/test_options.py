"""Options mean one thing in every verb, and a run says what it did not do."""

from pathlib import Path

import pytest
from making import case, dataset

import countersight as cs
from countersight.cli import main
from countersight.reports import read_scores

from .runs import right, run


@pytest.fixture(scope="module")
def hidden(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A hidden dataset (d), its key (k) and a run of it (r)."""
    folder = tmp_path_factory.mktemp("hidden")
    made = ["make", "cvqa-synthetic", "--size", "6", "--workers", "1", "--hidden", str(folder / "k")]
    assert main([*made, "-o", str(folder / "d")]) == 0
    assert main(["run", str(folder / "d"), "--model", "chance", "-o", str(folder / "r")]) == 0
    return folder


@pytest.mark.parametrize("verb", ["score", "report", "leaderboard"])
def test_a_hidden_dataset_is_scored_with_its_key_by_every_verb(
    hidden: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str], verb: str
) -> None:
    where = [] if verb == "score" else ["-o", str(tmp_path / "out")]
    words = [verb, str(hidden / "r"), *where]
    assert main(words) == 2
    assert "are hidden" in capsys.readouterr().err
    assert main([*words, "--gold", str(hidden / "k")]) == 0


def test_shown_without_pictures_after_the_change_says_that_nothing_was_shown(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    cases = [case(number, shown=None, counterfactual_image=None) for number in range(4)]
    for source, says in ((dataset(tmp_path / "without", cases), True), (dataset(tmp_path / "with", 4), False)):
        assert main(["run", str(source), "--model", "chance", "--shown", "-o", str(tmp_path / f"{says}")]) == 0
        assert ("--shown had no effect: no case of" in capsys.readouterr().err) == says


def test_rows_of_broken_json_are_named_and_not_pictures(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    source = dataset(tmp_path / "d", 2)
    (source / "metadata.jsonl").write_text('{"id": torn\n{"id"\n', encoding="utf-8")
    assert main(["run", str(source), "--model", "chance", "-o", str(tmp_path / "r")]) == 1
    said = capsys.readouterr().err
    assert "metadata.jsonl line 1: line: is not JSON" in said
    assert "metadata.jsonl line 2: line: is not JSON" in said
    assert "picture" not in said


def test_every_reply_is_counted_once(tmp_path: Path) -> None:
    """Ten cases: three counterfactual replies are unread, and no factual one could be read."""
    cases = [case(number) for number in range(10)]
    said = {row: ("Hm.", "Hm." if row < 3 else right(cases, row)[1]) for row in range(10)}
    made = run(tmp_path / "r", dataset(tmp_path / "d", cases), said)
    assert cs.Run.open(made).scores().progress == "20 of 20 questions scored (13 of them unread)"


def test_a_report_names_the_source_of_corrected_answers(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    cases = [case(number) for number in range(4)]
    made = run(tmp_path / "r", dataset(tmp_path / "d", cases), {row: right(cases, row) for row in range(4)})
    gold, out = tmp_path / "corrected.csv", tmp_path / "out"
    gold.write_text("case,world,answer\ncase-0,factual,C\ncase-1,counterfactual,B\n")  # only the first one changes
    assert main(["report", str(made), "--gold", str(gold), "-o", str(out)]) == 0
    source = "corrected.csv, 1 answer corrected"
    assert f"corrected answers: {source}\n" in capsys.readouterr().out
    for file in ("report.html", "tables.md", "tables.tex"):
        assert source in (out / file).read_text(encoding="utf-8")
    assert f"Corrected answers: {source}. Dataset fingerprint" in (out / "summary.md").read_text(encoding="utf-8")
    assert read_scores(out).gold == source
    assert read_scores(made).gold == ""
    assert main(["score", str(made), "--gold", str(gold)]) == 0
    assert f"(corrected answers: {source}): 8 of 8 questions scored" in capsys.readouterr().out
