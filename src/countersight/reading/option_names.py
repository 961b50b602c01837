"""How a reply names an option in passing: by its letter, by its text, or by both."""

import re
from collections.abc import Sequence
from functools import lru_cache

from countersight.case import LETTERS
from countersight.reading.option_texts import name_of, words_of

_LONGEST = 60  # characters of an option that a reply repeats only to name it
_LABEL = r"(?:(?:the )?(?:option|choice|answer|letter)s? )?"
_ARTICLE = r"(?:(?:the|an?|that|this) )?"


@lru_cache(maxsize=256)
def naming(options: tuple[str, ...]) -> str:
    """A pattern for the name of any of these options: "B", "option (B)", "the red one", "B. the red ball"."""
    texts = sorted({text for option in options if (text := _text_of(option))}, key=len, reverse=True)
    letter = rf"(?-i:[{LETTERS[: len(options)]}])(?![\w'])"
    text = rf"{_ARTICLE}(?:{'|'.join(texts)})(?!\w)" if texts else letter
    return rf"{_LABEL}[\"'(\[]*(?:{text}(?:\s*\({letter}\))?|{letter}(?:[.:,)\]]*\s*[\"'(]*{text})?)[.!]?[\"')\]]*"


def several(options: tuple[str, ...]) -> str:
    """A pattern for one name or more: "A", "A and C", "the girl, the boy or the old man"."""
    name = naming(options)
    return rf"{name}(?:(?:, (?:{name}))*,? (?:and|or|nor) {name})?"


def named_in(said: str, options: Sequence[str]) -> frozenset[str]:
    """The letters of the options that a list of names has."""
    letters = LETTERS[: len(options)]
    named: set[str] = set()
    for letter, option in sorted(zip(letters, options, strict=True), key=lambda each: -len(each[1])):
        if text := _text_of(option):
            said, found = re.subn(rf"(?<!\w){_ARTICLE}{text}(?!\w)", "_", said, flags=re.IGNORECASE)
            named.update(letter if found else ())
    return frozenset(named.union(re.findall(rf"(?<![\w'])([{letters}])(?![\w'])", said)))


def _text_of(option: str) -> str:
    """A pattern for the text of an option, unless that is too long to be a name."""
    return r"\W+".join(map(re.escape, name_of(option).split())) if len(words_of(option)) <= _LONGEST else ""
