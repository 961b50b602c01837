"""Scoring takes a reply for what reading takes it for: both see the same question."""

import pytest
from msgspec.structs import replace
from replies import NAMES, replies

from countersight.case import Case, Question, Reply
from countersight.reading import read_reply
from countersight.scoring import OUTCOMES, outcomes


def scored(question: Question, reply: Reply, read_from: str = "whole") -> str | None:
    """The answer that scoring keeps of one reply; what is no right answer is a wrong one."""
    case = Case("case", factual=question)
    found = outcomes([(0, case)], [reply], read_from)
    answer = found.answer_texts[found.answers[0, 0]]
    assert (OUTCOMES[found.codes[0, 0]] in ("unread", "cut", "empty")) == (answer is None)
    return answer


@pytest.mark.parametrize(
    ("text", "answer"), [("1 cow.", "1"), ("There are 3 cows. If one left, there would be 2.", "3")]
)
def test_a_count_is_scored_with_an_eye_on_its_question(text, answer):
    question = Question("How many cows are there?", answer, "number")
    assert scored(question, Reply("case", 0, "factual", text=text)) == answer


@pytest.mark.parametrize("name", NAMES)
def test_every_reply_is_scored_as_it_is_read(name):
    for line in replies(name):
        read = read_reply(line.reply, line.question, line.read_from)
        assert scored(line.question, line.reply, line.read_from) == read, line.reply.text


def test_the_gold_answer_decides_right_and_wrong_and_nothing_else():
    question = Question("How many cats are there?", "3", "number")
    for gold, outcome in (("3", "right"), ("4", "wrong")):
        found = outcomes(
            [(0, Case("case", factual=replace(question, answer=gold)))],
            [Reply("case", 0, "factual", text="I see three cats and a dog.")],
        )
        assert OUTCOMES[found.codes[0, 0]] == outcome
