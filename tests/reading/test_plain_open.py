"""Plain replies to questions that any words may answer."""

import pytest

from countersight import read

HOLDING = "What is the man holding?"
PUSHING = "Who is pushing the cart?"
KEY = "Where is the key?"
BOARD = "What does the board say?"
FENCE = "What color is the fence?"
COLOUR = "What colour would the car be if it was painted like the bus?"


@pytest.mark.parametrize(
    ("question", "reply", "answer"),
    [
        (HOLDING, "The man is holding an umbrella. It keeps him dry.", "umbrella"),
        (HOLDING, "He is holding an umbrella. I hope this helps!", "umbrella"),
        (HOLDING, "He is holding an umbrella, without a doubt.", "umbrella"),
        (HOLDING, "All this suggests that the man is holding an umbrella.", "umbrella"),
        (HOLDING, "The answer is that the man is holding an umbrella.", "umbrella"),
        (HOLDING, "The answer is an umbrella, because it is raining.", "an umbrella"),
        (HOLDING, "Answer: umbrella. I hope this helps!", "umbrella"),
        (COLOUR, "It would be blue. It would not be red.", "blue"),
        (COLOUR, "Blue, in that case.", "Blue"),
        (KEY, "Good question! It is lying next to the lamp.", "next to the lamp"),
        (KEY, "It looks rusty. The key can be found under the mat.", "under the mat"),
        (PUSHING, "The person pushing the cart is a nurse.", "a nurse"),
        (PUSHING, "Not the boy, but the woman in the long coat.", "the woman in the long coat"),
        (BOARD, "The board reads 'No Smoking'. It hangs by the door.", "No Smoking"),
        (FENCE, "It must be dark green.", "dark green"),
        (FENCE, "The fence is grey now, but it would be white if somebody painted it.", "grey"),
        (FENCE, "The fence is green, unlike the red one next door.", "green"),
        ("What is in the basket?", "The basket is full of pears.", "pears"),
        ("What vehicle is behind the tram?", "Directly behind the tram, a fire engine is waiting.", "a fire engine"),
        (HOLDING, "The man is holding a rake while standing near a wall.", "rake"),
        ("What room is this?", "This looks like a laundry room.", "laundry"),
        ("What is on her head?", "A hat. Wait, it is tied at the back, so it is a headscarf.", "a headscarf"),
        ("What would the pigeons do if the child ran at them?", "They would fly away.", "fly away"),
        ("What kind of shop is this?", "It's a hardware store, judging by the ladders outside.", "hardware store"),
    ],
)
def test_the_answer_is_read_and_nothing_else(question, reply, answer):
    assert read(reply, question, "open").answer.strip(" .") == answer


@pytest.mark.parametrize(
    ("question", "reply"),
    [
        (KEY, "The lock is on the door."),
        (PUSHING, "The person pushing the cart is in a hurry."),
        (PUSHING, "The cart is an old one."),
        (PUSHING, "It is the boy or the girl."),
        (BOARD, "It does not say 'No Smoking'."),
        ("What would the neighbours say?", "I'd only be guessing, so I'd rather not answer."),
    ],
)
def test_what_is_said_of_something_else_is_no_answer(question, reply):
    assert read(reply, question, "open").answer is None


GATE = "What state is the gate in?"
OR = "Would the gate be shut or open if the dog pushed it?"
EATEN = "What would the horse eat if the hay was gone?"


@pytest.mark.parametrize(
    ("question", "reply", "answer"),
    [
        (GATE, "It would be open, though it is shut now.", "shut"),
        (GATE, "Original: shut → Hypothetical: open", "shut"),
        (OR, "The gate, which is shut now, would be open if the dog pushed it.", "open"),
        (OR, "It would be open, not shut.", "open"),
        (OR, "It might be shut or open.", None),
        (EATEN, "The horse would eat grass, because the meadow is", "grass"),
        (EATEN, "The horse would eat", None),
        (EATEN, "I think that", None),
        (EATEN, "I would need more context to answer that.", None),
        (EATEN, "Who knows?", None),
        (EATEN, "What a lovely picture!", None),
        (EATEN, "The horse would eat grass. The horse would eat apples.", None),
        (EATEN, "Maybe grass, maybe apples.", None),
        (EATEN, "The dog would bark.", None),
    ],
)
def test_one_answer_is_told_of_the_world_in_question_and_to_its_end(question, reply, answer):
    told = read(reply, question, "open").answer
    assert (told and told.strip(" .")) == answer
