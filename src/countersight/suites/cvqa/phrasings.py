"""The questions of the six templates in other words: eight phrasings of each, the first as published."""

import re
from typing import Final

NUMBER: Final = 8
_COUNTED = re.compile(r"How many (\w+) are(?: there)? (.+)\?")
_FACTUAL: Final = (
    "How many {n} can you see {w}?",
    "How many {n} do you count {w}?",
    "What is the number of {n} {w}?",
    "Tell me how many {n} are {w}.",
    "Give the number of {n} {w}.",
    "How many {n} are to be found {w}?",
    "Count the {n} {w}.",
)
_SUPPOSED: Final = (
    "If {p}, how many {n} would be {w}?",
    "Suppose that {p}. How many {n} would be {w}?",
    "Imagine that {p}. How many {n} would there be {w}?",
    "What would the number of {n} {w} be if {p}?",
    "If {p}, what would be the number of {n} {w}?",
    "Assume that {p}. How many {n} would you count {w}?",
    "How many {n} would there be {w}, if {p}?",
)
_MOST: Final = (
    "How many dots are in the fullest circle?",
    "How many dots does the fullest circle contain?",
    "What is the largest number of dots in a circle?",
    "How many dots are there at most in a circle?",
    "What is the highest number of dots in one circle?",
    "How many dots are there in the circle with the most dots?",
    "Tell me how many dots are in the fullest circle.",
)
_MOST_SUPPOSED: Final = (
    "If {p}, how many dots would a circle contain at most?",
    "If {p}, how many dots would be in the fullest circle?",
    "Suppose that {p}. How many dots would the fullest circle contain?",
    "Imagine that {p}. How many dots would a circle contain at most?",
    "What would be the largest number of dots in a circle if {p}?",
    "How many dots would the fullest circle contain if {p}?",
    "Assume that {p}. How many dots would there be at most in a circle?",
)


def factual(asked: str, number: int) -> str:
    """The question about the scene in the phrasing of that number."""
    counted = _COUNTED.fullmatch(asked)
    if not number:
        return asked
    return _FACTUAL[number - 1].format(n=counted[1], w=counted[2]) if counted else _MOST[number - 1]


def supposed(asked: str, presupposition: str, published: str, number: int) -> str:
    """The question about the changed scene in the phrasing of that number."""
    counted = _COUNTED.fullmatch(asked)
    if not number:
        return published
    if counted is None:
        return _MOST_SUPPOSED[number - 1].format(p=presupposition)
    return _SUPPOSED[number - 1].format(n=counted[1], w=counted[2], p=presupposition)
