"""The composer turns a factual count into a counterfactual one where its grammar covers the change."""

import csv
from pathlib import Path

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
    (12, "How many donuts would there be if two thirds of the donuts were eaten?", 4),
    (9, "How many kites would be flying if one-third of the kites crashed?", 6),
    (14, "How many pigeons would there be if half a dozen pigeons flew off?", 8),
    (20, "How many apples would be in the basket if 25% of the apples were removed?", 15),
    (5, "How many shoes would there be if two pairs of shoes were added?", 9),
    (3, "How many trucks would there be if a fourth truck pulled in?", 4),
    (3, "How many trucks would there be if the number of trucks went from 3 to 5?", 5),
    (8, "How many flags would be flying if all flags but three were lowered?", 3),
    (5, "How many ducks would there be if everything but three ducks was removed?", 3),
    (5, "How many suitcases would be on the belt if each suitcase was picked up?", 0),
    (3, "How many knives would there be if there weren't any knives?", 0),
    (1, "How many sinks would there be if instead of one sink there were two?", 2),
    (1, "How many sinks would there be if the bathroom had one more sink?", 2),
    (3, "How many oranges would there be if there was one less orange?", 2),
    (3, "How many bowls would there be if one plate was replaced by a bowl?", 4),
    (3, "How many bowls would there be if one bowl was replaced by a plate?", 2),
    (7, "How many parked cars would there be if two of the parked cars left?", 5),
    (11, "How many cars would be in the parking lot if 4 cars exited the parking lot?", 7),
    (4, "How many teddy bears would there be if you gave one teddy bear away?", 3),
    (4, "How many pots would be on the stove if the cook took two pots off the stove?", 2),
    (4, "How many computers would be on the desk if half of the computers were moved to another room?", 2),
    (3, "How many remotes would be on the table if the man picked up two?", 1),
    (5, "How many kids would be on the bus if 3 got off at the next stop?", 2),
    (12, "How many eggs would be in the carton if a third of the eggs got used up?", 8),
    (11, "How many people would be skiing if seven of them stopped skiing?", 4),
    (1, "How many giraffes would be eating if one more giraffe started eating?", 2),
    (3, "With two more cups, how many cups would there be?", 5),
    (3, "How many planes would there be in the sky if one plane landed?", 2),
    (5, "How many windows would be closed if two windows were opened?", 3),
    (6, "How many people would be at the bus stop if three of the people boarded a bus?", 3),
    (2, "How many men would there be if none of the men left?", 2),
    (4, "How many cups would be on the table if two of the cups were put in the sink?", 2),
    (4, "How many cups would be on the table if I put one of the cups in the sink?", 3),
    (5, "If you double the number of fish, how many fish would there be?", 10),
    (4, "How many guests would be in the room if each guest was joined by one more guest?", 8),
    (4, "How many dogs would there be if each of them was joined by two more dogs?", 12),
    (10, "How many cookies would be on the tray if three children each took two cookies?", 4),
    (6, "If one of those standing sat down, how many people would be standing?", 5),
    (3, "How many cups would there be if one cup was replaced by another cup?", 3),
    (3, "How many cups would there be if one cup was replaced by three cups?", 5),
    (5, "How many bears would be on the bed if every bear was replaced with two bears?", 10),
    (6, "Half of the apples were eaten. How many apples are on the plate now?", 3),
    (2, "Say one of the cups is taken away: how many cups would there be then?", 1),
    (3, "How many oranges would there be if 2 apples were added?", 3),
    (3, "How many chairs would there be if two chairs were painted red?", 3),
    (3, "How many bears would there be if the bears were brown?", 3),
]
SEVERAL = [
    (2, "How many men would be in the room if two women walked in and one man walked out?", 1),
    (5, "How many people would be at the table if two people stood up and left?", 3),
    (5, "How many vases would there be if someone dropped and broke two vases?", 3),
    (5, "How many women would there be if one man and two women left?", 3),
    (6, "How many animals would there be if two dogs and a cat ran away?", 3),
    (5, "How many people would there be if three men and a woman joined?", 9),
    (6, "How many doughnuts would be in the box if you doubled them and ate three?", 9),
    (6, "How many doughnuts would be in the box if you bought one and gave two to a friend?", 5),
    (3, "How many goats would there be if we added two goats and removed one goat?", 4),
    (2, "How many giraffes would there be if one giraffe left and one arrived?", 2),
    (4, "How many birds would there be if 3 flew away and 2 came back?", 3),
    (2, "How many plates would there be if the number of plates tripled and then one broke?", 5),
    (4, "How many pizzas would there be if 1 pizza was eaten, 2 were delivered and another was thrown away?", 4),
    (4, "How many birds would there be if two left and came back?", 4),
    (7, "How many sheep would there be if 3 sheep were sold and 2 lambs were born?", 6),
]
OPEN = [
    (5, "How many cats would there be if half of them left?"),
    (2, "How many cows would there be if 3 cows left?"),
    (3, "How many cups would there be if some cups were removed?"),
    (3, "How many red cars would there be if 2 dark cars were added?"),
    (9, "How many flowers would be inside purple polygons if all flowers in green polygons were removed?"),
    (3, "How many chairs would there be if two chairs were moved to the left?"),
    (3, "How many chairs would there be if two more chairs were painted red?"),
    (5, "How many dogs would there be if three cats came and they all left?"),
    (6, "How many sandwiches would be on the tray if everyone took one?"),
    (5, "How many dogs would there be if two dogs might have left?"),
    (5, "How many cups would be on the table if two of the cups were put closer to the edge?"),
    (5, "How many cups would be on the table if two cups were put in the sink?"),
    (5, "How many lions would there be if two stone lions were added?"),
    (5, "How many people would there be if two people left the choir?"),
    (5, "How many horses would there be if two horses joined the carousel?"),
    (4, "How many muddy boots would there be if two boots were removed?"),
    (2, "How many skateboards would there be if 3 people each brought a skateboard?"),
    (4, "How many suitcases would there be if the traveller left two suitcases behind?"),
    (5, "How many pens would there be if four pens ran out of ink?"),
    (2, "How many sandwiches would there be if one sandwich were cut in half?"),
    (7, "How many surfers would be in the ocean if five surfers paddled out to join them?"),
    (3, "How many cars would there be if a lot of cars came?"),
    (3, "How many cats are there?"),
    (3, ""),
]


@pytest.mark.parametrize(("count", "question", "expected"), DECIDED + SEVERAL)
def test_a_change_it_understands_is_worked_out(count: int, question: str, expected: int) -> None:
    assert compose(count, question) == expected


@pytest.mark.parametrize(("count", "question"), OPEN)
def test_what_is_open_is_not_guessed(count: int, question: str) -> None:
    assert compose(count, question) is None


def composed(rows: list[dict[str, str]], question: str, gold: str) -> tuple[int, list[str]]:
    """How many questions were decided, and those that were decided wrongly."""
    answers = [
        (compose(int(row["answer"]), row[question], row.get("factual") or row.get("query", "")), row) for row in rows
    ]
    decided = [(str(said), row) for said, row in answers if said is not None]
    return len(decided), [f"{row[question]} {said}" for said, row in decided if said != row[gold]]


def read(path: Path, **form: str) -> list[dict[str, str]]:
    with path.open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file, **form))


SETS = {"everyday": 0.33, "household": 0.36, "outdoors": 0.35, "indoors": 0.33, "street": 0.25, "traps": 0.3}
SETS |= {
    "indirect": 0.25,
    "stranger": 0.5,
    "tricky": 0.25,
    "misleading": 0.2,
    "moving": 0.35,
    "constructions": 0.45,
    "strangers": 0.5,
    "plainly": 0.45,
    "visitor": 0.7,
    "nearby": 0.65,
    "guest": 0.58,
    "odds": 0.4,
}


@pytest.mark.parametrize(("name", "share"), SETS.items())
def test_everyday_questions_are_right_where_they_are_decided(name: str, share: float) -> None:
    rows = read(Path(__file__).with_name(f"{name}.tsv"), delimiter="\t")
    decided, wrong = composed(rows, "counterfactual", "expected")
    assert wrong == []
    assert decided / len(rows) >= share


@pytest.mark.parametrize(("kind", "share"), [("direct", 0.95), ("indirect", 0.1)])
def test_the_questions_of_cvqa_real_are_right_where_they_are_decided(kind: str, share: float) -> None:
    rows = [row for row in read(published("cvqa/C-VQA-Real_questions.csv")) if row["type"] == kind]
    decided, wrong = composed(rows, "new query", "new answer")
    assert decided / len(rows) >= share
    assert len(wrong) <= 0.03 * decided


def test_what_is_counted_in_the_picture_has_to_be_what_is_asked_under_the_change() -> None:
    question = "How many dogs would there be if two more dogs came?"
    assert compose(3, question, "How many dogs are there?") == 5
    assert compose(3, question, "How many cats are there?") is None
    assert compose(3, question, "How many are there?") == 5


def test_a_question_may_leave_the_name_to_the_factual_one() -> None:
    question = "If somebody opened another two windows, how many would be open?"
    assert compose(3, question, "How many windows are open?") == 5
    assert compose(3, question, "How many doors are open?") is None
    assert compose(3, question) is None


OTHER_THINGS = [
    ("How many dogs are there?", "How many animals would there be if two cats came?"),
    ("How many men are there?", "How many people would there be if two women came?"),
    ("How many cars are there?", "How many vehicles would there be if two cars left?"),
    ("How many cars are there?", "How many red cars would there be if two red cars left?"),
    ("How many red cars are there?", "How many cars would there be if two cars came?"),
    ("How many dog bowls are there?", "How many dogs would there be if two dogs came?"),
    ("How many shoes are there?", "How many pairs of shoes would there be if one pair was removed?"),
    ("How many pairs of skis are there?", "How many skis would there be if two skis were removed?"),
    ("How many lights are there?", "How many lights would be on if two were switched off?"),
    ("How many lamps are off?", "How many lamps would be on if two were switched on?"),
    ("How many birds are there?", "How many birds would be flying if one landed?"),
    ("How many people are there?", "How many people would be standing if two sat down?"),
    ("How many doors are there?", "How many doors would be open if one was closed?"),
    ("How many cats are on the car?", "How many cats would be under the car if one cat left?"),
]
SAME_THINGS = [
    ("How many lights are on?", "How many lights would be on if two were switched off?", 4),
    ("How many doors are open in the picture?", "How many doors would be open if two were closed?", 4),
    ("How many cups are on the table?", "How many cups would there be if two cups were removed?", 4),
    ("How many people wearing hats?", "How many people would be wearing hats if two people in hats left?", 4),
    ("How many boards make up the seat?", "How many boards would there be if the number of boards doubled?", 12),
    ("How many men stand in front of the bus?", "How many men would stand in front of the bus if two left?", 4),
]


@pytest.mark.parametrize(("factual", "question"), OTHER_THINGS)
def test_a_count_of_other_things_or_in_another_state_composes_nothing(factual: str, question: str) -> None:
    assert compose(6, question) is not None
    assert compose(6, question, factual) is None


@pytest.mark.parametrize(("factual", "question", "expected"), SAME_THINGS)
def test_a_count_of_the_same_things_in_other_words_composes(factual: str, question: str, expected: int) -> None:
    assert compose(6, question, factual) == expected


def test_a_couple_is_two_people_and_not_two_men() -> None:
    assert compose(5, "How many people would there be if a couple came in?") == 7
    assert compose(5, "How many men would there be if a couple of men came in?") == 7
    assert compose(5, "How many men would there be if a couple of them left?") == 3
    assert compose(5, "How many men would there be if a couple more came in?") == 7
    assert compose(5, "How many men would there be if a couple came in?") is None
    assert compose(5, "How many men would there be if the couple left?") is None


@pytest.mark.parametrize(
    "piece", ["a each ", "x ", "the number of ", "if ", "doubled ", "and ", "all but ", "how many "]
)
def test_no_length_of_a_question_is_too_much(piece: str) -> None:
    # No clock is looked at: a rule that went over a megabyte again and again would never finish this.
    question = "How many dogs would there be if " + piece * (10**6 // len(piece))
    assert compose(3, question) is None
    assert compose(3, question[:999]) is None


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
