"""What a clause says to whether all of several things are so, or any of them."""

import re

from countersight.reading.asked import Asked, content, first_word
from countersight.reading.stems import stem
from countersight.reading.vocabulary import any_of, found

_ALL_OF_THEM = re.compile(r"^\W*(?:all|both|every|each)(?: one)?\b(?! but)", re.IGNORECASE)
_NOT_ALL = found("yes_no.not_all")
_HARDLY_ALL = re.compile(rf"{any_of('yes_no.hardly_all')}(?! one\b)", re.IGNORECASE)
_THERE_ARE = r"(?:(?:and |but |so |then )?(?:i (?:can )?see|there (?:is|are|would be|will be)) )?"
_NONE_OF_THEM = re.compile(
    rf"^\W*{_THERE_ARE}"
    r"(?:none|neither|nobody|no one|nothing)"
    r"(?: of (?:them|these|those|the \w+))?"
    r"(?: (?:is|are|was|were|does|do|did|would|will|has|have|can))?(?: be)?\W*$",
    re.IGNORECASE,
)
_NOBODY_AT_ALL = re.compile(r"^\W*(?:nobody|no one|none|neither)\b", re.IGNORECASE)
_ANYBODY = frozenset({stem("person")})


def is_none_of_them(clause: str) -> bool:
    """Whether a clause says that none is so, and nothing else: "none of them are", "I see none"."""
    return bool(_NONE_OF_THEM.match(clause))


def of_all(clause: str, asked: Asked, *, negated: bool) -> str | None:
    """What a clause says to whether all are so: yes ("both are"), no ("only one is"), or "open" ("most are")."""
    if _HARDLY_ALL.search(clause):
        return "open"
    if _NOT_ALL.search(clause):
        return "no"
    return "yes" if _ALL_OF_THEM.match(clause) and not negated and content(clause) <= asked.words else None


def of_anyone(clause: str, asked: Asked, *, negated: bool) -> bool | None:
    """Whether a clause says of anybody what was asked; None where it only denies it of some."""
    if not asked.words - _ANYBODY or not asked.words - _ANYBODY <= content(clause):
        return None
    if asked.of_being and first_word(clause) in asked.words:
        return None  # "the car is parked", to whether anyone is in the car
    return (False if _NOBODY_AT_ALL.match(clause) else None) if negated else True
