"""Reads one event of a supposition: who, how many of them, and whether they come or go."""

import re
from typing import Final, Literal

from countersight.composing.effects import Effect
from countersight.composing.words import (
    ALL,
    COLOURS,
    COMING,
    FILLER,
    GOING,
    KINDS,
    MORE,
    OTHER,
    PARTICLES,
    PLACES,
    STATE,
    VAGUE,
    VERBS,
    is_plural,
    number_of,
    thing_of,
    verb_of,
)

_WORD = re.compile(r"[a-z]+(?:'[a-z]+)?|\d+")
_LONGEST = 40  # words; nobody tells one event in more
_TIMES: Final = {
    **{"doubled": 2, "double": 2, "twice": 2, "tripled": 3, "triple": 3, "trebled": 3, "thrice": 3},
    **{"quadrupled": 4, "quadruple": 4, "quintupled": 5},
}
_PARTS: Final = {"half": (1, 2), "third": (1, 3), "quarter": (1, 4), "fourth": (1, 4), "fifth": (1, 5)}
_NONE: Final = frozenset({"no", "none", "nobody"})
_NEGATIONS: Final = _NONE | {"not", "never", "without", "cannot"}
_KNOWN: Final = FILLER | PLACES | ALL | PARTICLES | VERBS | _PARTS.keys()
# Plain, these are nouns and adjectives: "an open window", "a light", "a cut orange".
_NO_VERB_WHEN_PLAIN: Final = frozenset(
    {
        "open",
        "show",
        "light",
        "cover",
        "cut",
        "set",
        "close",
        "drop",
        "hand",
        "paint",
        "place",
        "park",
        "plant",
        "order",
    }
)
_MOVED = re.compile(
    r"\b(?:(?P<up>increas\w*|rose|rise\w*|went up|gr[eo]w\w*)"
    r"|(?:decreas|reduc|dropp|fell|went down|cut|lower|shrank|diminish)\w*)"
    r"(?:\s+\w+)?\s+(?P<how>by|to)\s+(?:a\s+)?(?P<much>\w+)"
)
_RELATIVE = re.compile(r"%|per ?cent|times|factor|fold")
_MULTIPLIED = re.compile(
    r"\b(?P<much>\w+)[ -]?(?:times|fold)\b|\b(?:multipl\w+|increased) by (?:a factor of )?(?P<factor>\w+)\b"
)
_DIVIDED = re.compile(r"\bdivid\w+ (?:by|in|into) (?P<much>\w+)")
_HALVED = re.compile(r"\bhalved\b|\b(?:cut|split|reduced) in(?:to)? half\b|\bhalf (?:as many|the number|as much)\b")
_FEWER = re.compile(r"\b(?:fewer|less)\b")

Way = Literal["coming", "going", "state"]


class Part(tuple[int, int]):
    """So many of so many equal parts: half of them is 1 of 2."""

    __slots__ = ()


Quantity = int | Part | Literal["all", "vague"]


def effect_of(event: str, counted: str) -> Effect | None:
    """What an event does to the number of counted things, or None where that is not understood."""
    words = _WORD.findall(event)
    if not words or len(words) > _LONGEST:
        return None
    place = _place(words, counted)
    if place is None and not all(word in _KNOWN or verb_of(word) in VERBS or number_of(word) for word in words):
        return None  # it tells of something else
    return _scaling(event, words) or _coming_or_going(words, place)


def _place(words: list[str], counted: str) -> int | None:
    """Where the event names the counted things, or one of their kind."""
    wanted = _WORD.findall(counted)
    sought = {thing_of(word) for word in wanted if word not in FILLER}
    members = sought.union(*(KINDS.get(thing, frozenset()) for thing in sought))
    for things in (sought, members):
        for place, word in enumerate(words):
            if word not in FILLER and thing_of(word) in things and word not in COLOURS:
                return place
    return None


def _scaling(event: str, words: list[str]) -> Effect | None:
    """A number that is multiplied, divided, or moved by or to another."""
    moved = _MOVED.search(event)
    if moved and not _RELATIVE.search(event):
        if moved["much"] in _PARTS and not moved["up"]:
            part, of = _PARTS[moved["much"]]
            return Effect("part", part if moved["how"] == "to" else of - part, of)
        value = number_of(moved["much"])
        if value is not None:
            if moved["how"] == "to":
                return Effect("set", value)
            return Effect("add" if moved["up"] else "remove", value)
    multiplied = _MULTIPLIED.search(event)
    if multiplied and not _FEWER.search(event):
        value = number_of(multiplied["much"] or multiplied["factor"])
        return Effect("times", value) if value else None
    divided = _DIVIDED.search(event)
    if divided:
        value = 2 if divided["much"] == "half" else number_of(divided["much"])
        return Effect("part", 1, value) if value else None
    factor = next((_TIMES[word] for word in words if word in _TIMES), None)
    if factor:
        return Effect("times", factor)
    return Effect("part", 1, 2) if _HALVED.search(event) else None


def _coming_or_going(words: list[str], place: int | None) -> Effect | None:
    said = frozenset(words)
    way, quantity = _way(words), _quantity(words, place)
    if quantity is None or quantity == "vague":
        return None
    negated = bool(said & _NEGATIONS) or any(word.endswith("n't") for word in words)
    if "instead" in said:  # "3 monitors instead of 1"
        return Effect("set", quantity) if isinstance(quantity, int) and not negated else None
    if said & {"fewer", "less"}:
        return Effect("remove", quantity) if isinstance(quantity, int) and not negated else None
    if said & MORE and way != "going":
        return Effect("add", quantity) if isinstance(quantity, int) and not negated else None
    if negated:
        return _negated(said, way, quantity)
    if _is_what_remains(words, way):
        return _kept(quantity)
    if way == "going":
        return _gone(words, quantity)
    if way == "coming":
        return Effect("add", quantity) if isinstance(quantity, int) else None
    if way == "state":
        return _being(words, quantity)
    return None


def _negated(said: frozenset[str], way: Way | None, quantity: Quantity) -> Effect | None:
    """What is not: no cats are none, a cat that "was not there" is one less; what does not go says nothing."""
    if way == "going":
        return None
    if said & _NONE:
        return None if said & MORE else Effect("set", 0)
    if quantity == "all":
        return Effect("remove_all")
    return Effect("remove", quantity) if isinstance(quantity, int) else None


def _is_what_remains(words: list[str], way: Way | None) -> bool:
    """Whether the event says how many there are after all: "only two were there", "two remained", "two were left"."""
    if words[-1] == "left" and len(words) > 1 and verb_of(words[-2]) == "be":
        return True
    if {"remained", "remain", "stayed"} & set(words):
        return True
    return "only" in words and way == "state"


def _kept(quantity: Quantity) -> Effect | None:
    if isinstance(quantity, Part):
        return Effect("part", *quantity)
    return Effect("keep", quantity) if isinstance(quantity, int) else None


def _gone(words: list[str], quantity: Quantity) -> Effect | None:
    if isinstance(quantity, Part):
        part, of = quantity
        return Effect("part", of - part, of)
    if isinstance(quantity, int):
        return Effect("remove", quantity)
    for place, word in enumerate(words):
        if word in ("but", "except", "save"):  # "all but two left"
            numbers = (number_of(later) for later in words[place + 1 :])
            value = next((number for number in numbers if number is not None), None)
            return Effect("keep", value) if value is not None else None
    return Effect("remove_all")


def _being(words: list[str], quantity: Quantity) -> Effect | None:
    """How many there are, said outright: "there were 5 cats", "half of the cows were eating", "3 cows were laying"."""
    if isinstance(quantity, Part):
        return Effect("part", *quantity)
    if not isinstance(quantity, int) or words[0] in ("the", "this", "that", "it"):
        return None
    return Effect("set" if words[0] == "there" else "at_least", quantity)


def _way(words: list[str]) -> Way | None:
    """Whether things come, go or are in some state, by the first verb that says so."""
    found: Way | None = None
    for place, word in enumerate(words):
        verb = verb_of(word)
        after = words[place + 1] if place + 1 < len(words) else ""
        phrase = f"{verb} {after}"
        if phrase in GOING or (after in ("away", "off", "out") and verb not in COMING):
            return "going"
        if phrase in COMING:
            return "coming"
        if verb == "leave" and place and words[place - 1] in ("be", "is", "was", "were", "are"):
            found = found or "state"  # what "was left" is still there
        elif word in _NO_VERB_WHEN_PLAIN:
            continue
        elif verb in OTHER:
            return None
        elif verb in GOING:
            return "going"
        elif verb in COMING:
            return "coming"
        elif verb in STATE:
            found = found or "state"
    return found


def _quantity(words: list[str], named: int | None) -> Quantity | None:
    """How many counted things the event tells of, or None where nothing says it.

    Where the things are named, the number before their name counts: a man who ate two oranges took two.
    """
    if VAGUE & set(words):
        return "vague"
    if named is None:
        found = _number_in(words)
        return found if found is not None else _by_subject(words)
    begins = max((place + 1 for place in range(named) if _is_verb(words[place])), default=0)
    found = _number_in(words[begins : named + 1])
    return found if found is not None else _by_subject(words[begins:])


def _number_in(words: list[str]) -> Quantity | None:
    for place, word in enumerate(words):
        after = words[place + 1] if place + 1 < len(words) else ""
        if word in _PARTS and (word == "half" or (place and number_of(words[place - 1]) == 1)):
            return Part(_PARTS[word])
        if word in ALL or word == "both":
            return "all"
        if word in _NONE:
            return 0
        value = number_of(word)
        if value is None or (word in ("a", "an") and (number_of(after) is not None or after in _PARTS)):
            continue
        if after in ("hundred", "dozen"):
            return value * (100 if after == "hundred" else 12)
        unit = number_of(after)
        if word[0].isalpha() and unit is not None and value >= 20 and unit < 10:  # "twenty five"
            return value + unit
        return value
    return None


def _is_verb(word: str) -> bool:
    return word not in _NO_VERB_WHEN_PLAIN and verb_of(word) in VERBS and word not in ("half", "times")


def _by_subject(words: list[str]) -> Quantity | None:
    """How many a noun without a number stands for: "the bus" and "it" for one, "the birds" and "they" for all."""
    if not words:
        return None
    if words[0] in ("it", "he", "she", "someone", "somebody"):
        return 1
    if words[0] in ("they", "these", "those"):
        return "all"
    verb = next((place for place, word in enumerate(words) if place and _is_verb(word)), len(words))
    nouns = [word for word in words[:verb] if word not in FILLER and word not in PARTICLES]
    is_one = verb < len(words) and words[verb] in ("was", "is", "has")
    if not is_one and words[0] not in ("the", "this", "that", "his", "her", "their") and not _are(words, verb):
        return None
    return "all" if nouns and is_plural(nouns[-1]) and not is_one else 1


def _are(words: list[str], verb: int) -> bool:
    return verb < len(words) and words[verb] in ("were", "are")
