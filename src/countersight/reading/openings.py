"""Replies to a how-many question that begin with their number."""

import re

from countersight.reading.company import Quantity
from countersight.reading.numerals import numerals
from countersight.reading.ranks import Rank, opening_number

# "Five: four and the spare", "3 - one of the four jumps", "9. (It has 12 slots.)"
_EXPLAINS = re.compile(r"\s*(?:[:(]|--|-\s|,?\s*(?:since|because|as|counting|including)\b)", re.IGNORECASE)
_FIRST_ALONE = re.compile(r"\W*(?P<number>\w+)[.!] (?!.*(?:\n|\b2[.)]))")  # "Six. There are eight now."


def first_alone(text: str, every: list[Quantity]) -> str | None:
    """The number that is all of a first sentence, where the others only tell what is now."""
    first = _FIRST_ALONE.match(text)
    outweighed = any(n.sentence > 0 and n.rank > Rank.STATED for n in every)
    return opening_number(first["number"]) if first and not outweighed else None


def opened_with(text: str) -> str | None:
    """The number that a reply begins with and then explains."""
    opening = opening_number(text)
    return opening if opening and _EXPLAINS.match(text[numerals(text)[0].end :]) else None
