"""Numbers of a reply that count something else than was asked."""

import re

from countersight.reading.company import Quantity
from countersight.reading.opposites import opposed_stems
from countersight.reading.question import Counted
from countersight.reading.ranks import Rank
from countersight.reading.stems import is_empty, stem
from countersight.reading.vocabulary import words

_ALL_OF_THEM = re.compile(
    r"\s*of (?:them|these|those)(?: (?:here|there|in all|in total|altogether))?\W*", re.IGNORECASE
)
GENERAL = frozenset(map(stem, words("questions.general")))
"""Stems of what goes by many other names."""


def is_beside_the_question(quantity: Quantity, asked: Counted) -> bool:
    """Whether a number is no count of what was asked, but a share of it, a name, or a count of other things."""
    return _is_only_a_share(quantity, asked) or _is_a_name(quantity, asked) or _is_of_another_kind(quantity, asked)


def _is_only_a_share(quantity: Quantity, asked: Counted) -> bool:
    """Whether it is a part where the question asks for all: "one of the three children", to how many there are."""
    if _ALL_OF_THEM.fullmatch(quantity.after):  # "there are 9 of them" names nothing that they are a part of
        return False
    return quantity.rank == Rank.SHARE and quantity.is_share and asked.of_now and not asked.qualities | asked.owner


def _is_a_name(quantity: Quantity, asked: Counted) -> bool:
    """Whether it tells one of the things asked for from the others: "duck 4 is swimming"."""
    lead = quantity.before.split()[-1:]
    word = lead[0].lower() if lead else ""
    return word.isalpha() and not word.endswith("s") and not is_empty(word) and stem(word) in asked.nouns


def _is_of_another_kind(quantity: Quantity, asked: Counted) -> bool:
    """Whether it counts things of another name: "5 zebras", to how many giraffes; men are people, so those may be."""
    if asked.nouns & GENERAL or all(map(is_empty, asked.nouns)):
        return False
    if quantity.is_share or quantity.value == "0" or quantity.rank == Rank.CONCLUDED:
        return False
    words_of_it = {*map(stem, quantity.phrase), stem(quantity.noun)}
    plural = quantity.noun.endswith("s") and not is_empty(quantity.noun)
    return plural and not words_of_it & asked.words and not any(n in word for n in asked.nouns for word in words_of_it)


def are_parts(named: Quantity, other: Quantity) -> bool:
    """Whether two numbers of a sentence count parts of one thing: "four red and three blue flags"."""
    parts = [(one, two) for one in map(stem, named.phrase[:-1]) for two in map(stem, other.phrase)]
    return named.sentence == other.sentence and any(opposed_stems(one, two) for one, two in parts)
