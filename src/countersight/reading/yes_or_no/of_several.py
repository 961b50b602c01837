"""What a clause says to whether all of several things are so, or any of them."""

import re

from countersight.reading.language.asked import CALLED, Asked, content, first_word
from countersight.reading.language.numerals import less, numerals
from countersight.reading.language.opposites import told_of
from countersight.reading.language.prepositions import is_placed_alike
from countersight.reading.language.stems import stem
from countersight.reading.language.vocabulary import found
from countersight.reading.yes_or_no.negation import without_negation

_ALL_OF_THEM = re.compile(
    r"^\W*(?:(?:they|these|those) (?:are )?)?(?:all|both|every|each)(?: single)?(?: one)?\b(?! but)", re.IGNORECASE
)
_EACH = frozenset(map(stem, ("every", "each", "single")))
_SOME = re.compile(
    r"^\W*(?:(?:some|one|two|three|several|many|a few)(?: of (?:them|the \w+)| \w+)?"
    r"|the (?:left|right|other|first|second) \w+)"
    r" (?:is|are|would(?: still)? be|would (?:stay|remain)) (?P<what>\w+)\W*$",
    re.IGNORECASE,
)
_NOT_ALL = found("yes_no.not_all")
_HARDLY_ALL = found("yes_no.hardly_all")
_THERE_ARE = r"(?:(?:and |but |so |then )?(?:i (?:can )?see|there (?:is|are|would be|will be)) )?"
_NONE_OF_THEM = re.compile(
    rf"^\W*{_THERE_ARE}"
    r"(?:none|neither|nobody|no one|nothing)"
    r"(?: of (?P<whom>them|these|those|the \w+))?"
    r"(?: (?:is|are|was|were|does|do|did|would|will|has|have|can))?(?: be)?\W*$",
    re.IGNORECASE,
)
_NOBODY_AT_ALL = re.compile(r"^\W*(?:nobody|no one|none|neither)\b", re.IGNORECASE)
_ANYBODY = frozenset({stem("person")})
_SOMEBODY = frozenset(map(stem, ("person", "people", "child", "children", "kid", "someone"))).union(*CALLED.values())
_ASKS_OF_A_PLACE = re.compile(
    r"\W*(?:is|are) (?:there )?(?:any|some)(?:one|body)(?: \w+ly| still| currently)? "
    r"(?P<place>(?:on|in|inside|under|behind|at|on top of|in front of|next to) (?:the|an?|his|her|this|that)"
    r" [\w ]+?)\W*$",
    re.IGNORECASE,
)
_IS_SHOWN = re.compile(r"\W*(?:the|this) (?:image|picture|photo\w*|scene) (?:shows|depicts|features)\b", re.IGNORECASE)


def is_none_of_them(clause: str, asked: Asked) -> bool:
    """Whether a clause says that none is so, and nothing else: "none of them are", "I see none"."""
    none = _NONE_OF_THEM.match(clause)
    return none is not None and content(none["whom"] or "") <= asked.words


_NONE_IS = re.compile(
    r"^\W*(?:none|neither|not one|nobody|no one)(?: of (?P<whom>them|the \w+)| (?P<one>\w+))?"
    r" (?:is|are|would be) (?P<what>\w+)\W*$",
    re.IGNORECASE,
)
_SOME_OF = re.compile(
    r"^\W*(?P<some>\w+) of (?:the |its |these |those )?(?P<all>\w+) (?P<what>\w+ (?:is|are) .*)", re.IGNORECASE
)
_ALL_OF_A_NUMBER = re.compile(
    r"(?<=\ball )(?:of )?(?:the |these |those )?(?P<all>\w+) (?=\w+ (?:is|are)\b)", re.IGNORECASE
)
_UP_OR_DOWN = frozenset({"standing", "sitting"})  # of a company, who is not the one is the other
_NOT_SOME = re.compile(
    r"^\W*(?:at least )?(?:one|two|three|some|several|many|a few|someone|somebody)\b(?! of the other)", re.IGNORECASE
)


def _none_is(clause: str, asked: Asked) -> str | None:
    """What "none of them is open" says to whether all are closed."""
    none = _NONE_IS.match(clause)
    if none and {none["what"].lower(), *asked.states} == _UP_OR_DOWN:
        return "yes"
    told = (
        told_of(asked.states, [none["what"].lower()], negated=True)
        if none and content(none["whom"] or none["one"] or "") <= asked.words
        else None
    )
    return None if told is None else "yes" if told else "no"


def _in_numbers(clause: str, asked: Asked) -> str | None:
    """What "nine of the ten are", or "all ten are", says to whether all are."""
    told = numerals(clause)
    some, every = _SOME_OF.match(clause), _ALL_OF_A_NUMBER.search(clause)
    if len(told) == 2 and some and (some["some"], some["all"]) == tuple(clause[n.start : n.end] for n in told):
        fewer = less(told[0].value, told[1].value) and content(some["what"]) <= asked.words
        return "no" if fewer else None
    if len(told) == 1 and every and every["all"] == clause[told[0].start : told[0].end]:
        rest = clause[: every.start()] + clause[every.end() :]
        return "yes" if content(rest) <= asked.words else None
    return None


def of_all(clause: str, asked: Asked, *, negated: bool) -> str | None:
    """What a clause says to whether all are so: yes ("both are"), no ("only one is"), or "open" ("most are")."""
    if told := _none_is(clause, asked) or (None if negated else _in_numbers(clause, asked)):
        return told
    some = _SOME.match(clause)
    if some and told_of(asked.states, [some["what"].lower()], negated=False) is False:
        return "no"  # "some of the apples are green", to whether all are red
    if negated and (some := _NOT_SOME.match(clause)):
        rest = without_negation(clause[some.end() :])
        return "no" if rest <= asked.words and rest & asked.words - {asked.subject} else None
    if _HARDLY_ALL.search(clause):
        return "open"
    if any(re.search(rf"\bonly (?:the )?{state}\b", clause, re.IGNORECASE) for state in asked.states):
        return None  # "only white ones", to whether all are white
    if _NOT_ALL.search(clause):
        return "no"
    return "yes" if _ALL_OF_THEM.match(clause) and not negated and content(clause) - _EACH <= asked.words else None


def of_anyone(clause: str, asked: Asked, *, negated: bool) -> bool | None:
    """Whether a clause says of anybody what was asked; None where it only denies it of some."""
    if not asked.words - _ANYBODY or not asked.words - _ANYBODY <= content(clause):
        return None
    if asked.of_being and first_word(clause) in asked.words:
        return None  # "the car is parked", to whether anyone is in the car
    if asked.of_being and _IS_SHOWN.match(clause) and content(clause).isdisjoint(_SOMEBODY):
        return None  # "the image shows a blue car"
    place = _ASKS_OF_A_PLACE.match(asked.text)
    if place and not negated and not is_placed_alike(place["place"], clause):
        return None  # "a man is carrying the ladder", to whether anyone is on it
    return (False if _NOBODY_AT_ALL.match(clause) else None) if negated else True
