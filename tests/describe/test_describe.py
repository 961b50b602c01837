"""What a dataset's statistics say."""

import csv
import io
import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from making import dataset
from published import published
from rich.console import Console

from countersight.case import Case, Option, Question
from countersight.cli import main
from countersight.description import DatasetStatistics, describe, render

FOUR = tuple(map(Option, ("16", "17", "12", "13")))


def choice(text: str, answer: str) -> Question:
    return Question(text, answer, "choice", FOUR)


CASES = (
    Case(
        id="1",
        group="flowers",
        factual=choice("How many flowers are outside?", "C"),
        counterfactual=choice("How many flowers would be outside if all polygons were red?", "A"),
    ),
    Case(
        id="2",
        group="flowers",
        factual=choice("How many flowers are outside?", "A"),
        counterfactual=choice("How many?", "A"),
    ),
    Case(id="3", group="sun", factual=Question("Is the sun out?", "yes", "boolean")),
    Case(id="4", group="sun", counterfactual=Question("Would it be?", "no", "boolean")),
)


def test_cases_words_and_answers_are_counted_by_group_and_world() -> None:
    found = describe(CASES)
    assert found.cases == found.total.cases == 4
    assert [(group.group, group.cases) for group in found.groups] == [("flowers", 2), ("sun", 2)]
    assert (found.total.pairs, found.total.changed) == (2, 1)
    flowers, sun = found.groups
    # The options count as they are printed: "Select the correct answer:A:16  B:17  C:12  D:13" is seven words.
    assert flowers.factual.mean_words == 5 + 7
    assert flowers.factual.lengths == {12: 2}
    assert flowers.counterfactual.lengths == {9: 1, 18: 1}
    assert flowers.factual.answers == {"12": 1, "16": 1}
    assert flowers.counterfactual.answers == {"16": 2}
    assert flowers.factual.options == {"A": 1, "B": 0, "C": 1, "D": 0}
    assert (sun.factual.options, sun.counterfactual.options) == ({"yes": 1}, {"no": 1})


def test_no_cases_have_statistics_too() -> None:
    nothing = describe([])
    assert nothing.cases == 0
    assert printed(nothing)


def printed(statistics: DatasetStatistics) -> str:
    console = Console(file=io.StringIO(), width=120)
    render(statistics, console)
    assert isinstance(console.file, io.StringIO)
    return console.file.getvalue()


def test_the_terminal_shows_groups_lengths_answers_and_balance() -> None:
    text = printed(describe(CASES))
    for words_shown in ("4 cases", "flowers", "sun", "12.00", "50.0%", "A 50.0%", "yes 100.0%", "counterfactual"):
        assert words_shown in text


def test_cases_without_a_group_have_the_name_that_reports_use() -> None:
    ungrouped = Case(id="5", factual=Question("Is the sun out?", "yes", "boolean"))
    assert "(no group)" in printed(describe([*CASES, ungrouped]))


def test_a_person_gets_one_screen_and_all_of_it_on_request(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Of a dataset with many groups and many different answers."""
    number = [Question(f"How many dots are in part {n % 30}?", str(n % 50), "number") for n in range(120)]
    folder = dataset(tmp_path / "d", (Case(str(n), group=f"g{n % 30}", factual=each) for n, each in enumerate(number)))
    assert main(["describe", str(folder)]) == 0
    short = capsys.readouterr().out
    assert main(["describe", str(folder), "--all"]) == 0
    long = capsys.readouterr().out
    assert len(short.splitlines()) <= 32 < 60 < len(long.splitlines())
    assert "20 smaller groups not shown" in short
    assert "Answered without the pictures: " in short
    assert "Words per question" in long


def test_a_hostile_name_is_only_text() -> None:
    name = '</svg><script>alert(1)</script>[bold]"&\x00\x1b[2J'
    statistics = describe([Case(id="1", group=name, factual=Question("Is it?", name, "open")), *CASES])
    assert "[bold]" in printed(statistics)
    assert "\x1b" not in printed(statistics)
    assert "<script" not in statistics._repr_html_()


@settings(max_examples=25)
@given(st.lists(st.tuples(st.text(max_size=5), st.text(min_size=1, max_size=8)), max_size=20))
def test_shares_add_up_whatever_the_names(rows: list[tuple[str, str]]) -> None:
    found = describe(Case(id="x", group=group, factual=Question("What?", answer, "open")) for group, answer in rows)
    assert sum(group.cases for group in found.groups) == found.cases == len(rows)
    assert found.total.factual.answers.total() == len(rows)


def test_many_different_open_answers_do_not_fill_the_memory() -> None:
    cases = (Case(id="x", factual=Question("What?", str(number), "open")) for number in range(10_500))
    answers = describe(cases).total.factual.answers
    assert len(answers) == 10_001
    assert answers.total() == 10_500


@pytest.mark.slow
def test_the_published_questions_have_the_published_lengths() -> None:
    """16.00 and 25.33 words on average: C-VQA 3.4."""
    total = describe(_published()).total
    assert round(total.factual.mean_words, 2) == 16.00
    assert round(total.counterfactual.mean_words, 2) == 25.33
    assert total.changed == total.pairs == 3_000


def _published() -> Iterator[Case]:
    def question(text: str, answer: str) -> Question:
        stem, listed = text.split(" Select the correct answer:")
        return Question(stem, answer, "choice", tuple(Option(number) for number in re.findall(r"[A-D]:(\d+)", listed)))

    with published("cvqa/C-VQA-Synthetic_questions.csv").open(encoding="utf-8-sig", newline="") as file:
        for number, row in enumerate(csv.DictReader(file)):
            yield Case(
                id=str(number),
                group=row["type"],
                factual=question(row["query"], row["answer"]),
                counterfactual=question(row["new query"], row["new answer"]),
            )


def test_pairs_of_a_paper_stand_beside_its_figures() -> None:
    sides = tuple(map(Option, ("on the left", "right")))
    basic = Question("Where is the cat?", "B", "choice", sides)
    pair = Case("1", suite="cfmm", factual=basic, counterfactual=Question("If it moved, where?", "A", "choice", sides))
    paper = describe([pair]).suites["cfmm"]
    [grid] = paper.tables()
    assert [tuple(cell.text for cell in line.cells[1:]) for line in grid.lines] == [
        ("1", "1,200"), ("4.00", "9.47"), ("4.00", "18.39"), ("2.00", "1.17"),
    ]  # fmt: skip
    told = Question("Is it on?", "yes", "boolean"), Question("Would it be on if it broke?", "no", "boolean")
    real = Case("2", suite="cvqa-real", group="boolean", factual=told[0], counterfactual=told[1])
    console = Console(file=io.StringIO(), width=100)
    render(describe([real]), console)
    shown = " ".join(console.file.getvalue().split())
    assert "boolean 1 1,130" in shown
    assert "words in a counterfactual question 7.00 13.15" in shown
    assert "100.00 % 55.13 %" in shown
