"""Replies to a how-many question whose one form says all: "None.", "a cow", "2 now, 3 then", "50 %"."""

import re

from countersight.reading.counts.question import Counted
from countersight.reading.language.numerals import numerals
from countersight.reading.language.stems import counted_words, stem
from countersight.reading.language.vocabulary import any_of

_ONLY_NO = re.compile(rf"^\W*(?:no|nope|{any_of('numbers.noughts_alone')})\W*$", re.IGNORECASE)
_NONE_FIRST = re.compile(
    rf"^\W*(?:{any_of('numbers.noughts_alone')}|zero)\s*(?:[,.;:!]|--)(?!\s*(?:but|however)\b)", re.IGNORECASE
)
_MORE = re.compile(r"(?: \w+)? (?:more|fewer|less|additional|extra)\b", re.IGNORECASE)
_RESULT = re.compile(r"(?:=|\bis|\bby|\bso|\bdifference of)\s*$", re.IGNORECASE)
_EMPTY_PLACE = re.compile(
    r"\W*(?:then |so )?the (?P<what>\w+)(?:'s| is| was| would(?: then| just)? be) (?:\w+ly )?"
    r"(?:empty|bare|deserted)\W*$",
    re.IGNORECASE,
)
# "One is.", "Only one of them is sleeping."; in other places "one" may be a thing
_ONE_IS = re.compile(
    r"\W*(?:only |just |exactly )?one(?: of (?:them|these|those|the \w+))? (?:is|was|has|does)\b"
    r"(?P<what>[^.!?,;]*)\W*$",
    re.IGNORECASE,
)
_NOT = re.compile(r"\b(?:not|no)\b|n't\b", re.IGNORECASE)
_PERCENTAGE = re.compile(r"^\W*(\d{1,9})\s*(?:%|percent)\W*$", re.IGNORECASE)
_THERE_IS = r"(?:(?:there(?:'s| is|'d be| would(?: still| only| just)? be| will be)|i (?:can )?see)\s+)?"
_JUST_A = re.compile(
    rf"\W*{_THERE_IS}(?:just |only )?(?:an?|the one) (?:\w+ )??"
    r"(?P<noun>\w+)(?: left| remaining| visible)?(?P<rest> [^.!?]*)?\W*$",
    re.IGNORECASE,
)
# "1 animal now, 3 then"; the other way round, "then" may be what was.
_COUNT = r"(?:\d+|[a-z]+(?:-[a-z]+)?)(?: [a-z]+)?"
_NOW = "(?:now|currently|at present)"
_THEN = "(?:then|afterwards?|after that)"
_NOW_AND_THEN = re.compile(
    rf"\W*(?:{_NOW}[:,]? {_COUNT}|{_COUNT} {_NOW})\s*[.,;]?\s+(?:and |but )?"
    rf"(?P<then>{_THEN}[:,]? {_COUNT}|{_COUNT} {_THEN})\W*$",
    re.IGNORECASE,
)
# "5, not 4.", "Not 9, but 10."
_NOT_BUT = re.compile(
    rf"\W*(?:(?:it's|it is|there are|there is|there would be|it would be) )?"
    rf"(?:(?P<it>{_COUNT}),? (?:and )?not (?:just )?{_COUNT}|not (?:just )?{_COUNT},? but (?P<this>{_COUNT}))\W*$",
    re.IGNORECASE,
)


def short_count(text: str, asked: Counted) -> str | None:
    """The number of a reply that is nothing else, or None where there is more to be weighed."""
    if _ONLY_NO.match(text) or _NONE_FIRST.match(text):
        return "0"
    if _is_just_one(text, asked) or _is_so_of_one(text, asked):
        return "1"
    if (place := _EMPTY_PLACE.match(text)) and stem(place["what"].lower()) in asked.places:
        return "0"
    if (percentage := _PERCENTAGE.match(text)) and not asked.nouns:
        return percentage[1]
    if (rather := _NOT_BUT.match(text)) and len(numerals(text)) > 1:  # and not "two are not lit"
        return next((numeral.value for numeral in numerals(rather["it"] or rather["this"])), None)
    return None if asked.of_now or asked.difference else _then(text)


def _then(text: str) -> str | None:
    both = _NOW_AND_THEN.match(text)
    then = numerals(both["then"]) if both and len(numerals(text)) == 2 else []
    return then[0].value if len(then) == 1 else None


def difference(text: str) -> str | None:
    """By how many one thing outnumbers another: "2 more", "5 - 3 = 2", or a number by itself."""
    every = numerals(text)
    said = {n.value for n in every if _MORE.match(text[n.end :])} or {
        n.value for n in every if _RESULT.search(text[: n.start])
    }
    values = said or {n.value for n in every}
    return values.pop() if len(values) == 1 else None


def _is_just_one(text: str, asked: Counted) -> bool:
    """Whether "a cow" is all that a reply says to "how many cows": anywhere else "a" only names a thing."""
    found = _JUST_A.match(text)
    noun = found["noun"].lower() if found else ""
    rest = counted_words((found["rest"] or "") if found else "")
    return bool(noun) and not noun.endswith("s") and stem(noun) in asked.nouns and asked.words.issuperset(rest)


def _is_so_of_one(text: str, asked: Counted) -> bool:
    """Whether "one is", and no more than what was asked, is all that a reply says."""
    found = _ONE_IS.match(text)
    if not found or _NOT.search(text) or not asked.of_now or asked.negated:
        return False
    return bool(asked.qualities) and asked.qualities.issuperset(counted_words(found["what"]))
