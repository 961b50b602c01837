"""Plain replies to questions that any words may answer."""

import pytest

from countersight import read

HOLDING = "What is the man holding?"
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
    ],
)
def test_the_answer_is_read_and_nothing_else(question, reply, answer):
    assert read(reply, question, "open").answer.strip(" .") == answer
