"""Whether a count that a clause tells is as large as a yes-or-no question asks: "five balls", to "more than three"."""

import re

from countersight.reading.language.asked import Asked, content
from countersight.reading.language.numerals import less, numerals
from countersight.reading.language.stems import counted_words, stem
from countersight.reading.yes_or_no.obstacles import STAYING
from countersight.text import NUMBER_WORDS

_LIMIT = re.compile(
    r"\b(?:(?P<more>more) than|(?P<fewer>fewer|less) than|(?P<least>at least)|(?P<most>at most))\s+", re.IGNORECASE
)
_NEAR = 12  # characters before a number in which "more than" stands
_NUMBERS = frozenset(map(stem, NUMBER_WORDS))


def is_as_large(clause: str, asked: Asked) -> bool | None:
    """Whether the one number of a clause lies where the question asks; None where it tells none, or of other things."""
    limit = _LIMIT.search(asked.text)
    bounds = numerals(asked.text[limit.end() :])[:1] if limit else []
    if not limit or not bounds or bounds[0].start:
        return None
    thing = counted_words(asked.text[limit.end() + bounds[0].end :])[:1]
    every = [n for n in numerals(clause) if not _LIMIT.search(clause[max(0, n.start - _NEAR) : n.start])]
    own = [n for n in every if counted_words(clause[n.end :])[:1] == thing]
    told = [n.value for n in own or every]
    # "There would be three", but not "three tables", to whether there would be four chairs.
    others = not own and content(clause) - asked.words - STAYING - _NUMBERS
    if len(told) != 1 or told[0] is None or others:
        return None
    below, above = less(told[0], bounds[0].value), less(bounds[0].value, told[0])
    return above if limit["more"] else below if limit["fewer"] else not below if limit["least"] else not above
