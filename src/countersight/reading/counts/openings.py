"""Replies to a how-many question that begin with their number."""

import re

from countersight.reading.counts.company import Quantity
from countersight.reading.counts.question import Counted
from countersight.reading.language.numerals import numerals
from countersight.reading.language.ranks import Rank, opening_number
from countersight.reading.language.stems import stem

# "Five: four and the spare", "3 - one of the four jumps", "9. (It has 12 slots.)"
_EXPLAINS = re.compile(r"\s*(?:[:(]|--|-\s|,?\s*(?:since|because|as|counting|including)\b)", re.IGNORECASE)
# "Six. There are eight now."
_FIRST_ALONE = re.compile(r"\W*(?P<number>\w+)(?: (?P<what>[a-z]+))?[.!] (?!.*(?:\n|\b2[.)]))", re.IGNORECASE)


def first_alone(text: str, every: list[Quantity], asked: Counted) -> str | None:
    """The number that is all of a first sentence, where the others only tell what is now."""
    first = _FIRST_ALONE.match(text)
    later = [n for n in every if n.sentence > 0]
    if not first or any(n.rank > Rank.STATED for n in later):
        return None
    value = opening_number(first["number"])
    if not first["what"]:
        return value
    # "Five spoons. Two would fall." begins with what is now; "Three spoons. There are five now, …" does not.
    told = stem(first["what"].lower()) in asked.nouns and any(n.value != value for n in later)
    return value if told else None


def opened_with(text: str) -> str | None:
    """The number that a reply begins with and then explains."""
    opening = opening_number(text)
    return opening if opening and _EXPLAINS.match(text[numerals(text)[0].end :]) else None
