"""Numbers that are multiplied, divided, or moved by or to another: "the number of dogs doubled"."""

import re
from typing import Final

from countersight.composing.asked import HAVING, WORD, Asked
from countersight.composing.effects import Effect
from countersight.composing.likeness import is_certainly_another, may_be_others
from countersight.composing.phrases import is_restricted, kin, read_phrase
from countersight.composing.places import is_all_of_the_place, is_of_the_scene
from countersight.composing.quantities import PARTS
from countersight.composing.vocabulary import COMPANIES, HUNTERS, PERSON, PREPOSITIONS, all_things, number_of, thing_of

_COMPANIES: Final = all_things(COMPANIES)
_FACTORS: Final = {"double": 2, "twice": 2, "triple": 3, "treble": 3, "thrice": 3, "quadruple": 4, "quintuple": 5}
_SCALED: Final = re.compile(
    r"\b(?:double[sd]?|twice|triple[sd]?|treble[sd]?|thrice|quadruple[sd]?|quintuple[sd]?|halve[sd]?|halving|multipl\w+|divid\w+|times"
    r"|(?:grew|shrank|increased|rose|fell|decreased) by"
    r"|(?:half|as|third|quarter) (?:as )?many|(?:in|into) half|number|amount|percentage|the count|total of"
    r"|percent (?:more|fewer|less)|(?:next to|beside|behind|for) (?:each|every)"
    r"|(?:each|every|everyone|everybody) (?:[\w ]+ )?(?:joined|brought|invited|fetched)(?: \w+)*)\b(?!-)"
)
_AS_NOW: Final = re.compile(
    r" (?:as |than )?(?:(?:there are|of what it is|what it is|it is|they are)(?: now)?|(?:as|than) (?:now|before))$"
)
"""What only says that the number is compared with that of the picture."""
_NUMBER: Final = r"(?:the |their |its |this |that )?(?:total |overall )?(?:number|amount|count)(?: of (?P<what>.+?))?"
_GROUP: Final = r"(?P<group>it|the (?!number|amount|count)\w+)"
_WAS: Final = r"(?: (?:was|were|is|are|had been|has been|would be|got|had|has))?"
_MULTIPLE: Final = r"(?P<factor>(?:doubl|tripl|trebl|quadrupl|quintupl|halv)e[sd]?)"
_TIMES: Final = r"(?P<factor>double|twice|triple|thrice|half|a (?:third|quarter)|\w+ times)"
_AS_MANY: Final = r"(?:as many|the (?:number|amount|count)(?: of)?|as much)"
_PUT: Final = r"(?:put|placed|planted|parked|built|laid|set|hung|invited|baked|made|brought|installed)"
_UP: Final = r"(?P<up>increased|rose|grew|went up|raised|risen|grown|brought up)"
_DOWN: Final = r"(?:decreased|reduced|dropped|fell|went down|cut|lowered|shrank|diminished|fallen|brought)(?: down)?"
_PERCENT: Final = r"(?P<much>\w+)(?P<percent> percent)"
_WHAT: Final = r"(?: (?P<what>[\w ]+?))?"
_AT: Final = r"(?P<at> (?:on|in|at|inside|under|around) [\w ]+)?"
_COMING: Final = r"(?:was|were|got) (?:added|placed|put|brought(?: in)?)"
_ALONG: Final = r"(?: along| in| over| with (?:him|her|it|them))?"
_ALL_OF: Final = (
    r"(?:each|every)(?: single| one)?(?: of)? (?P<what>(?:the )?\w+(?: \w+)??)"
    r"(?P<at> (?:on|in|at|inside|under|around) [\w ]+?)?"
)
_EACH: Final = r"(?P<each>\w+)(?: more| other| new| extra| additional)?(?: (?P<new>[\w ]+?))?"
_WHOLE: Final = tuple(
    re.compile(pattern)
    for pattern in (
        # The number doubled.
        rf"{_NUMBER}{_WAS} {_MULTIPLE}",
        # The dogs were doubled.
        rf"(?P<what>(?:the |all )?[\w ]+?){_WAS} {_MULTIPLE}(?: in number)?",
        # We doubled the number of dogs, you doubled them.
        rf"[\w ]+? {_MULTIPLE} (?:the (?:number|amount|count) of )?(?P<what>[\w ]+)",
        # There were twice as many dogs.
        rf"(?P<who>[\w ]+?) (?:were|was|are|is|had|has|held)(?: only)? {_TIMES} {_AS_MANY}(?: (?P<what>[\w ]+?))?"
        r"(?: as (?:now|before|there are))?",
        # The number was twice as high.
        rf"{_NUMBER} (?:was|were|became|had been) {_TIMES}(?: as (?:high|large|great|big))?",
        rf"{_NUMBER}{_WAS} (?:{_UP}) (?P<fold>\w+)fold",
        # Half as many were there, three times as many had been planted.
        rf"(?:only )?{_TIMES} as many{_WHAT} (?:were(?: there| present)?|had been {_PUT}(?: there)?){_AT}",
        # There were 50 percent more dogs, 50 percent more were added; as many again came.
        rf"(?P<who>[\w ]+?) (?:were|was|are|is|had|has) {_PERCENT} (?P<sign>more|fewer|less){_WHAT}",
        rf"{_PERCENT} (?P<sign>more){_WHAT} {_COMING}{_AT}",
        rf"(?:just )?as many{_WHAT}(?: more)? (?P<again>again) (?:{_COMING}|came|arrived|joined){_AT}",
        rf"the same number of (?P<what>[\w ]+?) (?:{_COMING}|came|arrived|joined) (?P<again>again)",
        # The pack grew by five.
        rf"{_GROUP} (?:{_UP}|{_DOWN}) (?P<how>by) (?P<much>\w+)(?P<percent> percent)?(?: (?P<what>\w+))?",
        # The number was multiplied by 3.
        rf"{_NUMBER}{_WAS} (?P<way>multiplied|divided|increased|reduced|decreased) by a factor of (?P<much>\w+)",
        rf"{_NUMBER}{_WAS} (?P<way>multiplied|divided) (?:by|in|into) (?P<much>\w+)",
        # The number was cut in half.
        rf"{_NUMBER}{_WAS} (?:cut|split|reduced|divided) in(?:to)? (?P<factor>half)",
        # The number went from 3 to 5.
        rf"{_NUMBER}{_WAS} (?:went|changed|{_UP}|{_DOWN}) from \w+ to (?P<value>\w+)",
        # The number rose by 3, fell to 2, was reduced by a third.
        rf"{_NUMBER}{_WAS} (?:{_UP}|{_DOWN}) (?P<how>by|to) (?:a |one )?(?P<much>\w+)(?P<percent> percent)?",
        # Every dog was joined by two more, brought two more along; another dog was put next to each dog.
        rf"{_ALL_OF} (?:was|were|got) joined(?: there)? by {_EACH}(?: there)?",
        rf"{_ALL_OF} (?:brought|invited|fetched)(?: along)? {_EACH}{_ALONG}(?: to \w+)?",
        rf"(?:everyone|everybody)(?: there)? (?:brought|invited)(?: along)? {_EACH}{_ALONG}",
        rf"{_EACH} {_COMING} (?:next to|beside|behind|for) (?:each|every) (?P<what>[\w ]+)",
        rf"for (?:each|every) (?P<what>\w+(?: \w+)??) {_EACH} {_COMING}",
        # The number stayed the same.
        rf"{_NUMBER} (?:stayed|remained|was|were|kept) (?P<same>the same|unchanged)",
        # We hung up as many lamps again in the hall.
        rf"(?:i|you|we|they|he|she|someone) (?:hung up|put up|set out|brought in) as many{_WHAT} (?P<again>again){_AT}",
        # You added as many dogs as there are.
        rf"[\w ]+ added as many{_WHAT} (?P<again>as there are(?: already| now)?)",
        # The number was 5, or changed to 5; there were a total of 5.
        rf"{_NUMBER} (?:was|were|became|(?:was |were )?(?:changed|set) to) (?P<value>\w+)",
        r"there (?:was|were) a total of (?P<value>\w+)(?: (?P<what>[\w ]+))?",
    )
)


_THEY: Final = frozenset(
    {
        "",
        "them",
        "they",
        "these",
        "those",
        "one",
        "others",
        "more",
        "of them",
        "of these",
        "that number",
        "this number",
        "their number",
    }
)


def is_scaled(event: str) -> bool:
    """Whether an event speaks of the number itself."""
    return _SCALED.search(event) is not None


def scaling_of(event: str, asked: Asked) -> Effect | None:
    """What happens to the number, or None where that is not understood."""
    text = _AS_NOW.sub("", event)
    for pattern in _WHOLE:
        found = pattern.fullmatch(text) or pattern.fullmatch(event)
        if found is not None and (effect := _effect(found.groupdict())) is not None:
            return _of_theirs(found.groupdict(), effect, asked)
    return None


def _of_theirs(found: dict[str, str | None], effect: Effect, asked: Asked) -> Effect | None:
    """The change, if it is told of the counted things, of all of them, and where they are counted."""
    each = bool(found.get("each"))  # "the number of the house" is no number of houses
    is_of_all = _is_of(found.get("what"), asked, one=each)
    grows = _is_the_group(found.get("group"), asked)
    if not (is_of_all and grows and _has_them(found.get("who"), asked)):
        return None
    if not is_all_of_the_place(tuple((found.get("at") or "").split()), asked):
        return None
    return _of_each(found.get("new"), effect, asked) if each else effect


def _of_each(new: str | None, effect: Effect, asked: Asked) -> Effect | None:
    """What comes with each of them: as many more of the same, or others, which leave them as many as they are."""
    if asked.place & HAVING:  # who joins those with hats need not have one
        return None
    phrase = read_phrase(WORD.findall(new), asked) if new else None
    if phrase is not None and is_certainly_another(phrase, asked) and (phrase.head or "") not in HUNTERS:
        return Effect("add", 0)
    is_one_more = (
        asked.head == PERSON and phrase is not None and kin(phrase, asked) == "member" and not phrase.modifiers
    )
    return effect if is_one_more or _is_of(new, asked, one=True) else None


def _has_them(who: str | None, asked: Asked) -> bool:
    """Whether what has twice as many is where they are counted: there, it, the zoo, but not the neighbour."""
    if who is None or who in ("it", "we", "you", "i"):
        return True
    return is_of_the_scene(tuple(who.split()), asked)


def _is_the_group(group: str | None, asked: Asked) -> bool:
    """Whether what grows by so many is made of those who are counted: the pack, but not the tree."""
    named = asked.place if group in (None, "it") else asked.place & {thing_of(group.removeprefix("the "))}
    return group is None or bool(named & _COMPANIES)


def _is_of(what: str | None, asked: Asked, *, one: bool) -> bool:
    """Whether the number is that of the counted things, all of them, or of each `one` of them."""
    if what is None or what.strip() in _THEY:
        return True
    words = WORD.findall(what.removeprefix("of "))
    if words[0] in PREPOSITIONS:  # "twice as many | on the door"
        return is_all_of_the_place(tuple(words), asked)
    phrase = read_phrase(words, asked)
    if phrase is None or phrase.head is None or (phrase.is_one and not one):
        return False
    if not is_all_of_the_place(tuple(words[phrase.end :]), asked):
        return False
    return not may_be_others(phrase, asked) and kin(phrase, asked) == "same" and not is_restricted(phrase, asked)


def _effect(found: dict[str, str | None]) -> Effect | None:
    factor, value, much = found.get("factor"), found.get("value"), found.get("much")
    if found.get("same"):
        return Effect("add", 0)
    if found.get("again"):
        return Effect("times", 2)
    if fold := found.get("fold"):
        number = number_of(fold)
        return Effect("times", number) if number else None
    if factor is not None:
        return _by_factor(factor)
    if each := found.get("each"):
        number = number_of(each)
        return Effect("times", 1 + number) if number else None
    if value is not None:
        number = number_of(value)
        return None if number is None else Effect("set", number)
    return None if much is None else _moved(found, much)


def _by_factor(factor: str) -> Effect | None:
    if factor.startswith("hal"):
        return Effect("part", 1, 2)
    if factor.startswith("a "):
        return Effect("part", *PARTS[factor.removeprefix("a ")])
    times = _FACTORS.get(factor.rstrip("sd")) or _FACTORS.get(factor) or number_of(factor.removesuffix(" times"))
    return Effect("times", times) if times else None


def _moved(found: dict[str, str | None], much: str) -> Effect | None:
    way, number = found.get("way"), number_of(much)
    if way is not None:
        if not number:
            return None
        return Effect("times", number) if way in ("multiplied", "increased") else Effect("part", 1, number)
    up, to = found.get("up") is not None or found.get("sign") == "more", found.get("how") == "to"
    if much in PARTS:
        return _by_a_part(*PARTS[much], up=up, to=to)
    if number is None:
        return None
    if found.get("percent"):
        return _by_a_part(number, 100, up=up, to=to)
    return Effect("set", number) if to else Effect("add" if up else "remove", number)


def _by_a_part(part: int, of: int, *, up: bool, to: bool) -> Effect | None:
    """A number that rose by a half, fell by 20 percent or to 20 percent of itself."""
    if part <= 0 or (to and up) or (part >= of and not up):
        return None
    return Effect("part", part if to else of + part if up else of - part, of)
