"""Groups that a reply counts and adds up itself: "two green and three orange ones hang there, making 5"."""

import re
from itertools import pairwise

from countersight.reading.counts.accounts import PARTS_OF_NAMES
from countersight.reading.counts.company import names_several
from countersight.reading.counts.question import Counted
from countersight.reading.language.numerals import Numeral, numerals
from countersight.reading.language.stems import counted_words, spelled, stem
from countersight.reading.language.vocabulary import any_of, words
from countersight.text import UNITS

_NUMBER = rf"(?:\d{{1,3}}|{'|'.join(UNITS[1:])})"
_ALL_TOGETHER = r"(?:both|all|the (?:two|three|four)) [a-z]+(?: together| combined)? (?:have|hold|contain|carry)"
_IN_ALL = r"(?:in all|in total|altogether|all in all|together|overall)"
_ADDED = re.compile(
    rf"(?P<terms>[^.;!?\n]+?)(?:,| --?) (?:and )?(?:(?P<so>(?:so |for a total of |{any_of('counts.coming_to')} )*"
    rf"(?:{_ALL_TOGETHER} )?)(?P<total>{_NUMBER})(?P<of>(?: [a-z]+){{0,2}}?)(?P<all> {_IN_ALL})?)\W*$",
    re.IGNORECASE,
)
_ASKS_FOR_BOTH = re.compile(r"\b(?:both|all (?:the|three|four|of the))\b", re.IGNORECASE)
_OF_ANY_NAME = words("open.colours") | words("counts.of_any_name")
_YOUNG, _GROWN = words("counts.young"), words("counts.grown")
_BETWEEN = words("questions.prepositions") | words("questions.helping") | words("questions.possession")
_NEAR = 3  # words behind a number of which one is its noun


def total_alone(text: str, asked: Counted) -> str:
    """The total of a reply that only adds up groups of the asked, or the text as it is."""
    if not asked.of_now or asked.negated or asked.difference or asked.of_each or asked.kinds - PARTS_OF_NAMES:
        return text
    added = _ADDED.match(text.strip())
    if not added or not (added["so"] or added["all"]) or not asked.words.issuperset(counted_words(added["of"])):
        return text
    total, terms = numerals(added["total"])[0].value, numerals(added["terms"])
    values = [int(n.value) for n in terms if n.value and n.value.isdigit()]
    if len(values) < 2 or len(values) != len(terms) or str(sum(values)) != total:
        return text
    behind = [added["terms"][one.end : two.start] for one, two in pairwise(terms)] + [added["terms"][terms[-1].end :]]
    if not all(_are_of_the_asked(each, added["terms"], asked) for each in behind):
        return text
    both = asked.of_all or (_ASKS_FOR_BOTH.search(asked.text) and asked.qualities <= {*counted_words(added["terms"])})
    return f"That makes {total} in total." if both or _are_all_there(added["terms"], terms, behind, asked) else text


def _are_of_the_asked(behind: str, terms: str, asked: Counted) -> bool:
    """Whether a number counts nothing of another name: "one purple", "five more", "1 calf" beside grown elephants."""
    said = spelled(behind)[:_NEAR]
    if not said or asked.nouns.intersection(map(stem, said)) or said[0] in _OF_ANY_NAME | _BETWEEN:
        return True
    if asked.of_all and not any(map(names_several, said)):
        return True  # "seven loose on the bench"
    return said[0] in _YOUNG and bool(_GROWN.intersection(spelled(terms)))


def _are_all_there(text: str, terms: list[Numeral], behind: list[str], asked: Counted) -> bool:
    """Whether all groups are what was asked: nothing was, or it is said once of all of them."""
    known = (asked.qualities | asked.owner) - (asked.kinds & PARTS_OF_NAMES)
    if not known:
        return True
    if any(_BETWEEN.intersection(spelled(each)) for each in behind[:-1]):
        return False  # "two are tied to the chair and four float above it, making 6"
    if known <= {*counted_words(text[: terms[0].start])}:
        return True
    last = counted_words(behind[-1])
    noun = next((place for place, word in enumerate(last) if word in asked.nouns), len(last))
    return known <= {*last[noun:]}
