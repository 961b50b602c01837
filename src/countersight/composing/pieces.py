"""Pieces that become more when they are cut: every slice cut in half is two slices, half a sandwich is no sandwich."""

import re
from typing import Final

from countersight.composing.asked import WORD, Asked
from countersight.composing.effects import Effect
from countersight.composing.likeness import is_counted
from countersight.composing.phrases import Phrase, is_restricted, kin, read_phrase
from countersight.composing.vocabulary import PIECES, all_things, number_of

_PIECES: Final = all_things(PIECES)
_PARTS: Final = {"half": 2, "halves": 2, "thirds": 3, "quarters": 4, "fourths": 4}
_OF_THEM: Final = r"(?: (?:equal |smaller |small |more )?(?:pieces|parts|slices|halves|bits|chunks))?"
_INTO: Final = rf"(?:up )?(?:in|into) (?P<parts>\w+){_OF_THEM}"
_WAS: Final = r"(?:was|were|is|are|got|had been)"
_SOMEBODY: Final = r"(?:i|you|we|he|she|they|someone|somebody|(?:a|the|my|her|his) \w+)"
_CUT: Final = tuple(
    re.compile(pattern)
    for pattern in (
        rf"(?P<what>.+?) {_WAS} (?P<each>each )?(?:cut|broken|sliced|split|torn|snapped|chopped|sawn) {_INTO}",
        rf"{_SOMEBODY} (?:cut|cuts|broke|breaks|sliced|slices|split|splits|tore|snapped|chopped) (?P<what>.+?) {_INTO}",
        rf"(?P<what>.+?) (?P<each>each )?(?:broke|breaks|split|splits|snapped|tore) {_INTO}",
        rf"(?P<what>.+?) {_WAS} (?P<each>each )?halved",
    )
)


def cutting_of(text: str, asked: Asked) -> Effect | None:
    """What "one of the pieces was broken in two" does to the number of pieces, or None where that is not told."""
    if asked.head not in _PIECES or asked.is_doing or asked.is_narrow or "number" in text:
        return None
    found = next(filter(None, (pattern.fullmatch(text) for pattern in _CUT)), None)
    words = WORD.findall(found["what"]) if found else []
    phrase = read_phrase(words, asked) if words else None
    if found is None or phrase is None or phrase.end < len(words) or not _are_theirs(phrase, asked):
        return None
    said = found.groupdict().get("parts", "half")
    parts = _PARTS.get(said or "") or number_of(said or "")
    return _cut(phrase, parts, is_each=bool(found.groupdict().get("each"))) if parts and parts > 1 else None


def _are_theirs(phrase: Phrase, asked: Asked) -> bool:
    is_one_of_them = is_counted(phrase, asked) and kin(phrase, asked) == "same" and not phrase.quantity.more
    is_the_one = phrase.definite and phrase.is_one and phrase.quantity.amount is None  # "the largest piece"
    is_told = is_the_one or not is_restricted(phrase, asked)
    return is_one_of_them and phrase.but is None and not phrase.possessive and is_told


def _cut(phrase: Phrase, parts: int, *, is_each: bool) -> Effect | None:
    amount = phrase.quantity.amount
    if isinstance(amount, int):
        return Effect("add", amount * (parts - 1)) if amount else None
    if amount is None and phrase.definite and phrase.is_one:
        return Effect("add", parts - 1)
    is_all = amount == "all" or (amount is None and phrase.definite and phrase.is_plural)
    may_be_groups = not is_each and not phrase.is_one and parts > 2  # "the slices were split into three": three piles?
    return Effect("times", parts, given=phrase.quantity.given) if is_all and not may_be_groups else None
