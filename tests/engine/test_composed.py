"""Counts after a change, computed from the model's factual answer: which are computed, and which are asked."""

import json

import pytest
from chat_server import ChatServer, question_of
from making import case, choice, dataset
from running import ask, replies

from countersight.case import Option, Question, Reply
from countersight.engine import COMPOSED, PROMPTS, composed_answer, find_prompt
from countersight.errors import CountersightError

DOGS = Question("How many dogs are there?", "3", "number")
MORE = Question("How many dogs would there be if two more dogs came?", "5", "number")
UNCLEAR = Question("How many dogs would there be if the gate was open?", "1", "number")
BARK = Question("Would the dogs bark if a cat came?", "yes", "boolean")
COUNTS = tuple(Option(str(number)) for number in (3, 5, 7, 9))


def told(output):
    return {(r.row, r.world): r for r in replies(output)}


def test_a_counterfactual_number_is_computed_without_asking_the_model(tmp_path):
    folder = dataset(tmp_path / "d", [case(0, factual=DOGS, counterfactual=MORE)])
    with ChatServer("say:I can see 4 dogs.") as server:
        tally = ask(folder, tmp_path / "r", server.name, prompt="compose")
    assert [question_of(request).split("\n")[0] for request in server.requests] == [DOGS.text]
    assert (tally.answered, tally.failed, tally.tokens_in) == (2, 0, 100)
    seen, imagined = told(tmp_path / "r").values()
    assert (seen.text, seen.finish) == ("I can see 4 dogs.", "stop")
    assert (imagined.text, imagined.finish) == ("6", COMPOSED)  # from what the model saw, right or wrong
    assert (imagined.tokens_in, imagined.tokens_out, imagined.cost, imagined.attempts) == (0, 0, 0.0, 0)
    assert imagined.model == seen.model


@pytest.mark.parametrize(
    ("said", "imagined"),
    [("There are 3 dogs.", UNCLEAR), ("I cannot tell.", MORE), ("There are 3 dogs.", BARK)],
    ids=["the grammar abstains", "no number was seen", "not a number that is asked for"],
)
def test_questions_that_the_composer_cannot_decide_are_asked_normally(tmp_path, said, imagined):
    folder = dataset(tmp_path / "d", [case(0, factual=DOGS, counterfactual=imagined)])
    with ChatServer(f"say:{said}") as composing:
        ask(folder, tmp_path / "r", composing.name, prompt="compose")
    with ChatServer(f"say:{said}") as plain:
        ask(folder, tmp_path / "s", plain.name)
    sent = [[json.dumps(request["messages"]) for request in server.requests] for server in (composing, plain)]
    assert sorted(sent[0]) == sorted(sent[1])  # the two questions of `plain` are asked at the same time
    assert {reply.finish for reply in replies(tmp_path / "r")} == {"stop"}


def test_for_a_choice_the_option_with_the_computed_number_is_the_answer(tmp_path):
    cases = [
        case(0, counterfactual=choice("How many dots would there be if 2 more dots were drawn?")),
        case(1, counterfactual=choice("How many dots would there be if 1 more dot was drawn?")),  # 6 is no option
    ]
    with ChatServer("say:B") as server:
        ask(dataset(tmp_path / "d", cases), tmp_path / "r", server.name, prompt="compose", shown=True)
    assert len(server.requests) == 5  # what is shown after the change is seen, not imagined
    found = {(r.row, r.telling): (r.text, r.finish) for r in replies(tmp_path / "r") if r.world == "counterfactual"}
    assert found[0, "told"] == ("C", COMPOSED)
    assert found[1, "told"] == ("B", "stop")
    assert {found[row, "shown"] for row in (0, 1)} == {("B", "stop")}


def test_a_custom_prompt_may_compose_and_otherwise_give_the_fact(tmp_path):
    mine = tmp_path / "mine.toml"
    mine.write_text("composed = true\nfact = true\n")
    folder = dataset(tmp_path / "d", [case(0, factual=DOGS, counterfactual=UNCLEAR)])
    with ChatServer("say:3") as server:
        ask(folder, tmp_path / "r", server.name, prompt=mine)
    assert [len(request["messages"]) for request in server.requests] == [1, 3]
    mine.write_text('composed = true\norders = "every"\n')
    with pytest.raises(
        CountersightError, match="orders: options cannot be asked in several orders if the model's own answer is used"
    ):
        find_prompt(str(mine))


@pytest.mark.parametrize(
    ("said", "factual", "imagined", "answer"),
    [
        ("3", DOGS, MORE, "5"),
        ("There are three dogs.", DOGS, MORE, "5"),
        ("C", Question(DOGS.text, "A", "choice", COUNTS), MORE, "9"),
        ("3", DOGS, Question(MORE.text, "A", "choice", COUNTS), "B"),
        ("3", DOGS, Question(MORE.text, "A", "choice", (Option("5"), Option("5"))), None),
        ("2.5", DOGS, MORE, None),
        ("C", Question(DOGS.text, "A", "choice", tuple(map(Option, ("one", "two", "three")))), MORE, None),
        ("yes", Question("Are there dogs?", "yes", "boolean"), MORE, None),
        ("9" * 40, DOGS, MORE, None),
        ("3", DOGS, Question("How many would there be if 5 dogs left?", "0", "number"), None),
    ],
)
def test_the_answer_is_the_number_as_the_question_wants_it(said, factual, imagined, answer):
    assert composed_answer(Reply("x", 0, "factual", text=said), factual, imagined, "whole") == answer


def test_the_model_sees_the_same_text_as_with_0_shot():
    for question in (DOGS, MORE, BARK):
        assert PROMPTS["compose"].render(question) == PROMPTS["0-shot"].render(question)
