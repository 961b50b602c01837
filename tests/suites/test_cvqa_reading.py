"""C-VQA's plain way of reading, beside ours and never mixed with it."""

from pathlib import Path

import pytest
from making import dataset

from countersight.case import Case, Option, Question, Reply
from countersight.dataset import Dataset
from countersight.engine import PROMPTS, RunFolder
from countersight.reports.write import write_report
from countersight.suites.cvqa import plain_answer, read_otherwise

NUMBER = Question("How many?", "2", "number")
BOOLEAN = Question("Is it?", "yes", "boolean")
CHOICE = Question("Which?", "B", "choice", (Option("1"), Option("2"), Option("3")))


@pytest.mark.parametrize(
    ("text", "question", "answer"),
    [
        ("There are 5 people, and 3 of them wear hats.", NUMBER, "5"),  # ours reads the part that is asked about
        ("If 2 more came, there would be seven.", NUMBER, "7"),
        ("None.", NUMBER, "0"),
        ("There would be no dogs.", NUMBER, "0"),
        ("Many.", NUMBER, None),
        ("Yes, it is.", BOOLEAN, "yes"),
        ("It would not be.", BOOLEAN, "no"),
        ("It would be.", BOOLEAN, "yes"),
        ("Perhaps.", BOOLEAN, None),
        ("The answer is (C).", CHOICE, "C"),
        ("D", CHOICE, None),
    ],
)
def test_the_first_thing_that_looks_like_an_answer_is_one(text: str, question: Question, answer: str | None) -> None:
    assert plain_answer(text, question) == answer


def test_both_readings_stand_in_a_table_of_their_own(tmp_path: Path) -> None:
    asked = Question("How many of them wear hats?", "3", "number")
    cases = [Case(f"c{n}", factual=asked, counterfactual=NUMBER) for n in range(4)]
    source = Dataset.open(dataset(tmp_path / "d", cases))
    run = RunFolder.begin(
        tmp_path / "run", dataset=source, model="m", settings={}, prompt=PROMPTS["0-shot"], shown=False
    )
    with run.writing() as journal:
        for row, case in source.cases():
            journal.append(Reply(case.id, row, "factual", text="There are 5 people, and 3 of them are wearing hats."))
            journal.append(Reply(case.id, row, "counterfactual", text="2"))
    ours, theirs = read_otherwise([tmp_path / "run"]).lines
    assert [[cell.text for cell in line.cells[1:4]] for line in (ours, theirs)] == [
        ["our rules", "100.0", "100.0"],
        ["C-VQA's rules", "0.0", "100.0"],
    ]
    files = write_report([tmp_path / "run"], tmp_path / "out", readings=[read_otherwise([tmp_path / "run"])])
    assert files.data.runs[0].overall.factual.value == 1.0
    page, tables = files.html.read_text(encoding="utf-8"), files.markdown.read_text(encoding="utf-8")
    assert 'id="readings"' in page
    assert "in 8 replies, and the same answer in 50.0 % of them" in page
    assert "## Replies read with C-VQA's rules" in tables
