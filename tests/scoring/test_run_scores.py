"""A run scored: what was cut or empty is not wrong, answers are a table, and gold can be corrected later."""

import csv
from pathlib import Path
from typing import Any

import duckdb
import numpy as np
import polars
import pytest
from making import dataset as make_dataset

import countersight as cs
from countersight.case import Case, Option, Question, Reply
from countersight.cli import main
from countersight.dataset import Dataset
from countersight.engine import RunFolder, RunOptions, find_prompt
from countersight.errors import CountersightError, GoldError
from countersight.scoring import OUTCOMES, Gold, judge_run, outcomes, score, score_run, tiers, write_frame
from countersight.scoring.estimates import difference

OPTIONS = tuple(map(Option, ("1", "2", "3", "4")))


def asked(text: str = "How many cows?", gold: str = "3") -> Case:
    return Case(id="c0", factual=Question(text, gold, "number"))


def said(text: str, finish: str = "stop", row: int = 0, **more: Any) -> Reply:
    return Reply(f"c{row}", row, "factual", text=text, finish=finish, **more)


@pytest.mark.parametrize(
    ("reply", "outcome"),
    [
        (said("There are 3 cows."), "right"),
        (said("3", "length"), "right"),  # one token was allowed, and it is the answer
        (said("Let me look at the meadow and the", "length"), "cut"),
        (said("Let me look at the meadow and the", "MAX_TOKENS"), "cut"),
        (said("", "length"), "cut"),
        (said("", "stop"), "empty"),
        (said(" \n", "content_filter"), "empty"),
        (said("I cannot see any picture.", "stop"), "unread"),
        (said("", state="failed", reason="gone"), "failed"),
    ],
)
def test_what_was_cut_off_or_never_said_is_an_outcome_of_its_own(reply: Reply, outcome: str) -> None:
    assert OUTCOMES[outcomes([(0, asked())], [reply]).codes[0, 0]] == outcome


def test_cut_and_empty_are_left_out_of_every_share() -> None:
    cases = [(row, Case(id=f"c{row}", factual=Question("How many?", "3", "number"))) for row in range(4)]
    replies = [said("3"), said("Let me see", "length", 1), said("", "stop", 2), said("no idea", "stop", 3)]
    row = score(outcomes(cases, replies)).overall
    assert (row.factual.right, row.factual.n) == (1, 2)
    assert (row.cut, row.empty, row.unread, row.scored, row.questions) == (1, 1, 1, 2, 4)


@pytest.mark.parametrize(
    ("replies", "outcome", "counts"),
    [
        ([said("Let me see", "length"), said("3")], "right", 1),
        ([said("", state="failed"), said("Let me see", "length"), said("", "stop")], "cut", 1),
        ([said("4"), said("3")], "wrong", 0),
        ([said("3"), said("", state="failed")], "right", 0),
    ],
)
def test_which_of_several_replies_counts(replies: list[Reply], outcome: str, counts: int) -> None:
    found = outcomes([(0, asked())], replies)
    assert OUTCOMES[found.codes[0, 0]] == outcome
    assert found.replies[0, 0] == counts


def test_the_question_is_read_with_its_words() -> None:
    """That the 2 is no answer is known from the question alone."""
    question = asked("How many players scored more than 2 runs?", "7")
    found = outcomes([(0, question)], [said("There were 7 players who scored more than 2 runs last season.")])
    assert OUTCOMES[found.codes[0, 0]] == "right"


def test_chance_is_counted_question_by_question() -> None:
    cases = [
        (0, Case(id="c0", counterfactual=Question("Which?", "B", "choice", OPTIONS))),
        (1, Case(id="c1", counterfactual=Question("Is it?", "yes", "boolean"))),
        (2, Case(id="c2", counterfactual=Question("How many?", "3", "number"))),
    ]
    replies = [Reply(f"c{row}", row, "counterfactual", text=text) for row, text in enumerate(("B", "no", "3"))]
    chance = score(outcomes(cases, replies)).overall.chance
    assert chance["counterfactual"] == pytest.approx((1 / 4 + 1 / 2 + 0) / 3)
    assert chance["factual"] is None
    assert score(outcomes(cases[2:], replies[2:])).overall.chance["counterfactual"] is None


def test_scores_say_what_they_are() -> None:
    scores = score(outcomes([(0, asked())], [said("3")]), "cow counter on farms")
    assert repr(scores).startswith("Scores of cow counter on farms: 1 of 1 question scored\n")
    assert " 100.0\n" in repr(scores)
    assert repr(scores.overall.factual).startswith("Figure(100.0%, 2.5 to 100.0, n=1)")
    assert ">100.0<small>2.5\xa0to\xa0100.0</small></td>" in scores._repr_html_()
    assert "<script>" not in score(outcomes([(0, asked())], []), "<script>")._repr_html_()


def test_what_is_sure_is_not_shown_with_an_interval_that_begins_at_zero() -> None:
    """Six of 5,000 cases lost and none won was shown as "0.1 points (0.0 to 0.3; p = 0.0312)"."""
    lost = difference(np.arange(5_000) < 6, np.zeros(5_000))
    assert repr(lost) == "Figure(+0.1 points, 0.02 to 0.3, n=5000, p = 0.031)"


def test_tiers_hold_runs_that_cannot_be_told_apart() -> None:
    better = {(0, 2), (1, 3), (0, 3)}
    assert tiers([0.9, 0.8, 0.7, 0.6], lambda above, below: (above, below) in better) == (1, 1, 2, 2)
    assert tiers([0.6, 0.9], lambda above, below: False) == (1, 1)
    assert tiers([], lambda above, below: False) == ()


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> RunFolder:
    """Six cases of which one was answered wrong, one cut, and one not asked under the change."""
    folder = tmp_path_factory.mktemp("scored")
    source = make_dataset(folder / "d", 6)
    made = RunFolder.begin(
        folder / "r",
        dataset=Dataset.open(source),
        model="m",
        settings={"max_tokens": 16},
        options=RunOptions(find_prompt("0-shot")),
    )
    with made.writing() as journal:
        for row, case in Dataset.open(source).cases():
            assert case.factual
            assert case.counterfactual
            text = "nothing of the kind" if row == 1 else case.factual.answer
            journal.append(Reply(case.id, row, "factual", text=text, tokens_out=5, cost=0.5, losses=(0.1, 0.2)))
            if row < 5:
                cut = {"text": "Let me", "finish": "length"} if row == 2 else {"text": case.counterfactual.answer}
                journal.append(Reply(case.id, row, "counterfactual", **cut))
    return RunFolder.open(folder / "r")


def test_a_run_is_scored_and_nothing_is_written(run: RunFolder) -> None:
    before = sorted((file, file.stat().st_mtime_ns) for file in run.path.parent.rglob("*"))
    scores = score_run(run.path)
    assert (scores.overall.factual.n, scores.overall.cut, scores.overall.missing) == (6, 1, 1)
    assert scores.overall.drop is not None
    assert (scores.overall.drop.n, scores.overall.drop.low <= 0) == (4, True)
    assert sorted((file, file.stat().st_mtime_ns) for file in run.path.parent.rglob("*")) == before


def test_every_answer_is_a_row(run: RunFolder, tmp_path: Path) -> None:
    judged = judge_run(run)
    write_frame(judged.rows("mine"), tmp_path / "scores.parquet")
    rows = duckdb.sql(f"from '{tmp_path}/scores.parquet'").fetchall()
    names = duckdb.sql(f"from '{tmp_path}/scores.parquet'").columns
    assert len(rows) == 12
    first = dict(zip(names, rows[0], strict=True))
    assert (first["run"], first["world"], first["telling"], first["outcome"]) == ("mine", "factual", "told", "right")
    assert (first["text"], first["tokens_out"], first["cost"], first["losses"]) == (first["gold"], 5, 0.5, [0.1, 0.2])
    outcome = {(row[names.index("row")], row[names.index("world")]): row[names.index("outcome")] for row in rows}
    assert (outcome[2, "counterfactual"], outcome[5, "counterfactual"]) == ("cut", "missing")
    table = judged.frame()
    assert (table.num_rows, table.column_names) == (12, names)
    assert polars.DataFrame(table).equals(judged.frame("polars"))
    assert list(judged.frame("pandas").columns) == names
    with pytest.raises(CountersightError, match="arrow, pandas, polars"):
        judged.frame("excel")


def test_every_answer_is_a_line_of_a_spreadsheet(run: RunFolder, tmp_path: Path) -> None:
    table = tmp_path / "answers.csv"
    assert main(["score", str(run.path), "-o", str(table)]) == 0
    assert table.read_bytes().startswith(b"\xef\xbb\xbf")  # by this mark, spreadsheets know that the file is UTF-8
    with table.open(encoding="utf-8-sig", newline="") as file:
        rows = list(csv.DictReader(file))
    assert len(rows) == 12
    assert (rows[0]["outcome"], rows[0]["losses"], rows[0]["tokens_out"]) == ("right", "0.1 0.2", "5")
    assert main(["score", str(run.path), "-o", str(tmp_path / "answers.txt")]) == 2


def test_gold_is_corrected_by_a_table_without_asking_again(run: RunFolder, tmp_path: Path) -> None:
    wrong = next(case for row, case in run.dataset().cases() if row == 0)
    assert wrong.factual
    other = "yes" if wrong.factual.answer == "no" else "A" if wrong.factual.answer != "A" else "B"
    other = str(int(wrong.factual.answer) + 1) if wrong.factual.kind == "number" else other
    table = tmp_path / "gold.csv"
    table.write_text(f"case,world,answer\n{wrong.id},factual,{other}\n")
    right = score_run(run).overall.factual.right
    assert score_run(run, gold=table).overall.factual.right == right - 1


@pytest.mark.parametrize("written", ["B", "b", "(b)", "b)", "[B]", "B."])
def test_a_letter_is_taken_as_people_write_it(tmp_path: Path, written: str) -> None:
    case = Case("x", factual=Question("Open?", "A", "choice", (Option("open"), Option("closed"))))
    (tmp_path / "gold.csv").write_text(f"case,world,answer\nx,factual,{written}\n")
    [(_, corrected)] = Gold.open(tmp_path / "gold.csv").corrected([(0, case)])
    assert corrected.factual
    assert corrected.factual.answer == "B"


@pytest.mark.parametrize("written", ["yes", "Yes", "TRUE"])
@pytest.mark.parametrize("first", ["", "sep=;\n"])
def test_a_table_of_a_spreadsheet_is_read(tmp_path: Path, first: str, written: str) -> None:
    case = Case("x", factual=Question("Is it?", "no", "boolean"))
    (tmp_path / "gold.csv").write_text(f"{first}case;world;answer\nx;factual;{written}\n")
    [(_, corrected)] = Gold.open(tmp_path / "gold.csv").corrected([(0, case)])
    assert corrected.factual
    assert corrected.factual.answer == "yes"
    (tmp_path / "gold.csv").write_text("case;world;answer\nx;factual;ja\n")
    with pytest.raises(GoldError, match=r"answer: 'ja' is neither yes nor no$"):
        list(Gold.open(tmp_path / "gold.csv").corrected([(0, case)]))


@pytest.mark.parametrize(
    ("content", "words"),
    [
        ("case,world,answer\nnobody,factual,3\n", "corrects the factual answer of case 'nobody', which was not asked"),
        ("case,world,answer\nx,elsewhere,3\n", "line 2: "),
        ("case,answer\nx,3\n", "line 2: .*a line needs case, world and answer"),
        ('case,world,answer\nx,factual,3\nx,factual,"3\ny,factual,4\n', "line 3 has a quote that is not closed"),
        ('case,world,answer\nx,factual,"3\ny,factual,"4\n', "line 2 has a quote that is not closed"),
    ],
)
def test_corrections_that_cannot_be_used_are_told(run: RunFolder, tmp_path: Path, content: str, words: str) -> None:
    (tmp_path / "gold.csv").write_text(content)
    with pytest.raises(GoldError, match=words):
        score_run(run, gold=tmp_path / "gold.csv")
    with pytest.raises(GoldError, match="does not exist"):
        Gold.open(tmp_path / "none.csv")


def _no_home(_: type[Path]) -> Path:
    raise RuntimeError("Could not determine home directory.")


def test_the_outcomes_of_a_large_run_are_read_once_and_again_when_its_files_change(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("countersight.scoring.outcome_cache.MIN_JOURNAL_SIZE", 0)
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    cases = [
        Case(
            id=f"c{row}",
            group="g",
            factual=Question(f"How many in {row}?", "3", "number"),
            control_of="c0" * (row == 2),
        )
        for row in range(3)
    ]
    source = Dataset.open(make_dataset(tmp_path / "d", cases))
    run = RunFolder.begin(
        tmp_path / "run", dataset=source, model="m", settings={}, options=RunOptions(find_prompt("0-shot"))
    )
    with run.writing() as journal:
        journal.append(said("3"))
    first = judge_run(run)
    read: list[object] = []
    located = RunFolder.located_replies
    monkeypatch.setattr(RunFolder, "located_replies", lambda *given: read.append(given) or located(*given))
    again = judge_run(run)
    assert read == []
    assert again.scores() == first.scores()
    assert again.replies_at([0]) == first.replies_at([0])
    [cached] = (tmp_path / "cache" / "countersight" / "outcomes").iterdir()
    cached.write_bytes(cached.read_bytes()[:-9])  # a torn file is as good as none
    assert judge_run(run).scores() == first.scores()
    with run.writing() as journal:
        journal.append(said("3", row=1))
    assert (judge_run(run).scores().overall.factual.right, len(read)) == (2, 2)
    monkeypatch.delenv("XDG_CACHE_HOME")
    monkeypatch.setattr(Path, "home", classmethod(_no_home))
    assert judge_run(run).scores().overall.factual.right == 2


def test_a_run_remembers_where_its_dataset_was_moved_to(tmp_path: Path) -> None:
    source = make_dataset(tmp_path / "d", [asked()])
    run = cs.run(source, lambda picture, question: "3", out=tmp_path / "run")
    Path(source).rename(tmp_path / "moved")
    assert cs.score(run, dataset=tmp_path / "moved") == run.scores()


@pytest.mark.parametrize("model", ["chance", cs.open_model("chance")])
def test_a_name_is_for_functions_only(tmp_path: Path, model: Any) -> None:
    with pytest.raises(CountersightError, match="this model already has a name"):
        cs.run(make_dataset(tmp_path / "d", [asked()]), model, out=tmp_path / "run", name="mine")
