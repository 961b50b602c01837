"""Compute a counterfactual count from a factual one and a supposition."""

from collections.abc import Sequence
from fractions import Fraction
from typing import Final

from countersight.composer.clauses import is_accounted, taken_apart
from countersight.composer.quantities import Effect, Quantity, apply
from countersight.composer.questions import Counted, counted_in, supposition, words_in
from countersight.composer.verbs import Way, fits_the_place, way_of
from countersight.composer.vocabulary import APART, GRAMMAR, REPLACES, noun_key, verb_of
from countersight.english import base_verb, fraction_at, number_at, number_of

_LONGEST_QUESTION = 1000
"""The maximum number of characters in a question."""
_BETWEEN_CLAUSES = frozenset({"and", "then", "but", ",", ";", ".", ":"})
_SCALES: Final = {"double": Fraction(2), "triple": Fraction(3), "quadruple": Fraction(4), "halve": Fraction(1, 2)}
_GROWS: Final = frozenset({"increase", "grow", "rise", "raise"})
_SHRINKS: Final = frozenset({"decrease", "reduce", "drop", "fall", "shrink", "lower"})
_CHANGES: Final = _GROWS | _SHRINKS | {"multiply", "divide", "cut"}
_NUMBER: Final = frozenset({"number", "amount", "count", "total"})


def compose(count: int, question: str, factual: str = "") -> int | None:
    """Return the counterfactual count for a factual count and a question, or None if it is undecided.

    The result is also None if a factual question is given that counts other things.
    """
    effects = effects_of(question, factual)
    if effects is None or count < 0:
        return None
    changed: int | None = count
    for effect in effects:
        changed = None if changed is None else apply(effect, changed)
    return changed


def effects_of(question: str, factual: str = "") -> list[Effect] | None:
    """Return the effects of the supposition in a question, one per clause; None if any is undecided."""
    parts = supposition(question) if len(question) <= _LONGEST_QUESTION else None
    named = None if parts is None else counted_in(parts[0])
    before = counted_in(factual[:_LONGEST_QUESTION])
    if parts is None or named is None or named.is_of_absence:
        return None
    asked = named.continues(before)
    if asked is None:
        return None
    effects: list[Effect] = []
    for clause in _clauses(words_in(parts[1])):
        effect = _effect_of(clause, asked)
        if effect is None:
            return None
        effects.append(effect)
    if not effects:
        return None
    in_a_row = all(effect.kind in ("add", "remove", "scale") for effect in effects)
    return effects if in_a_row or len(effects) == 1 else None  # not "three left and two stayed"


def _clauses(words: list[str]) -> list[list[str]]:
    """Split a supposition into clauses; "all but two" stays in one clause."""
    clauses: list[list[str]] = [[]]
    for word in words:
        if word in _BETWEEN_CLAUSES and not (word == "but" and clauses[-1][-1:] == ["all"]):
            clauses.append([])
        else:
            clauses[-1].append(word)
    return [clause for clause in clauses if clause]


def _effect_of(words: list[str], asked: Counted) -> Effect | None:
    """Return the effect of a clause on the count, or None if it is undecided."""
    if any(verb_of(word) in REPLACES for word in words):
        return _replaced(words, asked)
    if _speaks_of_the_number(words):
        return _scaled(words, asked)
    clause = taken_apart(words, asked)
    way = None if clause is None else way_of(clause, asked)
    return None if clause is None or way is None else _effect_of_way(way, clause.quantity)


def _effect_of_way(way: Way, quantity: Quantity) -> Effect | None:
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
    clause = taken_apart(come if is_come else gone, asked)
    if clause is None:
        return None
    others = (*clause.before, *clause.after)
    if is_come:
        is_one_of_them = not asked.is_doing and fits_the_place("adds", clause, asked)
        return _effect_of_way("adds", clause.quantity) if is_one_of_them and not others else None
    if not all(is_accounted(word, asked) for word in others):
        return None
    return _effect_of_way("removes", clause.quantity)


def _is_another(words: Sequence[str], asked: Counted) -> bool:
    """Return whether the words name exactly one thing, and it cannot be one of the counted things."""
    nouns = [word for word in words if number_of(word) is None and word not in GRAMMAR]
    return len(nouns) == 1 and {noun_key(nouns[0]), asked.head} <= APART


def _speaks_of_the_number(words: list[str]) -> bool:
    """Whether a clause changes the number itself, as in "the number doubled"."""
    return not _NUMBER.isdisjoint(words) or "as many" in " ".join(words) or any(map(_scale_of, words))


def _scale_of(word: str) -> Fraction | None:
    verb = base_verb(word, _SCALES)
    return None if verb is None else _SCALES[verb]


def _scaled(words: list[str], asked: Counted) -> Effect | None:
    """Return the effect of "the number doubled", "twice as many" or "increased by 3"."""
    scales = [scale for word in words if (scale := _scale_of(word)) is not None]
    rest = [word for word in words if _scale_of(word) is None]
    changes = [verb for word in rest if (verb := base_verb(word, _CHANGES))]
    rest = [word for word in rest if base_verb(word, _CHANGES) is None]
    effect: Effect | None = None
    if scales and not changes:
        effect = Effect("scale", scales[0])
    elif "as" in rest and "many" in rest:
        effect, rest = _times_as_many(rest)
    elif changes:
        effect, rest = _by_so_much(changes[0], rest)
    known = _NUMBER | {"many", "as", "times", "there", "only", "just"}
    is_known = all(word in known or is_accounted(word, asked) for word in rest)
    is_named = any(word in _NUMBER or word in ("them", "they", "many") or noun_key(word) == asked.head for word in rest)
    counted = any(number_of(word) is not None for word in rest if word not in ("a", "an", "one"))
    return effect if is_known and is_named and not counted and len(scales) + len(changes) <= 1 else None


def _times_as_many(words: list[str]) -> tuple[Effect | None, list[str]]:
    """Return the effect of "twice as many", "three times as many" or "half as many", and the other words."""
    place = words.index("as")
    for start in range(max(0, place - 3), place):
        share, number = fraction_at(words, start), number_at(words, start)
        if share is not None and share[1] == place:
            return Effect("scale", share[0]), words[:start] + words[place:]
        if number is not None and number[1] + (words[number[1] : place] == ["times"]) == place:
            return Effect("scale", Fraction(number[0])), words[:start] + words[place:]
    return None, words


def _by_so_much(verb: str, words: list[str]) -> tuple[Effect | None, list[str]]:
    """Return the effect of "increased by 3", "reduced to 2", "cut in half" or "divided by 4", and the other words."""
    for place, word in enumerate(words[:-1]):
        share, number = fraction_at(words, place + 1), number_at(words, place + 1)
        if word == "by" and share is not None and verb in _SHRINKS:
            return Effect("scale", 1 - share[0]), words[:place] + words[share[1] :]
        if word == "in" and share is not None and share[0] == Fraction(1, 2) and verb == "cut":
            return Effect("scale", share[0]), words[:place] + words[share[1] :]
        if number is None or word not in ("by", "to"):
            continue
        rest = words[:place] + words[number[1] :]
        if word == "to":
            return (Effect("set", Fraction(number[0])) if verb in _GROWS | _SHRINKS else None), rest
        if verb in ("multiply", "divide"):
            by = Fraction(number[0]) if verb == "multiply" else Fraction(1, number[0] or 1)
            return Effect("scale", by), rest
        return Effect("add" if verb in _GROWS else "remove", Fraction(number[0])), rest
    return None, words
