"""A second look at a count that was read: what the rest of the reply says against it leaves it unread."""

import re
from collections.abc import Callable

from countersight.reading.clauses import every_clause, imagines, sentences
from countersight.reading.numerals import numerals
from countersight.reading.question import Counted, counted_by
from countersight.reading.stems import counted_words

# "Blue: 4", "12 in total": listed beside the part that was asked for, or added up behind it.
_IS_LISTED_OR_ADDED_UP = re.compile(r"^[^:.]{1,40}:\W*\w+(?: \w+)?\W*$|\b(?:total|altogether|in all)\b", re.IGNORECASE)
_SOME_OF_THEM = re.compile(r"\bof (?:them|these|those|which|whom)\b", re.IGNORECASE)
_A_WORD_OR_TWO = 3
_ANOTHER_PART = re.compile(r",\s+(?:of )?(?:which|whom|while|whereas|with|but)\b|\s+while\s+", re.IGNORECASE)
_OF_ALL = re.compile(r"\b(?:all|both|each|every\w*)\b", re.IGNORECASE)


def goes_on_to_another(answer: str, text: str, question: str, alone: Callable[[str, str], str | None]) -> bool:
    """Whether a sentence after the answer gives another number by itself: a story or a recount that goes on."""
    pieces = sentences(text)
    if len(pieces) == 1 or (_is_short(pieces[0]) and alone(pieces[0], question) == answer):
        return False  # "Three. There are five on the counter."
    asked = counted_by(question)
    for piece in reversed(pieces):
        values = _values(piece)
        if answer in values:
            return False
        if values and not _is_beside(piece, asked) and alone(piece, question) is not None:
            return True
    return False


def is_taken_for_the_asked(answer: str, text: str, asked: Counted) -> bool:
    """Whether what was asked is said only after the answer: "eight rowers, but only the first faces the camera"."""
    told = asked.qualities - asked.places
    if not (asked.of_now and told):
        return False
    first = sentences(text)[0]
    if _is_short(first) and answer in _values(first):
        return False
    parts = [part for clause in every_clause(text) for part in _ANOTHER_PART.split(clause)]
    places = [place for place, part in enumerate(parts) if answer in _values(part)]
    if not places:
        return False
    said = max(_said(parts[place], told) for place in places)
    return any(_said(part, told) > said and not _OF_ALL.search(part) for part in parts[places[-1] + 1 :])


def _said(part: str, told: frozenset[str]) -> int:
    return len(told & frozenset(counted_words(part)))


def _values(part: str) -> set[str | None]:
    return {numeral.value for numeral in numerals(part)}


def _is_short(sentence: str) -> bool:
    return len(sentence.split()) <= _A_WORD_OR_TWO


def _is_beside(piece: str, asked: Counted) -> bool:
    """Whether a sentence behind the answer tells of something else: another world, other parts, the whole, a share."""
    if asked.of_now and imagines(piece):
        return True
    if asked.qualities and _IS_LISTED_OR_ADDED_UP.search(piece):
        return True
    return bool(_SOME_OF_THEM.search(piece)) and not asked.qualities & frozenset(counted_words(piece))
