"""Counts that stand beside others and are told apart from these plainly: "of the 8, 3 have finished", "1 without"."""

import re

from countersight.reading.counts.question import Counted
from countersight.reading.counts.where_asked import STAYING
from countersight.reading.language.clauses import MODAL_AT, contrasted, every_clause, sentences, stated
from countersight.reading.language.numerals import Numeral, numerals
from countersight.reading.language.ones import is_a_thing, is_one_of_these
from countersight.reading.language.opposites import opposed_stems
from countersight.reading.language.stems import counted_words, spelled, stem
from countersight.reading.language.vocabulary import found

_NOT = re.compile(r"\b(?:not|no|without|none)\b|n't\b", re.IGNORECASE)
_OF_ALL = re.compile(
    r"\W*(?:out )?(?:of|among) (?:the|these|those|all) (?P<all>[\w-]+) (?P<what>[^,.;]+), ", re.IGNORECASE
)
_THE_OTHERS = re.compile(
    r"(?:,| and|,? while)? (?:all )?the (?:others|rest|remaining ones)(?: (?:are|is|have|do))? (?P<so>[^.,;]+)[.!]?$",
    re.IGNORECASE,
)
_WITHOUT = re.compile(
    r"(?:\band|,) (?P<many>[\w-]+)(?: (?:is|are|do|does|has|have))? ?(?:without|not|n't|none)\W*$", re.IGNORECASE
)
_OF_THE = re.compile(r"\bhow many of\b", re.IGNORECASE)
_MORE_THAN_A_COUNT = found("counts.doubtful_parts")
_NEAR = 3  # words behind a number of which one is its noun


def is_told_apart(answer: str, text: str, asked: Counted) -> bool:
    """Whether the number that was read is the one of several that a reply plainly tells of the asked."""
    if asked.imagined:
        return _is_what_would_be(answer, text, asked)
    if not asked.of_now or asked.difference or asked.of_each or len(sentences(text)) > 2:
        return False
    return (
        _is_a_whole(answer, text, asked)
        or _is_some_of_all(answer, text, asked)
        or _leaves_the_others(answer, text, asked)
        or _is_without(answer, text, asked)
    )


def _is_a_whole(answer: str, text: str, asked: Counted) -> bool:
    """ "The rail carries 17 scarves (9 plain, 8 patterned)": the parts make the whole, and none is the asked."""
    if asked.negated or not asked.doing <= STAYING or asked.kinds or _OF_THE.search(asked.text):
        return False  # "five dresses, two with lace and three with a bow", to how many of them have sleeves
    whole, *parts = numerals(text) or [Numeral(None, 0, 0)]
    values = [int(n.value) for n in parts if n.value and n.value.isdigit()]
    if whole.value != answer or len(values) < 2 or len(values) != len(parts) or str(sum(values)) != answer:
        return False
    named = asked.nouns.intersection(map(stem, spelled(text[whole.end :])[:_NEAR]))
    of_parts = text[parts[0].start :]
    return bool(named) and not asked.words.intersection(counted_words(of_parts)) and not _MORE_THAN_A_COUNT.search(text)


def _is_some_of_all(answer: str, text: str, asked: Counted) -> bool:
    """ "Of the 8 runners, 3 have already crossed the line": some of it is what was asked, and nothing denies it."""
    of_all = _OF_ALL.match(text)
    told = text[of_all.end() :] if of_all else ""
    some = _numbers(told)
    if not of_all or not numerals(of_all["all"]) or not asked.nouns.intersection(counted_words(of_all["what"])):
        return False
    said = asked.qualities.intersection(counted_words(told))
    return [n.value for n in some] == [answer] and bool(said) and bool(_NOT.search(told)) == asked.negated


def _leaves_the_others(answer: str, text: str, asked: Counted) -> bool:
    """ "2 on the upper floor are open and all the others are shut": the others are what the asked are not."""
    others = _THE_OTHERS.search(text)
    before = every_clause(text[: others.start()])[-1] if others and others.start() else ""
    if not others or asked.negated or [n.value for n in _numbers(before)] != [answer] or _NOT.search(before):
        return False
    opposed = any(opposed_stems(quality, word) for quality in asked.doing for word in counted_words(others["so"]))
    return (
        bool(asked.doing) and asked.doing <= {*counted_words(before)} and (opposed or bool(_NOT.search(others["so"])))
    )


def _is_without(answer: str, text: str, asked: Counted) -> bool:
    """ "5 riders, 4 with helmets and 1 without": the last is denied what the one before it has."""
    denied = _WITHOUT.search(text)
    return bool(
        asked.negated
        and denied
        and [n.value for n in numerals(denied["many"])] == [answer]
        and (asked.doing - {stem("wear"), stem("have")}).intersection(counted_words(text[: denied.start()]))
    )


def _is_what_would_be(answer: str, text: str, asked: Counted) -> bool:
    """ "Six have a coat on. With his off, five would be wearing one": one number would be, and is of the asked."""
    told = [part for piece in sentences(text) for part in contrasted(piece) if MODAL_AT.search(part)]
    then = stated(told[0]) if len(told) == 1 else ""
    numbers = _numbers(then)
    known = asked.nouns | asked.qualities | asked.owner
    said = frozenset(counted_words(then[numbers[0].end :])) if len(numbers) == 1 else frozenset[str]()
    last = bool(told) and text.rstrip().endswith(told[0].rstrip())
    return last and bool(numbers) and numbers[0].value == answer and said <= known and bool(said & asked.qualities)


def _numbers(piece: str) -> list[Numeral]:
    """The numbers of a text, less a "one" that stands for a thing."""
    every = numerals(piece)
    things = {i for i, n in enumerate(every) if n.word == "one" and is_a_thing(piece[: n.start], piece[n.end :])}
    return [n for i, n in enumerate(every) if i not in things and not is_one_of_these(piece, every, i)]
