"""Counts that a reply tells by other words than their number: "only the first one", "all but two"."""

import re

from countersight.reading.counts.question import Counted
from countersight.reading.language.numerals import numerals
from countersight.reading.language.stems import stem
from countersight.reading.language.vocabulary import any_of

_NO_SECOND = r"(?![^.;]{0,60},? and (?:the|an?) )"  # "only the red one and the blue one"
_ONLY_THE_ONE = re.compile(
    rf"\b(?P<only>only|just) the (?:(?:[a-z-]+ ){{1,2}}one(?= (?!and\b|or\b)[a-z]){_NO_SECOND}"
    r"|(?:first|last|second|third|[a-z]{2,}est)(?: (?P<noun>[a-z]+))?(?= (?:is|was|has)\b))",
    re.IGNORECASE,
)
_LEAVES_THE_ONE = re.compile(
    r"\b(?P<leaves>(?:that|this|which) leaves(?: us| you)?(?: with)?(?: only| just)?) the (?:[a-z-]+ ){1,2}one(?=\W*$)",
    re.IGNORECASE,
)
_ALL_BUT = re.compile(
    r"\ball (?:but|except)(?: for)? (?P<few>[\w-]+) of (?:the|these|those) (?P<all>[\w-]+)(?= [a-z]+)", re.IGNORECASE
)
_NUMBER = re.compile(
    r"\b(?P<who>they|ones|the (?:[a-z]+ )?(?!is\b|was\b|has\b)[a-z]+s) number (?=[\w-]+\W*$|[\w-]+[.,;])", re.IGNORECASE
)
_YOU_WOULD_SEE = re.compile(
    r"\b(?P<who>you|one|we|i)(?:'d| would| could| might)(?= (?:[a-z]+ly )?(?:count|see|find|notice|spot|say)\b)",
    re.IGNORECASE,
)
# What is written somewhere counts nothing: 'it says "Seats 40" on the side', "the sign reads 12".
_WRITTEN = re.compile(
    rf"{any_of('counts.written')}(?: on (?:it|the \w+))?[:,]? (?:\"[^\"\n]{{0,60}}\"|\d+\b(?! [a-z]+s\b))",
    re.IGNORECASE,
)
_ASKS_WHAT_IS_WRITTEN = re.compile(r"\b(?:says?|reads?|written|signs?|shows?|display|number)\b", re.IGNORECASE)


def with_numbers(text: str, asked: Counted) -> str:
    """The text with the numbers that such words stand for, and without those that are only written somewhere."""
    if asked.of_now:
        text = _YOU_WOULD_SEE.sub(r"\g<who>", text)
    if asked.nouns and not _ASKS_WHAT_IS_WRITTEN.search(asked.text):
        text = _WRITTEN.sub("", text)
    text = _NUMBER.sub(r"\g<who> are ", _LEAVES_THE_ONE.sub(r"\g<leaves> one", text))
    text = _ONLY_THE_ONE.sub(lambda found: _only_one(found, asked), text)
    return text if asked.negated else _ALL_BUT.sub(_rest, text)


def _only_one(found: re.Match[str], asked: Counted) -> str:
    other = found["noun"] and stem(found["noun"].lower()) not in asked.nouns
    return found.group() if other else f"{found['only']} one"


def _rest(found: re.Match[str]) -> str:
    """ "6 of the 8", of "all but two of the eight"."""
    few, every = ({n.value for n in numerals(found[name]) if n.value and n.value.isdigit()} for name in ("few", "all"))
    left = int(every.pop()) - int(few.pop()) if few and every else 0
    return f"{left} of the {found['all']}" if left > 0 else found.group()
