"""The numbers to choose from: nothing in them may tell which is right, to somebody who does not look.

The published set takes wrong options at 11 gaps from the right one. The right one is then most often in the middle:
"the option nearest to the mean of the options" answers more than half of it blind. Ours are the answers of four scenes
that are drawn alike; chance decides which of the four is shown. Whatever can be read off the numbers, alone or with
the words of the question, fits all four as well.
"""

from collections.abc import Sequence
from random import Random
from typing import Literal

from countersight.case import LETTERS, Option, Question

Way = Literal["fair", "published"]
"""How options are drawn: by the answers of other scenes, or as the published set's are."""
NUMBER = 4
SPREAD = 11
"""How far the largest option is from the smallest at most; the same as between the published gaps."""
GAPS = (*range(-5, 0), *range(1, 7))
"""How far wrong options are from the right one in the published set, each gap as likely."""


def asked_with(text: str, right: int, wrong: Sequence[int], letter: str, rng: Random) -> Question:
    """A question with numbers to choose from, the right one at the letter and the others in any order."""
    numbers = rng.sample(wrong, len(wrong))
    numbers.insert(LETTERS.index(letter), right)
    return Question(text, letter, "choice", tuple(Option(str(number)) for number in numbers))


def by_published_gaps(right: int, rng: Random) -> list[int]:
    """Three wrong options as the published set has them."""
    return rng.sample([right + gap for gap in GAPS if right + gap >= 0], NUMBER - 1)


def near(right: int, rng: Random, number: int = NUMBER) -> list[int]:
    """Wrong options for an answer of which nothing else is known: its rank among them is any, as far as 0 allows."""
    while True:
        numbers = rng.sample(range(SPREAD + 1), number)
        wrong = [right + other - numbers[0] for other in numbers[1:]]
        if min(wrong, default=0) >= 0:
            return wrong
