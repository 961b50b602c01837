"""Quantities in a supposition ("two more", "half of the", "all but three of them"), and their effects on a count."""

from collections.abc import Sequence
from fractions import Fraction
from typing import Final, Literal

import msgspec

from countersight.composer.vocabulary import PAIRS, noun_key
from countersight.english import fraction_at, number_at

_MORE: Final = frozenset({"more", "additional", "extra", "other", "others", "further", "new"})
_FEWER: Final = frozenset({"fewer", "less"})
_OF_THEM: Final = frozenset({"the", "them", "these", "those", "his", "her", "their", "its", "my", "your", "our"})
_ALL: Final = frozenset({"all", "both", "every", "each", "everyone", "everybody", "everything"})


class Quantity(msgspec.Struct, frozen=True):
    """A quantity in a clause: a number, a share, all or none."""

    number: int | None = None
    share: Fraction | None = None
    is_all: bool = False
    """All of them; together with a number or a share, all except that many."""
    is_none: bool = False
    more: bool = False
    fewer: bool = False
    only: bool = False
    definite: bool = False
    """Whether it refers to the things that were counted, not to others of the kind: "the cats", "two of them"."""
    given: int | None = None
    """The factual count that the quantity requires: two for "both"."""

    @property
    def is_plain_definite(self) -> bool:
        """Whether it is only an article, so that the noun decides whether one or all are meant."""
        return self == Quantity(definite=True)


def quantity_at(words: Sequence[str], start: int) -> tuple[Quantity, int] | None:
    """Return the quantity that begins at `start`, and the index after it; None if there is none."""
    if start >= len(words):
        return None
    first = words[start]
    if first in ("only", "just", "exactly"):
        found = quantity_at(words, start + 1)
        return None if found is None else (msgspec.structs.replace(found[0], only=True), found[1])
    if first in _ALL:
        return _all_at(words, start)
    if first in ("no", "none", "nobody"):
        return Quantity(is_none=True), _after_of_them(words, start + 1)
    if found_share := fraction_at(words, start):
        share, end = found_share
        return Quantity(share=share, definite=True), _after_of_them(words, end, or_the=True)
    if found_number := number_at(words, start):
        return _number_at(words, start, *found_number)
    return (Quantity(definite=True), start + 1) if first in ("the", "these", "those") else None


def _all_at(words: Sequence[str], start: int) -> tuple[Quantity, int]:
    """Return the quantity of "all", "both", "every", "all three" or "all but two", and the index after it."""
    end = _after_of_them(words, start + 1, or_the=True)
    given = 2 if words[start] == "both" else None
    if given is None and words[end : end + 1] != ["a"] and (counted := number_at(words, end)):
        given, end = counted
    kept = quantity_at(words, end + 1) if words[end : end + 1] in (["but"], ["except"]) else None
    if kept is not None and (kept[0].number is not None or kept[0].share is not None):
        return Quantity(kept[0].number, kept[0].share, is_all=True, definite=True), kept[1]
    return Quantity(is_all=True, definite=True, given=given), end


def _number_at(words: Sequence[str], start: int, number: int, end: int) -> tuple[Quantity, int] | None:
    """Return the quantity of a number, with "another" before or "more" or "fewer" after it, and the index after it."""
    if words[end - 1] in ("pair", "couple"):
        named = PAIRS.intersection(map(noun_key, words[end + 1 : end + 3]))
        if named or words[end : end + 1] not in (["of"], ["more"]):
            return None  # "a pair of scissors" is one thing; "a couple" need not be two men
        end += words[end] == "of" and _OF_THEM.isdisjoint(words[end + 1 : end + 2])
    if words[start] == "another" and (counted := number_at(words, end)):
        number, end = counted
    behind = end
    while behind < len(words) and words[behind] in _MORE | _FEWER:
        behind += 1
    more = words[start] == "another" or not _MORE.isdisjoint(words[end:behind])
    fewer = not _FEWER.isdisjoint(words[end:behind])
    after = _after_of_them(words, behind)
    given, counted = None, number_at(words, after) if after > behind else None
    if counted is not None:  # "two of the three cats"
        given, after = counted
    return Quantity(number, more=more, fewer=fewer, definite=after > behind, given=given), after


def _after_of_them(words: Sequence[str], place: int, *, or_the: bool = False) -> int:
    """Return the index after "of the" or "of them", or after "the" if `or_the` allows it, as in "half the cats"."""
    if words[place : place + 1] == ["of"] and not _OF_THEM.isdisjoint(words[place + 1 : place + 2]):
        return place + 2
    return place + 1 if or_the and not _OF_THEM.isdisjoint(words[place : place + 1]) else place


Kind = Literal["add", "remove", "keep", "set", "set_if_none", "scale"]

_MOST: Final = 10**9
"""The maximum result; no picture shows more things."""


class Effect(msgspec.Struct, frozen=True):
    """A change of a count: "3 more" adds 3, "half of them left" scales by a half, "no cats" sets 0."""

    kind: Kind
    by: Fraction = Fraction(0)
    given: int | None = None
    """The factual count that the change requires: two for "both"."""


def apply(effect: Effect, count: int) -> int | None:
    """Return the count after a change, or None if the change is impossible: five of three birds cannot leave."""
    if effect.given is not None and count != effect.given:
        return None
    changed = Fraction(count)
    match effect.kind:
        case "add":
            changed += effect.by
        case "remove":
            changed -= effect.by
        case "scale":
            changed *= effect.by
        case "keep" if effect.by > count:  # "only two remained"
            return None
        case "set_if_none" if count:  # "if there were 3 cows" may mean 3 in total or 3 more
            return None
        case _:
            changed = effect.by
    return int(changed) if changed.denominator == 1 and 0 <= changed <= _MOST else None
