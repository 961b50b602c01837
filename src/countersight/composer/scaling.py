"""Compute the effect of changes of the number itself: doubled, twice as many, increased by 3, cut in half."""

from fractions import Fraction
from typing import Final

from countersight.composer.clauses import is_accounted
from countersight.composer.effects import Effect
from countersight.composer.questions import Counted
from countersight.composer.vocabulary import noun_key
from countersight.english import base_verb, fraction_at, number_at, number_of

_SCALES: Final = {"double": Fraction(2), "triple": Fraction(3), "quadruple": Fraction(4), "halve": Fraction(1, 2)}
_GROWS: Final = frozenset({"increase", "grow", "rise", "raise"})
_SHRINKS: Final = frozenset({"decrease", "reduce", "drop", "fall", "shrink", "lower"})
_CHANGES: Final = _GROWS | _SHRINKS | {"multiply", "divide", "cut"}
_NUMBER: Final = frozenset({"number", "amount", "count", "total"})


def speaks_of_the_number(words: list[str]) -> bool:
    """Whether a clause changes the number itself, as in "the number doubled"."""
    return not _NUMBER.isdisjoint(words) or "as many" in " ".join(words) or any(map(_scale_of, words))


def _scale_of(word: str) -> Fraction | None:
    verb = base_verb(word, _SCALES)
    return None if verb is None else _SCALES[verb]


def scaled(words: list[str], asked: Counted) -> Effect | None:
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
