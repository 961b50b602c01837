"""Properties of reading: it never raises, every answer has its kind, and the time grows with the length only."""

import random
import re
import subprocess
import sys
import time

import pytest

from countersight.case import LETTERS, Option, Question
from countersight.reading import answer_in

PIECES = (
    r"\boxed{", r"\mathrm 45", r"\frac{1}{2}", r"\text{B}", "$$", "{", "}", "(", ")", "[", "]", "*", "+", "?", "|",
    "^", "\\", "(?P<", "(?", "[^", "<think>", "</think>", "<answer>", "</answer>", "```json\n", '{"answer": ', '"B"',
    "####", "**", "__", "Answer:", "the answer is", "Wait, no,", "Therefore,", "If", "would", "not", "yes", "no", "A",
    "(B)", "C.", "one", "two", "twenty", "hundred", "dozen", "1", "2.5", "-3", "1,000", "=", "%", "1/2", "0" * 40,
    "cats", "there are", "\n", "\n\n", "\t", "\x00", "\x1b[31m", "\u200b", "\ufeff", "😀", "שלום", "مرحبا", "\u202e",
    "٣", "３", "三", "答案：", "はい", "नहीं", "ß", "İ", "é", "\ud800", " ", "…", "—", "than", "more than", "option",
    "none of them", "1. ", "| 3 |",
)  # fmt: skip
KINDS = ("number", "boolean", "choice", "open")


def _text(chance: random.Random, most: int) -> str:
    return chance.choice(("", " ")).join(chance.choices(PIECES, k=chance.randrange(most)))


def _try(seed: int) -> None:
    chance = random.Random(seed)
    kind = chance.choice(KINDS)
    options = tuple(Option(_text(chance, 6)) for _ in range(chance.randrange(2, 8))) if kind == "choice" else ()
    reply = _text(chance, chance.choice((4, 12, 40, 160)))
    if seed % 1_000 == 0:
        reply = (reply + "x") * (200_000 // (len(reply) + 1))
    question = Question(_text(chance, 14), "", kind, options)
    answer = answer_in(reply, question, chance.choice(("whole", "end")), finished=chance.random() < 0.8)
    if answer is not None:
        fits = {
            "number": lambda: re.fullmatch(r"-?\d+(\.\d+)?", answer),
            "boolean": lambda: answer in ("yes", "no"),
            "choice": lambda: answer in tuple(LETTERS[: len(options)]),
            "open": lambda: answer.strip(),
        }
        assert fits[kind](), (seed, kind, answer)


def test_a_thousand_random_triples_are_read_without_an_error():
    for seed in range(1, 1_001):
        _try(seed)


@pytest.mark.parametrize(
    "piece",
    [
        "one ", "7 ", "A ", "(", "\\boxed{", "yes ", "not ", "**", "<", "wait, ", "no, ", "No. ", "so ", "if x, ",
        "a, ", ".\n", "$", "the ", "- ", "the answer is ", "<answer>", "'answer': ", "1. a\n", "= ", "一", "\n",
        "is the ", "there are 3 cats and 4 dogs. ",
    ],
)  # fmt: skip
@pytest.mark.parametrize("kind", KINDS)
def test_the_time_grows_in_proportion_to_the_length_of_a_reply(piece, kind):
    options = tuple(map(Option, ("a red car", "the blue car", "7", "none"))) if kind == "choice" else ()
    question = Question("How many of the red cars would there be if two left?", "", kind, options)
    short, long = (piece * (length // len(piece)) for length in (20_000, 200_000))
    least = [min(_seconds(reply, question) for _ in range(3)) for reply in (short, long)]
    assert least[1] < 50 * max(least[0], 0.005)  # ten times as long; time that grew with the square would be 100 times


def _seconds(reply, question):
    start = time.process_time()
    answer_in(reply, question)
    return time.process_time() - start


@pytest.mark.parametrize("space", [" ", "\n", "\t"])
def test_blanks_in_a_question_cost_nothing(space):
    question = Question(f"How many {space * 200_000}hats?", "", "number")
    start = time.process_time()
    assert answer_in("There are 3 hats and 2 coats.", question) == "3"
    assert time.process_time() - start < 30  # hours if it grew with the square of the length


def test_reading_imports_nothing_heavy():
    code = "import sys, countersight.reading; print({'numpy', 'PIL', 'asyncio', 'rich'} & sys.modules.keys())"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == "set()\n"
