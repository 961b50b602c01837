"""C-VQA's way of reading answers: a few plain rules, kept beside ours so that figures can be compared with the paper's.

The rules are those that descriptions of the benchmark give, written anew; the authors' own code was not looked at. They
read the first thing that looks like an answer, where ours read what the reply says of the question.
"""

import re
from typing import Final

from countersight.case import LETTERS, Question
from countersight.text import NUMBER_WORDS

_IF: Final = re.compile(r"\bif\b[^,.]*,", re.IGNORECASE)
_NUMBER: Final = re.compile(rf"\d+|\b(?:{'|'.join(NUMBER_WORDS)}|no|none)\b", re.IGNORECASE)
_YES_NO: Final = re.compile(r"\b(yes|no)\b", re.IGNORECASE)
_NEGATED: Final = re.compile(r"\bnot\b|n't\b|\bnever\b", re.IGNORECASE)
_SAID: Final = re.compile(r"\b(?:is|are|was|were|would|could|will|can|does|do|has|have)\b", re.IGNORECASE)


def plain_answer(text: str, question: Question) -> str | None:
    """The answer that the plain rules find in a reply, or None."""
    words = _IF.sub(" ", text)
    if question.kind == "number":
        return _number(words)
    if question.kind == "boolean":
        return _yes_or_no(words)
    return _letter(words, question) if question.kind == "choice" else None


def _number(words: str) -> str | None:
    """The first number, in digits or as a word; "no" and "none" are 0."""
    found = _NUMBER.search(words)
    if found is None:
        return None
    said = found[0].casefold()
    return str(int(said)) if said.isdigit() else str(NUMBER_WORDS.get(said, 0))


def _yes_or_no(words: str) -> str | None:
    """The first yes or no; else whatever is said to be so is a yes, and whatever is denied a no."""
    found = _YES_NO.search(words)
    if found:
        return found[0].casefold()
    if _NEGATED.search(words):
        return "no"
    return "yes" if _SAID.search(words) else None


def _letter(words: str, question: Question) -> str | None:
    """The first letter of an option that stands alone; a sentence that begins with "A" is read so too."""
    found = re.search(rf"\b([{LETTERS[: len(question.options)]}])\b", words)
    return found[1] if found else None
