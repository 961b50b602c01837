"""What a clause says to whether all of several things are so, or any of them."""

import re

from countersight.reading.asked import Asked, content
from countersight.reading.vocabulary import any_of, found

_ALL_OF_THEM = re.compile(r"^\W*(?:all|both|every|each)(?: one)?\b(?! but)", re.IGNORECASE)
_NOT_ALL = found("yes_no.not_all")
_HARDLY_ALL = re.compile(rf"{any_of('yes_no.hardly_all')}(?! one\b)", re.IGNORECASE)
_NONE_OF_THEM = re.compile(
    r"^\W*(?:i (?:can )?see |there (?:is|are) )?(?:none|neither|nobody|no one|nothing)"
    r"(?: of (?:them|these|those|the \w+))?"
    r"(?: (?:is|are|was|were|does|do|did|would|will|has|have|can))?(?: be)?\W*$",
    re.IGNORECASE,
)


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
