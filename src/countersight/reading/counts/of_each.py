"""Numbers that hold of each of several things."""

import re

from countersight.reading.counts.company import Quantity
from countersight.reading.counts.question import Counted
from countersight.reading.language.numerals import numerals
from countersight.reading.language.ranks import Rank
from countersight.reading.language.stems import stem

_EACH = re.compile(r"\b(?:each(?! other)|apiece|every(?! (?:one|single|time|other))|per(?! cent))\b", re.IGNORECASE)
# "3 tables, and each has 2 chairs", "4 lanes, two in each direction"; "3 tables with 2 chairs each".
_EACH_OF_THESE = re.compile(
    r"(?:[,:]|--|\band|\bwhere|,\s+one \w+|,\s+\w+ (?:in|on|at|to|from|for|by))\s*$", re.IGNORECASE
)
_ONE_EACH = re.compile(r"\ban? \w+\s*$", re.IGNORECASE)  # "four kids hold a balloon each"
_EVERYONE_HAS = re.compile(
    r"\b(?:everyone|everybody|each(?: of (?:them|the \w+)| \w+)?)\b[^,;]{0,20}?"
    r"\b(?:have|has|get|gets|eat|take|hold|receive)(?: up to)?\s*$",
    re.IGNORECASE,
)
_EACH_LAST = re.compile(r"\w+\s*(?:[^\w\s]|$)")


def not_of_each(every: list[Quantity], text: str, asked: Counted) -> list[Quantity]:
    """The numbers, less those that hold of each of several things: "2 chairs at each table" does not count the chairs.

    What is left is how many of these there are ("3 tables with 2 chairs each") and what the sentence comes to.
    """
    if not asked.of_each:
        every = [n for n in every if not _EVERYONE_HAS.search(n.before)]
    each = None if asked.of_each else _EACH.search(text)
    if not each:
        return every
    return [
        n
        for n in every
        if n.rank == Rank.CONCLUDED
        or n.value == "0"
        or (n is every[0] and _is_shared_out(n, text, each.start(), asked))
    ]


def _is_shared_out(number: Quantity, text: str, each: int, asked: Counted) -> bool:
    """Whether a number is that of the things which have something each, and those were asked for."""
    between = text[number.start : each]
    parted = (
        _EACH_OF_THESE.search(between)
        or _ONE_EACH.search(between)
        or (_EACH_LAST.match(text[each:]) and len(numerals(between)) > 1)
    )
    alone = not number.phrase and len(numerals(text)) == 1  # "Four, each framed in icing."
    return bool(parted) and (alone or not asked.nouns or bool({*map(stem, number.phrase)} & asked.nouns))
