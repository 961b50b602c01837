"""Who has something on, or in the hands: "two took off their hats", where those who wear hats are counted."""

import re
from typing import Final

from countersight.composing.asked import HAVING, WORD, Asked
from countersight.composing.changes import added, gone
from countersight.composing.effects import Effect
from countersight.composing.likeness import is_counted
from countersight.composing.phrases import read_phrase
from countersight.composing.vocabulary import thing_of

_WEARING: Final = thing_of("wear")
_WHO: Final = r"(?P<who>.+?)"
_THEIRS: Final = r"(?:(?:his|her|their|its|the|a|an|some) )?"
_PASSED: Final = r"(?:(?:his|hers|theirs)|(?P<it>it|them)|" + _THEIRS + r"(?P<what>\w+(?: \w+)?))"
_WORN: Final = {
    "off": (
        rf"{_WHO} (?:took|takes|pulled|whipped) off {_PASSED}",
        rf"{_WHO} (?:took|takes|pulled|whipped) {_PASSED} off",
        rf"{_WHO} (?:removed|lost|shed) {_PASSED}",
    ),
    "on": (rf"{_WHO} (?:put|puts|pulled) on {_PASSED}", rf"{_WHO} (?:put|puts|pulled) {_PASSED} on"),
}
_HELD: Final = {
    "off": (
        rf"{_WHO} (?:put|puts|set|laid) down {_PASSED}",
        rf"{_WHO} (?:put|puts|set|laid) {_PASSED} down",
        rf"{_WHO} (?:dropped|lost|released|put away|closed and put away) {_PASSED}",
        rf"{_WHO} (?:put|puts) {_PASSED} away",
    ),
    "on": (rf"{_WHO} (?:picked|picks) up {_PASSED}", rf"{_WHO} (?:picked|picks) {_PASSED} up"),
}


_SOME: Final = r"(?P<some>(?:\w+ of (?:them|the \w+)|both)(?: \w+)?)"
_RELEASED: Final = tuple(
    re.compile(rf"(?:she|he|they|the (?P<holder>\w+)) {did}")
    for did in (rf"(?:put|set|laid) {_SOME} down", rf"(?:put|set|laid) down {_SOME}", rf"(?:dropped|released) {_SOME}")
)


def changed_in_wearing(text: str, asked: Asked) -> Effect | None:
    """What becomes of the number of those who wear or carry something, or None where nothing is put on or off."""
    ways = _WORN if _WEARING in asked.place else _HELD if asked.place & HAVING else {}
    for way, patterns in ways.items():
        found = next(filter(None, (re.fullmatch(pattern, text) for pattern in patterns)), None)
        what = frozenset() if found is None else frozenset(map(thing_of, (found["what"] or "").split()))
        if found is None or not what <= asked.place or (found["it"] and not _names_it(found["who"], asked)):
            continue
        is_all = what == asked.place - HAVING  # who puts on a hat need not put on a red one
        return _effect(found["who"], asked, is_put_on=way == "on") if way == "off" or is_all else None
    return _released(text, asked) if asked.place & HAVING else None


def _released(text: str, asked: Asked) -> Effect | None:
    """What "she set two of them down" does, where those that she holds are counted."""
    found = next(filter(None, (pattern.fullmatch(text) for pattern in _RELEASED)), None)
    if found is None or (found["holder"] and thing_of(found["holder"]) not in asked.words | asked.scene):
        return None
    phrase = read_phrase(WORD.findall(found["some"]), asked)
    return gone(phrase, asked) if phrase is not None and is_counted(phrase, asked) else None


def _effect(who: str, asked: Asked, *, is_put_on: bool) -> Effect | None:
    words = WORD.findall(who)
    phrase = read_phrase([*words, "did"], asked)
    if phrase is None or phrase.end != len(words) or not is_counted(phrase, asked):
        return None
    if is_put_on:  # those there are may have had it on before
        return added(phrase) if phrase.quantity.more else None
    return gone(phrase, asked)


def _names_it(who: str, asked: Asked) -> bool:
    """Whether "it" is what they wear: "one of the men wearing a hat took it off"."""
    return asked.place - HAVING <= set(map(thing_of, who.split()))
