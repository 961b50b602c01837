"""What those that are there do, or is done to them, and leaves them where they are: "two of them sat down"."""

import re
from typing import Final

from countersight.composing.asked import WORD, Asked
from countersight.composing.likeness import is_counted
from countersight.composing.phrases import Phrase, read_phrase
from countersight.composing.predicates import read_predicate
from countersight.composing.vocabulary import (
    APART,
    CARRIED,
    COMPANIES,
    FURNITURE,
    GARMENTS,
    MOTION,
    PASTIMES,
    RISING,
    ROOMS,
    SEATS,
    STAYING_THERE,
    TREATED,
    all_things,
    is_alive,
    thing_of,
    verb_of,
)

SOMEBODY: Final = r"(?:i|you|we|he|she|they|someone|somebody|(?:a|the|my|her|his)(?: \w+)?? \w+)"
_SIDES: Final = r"(?:side|end|corner|edge|middle|center|centre|top|bottom|back|front)"
_WITH: Final = r"(?: over| around| upside down| with (?:some )?\w+)?"
_TREATED: Final = (
    re.compile(rf"{SOMEBODY} (?P<verb>\w+)(?P<way> off| on| out)? (?P<what>.+?){_WITH}"),
    re.compile(rf"(?P<what>.+?) (?:was|were|got) (?P<verb>\w+)(?P<way> off| on| out)?{_WITH}"),
)
_POURED: Final = re.compile(
    rf"{SOMEBODY} (?:poured|spread|sprinkled|drizzled|squirted|smeared) (?:some )?\w+ (?:over|on|onto) (?P<what>.+)"
)
_WORE: Final = re.compile(r"(?P<what>.+?) (?:wore|(?:was|were) wearing|put on|had on) (?:\w+ )?(?P<worn>\w+)")
_WITHIN: Final = re.compile(
    r"(?P<what>.+?) (?:was |were )?(?P<verb>\w+)(?: over| across| up| down)? (?:to|into|toward|towards|near) "
    rf"the (?:(?:other|far|left|right|opposite|very) )?{_SIDES} of (?:the (?:\w+ )?(?P<where>\w+)|it)"
)
_ACROSS: Final = re.compile(
    r"(?P<what>.+?) (?:was |were )?(?P<verb>\w+) from (?:the|a) (?P<source>\w+) "
    r"(?:onto|on to|to) (?:the|a) (?P<goal>\w+)"
)
_INSIDE: Final = re.compile(
    r"(?P<what>.+?) (?:was |were )?(?P<verb>\w+) from the \w+ (?:over |across )?to the \w+ "
    r"(?:inside|within) (?:the (?:\w+ )?(?P<where>\w+)|it)"
)
_GESTURE: Final = re.compile(
    r"(?P<what>.+?) (?:barked|meowed|mooed|chirped|roared|howled|growled|hissed|quacked|neighed|bleated"
    r"|shook hands|turned (?:around|round)"
    r"|(?:flapped|spread) (?:its|their) wings"
    r"|raised (?:his|her|their|a|one) (?:hands?|arms?)"
    r"|rolled over(?: onto (?:its|his|her|their) (?:back|side|belly)s?)?"
    r"|(?:switched|swapped|changed) (?:seats|places|positions)"
    r"|wagged (?:its|their) tails?|(?:closed|opened) (?:his|her|its|their) eyes)"
)
_ORDERED: Final = re.compile(
    r"(?P<what>.+?) (?:was|were) (?:(?:arranged|rearranged|lined up)(?: in (?:a|one) (?:circle|row|line|square))?"
    r"|(?:moved|pushed|pulled) (?:closer|nearer) (?:together|to each other))"
)
_GARMENTS: Final = all_things(GARMENTS)
_FURNITURE: Final = all_things(FURNITURE)
_ROOMS: Final = all_things(ROOMS)
_LEFT_SITTING: Final = all_things(SEATS | COMPANIES | {"table", "desk", "bar", "counter"})
"""Who sits down or gets up here may have left it: the bench, or a row of soldiers."""


def stays(text: str, asked: Asked) -> bool:
    """Whether an event is told of those that are there and leaves them there, where only the place is asked for."""
    return any(rule(text, asked) for rule in (_rests, _gestures, _is_treated, _moves_within, _wears))


def _theirs(what: str, asked: Asked) -> Phrase | None:
    """Who it is told of, if these are some or all of the counted things: not two more, and no two that may be new."""
    words = WORD.findall(what)
    phrase = read_phrase([*words, "did"], asked)
    if phrase is None or phrase.end != len(words) or not is_counted(phrase, asked):
        return None
    is_some = (phrase.definite or phrase.quantity.amount == "all") and phrase.quantity.amount != 0
    return phrase if is_some and not phrase.quantity.more and not phrase.possessive else None


def _rests(text: str, asked: Asked) -> bool:
    """Whether they only sit down, fall asleep or laugh; who gets up from a bench, or sits down on it, moves."""
    words = WORD.findall(text)
    subject = read_phrase(words, asked)
    predicate = None if subject is None else read_predicate(words[subject.end :])
    if subject is None or predicate is None or predicate.is_passive or predicate.is_negated:
        return False
    begins = predicate.verb in ("start", "begin") and predicate.rest[:1] and predicate.rest[0] in PASTIMES
    if len(predicate.rest) != bool(begins):
        return False
    may_leave = bool(asked.place & _LEFT_SITTING) and predicate.verb in RISING | {"sit", "sit down"}
    is_still = (begins or predicate.verb in STAYING_THERE | RISING) and is_alive(asked.head)
    return bool(is_still) and not may_leave and _theirs(" ".join(words[: subject.end]), asked) is not None


def _gestures(text: str, asked: Asked) -> bool:
    """Whether they only do something with themselves, or are put in another order."""
    found = _GESTURE.fullmatch(text) if is_alive(asked.head) else _ORDERED.fullmatch(text)
    return found is not None and _theirs(found["what"], asked) is not None


def _is_treated(text: str, asked: Asked) -> bool:
    """Whether something is done to them that leaves them what they are: filled, turned over, covered with syrup."""
    if asked.head not in APART and not is_alive(asked.head):  # a hole that is filled is none
        return False
    poured = _POURED.fullmatch(text)
    found = next(filter(None, (pattern.fullmatch(text) for pattern in _TREATED)), None)
    if poured is not None:
        return _theirs(poured["what"], asked) is not None
    if found is None or (asked.is_plain and found["way"]):  # a light that is off may be no light in a picture
        return False
    return verb_of(found["verb"]) + (found["way"] or "") in TREATED and _theirs(found["what"], asked) is not None


def _moves_within(text: str, asked: Asked) -> bool:
    """Whether they move to another part of the place, or from chair to table in the room that is asked about."""
    if found := _WITHIN.fullmatch(text) or _INSIDE.fullmatch(text):
        is_there = found["where"] in (None, asked.where) and bool(asked.where)
    elif found := _ACROSS.fullmatch(text):
        is_there = {thing_of(found["source"]), thing_of(found["goal"])} <= _FURNITURE and bool(asked.place & _ROOMS)
    else:
        return False
    return is_there and verb_of(found["verb"]) in MOTION | CARRIED and _theirs(found["what"], asked) is not None


def _wears(text: str, asked: Asked) -> bool:
    """Whether somebody has on what is not counted."""
    found = _WORE.fullmatch(text)
    if found is None or thing_of(found["worn"]) not in _GARMENTS or asked.head in _GARMENTS:
        return False
    others = re.fullmatch(r"(?:the|its|their|his|her) \w+", found["what"])
    return others is not None or _theirs(found["what"], asked) is not None
