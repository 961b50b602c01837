"""Where a clause denies something, and what it says apart from that."""

import re

from countersight.reading.language.asked import NOBODY, content
from countersight.reading.language.vocabulary import any_of, found

AUXILIARY = any_of("yes_no.auxiliaries")
NEGATED = re.compile(
    rf"{AUXILIARY}(?:\s+{any_of('yes_no.adverbs')})?\s+{any_of('yes_no.negations')}|{any_of('yes_no.negative_verbs')}"
    rf"|^\W*{any_of('yes_no.negative_openings')}",
    re.IGNORECASE,
)
NEGATION_WORD = found("yes_no.negation_words")
SHORT_NOT = re.compile(r"'t\b(?<=\bcan't)|n't\b(?<!\bcan't)|(?<=\bcan)not\b", re.IGNORECASE)  # keeps the "can"
# "Not impossible" is less than a yes and no "no" at all.
_NOT = re.compile(r"\b(?:not|never|cannot)\b|n't\b", re.IGNORECASE)
_TWICE = re.compile(
    r"(?:\bnot|n't|\bnever|\bnor)\b.{0,30}\b(?:impossible|unlikely|unable)\b"
    r"|\b(?:impossible|unlikely|unable)\b.{0,30}(?:\bnot|n't|\bnever|\bno)\b",
    re.IGNORECASE,
)
_NOT_ONLY = re.compile(r"\bnot only\b", re.IGNORECASE)
_ADVERB = re.compile(r"\w{2,}ly")


def without_negation(clause: str) -> frozenset[str]:
    """The stems of what a clause speaks of, denied or not, without its adverbs."""
    every = content(NEGATION_WORD.sub(" ", SHORT_NOT.sub(" ", NOBODY.sub("no person", clause.lower()))))
    return frozenset(word for word in every if not _ADVERB.fullmatch(word))


def is_twice_negated(clause: str) -> bool:
    """Whether a clause denies a denial, so that it is no plain answer."""
    return bool(_TWICE.search(clause)) or len(_NOT.findall(clause)) > 1


def has_denial(clause: str) -> bool:
    """Whether a clause has a word that denies where none was looked for: no such clause affirms. "Not only" does."""
    return bool(NEGATION_WORD.search(_NOT_ONLY.sub("", clause)))
