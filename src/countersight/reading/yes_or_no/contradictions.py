"""Replies that say a thing and its contrary, or that either is as likely: nobody can tell what they answer."""

import re

from countersight.reading.language.asked import Asked
from countersight.reading.language.clauses import MODAL, clauses, stated
from countersight.reading.language.vocabulary import found
from countersight.reading.yes_or_no.claims import asserted

_EVEN = found("yes_no.even_chances")
_YES_OR_NO = re.compile(r"\W*(?:yes|no)\b", re.IGNORECASE)
_OR_NOT = re.compile(r"\b(?P<maybe>possibly|perhaps|maybe)\b[^.;!?]*[,;] (?:and |or |but )?(?P=maybe)\b", re.IGNORECASE)
_SOME_CHANCE = re.compile(
    r"\b(?:\d|[1-6]\d) ?(?:%|percent|per cent)(?: of a)? (?:chance|probability|likelihood)\b", re.IGNORECASE
)
_YES_AND_NO = re.compile(
    r"^\W*(?:(?P<yes>yes)|no), [^.!?]{4,}[.!] (?P<other>yes|no),"
    r" (?!(?:wait|sorry|actually|that|i|it)\b)[^.!?]{4,}[.!]?$",
    re.IGNORECASE,
)
_SUBJECT = re.compile(
    rf"\W*(?:(?:yes|no), )?(?P<who>the (?:[\w']+ )+?|there )(?P<help>{MODAL}|is|are|can|does|has)\b", re.IGNORECASE
)


def leaves_both_open(text: str, question: str) -> bool:
    """Whether a text says that either is as likely, or that there is some chance, where nobody asked for that."""
    told = _EVEN.search(text) or _OR_NOT.search(text) or _SOME_CHANCE.search(text)
    return told is not None and not _YES_OR_NO.match(text) and not _EVEN.search(question)


def says_yes_and_no(text: str) -> bool:
    """Whether a text is one sentence with a yes and one with a no; "no, it …" is how one takes a yes back."""
    both = _YES_AND_NO.match(text)
    return both is not None and bool(both["yes"]) == (both["other"].lower() == "no")


def contradicts_itself(pieces: list[str], asked: Asked) -> bool:
    """Whether two sentences of one subject and one "would" are all there is, and say contrary things."""
    told = [_SUBJECT.match(piece) for piece in pieces]
    if len(told) != 2 or not told[0] or not told[1]:
        return False
    heads = {(each["who"].lower(), each["help"].lower()[:4]) for each in told if each}
    said = [clauses(stated(piece)) for piece in pieces]
    answers = {asserted(each[0], asked) for each in said if len(each) == 1}
    return len(heads) == 1 and answers == {"yes", "no"}
