"""A reply that thinks aloud is read from its end: what was thought on the way is no answer."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from countersight.case import LETTERS, Option, Order, Question, Reply
from countersight.reading import answer_in as read
from countersight.reading import combined, read_reply

NUMBER = Question("How many cats would there be if one left?", "2", "number")
BOOLEAN = Question("Would the cat be dry if it rained?", "no", "boolean")
CHOICE = Question("How many would there be?", "C", "choice", tuple(map(Option, ("3", "5", "7", "9"))))
SENTENCES = Question(
    "Are the cans in danger of being knocked over?",
    "D",
    "choice",
    (
        Option("yes, there is no plastic around the cans."),
        Option("yes, the cans are empty."),
        Option("no, the cans are lying down."),
        Option("no, there is plastic around the cans."),
    ),
)
OPEN = Question("What would fall?", "the books", "open")

SAID = [
    # marked, as the prompt asks
    (NUMBER, "There are 3 cats. One leaves: 3 - 1 = 2.\nAnswer: 2", "2"),
    (NUMBER, "I see 3 cats.\n\n**Answer:** 2", "2"),
    (NUMBER, "3 - 1 = 2\n\n### Answer: two", "2"),
    (NUMBER, "Answer: 3? No.\n\nOne of the 3 leaves.\n\nAnswer: 2", "2"),
    (NUMBER, "There are \\boxed{3} cats now.\nAnswer: \\boxed{2}", "2"),
    (NUMBER, "Answer:\n2", "2"),
    (NUMBER, "Thinking of 5 cats.\nFinal answer: 2 cats, since 1 of 3 leaves", "2"),
    (NUMBER, "I see 3.\nAnswer: I cannot tell.", None),
    (NUMBER, "I see 3.\nAnswer: 2 or 3", None),
    (BOOLEAN, "Yes, it is dry now. Rain makes things wet.\nAnswer: No", "no"),
    (BOOLEAN, "Answer: yes, it would.\n\nNo, wait: it is outside.\n\nAnswer: no.", "no"),
    (BOOLEAN, "It stands under a roof.\nFinal Answer: **Yes**", "yes"),
    (CHOICE, "A: 3 is too few. B: 5 is there now. 2 more come.\nAnswer: C", "C"),
    (CHOICE, "Answer: C: 7\nA is too few, and D too many.", "C"),
    (CHOICE, "It is A at first.\nAnswer: (C)", "C"),
    (CHOICE, "It is A.\nAnswer: A or B", None),
    (SENTENCES, "The plastic holds them: they cannot fall.\nAnswer: D", "D"),
    (SENTENCES, "Yes, cans fall easily.\nAnswer: no, there is plastic around the cans.", "D"),
    (OPEN, "The shelf holds books. Without it they fall.\nAnswer: the books", "the books"),
    (OPEN, "Shelf.\nAnswer: the books\nbecause nothing holds them", "the books"),
    # unmarked: the last thing it comes to
    (NUMBER, "The answer to the first part is 3. Now remove one. So 2 cats remain.", "2"),
    (NUMBER, "Step 1: there are 3 cats.\n\nStep 2: one leaves.\n\nSo there would be 2 cats.", "2"),
    (NUMBER, "There are 3 cats.\n\nSo 2 are left.\n\nI hope this helps!", "2"),
    (NUMBER, "2", "2"),
    (BOOLEAN, "Yes, the cat is dry. If it rained, it would get wet. So no, it would not be dry.", "no"),
    (BOOLEAN, "Yes, there is a cat.\n\nRain would reach it.\n\nTherefore, no.", "no"),
    (BOOLEAN, "No roof is there. Still, it has a coat. So yes, it would be dry.", "yes"),
    (CHOICE, "A would be 3.\nB would be 5.\n\n5 + 2 = 7, so the answer is C.", "C"),
    (CHOICE, "I first thought of B.\n\nSo 5 + 2 = 7, which is option C.", "C"),
    (OPEN, "The shelf holds the books.\n\nThe books.", "The books."),
    # nothing
    (NUMBER, "", None),
    (NUMBER, "Answer:", None),
    (NUMBER, "<think>There are 3 and then", None),
    (BOOLEAN, "There is a cat.\n\nI cannot tell.", None),
    (CHOICE, "Let us look at the picture.", None),
]


@pytest.mark.parametrize(("question", "said", "answer"), SAID)
def test_the_answer_at_the_end_is_the_answer(question, said, answer):
    assert read(said, question, "end") == answer


@pytest.mark.parametrize(
    ("question", "said"),
    [
        (NUMBER, "There are 3 cats, and then"),
        (CHOICE, "So B is what is there, but"),
        (BOOLEAN, "Yes, it is dry now, but"),
    ],
)
def test_of_a_reply_that_was_cut_off_only_a_marked_answer_counts(question, said):
    assert read_reply(Reply("x", 0, "factual", text=said, finish="length"), question, "end") is None
    marked = f"{said}\nAnswer: {question.answer} and"
    assert read_reply(Reply("x", 0, "factual", text=marked, finish="length"), question, "end") == question.answer


@given(st.text(max_size=300), st.sampled_from([NUMBER, BOOLEAN, CHOICE, OPEN]))
def test_nothing_a_model_writes_stops_the_reading(text, question):
    answer = read(text, question, "end")
    assert answer is None or isinstance(answer, str)


@given(st.text(max_size=200), st.sampled_from("ABCD"))
def test_whatever_was_thought_the_marked_letter_is_read(thought, letter):
    assert read(f"{thought.replace('<', ' ')}\n\nAnswer: {letter}", CHOICE, "end") == letter


FOUR = Question("Which?", "A", "choice", tuple(map(Option, ("red", "green", "blue", "black"))))


@given(st.lists(st.tuples(st.permutations(range(4)), st.sampled_from(["A", "B", "C", "D", "none of them", ""]))))
def test_the_option_most_orders_choose_is_the_answer_and_a_tie_is_none(said):
    votes = [0, 0, 0, 0]
    for places, text in said:
        if text in tuple("ABCD"):
            votes[places[LETTERS.index(text)]] += 1
    most = max(votes)
    expected = LETTERS[votes.index(most)] if most and votes.count(most) == 1 else None
    assert combined([Order(tuple(places), text) for places, text in said], FOUR) == expected


def test_orders_of_other_options_do_not_count():
    orders = [Order((0, 1), "A"), Order((0, 0, 1, 2), "A"), Order((), "A"), Order((3, 2, 1, 0), "the blue one")]
    assert combined(orders, FOUR) == "C"
    assert read_reply(Reply("x", 0, "factual", orders=tuple(orders)), FOUR) == "C"
