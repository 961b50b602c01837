"""What a question leaves to the factual one: the name of the things, and the place for "on it" and "in there"."""

import re
from typing import Final

from countersight.composing.asked import Asked, counted_name, read_asked
from countersight.composing.vocabulary import GROUNDS, LANDS, SPOTS, SURROUNDINGS, WATERS, all_things, thing_of

_BY_THE_WAY: Final = re.compile(r",? (?:still|now|then|altogether|in total|in all)\b", re.IGNORECASE)
_UNNAMED: Final = re.compile(r"\bhow many(?=(?: of them)? (?:would|will|are|is|were|can|do)\b)", re.IGNORECASE)
_ON_IT: Final = re.compile(r"\b(on|in|at|inside|under|around) it$")
_THE_SAME: Final = re.compile(
    r"(?: (?:would|will|are|were|is|does|do|can))?(?: there)?(?: (?P<it>it))?(?P<that> that)?"
    r"(?: (?:be|have|hold|contain|remain|leave|make))?(?: (?:left|remaining))?"
    r"(?: (?P<where>(?:(?P<side>in|on|at|inside) )?(?:it|there|here|this one|that one)|inside|(?:up|out|over) there))?"
    r"(?: (?:left|remaining))?"
)
"""How a question asks again for what the factual one asked: "would be left", "are in there", "does it hold"."""
_PLACES: Final = all_things(GROUNDS | SPOTS | SURROUNDINGS | WATERS)
_LANDS: Final = all_things(LANDS)
_NAMED: Final = re.compile(r"\b(?:the|a|an|his|her|their|my|our|its) (\w+)(?: (\w+))?")


def in_full(text: str, factual: str, supposed: str) -> str | None:
    """A question with the words it leaves to the factual one; None where "it" may be another place by now.

    Any other question comes back as it is.
    """
    known = read_asked(factual)
    said = _BY_THE_WAY.sub("", text)
    if known is None:
        return said
    rest = _behind_the_name(said, known)
    again = None if rest is None else _THE_SAME.fullmatch(rest)
    if again is not None and again[0] and (_UNNAMED.search(said) or again["it"] or again["where"] or again["that"]):
        return factual if _may_be_there(again, known, supposed) else None
    if _ON_IT.search(said) and known.where:
        said = _ON_IT.sub(rf"\1 the {known.where}", said)
    unnamed = _UNNAMED.search(said)
    if unnamed is None:
        return said
    return f"{said[: unnamed.end()]} {counted_name(factual)}{said[unnamed.end() :]}"


def _behind_the_name(text: str, known: Asked) -> str | None:
    """What a question says behind the name of the things, or behind "how many" where it leaves that out."""
    name = re.escape(" ".join(known.name))
    found = re.match(
        rf".*?\bhow many(?: of (?:them|those|these|the {name})| {name})?(?P<rest>(?: .*)?)$", text.casefold()
    )
    return None if found is None else found["rest"]


def _may_be_there(again: re.Match[str], known: Asked, supposed: str) -> bool:
    """Whether "on it" and "in there" can only be the place that the factual question names."""
    where, side = again["where"] or "", again["side"] or ("inside" if again["where"] == "inside" else "")
    if not where and not again["it"]:
        return True
    if not known.where:
        return where in ("there", "here")
    if side and not _sides(side) & known.words:
        return False
    named = {thing_of(word) for pair in _NAMED.findall(supposed.casefold()) for word in pair if word}
    others = named & _PLACES - known.words - {known.head}
    return not (others - _LANDS if where == "up there" else others)


def _sides(side: str) -> frozenset[str]:
    """A preposition and those that say the same of a place."""
    return frozenset({"in", "inside"} if side in ("in", "inside") else {side})
