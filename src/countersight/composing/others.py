"""Things of another kind that come or go, and leave those that are counted as many as they are."""

import re
from typing import Final

from countersight.composing.accounted import is_known_of_events
from countersight.composing.asked import WORD, Asked
from countersight.composing.directions import gets_into
from countersight.composing.likeness import is_certainly_another
from countersight.composing.phrases import Phrase, read_phrase
from countersight.composing.places import content
from countersight.composing.predicates import Predicate, read_predicate
from countersight.composing.vocabulary import (
    AWAY,
    BROUGHT,
    CARRIED,
    COLOURS,
    COMES,
    GOES,
    HUNTERS,
    INWARDS,
    KINDS,
    MOTION,
    PERSON,
    PLACED,
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
_FRIGHTENING: Final = all_things(
    HUNTERS | {"dog", "cat", "owl", "seal", "otter", "stork", "heron", "whale", "dolphin", "raccoon"}
)


_COLOURS: Final = all_things(COLOURS)
_SHADES: Final = tuple(
    map(
        all_things,
        (
            ("gray", "grey", "silver"),
            ("gold", "golden", "yellow", "orange"),
            ("tan", "beige", "brown", "white"),
            ("pink", "purple", "red"),
            ("blue", "purple"),
            ("red", "orange", "brown"),
        ),
    )
)
"""Colours that one may call by the name of another."""
_GROUP: Final = re.compile(r"^(?:a|another) (?:flock|herd|group|pack|swarm) of (?!the\b)")
_SETTLES: Final = frozenset({"park", "sit", "sit down", "stop", "settle", "stand", "lie down"})
_WITH_THEM: Final = (("with", "them"), ("beside", "them"), ("near", "them"))


def is_of_another_kind(words: list[str], asked: Asked) -> bool:
    """Whether things that certainly are none of the counted ones come or go: "the zebras left", to the giraffes."""
    words = WORD.findall(_GROUP.sub("some ", " ".join(words)))
    subject = read_phrase(words, asked)
    if subject is None or not _are_beside(subject, asked):
        return False
    predicate = read_predicate(words[subject.end :])
    if predicate is None or predicate.is_negated or predicate.is_progressive or not _is_plain(predicate, asked):
        return False
    thing = thing_of(subject.head or "")
    if _comes(predicate) or (predicate.verb in MOTION and gets_into(predicate.rest, asked)):
        return thing not in _FRIGHTENING
    may_bear_them = thing in _BEARING or (asked.is_plain and not is_alive(thing))
    return _goes(predicate) and not may_bear_them


def is_of_another_colour(words: list[str], asked: Asked) -> bool:
    """Whether things of one colour are counted, and come or go those of another: "two red apples", to the green."""
    subject, mine = read_phrase(words, asked), asked.modifiers
    if subject is None or len(mine) != 1 or not mine <= _COLOURS or asked.is_doing or asked.is_narrow:
        return False
    theirs = frozenset(map(thing_of, subject.modifiers))
    is_said = len(subject.modifiers) == 1 and theirs <= _COLOURS and thing_of(subject.head or "") == asked.head
    is_unclear = not subject.quantity.amount or subject.of or subject.after or subject.but or subject.possessive
    predicate = read_predicate(words[subject.end :])
    if not is_said or is_unclear or predicate is None or predicate.is_negated or predicate.is_progressive:
        return False
    is_alike = mine == theirs or any(mine | theirs <= shades for shades in _SHADES)
    is_put = predicate.is_passive and predicate.verb.partition(" ")[0] in PLACED
    return not is_alike and _is_plain(predicate, asked) and (is_put or _comes(predicate) or _goes(predicate))


def _comes(predicate: Predicate) -> bool:
    base, _, particle = predicate.verb.partition(" ")
    if predicate.is_passive:
        return predicate.verb in BROUGHT or (base in CARRIED and particle in INWARDS)
    if predicate.verb in _SETTLES and predicate.rest[:1] in (("beside",), ("near",), ("next",), ("between",)):
        return True
    return predicate.verb in COMES or (base in MOTION and particle in INWARDS)


def _goes(predicate: Predicate) -> bool:
    base, _, particle = predicate.verb.partition(" ")
    if predicate.is_passive:
        return predicate.verb in TAKEN or (base in CARRIED and particle in AWAY)
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
    if rest == ("there",):
        return True
    if predicate.verb == "join" and (rest == ("them",) or content(rest) <= {asked.head}):
        return True
    if predicate.verb in _SETTLES and rest and content(rest) <= {asked.head, "next"}:
        return True
    is_place = not rest or rest[0] in PREPOSITIONS or (predicate.verb in ("leave", "enter") and rest[0] == "the")
    names_them = asked.head in content(rest) or bool({"with", "by", "them", "each", "it"} & set(rest))
    return is_place and not names_them and is_known_of_events(rest, asked)
