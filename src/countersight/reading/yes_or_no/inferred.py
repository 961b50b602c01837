"""What a clause tells without the question's words: where a man is sitting on the bench, it is not empty."""

import re

from countersight.reading.language.asked import CALLED, Asked, content, is_person
from countersight.reading.language.numerals import less, numerals
from countersight.reading.language.stems import stem
from countersight.reading.language.vocabulary import found, words
from countersight.reading.yes_or_no.negation import NEGATED
from countersight.reading.yes_or_no.presence import EMPTINESS

_NOT_DOING = re.compile(
    r"\b(?:is|are)(?: (?:currently|now))?(?:n't| not) (?:\w+ly )?(?!being\b)\w+ing\b", re.IGNORECASE
)
_ASKS_IF_IT_CAN = re.compile(
    r"^\W*(?:can|could)\b|\b(?:possible|able to)\b|\bthe case that [\w ]+ to \w", re.IGNORECASE
)
_NOT_SO_SOON = found("yes_no.not_so_soon")
_ONLY = re.compile(r"\W*(?:only|just) ", re.IGNORECASE)
_HAS_ONLY = re.compile(r"(?:\b(?:is|are|has|have)|'s) (?:only|just) |\bonly\W*$", re.IGNORECASE)
_JUST = frozenset({stem("only"), stem("just")})
_SEEN_FROM = re.compile(
    r"\b(?:visible|seen|hidden)\b.* from (?:the |his |her |its |their |an? )?(?P<where>\w+(?: \w+)?)", re.IGNORECASE
)
_SOME = r"(?:an?|one|two|three|four|five|six|\d+|some|several|a few|a couple of|his|her|another)"
_THERE_IS_SOME = rf"^\W*(?:there(?:'s| is| are) )?(?:still )?(?:{_SOME} |(?=some(?:one|body)\b))"
_IS_DOING = r"(?P<who>[a-z]+(?: [a-z]+)?)(?: is| are)?(?: still)?(?: [a-z]+ing)?"
_TAKEN = re.compile(rf"{_THERE_IS_SOME}{_IS_DOING} (?:in|inside|on) (?P<what>it|the [a-z ]+)\W*$", re.IGNORECASE)
_ASKS_FOR_A_FREE_ONE = re.compile(
    r"^\W*(?:is|are) there (?:still )?(?:any |an? |some )?(?:free|empty|vacant|available|unoccupied) (?P<what>[a-z ]+)",
    re.IGNORECASE,
)
_ALL_TAKEN = re.compile(
    r"^\W*(?:all|every|each)(?: single)?(?: of)?(?: the)? (?P<what>[a-z]+) (?:is|are) (?:already )?"
    r"(?:taken|occupied|in use)\W*$",
    re.IGNORECASE,
)
_ALONE = re.compile(r"^\W*(?:is|are) .*\balone\b", re.IGNORECASE)
_HAS_SOMEBODY = rf"^\W*(?P<it>he|she|it|the [a-z ]+) (?:is|are) (?:[a-z]+ing )?with {_SOME} (?P<friend>[a-z]+)\W*$"
_BESIDE = re.compile(
    rf"^\W*{_SOME} {_IS_DOING} (?:next to|beside|with) (?P<what>him|her|them|the [a-z ]+)\W*$|{_HAS_SOMEBODY}",
    re.IGNORECASE,
)
_PEOPLE = frozenset(map(stem, words("questions.some_people") | {"people", "men", "women", "children", "kids"}))
_SOMEBODY = _PEOPLE.union(*CALLED.values())
_ASKS_IF_ALONE = re.compile(r"\balone\b|\bby (?:him|her|it)self\b|\bon (?:his|her|its) own\b", re.IGNORECASE)
_LEFT_ALONE = (
    r"(?:the only (?:one|person|human|individual)(?: (?:left|there|around|here|remaining|present))?"
    r"|by (?:him|her|it)self|on (?:his|her|its) own|alone)"
)
_IS_ALONE = re.compile(
    r"^\W*(?:then |so )?(?P<who>he|she|it|they|the \w+)(?:'s|'d| is| are| would| will)(?: then| still)?"
    rf"(?P<not>n't| not| no longer)?(?: be)?(?: left)?(?: all)? {_LEFT_ALONE}\W*$",
    re.IGNORECASE,
)
_IS_LEFT = r"(?: (?:would|will) (?:be|remain|stay)| is)?(?: left| there| around| here)*"
_NOBODY_ELSE = re.compile(
    r"^\W*(?:there (?:would be|is|will be) )?(?:nobody|no one|no other person)(?P<else> else)?"
    rf"{_IS_LEFT}(?: (?:with|beside|near|around) (?P<whom>her|him|it|them|the \w+))?\W*$",
    re.IGNORECASE,
)
_WHOM = {"him": "he", "her": "she"}


def is_alone(clause: str, asked: Asked) -> bool | None:
    """Whether who was asked to be alone is the only one left, or with nobody; None where a clause does not tell."""
    if not _ASKS_IF_ALONE.search(asked.text) or asked.of_ability:
        return None
    if alone := _IS_ALONE.match(clause):
        return not alone["not"] if content(alone["who"]) <= {asked.subject} else None
    nobody = _NOBODY_ELSE.match(clause)
    whom = (nobody["whom"] or "").lower() if nobody else ""
    of_the_asked = content(whom) <= {asked.subject} and (not asked.people or _WHOM.get(whom, "") in asked.people | {""})
    return True if nobody and (whom or nobody["else"]) and of_the_asked else None


def is_only_later(clause: str, asked: Asked) -> bool:
    """Whether a clause denies only that it would be so soon: "it wouldn't die right away"."""
    soon = not asked.of_now and _NOT_SO_SOON.search(clause)
    return bool(soon and NEGATED.search(clause)) and not _NOT_SO_SOON.search(asked.text)


def is_only_not_done(clause: str, asked: Asked) -> bool:
    """Whether a clause says of what could be only that it is not going on: "the boat is not sinking"."""
    return bool(_NOT_DOING.search(clause)) and bool(_ASKS_IF_IT_CAN.search(asked.text))


def says_fewer(clause: str, asked: Asked) -> bool:
    """Whether a clause has fewer than were asked for, and no more: "only one could", to whether two could."""
    told = numerals(clause)
    if asked.negated or not all(less(number.value, wanted) for number in told for wanted in asked.numbers):
        return False
    return bool(_ONLY.match(clause) or (_HAS_ONLY.search(clause) and _others(clause) - _JUST <= asked.words))


def is_seen_from_elsewhere(clause: str, asked: Asked) -> bool:
    """Whether something is said to be visible from another place than was asked."""
    wanted = _SEEN_FROM.search(asked.text)
    told = _SEEN_FROM.search(clause) if wanted else None
    return bool(wanted and told) and content(told["where"] if told else "").isdisjoint(asked.words)


def is_taken(clause: str, asked: Asked) -> bool:
    """Whether what was asked to be empty, free or alone is not: "a man is sitting on it", "every seat is taken"."""
    free = _ASKS_FOR_A_FREE_ONE.match(asked.text)
    every = _ALL_TAKEN.match(clause) if free else None
    if free and every:
        return content(every["what"]) <= content(free["what"])  # "every seat is taken", to whether one is free
    beside = _BESIDE.match(clause) if asked.of_now and _ALONE.match(asked.text) else None
    if beside:
        who, what = beside["who"] or beside["friend"], beside["what"] or beside["it"]
        return bool(content(who) & _SOMEBODY - asked.words) and content(what) <= asked.words
    told = _TAKEN.match(clause) if EMPTINESS.intersection(asked.states) and asked.of_now else None
    if not told or not content(told["what"]) <= asked.words:
        return False
    return bool(content(told["who"]) & _SOMEBODY) or any(map(is_person, content(told["who"])))


def _others(clause: str) -> frozenset[str]:
    """The stems of a clause without its numbers."""
    for number in reversed(numerals(clause)):
        clause = clause[: number.start] + clause[number.end :]
    return content(clause)
