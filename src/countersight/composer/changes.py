"""Compute the effect of one clause of a supposition on the count."""

from collections.abc import Sequence
from fractions import Fraction
from typing import Final

from countersight.composer.clauses import is_accounted, name_end, taken_apart
from countersight.composer.effects import Effect
from countersight.composer.quantities import Quantity, quantity_at
from countersight.composer.questions import Counted
from countersight.composer.scaling import scaled, speaks_of_the_number
from countersight.composer.verbs import Way, way_of
from countersight.composer.vocabulary import APART, GRAMMAR, REPLACES, noun_key, verb_of
from countersight.english import number_at, number_of

_JOINS: Final = frozenset({"join", "put", "place", "add"})


def effect_of(words: list[str], asked: Counted) -> Effect | None:
    """Return the effect of a clause on the count, or None if it is undecided."""
    if "instead" in words:
        return _instead(words, asked)
    if any(verb_of(word) in REPLACES for word in words):
        return _replaced(words, asked)
    if speaks_of_the_number(words):
        return scaled(words, asked)
    if {"each", "every"} & set(words) and (effect := _joined_by_each(words, asked)):
        return effect
    clause = taken_apart(words, asked)
    way = None if clause is None else way_of(clause, asked)
    return None if clause is None or way is None else _effect(way, clause.quantity)


def _effect(way: Way, quantity: Quantity) -> Effect | None:
    """Return the effect on the count if this many things come, go, stay or exist."""
    number, share = quantity.number, quantity.share
    match way:
        case "adds" if number is not None and not (quantity.is_all or quantity.fewer or quantity.definite):
            return Effect("add", Fraction(number), quantity.given)
        case "removes" if (
            quantity.only or quantity.fewer or quantity.is_none or (quantity.more and not quantity.definite)
        ):
            return None
        case "removes" if quantity.is_all and share is not None:
            return Effect("scale", share)
        case "removes" if quantity.is_all:
            return Effect("set" if number is None else "keep", Fraction(number or 0), quantity.given)
        case "removes" if share is not None:
            return Effect("scale", 1 - share)
        case "removes" if number is not None:
            return Effect("remove", Fraction(number), quantity.given)
        case "stays" if quantity.is_none:
            return Effect("set")
        case "stays" if share is not None and not quantity.is_all:
            return Effect("scale", share)
        case "stays" if number is not None and not (quantity.is_all or quantity.more):
            return Effect("keep", Fraction(number))
        case "present" if quantity.is_none:
            return Effect("set")
        case "present" if number is not None and not (quantity.is_all or quantity.definite):
            if quantity.fewer or quantity.more:
                return Effect("remove" if quantity.fewer else "add", Fraction(number), quantity.given)
            return Effect("set" if quantity.only else "set_if_none", Fraction(number))
    return None


def _instead(words: list[str], asked: Counted) -> Effect | None:
    """Return the effect of "3 monitors instead of 1", which requires a factual count of 1."""
    place = words.index("instead")
    before = number_at(words, place + 2) if words[place + 1 : place + 2] == ["of"] else None
    if before is None:
        return None
    clause = taken_apart(words[:place] + words[before[1] :], asked)
    if clause is None or clause.quantity.number is None or way_of(clause, asked) != "present":
        return None
    return Effect("set", Fraction(clause.quantity.number), before[0])


def _joined_by_each(words: list[str], asked: Counted) -> Effect | None:
    """Return the effect of "each dog was joined by two more": three times as many."""
    plain = [word for word in words if word not in ("next", "beside")]
    found = [read for place in range(len(plain)) if (read := quantity_at(plain, place)) and read[0].more]
    is_known = all(
        is_accounted(word, asked) or word in ("each", "every") or verb_of(word) in _JOINS or number_of(word)
        for word in plain
    )
    is_joined = any(verb_of(word) in _JOINS for word in plain)
    number = found[0][0].number if len(found) == 1 else None
    return Effect("scale", Fraction(1 + number)) if number and is_known and is_joined else None


def _replaced(words: list[str], asked: Counted) -> Effect | None:
    """Return the effect of "two cups were replaced by bowls" on the number of cups, or of bowls."""
    verb = next(place for place, word in enumerate(words) if verb_of(word) in REPLACES)
    by = next((place for place in range(verb, len(words)) if words[place] in ("by", "with", "for")), None)
    if by is None:
        return None
    gone, come = [word for word in words[:by] if verb_of(word) not in REPLACES], words[by + 1 :]
    is_gone, is_come = (any(noun_key(word) == asked.head for word in side) for side in (gone, come))
    if is_gone == is_come or not _is_another(come if is_gone else gone, asked):
        return None
    if is_come:
        said = quantity_at(come, 0)
        number = said[0].number if said else None
        end = name_end(come, said[1], said[0], asked) if said else None
        return Effect("add", Fraction(number)) if number and end == len(come) else None
    clause = taken_apart(gone, asked)
    if clause is None or not all(is_accounted(word, asked) for word in (*clause.before, *clause.after)):
        return None
    return _effect("removes", clause.quantity)


def _is_another(words: Sequence[str], asked: Counted) -> bool:
    """Return whether the words name exactly one thing, and it cannot be one of the counted things."""
    nouns = [word for word in words if number_of(word) is None and word not in GRAMMAR]
    return len(nouns) == 1 and {noun_key(nouns[0]), asked.head} <= APART
