"""Reads a model's answer out of what it wrote: a number, yes or no, an option's letter, or the text itself.

Rules are tried from the strongest to the weakest: what the reply marks as its answer, what it calls its answer, what
its sentences conclude, suppose and state. A reply that gives no answer, or more than one, is unread (None): nothing is
guessed. The gold answer is never looked at.
"""

import re

from countersight.case import LETTERS, Question
from countersight.reading.counting import count
from countersight.reading.numerals import canonical
from countersight.reading.options import choice, opening_choice, without_listing
from countersight.reading.plain import plain, spoken
from countersight.reading.polarity import opening_polarity, polarity
from countersight.reading.ranks import opening_number
from countersight.reading.statements import announced, corrected, tagged, without_refusal

__all__ = ["agrees", "read"]

_LOOSE = re.compile(r"[\W_]+")
_ARTICLE = re.compile(r"^(?:a|an|the) ")
_DIGITS = re.compile(r"[0-9]{1,9}")
_HOW_MANY = re.compile(r"\b(?:how many|number of)\b", re.IGNORECASE)
_OPENING_REFUSAL = 200


def read(text: str, question: Question) -> str | None:
    """The answer in a reply, in one spelling ("3", "yes", "B", stripped text), or None where it gives none."""
    answer = _read(text, question)
    # Nobody counts less than nothing: "-3" is a slip of the pen, or the change where the count was asked for.
    uncountable = question.kind == "number" and answer and answer[0] == "-" and _HOW_MANY.search(question.text)
    return None if uncountable else answer


def _read(text: str, question: Question) -> str | None:
    short = text.strip()
    # Most replies are one letter or one number: those need no reading.
    if question.kind == "choice" and len(short) == 1 and "A" <= short <= "Z":
        return short if short in LETTERS[: len(question.options)] else None
    if question.kind == "number" and _DIGITS.fullmatch(short) and short.isascii():
        return canonical(short)
    said = spoken(text)
    if said is None:
        return None
    for region in tagged(said):
        answer = _said_outright(plain(region), question)
        if answer is not None:
            return answer
    said = plain(said)
    if question.kind == "choice":
        said = without_listing(said, [option.text for option in question.options])
    for region in announced(said):
        if question.kind == "open":
            return region.split("\n")[0].strip()
        usable = without_refusal(region)
        if usable is None:
            return None
        answer = _said_outright(usable, question)
        if answer is not None:
            return answer
    if question.kind == "open":
        return said if said and without_refusal(said[:_OPENING_REFUSAL]) is not None else None
    rest = without_refusal(said)
    if not rest:
        return None
    after = corrected(rest)
    return (_prose(after, question) if after else None) or _prose(rest, question)


def agrees(answer: str, question: Question) -> bool:
    """Whether a read answer is the question's gold answer."""
    if question.kind == "number":
        return answer == canonical(question.answer)
    if question.kind == "open":
        return _loose(answer) == _loose(question.answer)
    return answer == question.answer


def _said_outright(region: str, question: Question) -> str | None:
    """The answer in a passage that is known to hold it: first what it opens with, then what it says."""
    opening: str | None = None
    match question.kind:
        case "number":
            opening = opening_number(region)
        case "boolean":
            opening = opening_polarity(region)
        case "choice":
            opening = opening_choice(region, [option.text for option in question.options])
        case "open":
            return region.strip() or None
    return opening or _prose(region, question)


def _prose(text: str, question: Question) -> str | None:
    match question.kind:
        case "number":
            return count(text, question.text)
        case "boolean":
            return polarity(text, question.text)
        case "choice":
            return choice(text, [option.text for option in question.options], question.text)
        case "open":
            return text


def _loose(text: str) -> str:
    return _ARTICLE.sub("", _LOOSE.sub(" ", text).strip().casefold())
