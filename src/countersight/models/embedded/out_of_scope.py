"""Rules for questions outside the model card: a count is replaced by "unknown".

The decoders learned exact amounts, and changes of colour of all things of a kind. They confuse similar questions with
these: "more than 4" with 4, and painting dots with removing them.
"""

import re
from typing import Final

from countersight.english import NUMBER_WORDS
from countersight.scenes import COLOURS

UNKNOWN: Final = "I do not know."
LONGEST = 4_000
"""The number of characters that are checked, from the end of the question: more than the decoders read."""

_NUMBER = rf"(?:\d+|{'|'.join(NUMBER_WORDS)})"
_INEXACT = re.compile(
    r"\b(?:"
    rf"(?:more|fewer|less) than {_NUMBER}"
    rf"|(?:at least|at most|up to|about|around|some|something like|nearly|almost|possibly|probably) {_NUMBER}"
    rf"|(?:roughly|approximately|close to|not quite|if under|if over|upwards of) {_NUMBER}"
    rf"|between {_NUMBER} and {_NUMBER}"
    rf"|{_NUMBER} ?(?:-|–|to) ?{_NUMBER}"
    rf"|{_NUMBER}(?: \w+)? or (?:so|thereabouts|more|fewer|less|{_NUMBER})"
    rf"|{_NUMBER} (?:dots?|flowers?|of them),? (?:at most|at least|give or take|plus or minus)"
    r"|(?:several|a few|a handful of|a couple of) (?:of the )?(?:dots|flowers)"
    r")\b(?! (?:words?|sentences?|lines?)\b)",  # not about the length of the answer
    re.IGNORECASE,
)
_SOME_COLOURED = re.compile(
    rf"\b{_NUMBER} (?:of (?:the|these|those|its|all the) )?(?:of them|dots?|flowers?)"
    rf"(?: (?:were|was|are|is|had|have|has|been))* (?:{'|'.join(COLOURS)})\b(?! (?:polygon|shape|region|area|one))",
    re.IGNORECASE,
)
_COMPARING = re.compile(r"\bby how (?:many|much)\b|\b(?:difference|exceeds?|outnumbers?)\b", re.IGNORECASE)
_SENTENCE_END = re.compile(r"[.?!\n]")
_DOTS_IN_POLYGONS = (re.compile(r"\bdots?\b", re.IGNORECASE), re.compile(r"\bpolygons?\b", re.IGNORECASE))
_FLOWERS_IN_CIRCLES = (re.compile(r"\bflowers?\b", re.IGNORECASE), re.compile(r"\bcircles?\b", re.IGNORECASE))
_COUNT = re.compile(r"\d+|[A-Z]")


def limit_to_card(said: str, question: str) -> str:
    """Return the model's answer, or "unknown" if it is a count for a question outside the card."""
    return UNKNOWN if _COUNT.fullmatch(said) and is_out_of_scope(question) else said


def is_out_of_scope(question: str) -> bool:
    """Whether a question has an inexact amount, a partial change of colour, a difference, or dots in polygons.

    No question of the suites has these, and no training question for which the decoders learned to count.
    """
    question = question[-LONGEST:]
    if any(pattern.search(question) for pattern in (_INEXACT, _SOME_COLOURED, _COMPARING)):
        return True
    return any(
        thing.search(sentence) and place.search(sentence)
        for sentence in _SENTENCE_END.split(question)
        for thing, place in (_DOTS_IN_POLYGONS, _FLOWERS_IN_CIRCLES)
    )
