"""Where something is by a thing: in the bowl, beside it, under it; what is one of these is none of the others."""

import re
from functools import lru_cache

from countersight.reading.language.stems import stem
from countersight.reading.language.vocabulary import either, listed

_LINES = listed("states.whereabouts")
_HOW = either(how for line in _LINES for how in line)
_WHERE = re.compile(
    rf"(?P<how>{_HOW}) (?:(?:the|an?|his|her|its|their|this|that|these|those) )?"
    rf"(?P<what>[a-z]+(?: (?!{_HOW})[a-z]+)?)",  # "on the table beside the bowl" is two places
    re.IGNORECASE,
)
_OF_HOW = {how: place for place, line in enumerate(_LINES) for how in line}
_IT = frozenset({"it"})


@lru_cache(maxsize=2048)
def _whereabouts(text: str) -> tuple[tuple[int, frozenset[str]], ...]:
    return tuple((_OF_HOW[found["how"]], frozenset(found["what"].split())) for found in _WHERE.finditer(text.lower()))


def is_elsewhere(said: str, asked: str) -> bool:
    """Whether what is said to be beside a thing, or beside "it", was asked to be in it."""
    return any(
        where != other and (what & _IT or {*map(stem, what)} & {*map(stem, thing)})
        for where, thing in _whereabouts(asked)
        for other, what in _whereabouts(said)
    )
