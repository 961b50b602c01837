"""What leaves the number as it is: another colour, of the things or of the place, and another thing beside them."""

import re
from typing import Final

from countersight.composing.asked import Asked
from countersight.composing.likeness import is_certainly_another, is_counted
from countersight.composing.others import is_of_another_colour, is_of_another_kind
from countersight.composing.phrases import Phrase, kin, read_phrase
from countersight.composing.staying import SOMEBODY, stays
from countersight.composing.vocabulary import (
    APART,
    CLASSES,
    COLOURS,
    GROUNDS,
    INSIDE,
    LANDS,
    OUTDOORS,
    SPOTS,
    SURROUNDINGS,
    WATERS,
    all_things,
    is_alive,
    thing_of,
)

_WAS: Final = r"(?:was|were|had been|got|became|turned)"
_NOTHING: Final = re.compile(
    r"nothing (?:changed|happened|was (?:changed|done|(?:added|put in) or (?:removed|taken (?:away|out))))"
    r"|(?:nobody|no one|none of them) (?:came|arrived|joined|got on|got in|entered) or (?:left|went|got off|got out)"
    r"|(?:no \w+|none) (?:was|were) (?:added or (?:removed|taken away)|(?:removed|taken away) or added)"
)
_COLOURED: Final = re.compile(
    rf"(?P<what>.+?)(?: all)? {_WAS}(?: all)?(?: (?:re)?painted| dyed| sprayed)? (?:{'|'.join(sorted(COLOURS))})"
)
_DIFFERENT: Final = re.compile(
    r"(?P<what>.+?) (?:was|were|had|have|has) (?:a different|another|different) "
    r"(?:colors?|colours?|shades?|patterns?|designs?)"
)
_BY_THEM: Final = r"(?:beside|next to|with|near|between|among) (?:them|the \w+)"
_INTO: Final = rf"(?: (?:to|in|into|on|onto|at) (?:the (?:\w+ )?(?P<where>\w+)|it))?(?: {_BY_THEM})?"
_PUT: Final = (
    re.compile(rf"(?P<what>.+?) (?:was|were|got) (?:added|(?:put|placed|laid)(?: (?:in|on|there))?){_INTO}"),
    re.compile(rf"{SOMEBODY} (?:added|(?:put|tossed|threw|dropped|placed)(?: in| on)?) (?P<what>[\w ]+?){_INTO}"),
)
_COLOURS: Final = all_things(COLOURS)
_CLASSES: Final = all_things(CLASSES)
_WHERE: Final = (GROUNDS | INSIDE | LANDS | OUTDOORS | SPOTS | SURROUNDINGS | WATERS) - {"screen"}
"""On a screen that is black nothing is seen."""
_PLACES: Final = frozenset(map(thing_of, _WHERE)) | APART
"""What a question may name as a place: "match the couch" names more than one."""


def is_unchanged(words: list[str], asked: Asked) -> bool:
    """Whether an event certainly leaves the number of the counted things as it is."""
    text = " ".join(words)
    if _NOTHING.fullmatch(text):
        return True
    if is_of_another_colour(words, asked):
        return True
    if not _asks_only_where(asked):
        return False
    if found := _COLOURED.fullmatch(text) or _DIFFERENT.fullmatch(text):
        return _may_be_coloured(found["what"].split(), asked)
    put = next(filter(None, (pattern.fullmatch(text) for pattern in _PUT)), None)
    if put is not None and put["where"] in (None, asked.where) and _is_beside(put["what"].split(), asked):
        return True
    return is_of_another_kind(words, asked) or stays(text, asked)


def _asks_only_where(asked: Asked) -> bool:
    """Whether it is asked how many are in some place: neither the ripe ones, nor those that match the couch."""
    is_of_any = asked.head not in _CLASSES and not (asked.words - {asked.head}) & _COLOURS
    is_place = asked.place <= _PLACES | asked.compound
    return is_of_any and not asked.modifiers and not asked.is_doing and not asked.is_narrow and is_place


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
