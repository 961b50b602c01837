"""A whole that is told with its parts, or with some of it: "four, three on the left and one on the right"."""

import re

from countersight.reading.counts.accounts import PARTS_OF_NAMES
from countersight.reading.counts.places_told import ROOMY
from countersight.reading.counts.question import Counted
from countersight.reading.language.clauses import sentences
from countersight.reading.language.numerals import less, numerals
from countersight.reading.language.opposites import SIDES
from countersight.reading.language.stems import counted_words, spelled
from countersight.reading.language.vocabulary import any_of, words
from countersight.text import UNITS

_NUMBER = rf"(?:\d{{1,3}}|{'|'.join(UNITS[1:])})"
_PARTS = re.compile(
    rf"(?:,| ?:| ?\(| --?) ?(?:{any_of('counts.parts_follow')},? )?(?P<parts>{_NUMBER} [^.;:()\n]+?"
    rf"(?:,? and|,) {_NUMBER} [^.,;:()\n]+?)\)?(?=\s*(?:[.!;\n]|$))",
    re.IGNORECASE,
)
# "There are three dogs. Two are asleep, and one is chewing a bone."
_PARTS_NEXT = re.compile(
    rf"(?<=[.;!])\s+(?P<parts>{_NUMBER} [^.;:()\n]+?(?:,? and|,? while|,|[.;])"
    rf" (?:{_NUMBER}|the other(?: one)?(?= (?:is|has)\b)) [^.,;:()\n]+?)(?=[.!])",
    re.IGNORECASE,
)
# "Five candles stand on the shelf; just two of them are burning."
_SOME = re.compile(
    r"(?:[,;.]| --?) (?:(?:and|but|although|though) )?(?:only |just |exactly )?"
    rf"(?P<parts>{_NUMBER} of (?:them|these|those|which|whom) [^.;,:()\n]+"
    rf"|of (?:which|whom),? (?:only |just )?{_NUMBER} [^.;,:()\n]+)(?=[.!;])",
    re.IGNORECASE,
)
_INCLUDED = re.compile(r", (?:including|among them) (?P<parts>[^.;:()\n]+)(?=[.!;]|$)", re.IGNORECASE)
_ELSEWHERE = re.compile(r"\b(?:in|on|at|inside|outside|under|across|above|off) (?:the|an?|his|her)\b", re.IGNORECASE)
_THE_OTHER = re.compile(r"\bthe other(?: one)?(?= (?:is|has)\b)", re.IGNORECASE)
_IN_DOUBT = re.compile(any_of("counts.doubtful_parts"), re.IGNORECASE)
_NEAR = 3  # words behind a number of which one is its noun
_VERBS = words("questions.helping") | words("questions.possession")


def without_parts_by_place(text: str, asked: Counted) -> str:
    """The text without parts that add up to the whole before them, where they tell nothing of what was asked."""
    if asked.imagined or asked.difference or asked.of_each or asked.joins:
        return text
    text = _PARTS.sub(lambda found: "" if _only_tells_where(found, asked) else found.group(), text)
    if asked.negated or not asked.of_now:
        return text
    for pattern in (_PARTS, _PARTS_NEXT, _SOME, _INCLUDED):
        text = pattern.sub(lambda found: "" if _tells_what_else(found, asked) else found.group(), text)
    return text


def _only_tells_where(found: re.Match[str], asked: Counted) -> bool:
    before = sentences(found.string[: found.start()])[-1:]
    wholes = {n.value for n in numerals(" ".join(before))}
    parts = [int(n.value) for n in numerals(found["parts"]) if n.value and n.value.isdigit()]
    if str(sum(parts)) not in wholes or (not asked.of_all and any(map(_is_done, spelled(found["parts"])))):
        return False
    told, known = frozenset(counted_words(found["parts"])), asked.qualities | asked.owner
    if asked.of_all and not told & asked.kinds:
        return True
    said = frozenset(counted_words(" ".join(before)))
    if told & (known | asked.nouns) or (said & asked.nouns and asked.qualities - asked.places - said):
        return False  # "five cars, three on the left and two on the right", to how many are red
    # "Five cups, three on the shelf and two in the sink" does not say that they are on the table.
    return known <= said or told <= SIDES


def _tells_what_else(match: re.Match[str], asked: Counted) -> bool:
    """Whether parts, or some, of a whole that is all that was asked are only said to do something besides."""
    before = " ".join(sentences(match.string[: match.start()])[-1:])
    told_of = _THE_OTHER.sub("one", match["parts"])
    wholes, parts = numerals(before), [n.value or "" for n in numerals(told_of)]
    if len(wholes) != 1 or _IN_DOUBT.search(match["parts"]) or not all(map(str.isdigit, parts)):
        return False
    (whole,) = wholes
    counted = counted_words(before[whole.end :])[:_NEAR]
    if counted and not asked.nouns.intersection(counted):
        return False  # "three animals", to how many dogs
    of_some = match.re is _SOME and len(parts) == 1 and less(parts[0], whole.value)
    of_some = of_some or (match.re is _INCLUDED and not less(whole.value, str(sum(map(int, parts)))))
    if not of_some and str(sum(map(int, parts))) != whole.value:
        return False
    told, known = frozenset(counted_words(match["parts"])), asked.qualities | asked.owner
    unsaid = known - (asked.kinds & PARTS_OF_NAMES) - frozenset(counted_words(before))
    if told & (known | asked.nouns) or not unsaid <= asked.places & ROOMY:
        return False
    return not (unsaid and _ELSEWHERE.search(match["parts"]))


def _is_done(word: str) -> bool:
    """Whether a word tells what a thing does, or what was done to it; that may shut out what was asked."""
    return word in _VERBS or word.endswith(("ing", "ed"))
