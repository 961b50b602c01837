"""The numbers of a reply as counts: without the unit that is asked for, and without what brackets add."""

import re

from countersight.reading.numerals import numerals
from countersight.reading.vocabulary import any_of

# "How many centimetres": what is counted is the unit, which elsewhere makes a number no count.
_ASKS_FOR_UNITS = re.compile(
    rf"\b(?:how many|what) (?:more )?{any_of('counts.units')}|\bhow (?:much|long|old|far|tall|high|deep)\b",
    re.IGNORECASE,
)
_UNIT = re.compile(rf"(?<=[\w ])[ -]?(?<!many ){any_of('counts.units')}|(?<=\d) ?%", re.IGNORECASE)
_OF_SO_MANY = re.compile(
    r"(?<![\d/])(\d{1,3}) ?/ ?(\d{1,3})(?= (?!of\b|full\b|cup)[a-z]|\W*$)", re.IGNORECASE
)  # "4/6 seats"
_PARTS_IN_BRACKETS = re.compile(r"\s*\((?=[^()]*[,;&]|[^()]* and )([^()=+*/]{5,200})\)")
_SAYS = re.compile(rf"{any_of('questions.helping')}|\b(?:if|now|before|after|plus|minus|each)\b|'d\b", re.IGNORECASE)
_BRACKETED = re.compile(r"(?:^|(?<=[.!?\n]))\s*\([^()]{8,300}\)\s*(?=$|[A-Z\n])")


def in_things(text: str, question: str) -> str:
    """The text with its numbers as counts: without the unit that is asked for, and without what brackets add."""
    if _ASKS_FOR_UNITS.search(question):
        text = _UNIT.sub("", text)
    text = _PARTS_IN_BRACKETS.sub(_as_parts, _OF_SO_MANY.sub(_so_many_of, text))
    outside = _BRACKETED.sub(" ", text)
    return outside if numerals(outside) else text


def _so_many_of(share: re.Match[str]) -> str:
    return f"{share[1]} of the {share[2]}" if int(share[1]) <= int(share[2]) else share.group()


def _as_parts(brackets: re.Match[str]) -> str:
    """ "10 bottles (6 green, 4 brown)" counts as "10 bottles: 6 green, 4 brown" does."""
    listed = len(numerals(brackets[1])) > 1 and not _SAYS.search(brackets[1])
    return f": {brackets[1]}" if listed else brackets.group()
