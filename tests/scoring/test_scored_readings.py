"""Scoring takes a reply for what reading takes it for: both see the same question."""

import pytest
from msgspec.structs import replace
from readings import readings
from replies import SETS, answers, corpus

from countersight.case import Case, Question, Reply
from countersight.scoring import outcomes


def scored(question: Question, reply: Reply, read_from: str = "whole") -> str | None:
    """The answer that scoring keeps of one reply; what is no right answer is a wrong one."""
    case = Case("case", factual=question)
    (outcome,) = outcomes([(0, case)], [reply], read_from)
    assert (outcome.factual in ("unread", "cut", "empty")) == (outcome.factual_answer is None)
    return outcome.factual_answer


@pytest.mark.parametrize(
    ("text", "answer"), [("A cow.", "1"), ("There are 3 cows. If one left, there would be 2.", "3")]
)
def test_a_count_is_scored_with_an_eye_on_its_question(text, answer):
    question = Question("How many cows are there?", answer, "number")
    assert scored(question, Reply("case", 0, "factual", text=text)) == answer


def test_every_reading_of_the_tables_is_scored_as_it_is_read():
    lines = list(readings())
    said = {n: scored(asked, Reply("case", 0, "factual", text=text)) for n, (asked, text, _) in enumerate(lines)}
    assert {n: said[n] for n in said if said[n] != lines[n][2]} == {}


@pytest.mark.parametrize("name", SETS)
def test_every_reply_of_the_corpus_is_scored_as_it_is_read(name):
    lines = zip(corpus(name), answers(name), strict=True)
    differ = [line.text for line, read in lines if scored(line.question, line.reply, line.read_from) != read]
    assert differ == []


def test_the_gold_answer_decides_right_and_wrong_and_nothing_else():
    question = Question("How many cats are there?", "3", "number")
    for gold, outcome in (("3", "right"), ("4", "wrong")):
        (found,) = outcomes(
            [(0, Case("case", factual=replace(question, answer=gold)))],
            [Reply("case", 0, "factual", text="I see three cats and a dog.")],
        )
        assert found.factual == outcome
