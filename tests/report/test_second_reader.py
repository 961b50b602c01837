"""A second reader reads what the rules leave unread, apart from them, and is asked once."""

import re

import pytest
from making import case, dataset
from msgspec.structs import replace
from running import ask

from countersight.case import Option, Question
from countersight.cli import main
from countersight.engine import synchronous
from countersight.errors import AskingFailed
from countersight.models import Answer, FunctionModel
from countersight.reports.second_reader import (
    READINGS,
    reread_async,
    rereading_analysis,
    second_answer,
    second_request,
)

reread = synchronous(reread_async)
CATS = Question("How many cats are there?", "3", "number")
SAID = {"cats": "As many as there are fates.", "dogs": "I count 2 of them."}


@pytest.fixture
def run(tmp_path):
    """Ten cases whose first question gets an answer that the rules leave unread, and whose second is read."""
    asked = [
        replace(
            case(number),
            factual=Question(f"How many cats are in picture {number}?", "3", "number"),
            counterfactual=Question(f"How many dogs would be in picture {number} if one left?", "2", "number"),
        )
        for number in range(10)
    ]
    folder = dataset(tmp_path / "data", asked)

    def says(picture, question):
        return SAID["cats" if "cats" in question else "dogs"]

    ask(folder, tmp_path / "runs" / "vague", FunctionModel(says, "vague"))
    return tmp_path / "runs" / "vague"


class Reader:
    """A model that counts what it was asked, and reads fates as three."""

    name = "reader"
    needs_picture = False
    settings: dict = {}

    def __init__(self, fails_after=None):
        self.asked = []
        self.fails_after = fails_after

    async def reply(self, request):
        if self.fails_after is not None and len(self.asked) >= self.fails_after:
            raise AskingFailed("out of breath", again=False)
        self.asked.append(request)
        text = request.turns[0].text
        return Answer("3" if "fates" in text else "2", tokens_in=10)

    async def close(self):
        pass


def test_what_the_rules_leave_unread_is_read_and_kept_apart(run, tmp_path):
    (found,) = reread([run], Reader(), tmp_path / "report")
    assert (found.unread, found.found, found.compared, found.agreed) == (10, 10, 10, 10)
    assert found.rules.overall.unread == 10
    assert found.rules.overall.factual.right == 0
    assert found.both.overall.unread == 0
    assert found.both.overall.factual.right == 10
    assert found.both.overall.counterfactual.right == found.rules.overall.counterfactual.right == 10
    [table] = rereading_analysis([found]).tables
    assert [line.cells[1].text for line in table.lines] == ["rules", "rules, then reader"]
    assert "10 of 10 replies in which the rules found none" in table.note
    assert "agrees with the rules on 100.0%" in table.note


def test_nothing_is_asked_twice_and_nothing_is_written_into_the_run(run, tmp_path):
    before = {path: path.read_bytes() for path in run.iterdir()}
    first = reread([run], Reader(), tmp_path / "report")
    again = Reader()
    assert reread([run], again, tmp_path / "report") == first
    assert again.asked == []
    assert {path: path.read_bytes() for path in run.iterdir()} == before


def test_what_failed_or_was_torn_is_asked_for_again_and_another_reader_reads_for_itself(run, tmp_path):
    (part,) = reread([run], Reader(fails_after=4), tmp_path / "report")
    assert part.found < 10
    later = Reader()
    (whole,) = reread([run], later, tmp_path / "report")
    assert whole.found == 10
    assert len(later.asked) == 20 - 4
    journal = tmp_path / "report" / READINGS / "replies.jsonl"
    journal.write_bytes(journal.read_bytes()[:-5])
    torn = Reader()
    reread([run], torn, tmp_path / "report")
    assert len(torn.asked) == 1
    other = Reader()
    other.name = "other"
    reread([run], other, tmp_path / "report")
    assert len(other.asked) == 20


def test_a_second_reader_sees_the_reply_and_the_question_and_no_gold_answer():
    question = Question("Which?", "B", "choice", (Option("red"), Option("blue")))
    text = second_request("Probably the sky one.", question).turns[0].text
    assert "Probably the sky one." in text
    assert "A: red\nB: blue" in text
    assert second_request("x", question) == second_request("x", replace(question, answer="A"))
    long = second_request("y" * 1_000_000, question).turns[0].text
    assert len(long) < 10_000


@pytest.mark.parametrize(("said", "answer"), [("3", "3"), ("None", None), ("none.", None), ("It gives 4.", "4")])
def test_none_is_no_number(said, answer):
    assert second_answer(said, CATS) == answer


def test_the_report_sets_it_apart(run, tmp_path, capsys):
    out = tmp_path / "out"
    assert main(["report", str(run), "-o", str(out), "--reader", "chance"]) == 0
    printed = re.sub(r"\s+", " ", capsys.readouterr().out)
    assert "With a second reader" in printed
    assert "chance found an answer in 10 of 10 replies in which" in (out / "tables.md").read_text()
    assert (out / READINGS / "replies.jsonl").is_file()
    assert "With a second reader" in (out / "report.html").read_text(encoding="utf-8")
