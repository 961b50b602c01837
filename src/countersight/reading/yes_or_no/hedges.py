"""Whether a clause leaves open what was asked."""

import re

from countersight.reading.language.asked import Asked
from countersight.reading.language.vocabulary import found

_HEDGE = found("yes_no.hedges")
_ONLY_IF = re.compile(r"\bonly\W*$", re.IGNORECASE)  # what is left of "it would fall only if …"
_SOME_OF_THEM = frozenset({"some of", "several of", "many of", "one of the", "most of"})
_CAN = re.compile(r"\b(?:can|could|makes? (?:it|that|this) possible)\b", re.IGNORECASE)


def is_hedged(clause: str, asked: Asked) -> bool:
    """Whether a clause leaves it open. To what could be, "could" is an answer."""
    if _ONLY_IF.search(clause):
        return True
    told = _CAN.sub(" ", clause) if asked.of_ability else clause
    hedges = {found.group().lower() for found in _HEDGE.finditer(told)}
    return any(hedge not in asked.text.lower() and not (asked.of_anyone and hedge in _SOME_OF_THEM) for hedge in hedges)
