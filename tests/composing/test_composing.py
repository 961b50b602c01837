"""The composer turns a factual count into a counterfactual one where its grammar covers the change."""

import csv

import pytest
from hypothesis import given
from hypothesis import strategies as st
from published import published

from countersight.composing import compose

DECIDED = [
    (5, "How many cows would you see if 3 cows disappeared?", 2),
    (3, "If two more dogs came, how many dogs would there be?", 5),
    (3, "Suppose that 4 more surfers appeared. How many surfers would be in the water?", 7),
    (4, "How many cats would there be if half of them left?", 2),
    (9, "How many people would there be if a third of them left?", 6),
    (8, "How many clocks would there be if the number of clocks was reduced by half?", 4),
    (8, "How many clocks would there be if the number of clocks was reduced to 3?", 3),
    (3, "How many clocks would there be if the number of clocks increased by 4?", 7),
    (2, "How many plates would there be if the number doubled?", 4),
    (3, "How many cars would there be if there were twice as many cars?", 6),
    (2, "How many elephants would there be if their number was multiplied by 4?", 8),
    (10, "How many elephants would there be if their number was divided by 5?", 2),
    (6, "How many apples would there be if all were eaten?", 0),
    (6, "How many apples would there be if all but two were eaten?", 2),
    (9, "How many people would there be if everyone left?", 0),
    (2, "How many trains would there be if the trains left the station?", 0),
    (2, "How many trains would there be if the train left the station?", 1),
    (2, "How many boats would there be if no boats were there?", 0),
    (3, "How many cars would there be if only one car remained?", 1),
    (1, "How many monitors would there be if there were 3 monitors instead of 1?", 3),
    (3, "How many zebras would there be if there were two fewer zebras?", 1),
    (5, "How many kids would there be if 2 boys went home?", 3),
    (3, "How many cups would there be if a dozen more cups were added?", 15),
    (12, "How many people would there be if twenty five more people joined?", 37),
    (5, "How many oranges would there be if a man ate two oranges?", 3),
    (4, "How many dogs would there be without two of the dogs?", 2),
    (4, "How many dogs would there be with another dog?", 5),
]
SEVERAL = [
    (2, "How many giraffes would there be if one giraffe left and one arrived?", 2),
    (4, "How many birds would there be if 3 flew away and 2 came back?", 3),
    (2, "How many plates would there be if the number of plates tripled and then one broke?", 5),
    (4, "How many pizzas would there be if 1 pizza was eaten, 2 were delivered and another was dropped?", 4),
    (7, "How many sheep would there be if 3 sheep were sold and 2 lambs were born?", 6),
]
OPEN = [
    (5, "How many cats would there be if half of them left?"),
    (2, "How many cows would there be if 3 cows left?"),
    (3, "How many cups would there be if some cups were removed?"),
    (3, "How many red cars would there be if 2 blue cars were added?"),
    (9, "How many flowers would be inside purple polygons if all flowers in green polygons were removed?"),
    (3, "How many oranges would there be if 2 apples were added?"),
    (3, "How many chairs would there be if two chairs were painted red?"),
    (3, "How many chairs would there be if two chairs were moved to the left?"),
    (3, "How many bears would there be if the bears were brown?"),
    (2, "How many men would there be if none of the men left?"),
    (3, "How many cats are there?"),
    (3, ""),
]


@pytest.mark.parametrize(("count", "question", "expected"), DECIDED + SEVERAL)
def test_a_change_it_understands_is_worked_out(count: int, question: str, expected: int) -> None:
    assert compose(count, question) == expected


@pytest.mark.parametrize(("count", "question"), OPEN)
def test_what_is_open_is_not_guessed(count: int, question: str) -> None:
    assert compose(count, question) is None


def test_the_direct_questions_of_cvqa_real_are_decided_and_right() -> None:
    with open(published("cvqa/C-VQA-Real_questions.csv"), encoding="utf-8", newline="") as file:
        direct = [row for row in csv.DictReader(file) if row["type"] == "direct"]
    answers = [(compose(int(row["answer"]), row["new query"]), int(row["new answer"])) for row in direct]
    decided = [(said, gold) for said, gold in answers if said is not None]
    right = sum(said == gold for said, gold in decided)
    assert len(decided) / len(direct) >= 0.95
    assert right / len(decided) >= 0.98


VOCABULARY = """
how many cats dogs would there be if two 3 half all more left came were was removed and but only no of the a , ? 9999999
number
doubled times by to it they without with each other
"""
WORDS = st.sampled_from(VOCABULARY.split())


@given(st.integers(-5, 10**12), st.one_of(st.text(max_size=200), st.lists(WORDS, max_size=30).map(" ".join)))
def test_any_text_gets_a_count_or_none(count: int, question: str) -> None:
    answer = compose(count, question)
    assert answer is None or answer >= 0
