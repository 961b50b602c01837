"""Predicates: the verb of an event with its helpers and its particle, and what stands behind it."""

from typing import Final

import msgspec

from countersight.composing.vocabulary import (
    ABSENT,
    ADVERBS,
    AUXILIARIES,
    AWAY,
    BE,
    CARRIED,
    FIXED,
    INWARDS,
    MOTION,
    PARTICLES,
    PAST_AS_PLAIN,
    PHRASES,
    PLACED,
    POSSESSIVES,
    PREPOSITIONS,
    VERBS,
    is_quantity,
    is_verb,
    verb_of,
)

_BEFORE_PLAIN_FORMS: Final = frozenset({"would", "could", "can", "will", "should", "did", "do", "does"})
_GET: Final = frozenset({"got", "get", "gets"})
_HAVE: Final = frozenset({"has", "have", "had"})
_NOT: Final = frozenset({"not", "never"})
_MAYBE_PREPOSITIONS: Final = frozenset({"in", "on", "by", "over", "inside", "outside", "along"})
_ADJECTIVES: Final = ABSENT | {"present", "visible", "available"}
_BEFORE_NOUNS: Final = POSSESSIVES | {"the", "a", "an", "this", "that"}
PUT_ON: Final = PLACED | FIXED | {"throw", "toss", "drop", "pour", "tip", "chuck"}
"""Verbs of what is then on something: "threw on two more", but not "chewed on two"."""
_ENDINGS: Final = frozenset({"away", "back", "off", "out", "up", "down", "in", "to", "over", "home"})


class Predicate(msgspec.Struct, frozen=True):
    """The verb of an event, and what stands behind it."""

    verb: str
    """Plain, with its particle if it has one: "turn off"."""
    is_passive: bool
    is_negated: bool
    is_progressive: bool
    rest: tuple[str, ...]
    """Everything behind the verb and its particle."""
    is_perfect: bool = False
    """Whether it had happened before: "had been put there"."""


def read_predicate(words: list[str], *, is_verb_first: bool = False) -> Predicate | None:
    """The predicate at the beginning of some words, or None where there is no verb the composer knows."""
    place, last, is_negated = 0, "", False
    while place < len(words) and (_helps(words, place) or words[place] in ADVERBS or words[place] in _NOT):
        is_negated = is_negated or words[place] in _NOT
        last = words[place] if words[place] in AUXILIARIES else last
        place += 1
    helped, is_verb_first = last in BE, is_verb_first or last in _BEFORE_PLAIN_FORMS
    if helped and words[place : place + 1] == ["to"]:  # "if a bird were to land", "if it were to be removed"
        helped = words[place + 1 : place + 2] == ["be"]
        place, is_verb_first = place + (2 if helped else 1), True
    word = words[place] if place < len(words) else ""
    has_gone_somewhere = last in _HAVE and word == "gone" and len(words) > place + 1  # "had gone out"
    if word in _ADJECTIVES and not has_gone_somewhere:
        return Predicate(word, False, is_negated, False, tuple(words[place + 1 :]))
    is_ing = word.endswith("ing")
    is_sure = word in PAST_AS_PLAIN or (helped and verb_of(word) != word) or (is_verb_first and word in VERBS)
    if (is_ing and not helped) or not (is_verb(word) or is_sure):
        return _of_having_or_being(words, place, last, is_negated)
    verb, rest = _with_particle(verb_of(word), words[place + 1 :])
    is_perfect = "had" in words[:place]
    return Predicate(verb, helped and not is_ing, is_negated, helped and is_ing, tuple(rest), is_perfect)


def _helps(words: list[str], place: int) -> bool:
    """Whether a word is an auxiliary here: "got eaten", but not "got off"."""
    after = words[place + 1] if place + 1 < len(words) else ""
    return words[place] in AUXILIARIES and (words[place] not in _GET or is_verb(after))


def _of_having_or_being(words: list[str], place: int, last: str, is_negated: bool) -> Predicate | None:
    """What has no other verb: "it had two more legs", "two were on the table", "the sign was not there"."""
    if not last:
        return None
    there = [word for word in words[:place] if word in ("there", "here")]
    return Predicate("have" if last in _HAVE else "be", False, is_negated, False, (*there, *words[place:]))


def _with_particle(verb: str, rest: list[str]) -> tuple[str, list[str]]:
    """A verb and its particle as one, and what follows: "turned off | the light"."""
    first = rest[0] if rest else ""
    phrase = f"{verb} {first}"
    moves = verb in MOTION | CARRIED and first in AWAY | INWARDS
    is_put_on = verb in PUT_ON and first == "on" and _is_counted(rest[1:])
    if (phrase in PHRASES or moves or is_put_on) and not _is_preposition(rest):
        return phrase, rest[1:]
    at_the_end = len(rest) < 2 or rest[1] in PREPOSITIONS
    if first in PARTICLES and (first not in _MAYBE_PREPOSITIONS or at_the_end):
        return phrase, rest[1:]
    return verb, rest


def _is_counted(words: list[str]) -> bool:
    """Whether words begin with a number: "threw on | two more", but not "put on | a tray"."""
    return bool(words) and is_quantity(words[0]) and words[0] not in ("a", "an")


def _is_preposition(rest: list[str]) -> bool:
    """Whether what could be a particle goes with a noun: "thrown in the bin"."""
    return rest[:1] != ["on"] and rest[0] in _MAYBE_PREPOSITIONS and rest[1:2] != [] and rest[1] in _BEFORE_NOUNS


def with_late_particle(verb: str, behind: list[str]) -> tuple[str, list[str]]:
    """A verb whose particle stands behind its object: "gave two plates | away"."""
    if " " in verb or not behind or behind[0] not in _ENDINGS:
        return verb, behind
    phrase = f"{verb} {behind[0]}"
    is_known = phrase in PHRASES or (verb in CARRIED and behind[0] in AWAY | INWARDS)
    is_one = (is_known and not _is_preposition(behind)) or len(behind) == 1
    return (phrase, behind[1:]) if is_one else (verb, behind)
