"""Plain sentences that answer an open question in its own words: "the person driving is a boy", "it says Open"."""

import re
from collections.abc import Iterator
from typing import Final

from countersight.reading.language.clauses import MODAL, asks_of_now, clauses, contrasted, sentences
from countersight.reading.language.stems import stem
from countersight.reading.language.vocabulary import any_of
from countersight.reading.open.new_words import RATHER_THAN
from countersight.reading.open.parts import (
    ASKS_WHO,
    ASKS_WHO_OR_WHAT,
    COLOUR_ASKED,
    DETERMINER,
    GENERAL,
    WORD,
    stems_of,
    verb_asked,
)

_PREPOSITION = any_of("open.places", "questions.prepositions")
_IS = (
    r"(?: (?:is|are|was|were)|'s|'re| must be| would be| (?:seems|appears|looks)(?: to be)?)"
    r"(?: (?:\w+ly|most likely|now|still|just|right))*"
)
_ASKS_WHAT_IT_SAYS = re.compile(r"\W*what (?:does|do) .*\b(?:say|read)\W*$|\W*what is written\b", re.IGNORECASE)
_QUOTED = re.compile(r"\"([^\"\n]{1,60})\"|(?<!\w)'([^'\n]{1,60})'(?!\w)")
_SAYS = re.compile(r"(?:says|reads):? ((?:[A-Z0-9][\w'&-]*)(?: (?:[A-Z0-9][\w'&-]*))*)(?=\W*$|, and )")
_NEGATED = re.compile(r"\b(?:not|no longer|never)\b|n't\b", re.IGNORECASE)
_ASKS_WHERE_IT_IS = re.compile(r"\W*where (?:is|are|was|were)\b(?!.*\b\w{3,}ing\b)", re.IGNORECASE)
_COLOUR = rf"{any_of('open.colours')}(?:(?:,? and |, |[- ]){any_of('open.colours')})*"
_HAS_COLOUR = re.compile(
    rf"(?P<what>[\w' -]+?){_IS}(?: (?:painted|all|mostly|colou?red))* (?P<said>{_COLOUR})"
    rf"(?: (?:right )?now| at the moment| at present| in the (?:picture|image|photo))?\W*$",
    re.IGNORECASE,
)
_HAS_PLACE = re.compile(
    rf"(?:(?:i|you|we|one) can see (?P<seen>[\w' -]+?)|(?P<what>[\w' -]+?)(?:{_IS}| can be))"
    rf"(?: {any_of('open.staying')})? (?P<said>{_PREPOSITION} [^,;]+?)\W*$",
    re.IGNORECASE,
)
_PLACE_FIRST = re.compile(
    rf"(?P<said>{_PREPOSITION} [^,;]+?) is where (?P<what>[\w' -]+?) (?:is|are)\W*$", re.IGNORECASE
)
# "Behind the counter stands a tall woman."
_INVERTED = re.compile(
    rf"(?P<what>{_PREPOSITION} [^,;]+?),? (?:stands?|sits?|lies?|hangs?|there is|is)"
    rf" (?P<said>{DETERMINER} [^,;]+?)\W*$",
    re.IGNORECASE,
)
# "Directly behind the ambulance, a fire engine is waiting."
_PLACE_LEADS = re.compile(
    rf"(?:(?:directly|right|just|immediately) )?(?P<what>{_PREPOSITION} [^,;]+?), (?P<said>{DETERMINER} [^,;]+?)"
    rf"(?: (?:is|are)(?: \w+ing)?| \w+[^\Ws]s)\W*$",
    re.IGNORECASE,
)
# "The basket is full of aubergines.", "the bowl has cherries in it"
_HOLDS = re.compile(
    rf"(?P<what>(?:the|this|that) [\w' -]+?) {any_of('open.holding')} (?P<said>[\w' -]+?)"
    r"(?: in it| inside(?: it)?)?\W*$",
    re.IGNORECASE,
)
_ASKS_WHAT_IS_IN_IT = re.compile(
    r"\W*(?:what|which)(?: \w+)? (?:is|are)(?: \w+ing)? (?:in|inside) [^,?]+\W*$", re.IGNORECASE
)
_WHO_IS = re.compile(rf"(?P<what>[\w' -]+?){_IS} (?P<said>{DETERMINER} (?!same\b|one\b)[^,;]+?)\W*$", re.IGNORECASE)
# Of a thing only the name: what stands beside it, or what it is with, may be no part of the answer.
_WHAT_IS = re.compile(
    rf"(?P<what>[\w' -]+?){_IS} (?P<said>{DETERMINER} (?!same\b|one\b)[\w-]+(?: [\w-]+)?)\W*$", re.IGNORECASE
)
# "The woman in the green jacket."; "the man drives to work" has a verb where the name ends.
_NAME: Final = rf"(?P<said>(?:the|an?) (?:[\w-]+ ){{0,2}}?[\w-]*[^\Ws] (?:{_PREPOSITION}|with|wearing|holding) [^,;]+?)"
_IS_NAMED = re.compile(rf"{_NAME}\W*$", re.IGNORECASE)
_HAS_IT = re.compile(
    rf"(?:{_NAME}|(?P<plainly>(?:the|an?) (?:\w+ )?\w+)) (?:has|have) (?P<what>[\w' -]+?)\W*$", re.IGNORECASE
)
_ASKS_WHO_HAS = re.compile(r"\W*who (?:is|has|was) (?:holding|carrying|got|the)\b", re.IGNORECASE)
# "…, so it is a headscarf.", "…: it's a shoe.", "…, so most are black.", "…, so pink."
_SO_IT_IS = re.compile(
    rf"(?:[,;] so|, which means|[:;]) (?:that )?(?:(?:it|this|that|they|most(?: of them)?){_IS} |(?={_COLOUR}\W*$))"
    rf"(?P<said>(?:(?:{DETERMINER} )?[\w-]+(?: [\w-]+)?))\W*$",
    re.IGNORECASE,
)
_ONLY_COLOUR = re.compile(_COLOUR, re.IGNORECASE)
_VERB = re.compile(
    rf"\b(?:is|are|was|were|has|have|had|does|do|did|can)\b|'re\b|{MODAL}|\w[^\Ws]s {DETERMINER}", re.IGNORECASE
)
_OPEN = re.compile(r"\b(?:or|if|unless)\b", re.IGNORECASE)
_WAS = re.compile(r"\b(?:was|were)\b", re.IGNORECASE)
_BEFORE = re.compile(rf" (?:{_PREPOSITION}|with|wearing|holding) ", re.IGNORECASE)
_ASKS_WHICH = re.compile(r"\W*(?:which|what) \w+(?: \w+){0,3} (?:is|are|was|were)\b", re.IGNORECASE)
_POINTING: Final = frozenset({"it", "this", "that", "they", "these", "those", "he", "she"})


def told_outright(said: str, question: str) -> str | None:
    """What the sentences of a reply say in just the words that the question asks with; None where two say otherwise."""
    if not asks_of_now(question):
        return None
    told = {answer.casefold(): answer for answer in _told(said, question)}
    return next(iter(told.values())) if len(told) == 1 else None


def concluded_outright(said: str, question: str) -> str | None:
    """What the last sentence concludes that it is, or that most are: "it is tied at the back, so it's a scarf"."""
    last = (sentences(said) or [""])[-1]
    found = _SO_IT_IS.search(last)
    if found is None or _NEGATED.search(found.group()) or _OPEN.search(last):
        return None
    if COLOUR_ASKED.search(question) and not _ONLY_COLOUR.fullmatch(found["said"]):
        return None
    return None if stems_of(found["said"]) & stems_of(question) else found["said"]


def _told(said: str, question: str) -> Iterator[str]:
    parts = [RATHER_THAN.sub("", part) for piece in sentences(said) for part in contrasted(piece)]
    pieces = [clause.strip(" ,").removeprefix("but ") for part in parts for clause in clauses(part)]
    if _ASKS_WHAT_IT_SAYS.match(question):
        quoted = {one or other for one, other in _QUOTED.findall(said)}
        shown = quoted or {found[1] for piece in sentences(said) if (found := _SAYS.search(piece))}
        yield from (each.strip(" .,") for each in shown if not _NEGATED.search(said.replace(each, "")))
        return
    frames = _frames(question)
    for piece in dict.fromkeys((*parts, *pieces)):
        for frame in frames:
            found = frame.match(piece)
            if found and _is_of_the_asked(found, question) and not _NEGATED.search(piece):
                yield found["said"] or found["plainly"]
                break


def _frames(question: str) -> tuple[re.Pattern[str], ...]:
    if COLOUR_ASKED.search(question):
        return (_HAS_COLOUR,)
    if _ASKS_WHERE_IT_IS.match(question):
        return _PLACE_FIRST, _HAS_PLACE
    if _ASKS_WHAT_IS_IN_IT.match(question):
        return _HOLDS, _INVERTED, _WHAT_IS
    if not ASKS_WHO_OR_WHAT.match(question) and not _ASKS_WHICH.match(question):
        return ()
    if not ASKS_WHO.match(question):
        return _PLACE_LEADS, _INVERTED, _WHAT_IS
    has = (_HAS_IT,) if _ASKS_WHO_HAS.match(question) else ()
    return _INVERTED, _WHO_IS, *has, _IS_NAMED


def _is_of_the_asked(found: re.Match[str], question: str) -> bool:
    """Whether the rest of a sentence has no words but the question's; "the driver", to who is driving, is one."""
    groups = found.groupdict()
    what, asked = groups.get("seen") or groups.get("what") or "", stems_of(question)
    if _OPEN.search(found.group()) or (_WAS.search(found.group()) and not _WAS.search(question)):
        return False
    if found.re is _IS_NAMED:
        return not _VERB.search(found["said"]) and not stems_of(_BEFORE.split(found["said"])[0]) & asked
    if what.lower() in _POINTING:
        return found.re is not _WHAT_IS
    named, does = stems_of(what), verb_asked(question)
    if found.re in (_WHO_IS, _WHAT_IS):  # "the table is a mess" says nothing of what is on it
        stands_for_it = (stem(does["verb"].lower()),) if does else tuple(GENERAL)
        if not any(word.startswith(stands_for_it) for word in WORD.findall(what.lower())):
            return False
    others = [word for word in named - asked - GENERAL - {"man", "woman"} if not word.startswith(tuple(asked))]
    return bool(named) and not others and not _VERB.search(found["said"] or "")
