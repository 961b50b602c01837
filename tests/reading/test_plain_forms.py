"""Plain questions in many forms, each with plain replies in many forms: none is misread, and hardly any is unread."""

from itertools import product

import pytest

import countersight as cs

THINGS = [
    ("swans", "on the lake", "one of the swans flew off", "four", "4"),
    ("children", "on the bench", "two children sat down", "7", "7"),
]
COUNTS_OF_NOW = [
    "How many {things} are there?",
    "How many {things} are {place}?",
    "Count the {things} {place}.",
    "What's the total number of {things} {place}?",
    "Number of {things} {place}?",
    "Can you tell me how many {things} are {place}?",
    "Look at the {things} {place}: how many are there?",
]
COUNTED_NOW = [
    "{n}",
    "{n} {things}.",
    "There are {n} {things}.",
    "There are {n} {things} {place}.",
    "I can see {n} {things} {place}.",
    "I count {n}.",
    "In the image, there are {n} {things} {place}.",
    "The answer is {n}.",
    "Based on the image, {n} {things} are {place}.",
    "There are {n} {things}, but it's hard to be certain.",
]
COUNTS_THEN = [
    "How many {things} would there be if {supposed}?",
    "If {supposed}, how many would be {place}?",
    "If {supposed}, how many would there be {place}?",
    "How many would be left {place} if {supposed}?",
    "Suppose {supposed}. How many {things} would there be {place}?",
    "What would the number of {things} {place} be if {supposed}?",
]
COUNTED_THEN = [
    "{n}",
    "{n} {things}.",
    "There would be {n} {things}.",
    "{n} {things} would be {place}.",
    "If {supposed}, there would be {n} {things} {place}.",
    "If that happened, there would be {n} {things} {place}.",
    "Then there would be {n}.",
    "The new count is {n}.",
]
OF_NOW = [
    ("Is the man wearing a hat?", "the man is wearing a hat", "the man is not wearing a hat"),
    ("Does the cat have a collar?", "it has one", "it doesn't have one"),
    ("Can the dog reach the food?", "the dog can reach the food", "the dog cannot reach the food"),
    ("Are all the windows open?", "all the windows are open", "not all of the windows are open"),
    ("Are there any people on the beach?", "there are people on the beach", "there are no people on the beach"),
]
OF_THEN = [
    ("Would the dog reach the food if the chair was gone?", "it would reach it", "it wouldn't reach it"),
    ("Would there be any cats on the sofa if the TV was off?", "there would be some", "there wouldn't be any"),
    ("If the rope broke, would the swing fall?", "the swing would fall", "the swing would not fall"),
]
SAID = [
    "{word}.",
    "{word}, {claim}.",
    "{claim}.",
    "I think {claim}.",
    "It seems that {claim}.",
    "I would say {word}.",
    "I would expect that {claim}.",
    "{word}, but I'm not entirely sure.",
]
SAID_NOW = [
    "In the picture, {claim}.",
    "It looks like {claim}.",
    "Judging by the image, {claim}.",
    "Apparently {claim}.",
    "We can see that {claim}.",
]
SAID_THEN = ["In that case, {claim}.", "If that happened, {claim}.", "As a result, {claim}.", "Most likely {claim}."]


def _sentence(text):
    return text[0].upper() + text[1:]


@pytest.mark.parametrize(("questions", "replies"), [(COUNTS_OF_NOW, COUNTED_NOW), (COUNTS_THEN, COUNTED_THEN)])
def test_plain_counts_are_read(questions, replies):
    read = {}
    for question, reply, (things, place, supposed, n, value) in product(questions, replies, THINGS):
        filled = {"things": things, "place": place, "supposed": supposed, "n": n}
        asked, text = question.format(**filled), _sentence(reply.format(**filled))
        read[asked, text] = (cs.read(text, asked, kind="number").answer, value)
    assert [each for each, (answer, value) in read.items() if answer not in (None, value)] == []
    assert len([each for each, (answer, _) in read.items() if answer is None]) < 0.03 * len(read)


@pytest.mark.parametrize(("asked", "frames"), [(OF_NOW, SAID + SAID_NOW), (OF_THEN, SAID + SAID_THEN)])
def test_plain_yes_or_no_is_read(asked, frames):
    read = {
        (question, text): (cs.read(text, question, kind="boolean").answer, word)
        for (question, yes, no), frame in product(asked, frames)
        for word, claim in (("yes", yes), ("no", no))
        for text in [_sentence(frame.format(word=word, claim=claim))]
    }
    assert {each: found for each, found in read.items() if found[0] != found[1]} == {}


NOTHING_COUNTED = [
    "Is it four?",
    "Are there 4?",
    "Did you say 4?",
    "I don't think the answer is 4.",
    "4 would be wrong.",
    "The bill on the table says $42.",
    "The sign on the table reads 14.",
    "A bottle on the table costs $15.",
    "6%",
    "The shop is open from 8 to 6.",
]
NOTHING_CHOSEN = [
    "I don't think it's A.",
    "I don't think the answer is A.",
    "I doubt it's A.",
    "I wouldn't say A.",
    "A and B are wrong.",
    "A is not right, and neither is B.",
    "It's unlikely to be A.",
    "I don't think B is right.",
    "Is it B?",
    "Is B right?",
    "A red bus is passing.",
    "There is a blue house.",
]
NEITHER_YES_NOR_NO = [
    "'Yes' is wrong.",
    '"No" would be wrong.',
    "Certainly! Please upload the image.",
    "Sure, but I need to see the image first.",
    "Of course! Which man do you mean?",
    "Sure, let me look.",
]
SOMETHING_ELSE_THERE = ["A cup is on the table.", "There is a cat under the chair.", "Toys are in the box."]


@pytest.mark.parametrize("text", NOTHING_COUNTED)
def test_what_counts_nothing_is_no_count(text):
    assert cs.read(text, "How many people are sitting at the table?", kind="number").unread


@pytest.mark.parametrize("text", NOTHING_CHOSEN)
def test_what_chooses_nothing_is_no_choice(text):
    colours = ["red", "blue", "green", "yellow"]
    assert cs.read(text, "What color is the car?", kind="choice", options=colours).unread


@pytest.mark.parametrize("text", SOMETHING_ELSE_THERE)
def test_where_something_else_is_was_not_asked(text):
    places = ["on the table", "under the chair", "in the box"]
    assert cs.read(text, "Where is the ball?", kind="choice", options=places).unread


@pytest.mark.parametrize("text", NEITHER_YES_NOR_NO)
def test_courtesies_and_denied_words_are_neither_yes_nor_no(text):
    assert cs.read(text, "Is the man wearing a hat?", kind="boolean").unread


@pytest.mark.parametrize(
    "text", ["The original count is 5.", "The count now is 5.", "The count is 5 before the change."]
)
def test_the_count_before_the_change_is_not_the_one_after_it(text):
    assert cs.read(text, "How many birds would be on the wire if two flew away?", kind="number").unread


@pytest.mark.parametrize(
    ("text", "answer"),
    [("10, not 9.", "10"), ("Not 9, but 10.", "10"), ("12 players: six on each side.", "12"), ("Half a dozen.", "6")],
)
def test_counts_that_are_set_against_others(text, answer):
    assert cs.read(text, "How many players are on the field?", kind="number").answer == answer


@pytest.mark.parametrize(
    "text", ["B, because the red cup is there now.", "B. The red cup is in the middle at the moment."]
)
def test_a_letter_at_the_beginning_is_not_doubted_for_its_reasons(text):
    question = "If the red and blue cups were swapped, which cup would be in the middle?"
    assert cs.read(text, question, kind="choice", options=["red", "blue", "green"]).answer == "B"


@pytest.mark.parametrize(
    ("text", "answer"),
    [
        ("A few people can be seen on the beach.", "yes"),
        ("There are two people walking along the beach.", "yes"),
        ("People sit in a restaurant.", None),
        ("People might be on the beach.", None),
        ("All the people are in the water, and the beach lies behind them.", None),
        ("The beach lacks people.", None),
        ("The people have left the beach.", None),
        ("The people are next to the beach.", None),
    ],
)
def test_what_is_shown_there_is_there(text, answer):
    assert cs.read(text, "Are there any people on the beach?", kind="boolean").answer == answer


@pytest.mark.parametrize(
    ("question", "text", "answer"),
    [
        ("Could the man get down from the roof if the ladder fell?", "He would be stuck on the roof.", None),
        ("Would the fire keep burning if it rained?", "It would burn out.", None),
        ("Would the woman be in the shade if the umbrella were closed?", "She would look for the shade.", None),
        ("Would the lamp work if the bulb were removed?", "It would work once a new bulb is put in.", None),
        ("Would the boy fall if the chair were removed?", "The boy's hat would fall.", None),
        ("Is the cyclist wearing a helmet?", "He should be wearing a helmet.", None),
        ("Is the cat sleeping?", "It is pretending to be sleeping.", None),
        ("Is the train moving?", "A photo can't tell whether it is moving.", None),
        ("Would the glass overflow if it rained?", "No problem here: the glass would not overflow.", "no"),
        ("Would the car fit if the boxes were moved?", "No problem: the car would fit.", "yes"),
    ],
)
def test_who_only_tries_ends_or_could_do_it_has_not_done_it(question, text, answer):
    assert cs.read(text, question, kind="boolean").answer == answer


@pytest.mark.parametrize("text", ["It's under the bed.", "It is above the desk.", "It's next to the bed."])
def test_another_preposition_is_another_place(text):
    places = ["On the bed", "On the desk", "On the floor"]
    assert cs.read(text, "Where is the phone?", kind="choice", options=places).unread


def test_a_count_in_a_name_gives_way_to_what_is_counted():
    text = "It looks like a normal five-pointed star, but if you count carefully there are six points."
    assert cs.read(text, "How many points does the star have?", kind="number").answer == "6"
