"""One thing in the place of another: "a plate was replaced by two bowls", "one of them were a bus"."""

import re
from typing import Final

import msgspec

from countersight.composing.asked import Asked
from countersight.composing.changes import added, gone
from countersight.composing.effects import Effect
from countersight.composing.likeness import is_certainly_another, is_counted
from countersight.composing.phrases import Phrase, is_restricted, kin, read_phrase
from countersight.composing.vocabulary import COLOURS, all_things, is_alive, thing_of

_WAS: Final = r"(?:(?:was|were|is|are|got|had been|has been|have been) )?"
_SOMEBODY: Final = r"(?:i|you|we|he|she|they|someone|somebody|(?:a|the|my|her|his) \w+)"
_REPLACED: Final = tuple(
    re.compile(pattern)
    for pattern in (
        rf"{_SOMEBODY} (?:replaced|swapped|exchanged|traded) (?P<old>.+?) (?:by|with|for) (?P<new>.+)",
        rf"(?P<old>.+?) {_WAS}replaced (?:by|with) (?P<new>.+)",
        rf"(?P<old>.+?) {_WAS}(?:swapped|exchanged|traded|switched|substituted) (?:for|with|by) (?P<new>.+)",
        rf"(?P<old>.+?) {_WAS}(?:turned|changed|transformed|made) into (?P<new>.+)",
        r"(?P<old>.+?) became (?P<new>.+)",
        r"(?P<old>.+?) (?:was|were|had been) (?P<new>(?:a|an) [\w ]+?)(?: instead)?",
        r"(?P<old>.+?) (?:was|were|had been) (?P<new>[\w ]+?) instead",
    )
)
_RECOLOURED: Final = re.compile(
    rf"(?P<old>.+?) {_WAS}(?:painted|repainted|dyed|coloured|colored|turned|sprayed|became|turning) "
    rf"(?P<colour>{'|'.join(sorted(COLOURS))})"
)


_ANOTHER_ONE: Final = ["another", "one"]
_ANY_OTHER: Final = frozenset({"different", "newer", "similar", "identical", "fresh", "nicer"})
"""What leaves a fork a fork."""
_COLOURS: Final = all_things(COLOURS)


class Replaced(msgspec.Struct, frozen=True):
    """What goes, and what comes in its place."""

    old: list[str]
    new: list[str]


def replacing(words: list[str]) -> Replaced | None:
    """What an event puts in the place of what, if it does."""
    text = " ".join(words)
    if words[0] in ("there", "instead") or "instead of" in text:
        return None
    found = next(filter(None, (pattern.fullmatch(text) for pattern in _REPLACED)), None)
    return None if found is None else Replaced(found["old"].split(), found["new"].split())


def replacing_of(replaced: Replaced, asked: Asked) -> Effect | None:
    """What "a plate was replaced by two bowls" does: what goes and what comes must be of different kinds."""
    new = replaced.new if asked.modifiers else [word for word in replaced.new if word not in _ANY_OTHER]
    new = _ANOTHER_ONE if new in (["another"], ["a", "one"], ["a", "new", "one"]) else new
    leaving, coming = read_phrase(replaced.old, asked), read_phrase(new, asked)
    if leaving is None or coming is None or coming.end < len(new) or (coming.head is None and new != _ANOTHER_ONE):
        return None
    if is_counted(leaving, asked) and (coming.head is None or is_counted(coming, asked)):
        return _renewed(leaving, coming, asked)
    if is_counted(leaving, asked) and is_certainly_another(coming, asked):
        is_worn = is_alive(asked.head) and not is_alive(thing_of(coming.head or ""))  # "changed into a coat"
        return None if is_worn else gone(leaving, asked)
    if is_counted(coming, asked) and is_certainly_another(leaving, asked) and _number(leaving) == _number(coming) == 1:
        return added(coming)
    return None


def recoloured(words: list[str], asked: Asked) -> Effect | None:
    """What "one of the red cars was painted blue" does where the red ones are counted."""
    found = _RECOLOURED.fullmatch(" ".join(words))
    colours = _COLOURS & asked.modifiers
    phrase = None if found is None or not colours else read_phrase(found["old"].split(), asked)
    if found is None or phrase is None or thing_of(found["colour"]) in colours or not is_counted(phrase, asked):
        return None
    return gone(phrase, asked)


def _renewed(leaving: Phrase, coming: Phrase, asked: Asked) -> Effect | None:
    """What "one cup was replaced by two cups" does, or "every cup was replaced by another": the difference."""
    are_all_such = kin(leaving, asked) == kin(coming, asked) == "same" and not is_restricted(coming, asked)
    old, new = _number(leaving), _number(coming)
    if not are_all_such or new is None or new == 0 or coming.definite:
        return None
    if leaving.quantity.amount == "all" and leaving.is_one and not is_restricted(leaving, asked):
        return Effect("times", new)
    return None if old is None else Effect("add", new - old)


def _number(phrase: Phrase) -> int | None:
    amount = phrase.quantity.amount
    return amount if isinstance(amount, int) else 1 if phrase.definite and not phrase.is_plural else None
