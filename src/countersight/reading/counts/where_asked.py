"""A count of the things asked for that are told to be where they were asked to be: "nine gulls line the railing"."""

import re

from countersight.reading.counts.accounts import PARTS_OF_NAMES
from countersight.reading.counts.question import Counted
from countersight.reading.language.clauses import MODAL_AT
from countersight.reading.language.numerals import numerals
from countersight.reading.language.prepositions import say_the_same
from countersight.reading.language.stems import counted_words, spelled, stem
from countersight.reading.language.vocabulary import any_of, found, words
from countersight.reading.language.whereabouts import is_elsewhere

_HOW = any_of("questions.prepositions")
_THE = r"(?:(?:the|an?|his|her|its|their|this|that) )?"
_PLACE = re.compile(rf"\b(?P<how>{_HOW}) {_THE}(?P<what>[a-z]+(?: [a-z]+){{0,2}})", re.IGNORECASE)
_HAS = re.compile(
    rf"\W*(?:(?:i|we|you) (?:can )?see that )?(?:the|this|his|her|its|their) (?P<what>[a-z]+(?: [a-z]+)?) "
    rf"{any_of('counts.having_inside')} ",
    re.IGNORECASE,
)
# What is said of all of them, or of some, behind the count: ", all facing the water", "looking out to sea".
_REMARK = re.compile(
    r",? (?=(?:all|each|both|most|some|many|half|[a-z]+ing)\b)|, (?=(?:[a-z]+ed|with)\b)",
    re.IGNORECASE,
)
_MORE_THAN_A_COUNT = found("counts.no_plain_counts")
_NO_REMARK = found("counts.elsewhere_or_other")
STAYING = frozenset(map(stem, words("counts.staying") | words("questions.prepositions")))
"""What says no more of things than that they are somewhere."""
_POSTURES = frozenset(map(stem, words("counts.postures")))
_NEAR = 3  # words behind a number of which one is its noun


def is_where_it_was_asked(answer: str, sentence: str, asked: Counted) -> bool:
    """Whether a sentence counts the things by name, once, and puts them in the place in question."""
    if not asked.of_now or asked.joins or asked.owner or asked.kinds - PARTS_OF_NAMES or MODAL_AT.search(sentence):
        return False
    numbers = numerals(sentence)
    if [n.value for n in numbers] != [answer] or is_elsewhere(sentence, asked.text):
        return False
    if not asked.nouns.intersection(map(stem, spelled(sentence[numbers[0].end :])[:_NEAR])):
        return False
    remarks = _REMARK.finditer(sentence, numbers[0].end)
    parted = [(sentence[: remark.start()], sentence[remark.end() :]) for remark in remarks]
    return any(_is_no_more(remark, asked) and _tells_where(told, asked) for told, remark in [*parted, (sentence, "")])


def _is_no_more(remark: str, asked: Counted) -> bool:
    """Whether what is said behind a count takes none of it out again, and tells nothing of what was asked."""
    return not (_NO_REMARK.search(remark) or asked.words.intersection(counted_words(remark)))


def _tells_where(told: str, asked: Counted) -> bool:
    said = frozenset(counted_words(told))
    if _MORE_THAN_A_COUNT.search(told) or not asked.portioned <= said:
        return False
    unsaid, stays = asked.doing - said, said <= asked.words | STAYING
    if unsaid and (not stays or not unsaid <= STAYING or (unsaid & _POSTURES and said & _POSTURES - asked.words)):
        return False  # "three are standing there", to how many are sitting there
    return _is_placed(told, asked, stays=stays)


def _is_placed(told: str, asked: Counted, *, stays: bool) -> bool:
    """Whether all places in question are told, each behind a preposition of the same meaning, or to have the things."""
    places = [(place["how"].lower(), _name(place["what"], asked)) for place in _PLACE.finditer(asked.text)]
    places = [(how, name) for how, name in places if name]
    having, where = _HAS.match(told), [*_PLACE.finditer(told)]
    return (bool(places) or not asked.qualities) and all(
        any(name == _name(each["what"], asked) and _is_there(each["how"].lower(), how, stays) for each in where)
        or (having is not None and name == _name(having["what"], asked))
        for how, name in places
    )


def _is_there(told: str, wanted: str, stays: bool) -> bool:
    """Whether a preposition says what another says; what is tied to a jetty, and stays there, is at it."""
    return say_the_same(told, wanted) or (stays and wanted in ("at", "on") and told in ("to", "along", "by"))


def _name(phrase: str, asked: Counted) -> tuple[str, ...]:
    """The stems of a place's name, as far as they are words of the question."""
    return tuple(word for word in counted_words(phrase) if word in asked.qualities)
