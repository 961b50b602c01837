"""Things of another kind that come or go, and leave those that are counted as many as they are."""

from typing import Final

from countersight.composing.accounted import is_known_of_events
from countersight.composing.asked import Asked
from countersight.composing.likeness import is_certainly_another
from countersight.composing.phrases import Phrase, read_phrase
from countersight.composing.places import content
from countersight.composing.predicates import Predicate, read_predicate
from countersight.composing.vocabulary import (
    AWAY,
    BROUGHT,
    COMES,
    GOES,
    HUNTERS,
    INWARDS,
    KINDS,
    MOTION,
    PERSON,
    PREPOSITIONS,
    SPOTS,
    SURROUNDINGS,
    TAKEN,
    all_things,
    is_alive,
    thing_of,
)

_BEARING: Final = all_things((SPOTS | SURROUNDINGS) - {"fork", "spoon"})
"""What other things may be on or in: who takes away the table may take away the plates."""
_FRIGHTENING: Final = all_things(HUNTERS | {"dog", "cat"})


_SETTLES: Final = frozenset({"park", "sit", "sit down", "stop", "settle", "stand", "lie down"})
_WITH_THEM: Final = (("with", "them"), ("beside", "them"), ("near", "them"))


def is_of_another_kind(words: list[str], asked: Asked) -> bool:
    """Whether things that certainly are none of the counted ones come or go: "the zebras left", to the giraffes."""
    subject = read_phrase(words, asked)
    if subject is None or not _are_beside(subject, asked):
        return False
    predicate = read_predicate(words[subject.end :])
    if predicate is None or predicate.is_negated or predicate.is_progressive or not _is_plain(predicate, asked):
        return False
    thing = thing_of(subject.head or "")
    if _comes(predicate):
        return thing not in _FRIGHTENING
    may_bear_them = thing in _BEARING or (asked.is_plain and not is_alive(thing))
    return _goes(predicate) and not may_bear_them


def _comes(predicate: Predicate) -> bool:
    base, _, particle = predicate.verb.partition(" ")
    if predicate.is_passive:
        return predicate.verb in BROUGHT
    if predicate.verb in _SETTLES and predicate.rest[:1] in (("beside",), ("near",), ("next",), ("between",)):
        return True
    return predicate.verb in COMES or (base in MOTION and particle in INWARDS)


def _goes(predicate: Predicate) -> bool:
    base, _, particle = predicate.verb.partition(" ")
    if predicate.is_passive:
        return predicate.verb in TAKEN
    return predicate.verb in GOES or (base in MOTION and particle in AWAY)


def _are_beside(subject: Phrase, asked: Asked) -> bool:
    """Whether they are of another kind, and neither ride on the counted things, nor wear, hold or hunt them."""
    thing = thing_of(subject.head or "")
    if subject.possessive or subject.of or subject.after or subject.but or not is_certainly_another(subject, asked):
        return False
    return thing not in asked.place and _sort(thing) == _sort(asked.head)


def _sort(thing: str) -> str:
    """People, animals, or things without life."""
    is_person = thing == PERSON or thing in KINDS[PERSON]
    return "person" if is_person else "animal" if is_alive(thing) else "thing"


def _is_plain(predicate: Predicate, asked: Asked) -> bool:
    """Whether nothing is said behind the verb but where, or whom they joined."""
    rest = predicate.rest[:-2] if predicate.rest[-2:] in _WITH_THEM else predicate.rest
    if predicate.verb == "join" and (rest == ("them",) or content(rest) <= {asked.head}):
        return True
    if predicate.verb in _SETTLES and rest and content(rest) <= {asked.head, "next"}:
        return True
    is_place = not rest or rest[0] in PREPOSITIONS or (predicate.verb in ("leave", "enter") and rest[0] == "the")
    names_them = asked.head in content(rest) or bool({"with", "by", "them", "each", "it"} & set(rest))
    return is_place and not names_them and is_known_of_events(rest, asked)
