"""Words by their stem, so that "wearing hats" and "wears a hat" are about one thing."""

import re
from functools import lru_cache
from typing import Final

from countersight.reading.language.vocabulary import any_of, listed, words
from countersight.text import NUMBER_WORDS

_SAME: Final[dict[str, str]] = {form: line[0] for line in listed("questions.same") for form in line}
_EMPTY: Final = words("questions.empty")
_EMPTY_OF_COUNTS: Final = _EMPTY | words("questions.empty_of_counts") | frozenset(NUMBER_WORDS)
_WORD = re.compile(r"[a-z]+(?:'[a-z]+)?")
# "Two are on", but not "on the table".
_PARTICLE = re.compile(rf"\b(?:{'|'.join(listed('states.particles'))})(?=\W*$|[,.;:!?)]|\s+{any_of('states.goes_on')})")
# A side; any other "left" is what remains.
_THE_LEFT = re.compile(r"\b(the|(?:turn|fac|look|point|lean|head)(?:e?s|e|ing|ed)?)(?: far)? left\b")
_ENDINGS: Final = ("ings", "ing", "edly", "ed", "es", "s", "e")
_SHORTEST = 3


@lru_cache(maxsize=8192)
def stem(word: str) -> str:
    """A spelling that the forms of a word share; it need not be a word."""
    word = _SAME.get(word, word)
    if word.endswith("ies") and len(word) > _SHORTEST + 1:
        return f"{word[:-3]}y"
    for ending in _ENDINGS:
        if word.endswith(ending) and len(word) - len(ending) >= _SHORTEST and not word.endswith("ss"):
            word = word[: -len(ending)]
            break
    if len(word) > _SHORTEST and word[-1] == word[-2] and word[-1] not in "aeiouls":
        word = word[:-1]  # "sitting", "running"
    return _SAME.get(word, word)


def spelled(text: str) -> list[str]:
    """The words of a text in small letters."""
    return _WORD.findall(_THE_LEFT.sub(r"\1 leftside", text.lower()))


def first_spelled(text: str) -> list[str]:
    """The first word of a text in small letters, if it has one; the others are not looked at."""
    found = _WORD.search(text.lower())
    return [found.group()] if found else []


def is_empty(word: str) -> bool:
    """Whether a word tells nothing about what is counted."""
    return word in _EMPTY_OF_COUNTS


def counted_words(text: str) -> list[str]:
    """The stems of the words of a text that tell what is counted, in order."""
    told = {found.group() for found in _PARTICLE.finditer(text.lower())}
    return [stem(word) for word in spelled(text) if word in told or (word not in _EMPTY_OF_COUNTS and "'" not in word)]
