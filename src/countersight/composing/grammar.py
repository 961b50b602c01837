"""Reads one event of a supposition: who, how many of them, and whether they come or go."""

import re
from itertools import pairwise
from typing import Final, Literal

from countersight.composing.effects import Effect
from countersight.composing.vocabulary import (
    ALL,
    COLOURS,
    COMING,
    FILLER,
    GOING,
    KINDS,
    MORE,
    NO_VERB_WHEN_PLAIN,
    OTHER,
    PARTICLES,
    PLACES,
    STATE,
    VAGUE,
    VERBS,
    is_plural,
    is_verb,
    number_of,
    thing_of,
    verb_of,
)

_WORD = re.compile(r"[a-z]+(?:'[a-z]+)?|\d+")
_PER_CENT = re.compile(r"\s*(?:%|\bper cent\b)")
_LONGEST = 40  # words; nobody tells one event in more
_TIMES: Final = {
    **{"doubled": 2, "double": 2, "twice": 2, "tripled": 3, "triple": 3, "trebled": 3, "thrice": 3},
    **{"quadrupled": 4, "quadruple": 4, "quintupled": 5},
}
_PARTS: Final = {"half": (1, 2), "third": (1, 3), "quarter": (1, 4), "fourth": (1, 4), "fifth": (1, 5)}
_NONE: Final = frozenset({"no", "none", "nobody", "neither"})
_AFTER_A_NUMBER: Final = PARTICLES | {"", "to", "from", "of", "for"}
_DETERMINERS: Final = frozenset({"the", "a", "an", "his", "her", "their", "its", "my", "your"})
_NEGATIONS: Final = _NONE | {"not", "never", "without", "cannot"}
_KNOWN: Final = FILLER | PLACES | ALL | PARTICLES | VERBS | _PARTS.keys() | {f"{part}s" for part in _PARTS}
_MOVED = re.compile(
    r"\b(?:(?P<up>increas\w*|rose|rise\w*|went up|gr[eo]w\w*)"
    r"|(?:decreas|reduc|dropp|fell|went down|cut|lower|shrank|diminish)\w*)"
    r"(?:\s+\w+)?\s+(?P<how>by|to)\s+(?:a\s+)?(?P<much>\w+)"
)
_FROM_TO = re.compile(r"\bfrom (?P<before>\w+) to (?P<after>\w+)\b")
_RELATIVE = re.compile(r"%|per ?cent|times|factor|fold")
_MULTIPLIED = re.compile(
    r"\b(?P<much>\w+)[ -]?(?:times|fold)\b|\b(?:multipl\w+|increased) by (?:a factor of )?(?P<factor>\w+)\b"
)
_DIVIDED = re.compile(r"\bdivid\w+ (?:by|in|into) (?P<much>\w+)")
_HALVED = re.compile(r"\bhalved\b|\b(?:cut|split|reduced) in(?:to)? half\b|\bhalf (?:as many|the number|as much)\b")
_INSTEAD = re.compile(
    r"\binstead of (?:(?:a|an|the|just|only) )?(?:\w+)(?: (?!there|it|we|they)\w+)?,?\s*(?=\S)|"
    r"\binstead of .*$"
)
_UNCLEAR = re.compile(
    r"\w+ each\b|\beach \w+ (?:had|has|brought|got)\b"  # how many these are together is not worked out
    r"|\bleft \w+ .*\bbehind\b"  # gone, or still there?
    r"|\bran out of (?!the |sight|view)"  # pens without ink are pens
    r"|^(?!.*\b(?:number|amount|count)\b).*\b(?:cut|split|sliced) in(?:to)? (?:half|two|halves)\b"
)
_FEWER = re.compile(r"\b(?:fewer|less)\b")

Way = Literal["coming", "going", "state"]


class Part(tuple[int, int]):
    """So many of so many equal parts: half of them is 1 of 2."""

    __slots__ = ()


Quantity = int | Part | Literal["all", "vague"]


def effect_of(event: str, counted: str) -> Effect | None:
    """What an event does to the number of counted things, or None where that is not understood."""
    words = _WORD.findall(_PER_CENT.sub(" percent", _INSTEAD.sub("instead ", event)))
    if not words or len(words) > _LONGEST or _UNCLEAR.search(event):
        return None
    place = _place(words, counted)
    if place is None and not _tells_of_nothing_else(words):
        return None
    return _scaling(event, words) or _replaced(words, place) or _coming_or_going(words, place, counted)


def tells_of(event: str, counted: str) -> bool:
    """Whether an event names the counted things, or one of their kind."""
    return _place(_WORD.findall(event), counted) is not None


def _tells_of_nothing_else(words: list[str]) -> bool:
    """Whether an event that names nothing counted may be about it: "two were sold", "he took one"."""
    if all(word in _KNOWN or verb_of(word) in VERBS or number_of(word) for word in words):
        return True
    subject = [word for word in words if word not in ("of", "them", "more")][:2]
    if len(subject) == 2 and number_of(subject[0]) is not None and is_verb(subject[1]):
        return True
    return any(
        word not in ("a", "an") and number_of(word) is not None and _takes(words[:place]) and after in _AFTER_A_NUMBER
        for place, (word, after) in enumerate(zip(words, [*words[1:], ""], strict=True))
    )


def _takes(words: list[str]) -> bool:
    """Whether an event goes so far as its verb: what comes next is what was taken, or brought."""
    said = [word for word in words if word not in PARTICLES]
    return bool(said) and is_verb(said[-1])


def _replaced(words: list[str], place: int | None) -> Effect | None:
    """What comes in the place of something else: "a plate was replaced by two bowls"."""
    verb = next((at for at, word in enumerate(words) if verb_of(word) == "replace"), None)
    if verb is None or place is None or not {"by", "with"} & set(words[verb:place]):
        return None
    quantity = _number_in(words[verb : place + 1])
    return Effect("add", quantity) if isinstance(quantity, int) else None


def _place(words: list[str], counted: str) -> int | None:
    """Where the event names the counted things, or one of their kind."""
    wanted = _WORD.findall(counted)
    sought = {thing_of(word) for word in wanted if word not in FILLER}
    head = thing_of(wanted[-1]) if wanted else ""  # an orange may be counted, and is then no colour
    members = sought.union(*(KINDS.get(thing, frozenset()) for thing in sought))
    for things in (sought, members):
        for place, word in enumerate(words):
            if word not in FILLER and thing_of(word) in things and (word not in COLOURS or thing_of(word) == head):
                return place
    return None


def _scaling(event: str, words: list[str]) -> Effect | None:
    """A number that is multiplied, divided, or moved by or to another."""
    turned = _FROM_TO.search(event)
    if turned and number_of(turned["before"]) is not None and (value := number_of(turned["after"])) is not None:
        return Effect("set", value)
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


def _coming_or_going(words: list[str], place: int | None, counted: str) -> Effect | None:
    said = frozenset(words)
    way, quantity = _way(words, place, counted), _quantity(words, place)
    if way in ("coming", "going") and "and" in said:  # "two left and came back" says nothing in the end
        then = _way(words[words.index("and") + 1 :], None, counted)
        if then in ("coming", "going") and then != way:
            return None
    negated = bool(said & _NEGATIONS) or any(word.endswith("n't") for word in words)
    if negated and "any" in said and way in (None, "state"):  # "there weren't any"
        return None if said & MORE else Effect("set", 0)
    if quantity is None or quantity == "vague":
        return None
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
    if isinstance(quantity, int) and words[:2] == ["it", "had"]:
        return Effect("set", quantity)
    if not isinstance(quantity, int) or words[0] in ("the", "this", "that", "it"):
        return None
    return Effect("set" if words[0] == "there" else "at_least", quantity)


def _way(words: list[str], named: int | None, counted: str) -> Way | None:
    """Whether things come, go or are in some state, by the first verb that says so."""
    found: Way | None = None
    for place, word in enumerate(words):
        if place == named or (place and words[place - 1] in _DETERMINERS):
            continue  # a sink is counted here, the cook is a person, and the parked cars did not park just now
        if named is not None and place == named - 1 and word in counted.split():
            continue
        verb = verb_of(word)
        after = _particle(words[place + 1 :])
        phrase = f"{verb} {after}"
        if verb == "get" and is_verb(after):  # "got eaten"
            continue
        if verb == "stop" and after.endswith("ing"):
            return "going"
        if phrase in GOING:
            return "going"
        if after in ("away", "off", "out") and verb not in COMING and phrase not in OTHER:
            return None if any(verb_of(later) in COMING for later in words[place + 2 :]) else "going"
        if phrase in COMING or (words[place + 1 :] == ["in"] and verb != "be"):
            return "coming"  # "three beds were wheeled in"
        if verb == "leave" and place and words[place - 1] in ("be", "is", "was", "were", "are"):
            found = found or "state"  # what "was left" is still there
        elif word in NO_VERB_WHEN_PLAIN:
            continue
        elif verb in OTHER or phrase in OTHER:
            return None
        elif verb in GOING:
            return "going"
        elif verb in COMING:
            return "coming"
        elif verb in STATE:
            found = found or "state"
    return found


def _particle(words: list[str]) -> str:
    """The particle of a verb, from what follows it: at once, or behind its object as in "gave two plates away"."""
    if words and (words[0] in PARTICLES or words[0] == "into"):
        return "in" if words[0] == "into" else words[0]
    verb = next((place for place, word in enumerate(words) if is_verb(word)), len(words))
    ends = [word for word in words[1:verb] if word in ("away", "back", "to")]
    if not ends and len(words) > 1 and verb == len(words) and words[-1] in ("up", "off", "out"):
        ends = words[-1:]
    return ends[0] if ends else words[0] if words else ""


def _quantity(words: list[str], named: int | None) -> Quantity | None:
    """How many counted things the event tells of, or None where nothing says it.

    Where the things are named, the number before their name counts: a man who ate two oranges took two.
    """
    if VAGUE & set(words) or ("a", "lot") in pairwise(words):
        return "vague"
    if named is None:
        found = _number_in(words)
        return found if found is not None else _by_subject(words)
    begins = max((place + 1 for place in range(named) if words[place] == "with" or _is_said(words, place)), default=0)
    found = _number_in(words[begins : named + 1])
    return found if found is not None else _by_subject(words[begins:])


def _is_said(words: list[str], place: int) -> bool:
    """Whether a verb is what happens, and not how things are: "two of the parked cars" left, "parked" says which."""
    before = words[place - 1] if place else ""
    return is_verb(words[place]) and before not in _DETERMINERS | {"these", "those"}


def _number_in(words: list[str]) -> Quantity | None:
    for place, word in enumerate(words):
        after = words[place + 1] if place + 1 < len(words) else ""
        if word == "half" and words[place + 1 : place + 3] == ["a", "dozen"]:
            return 6
        if word in _PARTS and (word == "half" or (place and number_of(words[place - 1]) == 1)):
            return Part(_PARTS[word]) if word == "half" or after in ("", "of") or is_verb(after) else 1  # a third truck
        if after.removesuffix("s") in _PARTS and after.endswith("s") and (parts := number_of(word)):
            of = _PARTS[after.removesuffix("s")][1]
            return Part((parts, of)) if parts < of else None
        if word in ALL or word == "both":
            return "all"
        if word in _NONE:
            return 0
        value = number_of(word)
        if value is not None and after == "percent":
            return Part((value, 100)) if value < 100 else "all" if value == 100 else None
        if value is None or (word in ("a", "an") and number_of(after) is not None):
            continue
        if value == 1 and after in _PARTS:  # "a third", "one-third"
            continue
        if after == "pairs" and place + 2 < len(words):  # "two pairs of shoes", where shoes are counted
            return 2 * value
        if after in ("hundred", "dozen"):
            return value * (100 if after == "hundred" else 12)
        unit = number_of(after)
        if word[0].isalpha() and unit is not None and value >= 20 and unit < 10:  # "twenty five"
            return value + unit
        return value
    return None


def _by_subject(words: list[str]) -> Quantity | None:
    """How many a noun without a number stands for: "the bus" and "it" for one, "the birds" and "they" for all."""
    if not words:
        return None
    if words[0] in ("it", "he", "she", "someone", "somebody"):
        return 1
    if words[0] in ("they", "these", "those"):
        return "all"
    verb = next((place for place, word in enumerate(words) if place and is_verb(word)), len(words))
    nouns = [word for word in words[:verb] if word not in FILLER and word not in PARTICLES]
    is_one = verb < len(words) and words[verb] in ("was", "is", "has")
    if not is_one and words[0] not in ("the", "this", "that", "his", "her", "their") and not _are(words, verb):
        return None
    return "all" if nouns and is_plural(nouns[-1]) and not is_one else 1


def _are(words: list[str], verb: int) -> bool:
    return verb < len(words) and words[verb] in ("were", "are")
