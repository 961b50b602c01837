"""What leaves the number as it is: another colour, of the things or of the place, and another thing beside them."""

import re
from typing import Final

from countersight.composing.asked import Asked
from countersight.composing.likeness import is_certainly_another, is_counted
from countersight.composing.phrases import Phrase, kin, read_phrase
from countersight.composing.vocabulary import (
    APART,
    CLASSES,
    COLOURS,
    GROUNDS,
    LANDS,
    OUTDOORS,
    SPOTS,
    SURROUNDINGS,
    WATERS,
    all_things,
    is_alive,
    thing_of,
)

_WAS: Final = r"(?:was|were|had been|got|became)"
_COLOURED: Final = re.compile(
    rf"(?P<what>.+?)(?: all)? {_WAS}(?: all)?(?: (?:re)?painted| dyed| sprayed)? (?:{'|'.join(sorted(COLOURS))})"
)
_PUT: Final = re.compile(
    r"(?P<what>.+?) (?:was|were|got) (?:added|(?:put|placed|laid)(?: (?:in|on|there))?)"
    r"(?: (?:to|in|into|on|onto|at) the (?P<where>\w+))?"
)
_COLOURS: Final = all_things(COLOURS)
_CLASSES: Final = all_things(CLASSES)
_WHERE: Final = (GROUNDS | LANDS | OUTDOORS | SPOTS | SURROUNDINGS | WATERS) - {"screen"}
"""On a screen that is black nothing is seen."""
_PLACES: Final = frozenset(map(thing_of, _WHERE)) | APART
"""What a question may name as a place: "match the couch" names more than one."""


def is_unchanged(words: list[str], asked: Asked) -> bool:
    """Whether an event certainly leaves the number of the counted things as it is."""
    if not _asks_only_where(asked):
        return False
    text = " ".join(words)
    if found := _COLOURED.fullmatch(text):
        return _may_be_coloured(found["what"].split(), asked)
    found = _PUT.fullmatch(text)
    return found is not None and found["where"] in (None, asked.where) and _is_beside(found["what"].split(), asked)


def _asks_only_where(asked: Asked) -> bool:
    """Whether it is asked how many are in some place: neither the ripe ones, nor those that match the couch."""
    is_of_any = asked.head not in _CLASSES and not (asked.words - {asked.head}) & _COLOURS
    return is_of_any and not asked.modifiers and not asked.is_doing and not asked.is_narrow and asked.place <= _PLACES


def _may_be_coloured(words: list[str], asked: Asked) -> bool:
    """Whether these are the counted things, some of them, or what is around them: not the light, not a plate more."""
    phrase = None if "only" in words else read_phrase(words, asked)
    if words in (["they"], ["it"]):
        return True
    if phrase is None or phrase.end < len(words) or phrase.quantity.more or phrase.quantity.amount == 0:
        return False
    if is_counted(phrase, asked):
        return kin(phrase, asked) == "same"
    return phrase.definite and not phrase.modifiers and _is_around(phrase)


def _is_around(phrase: Phrase) -> bool:
    thing = thing_of(phrase.head or "")
    return thing in _PLACES and not is_alive(thing)


def _is_beside(words: list[str], asked: Asked) -> bool:
    """Whether a thing is put there that is certainly none of the counted, and eats none of them."""
    phrase = read_phrase(words, asked)
    if phrase is None or phrase.end < len(words) or phrase.definite or phrase.of or phrase.after:
        return False  # "a box of books"
    is_alive_there = is_alive(asked.head) or is_alive(thing_of(phrase.head or ""))  # "a fox was put in the coop"
    return is_certainly_another(phrase, asked) and not is_alive_there
