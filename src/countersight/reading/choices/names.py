"""Where a reply names options in passing: by their letters, by their texts, or by both."""

import re
from functools import lru_cache
from typing import NamedTuple

from countersight.case import LETTERS
from countersight.reading.choices.texts import name_of
from countersight.reading.language.clauses import sentences

_LONGEST = 60  # characters of an option that a reply repeats only to name it
_LABEL = r"(?<![\w'])(?:(?:the )?(?:option|choice|answer|letter)s? )?"
_ARTICLE = r"(?:(?:the|an?|that|this) )?"
_WORD = re.compile(r"\w+")
_DENIAL = re.compile(r"\b(?:no|not|without(?: an?| any)?) \w+|n't \w+", re.IGNORECASE)
_JOINT = re.compile(r"(?:, |(?P<last>,? (?:and|or|nor) ))", re.IGNORECASE)


class Names(NamedTuple):
    """One name or more, as "A", "A and C" or "the girl, the boy or the old man": where they stand, and the letters."""

    start: int
    end: int
    letters: frozenset[str]


def names_in(text: str, options: tuple[str, ...]) -> list[Names]:
    """The names of options in a text; several that an "and" or an "or" joins are one entry."""
    single = [
        Names(*found.span(), frozenset(_letter_of(said, options) for said in found.groups() if said))
        for found in _name(options).finditer(text)
    ]
    runs: list[Names] = []
    while single:
        last = 0
        for place in range(1, len(single)):
            joint = _JOINT.fullmatch(text, single[place - 1].end, single[place].start)
            if not joint:
                break
            last = place if joint["last"] else last
        letters = frozenset[str]().union(*(each.letters for each in single[: last + 1]))
        runs.append(Names(single[0].start, single[last].end, letters))
        del single[: last + 1]
    return runs


def takes_up_a_denial(text: str, options: tuple[str, ...], question: str) -> str | None:
    """The one option of which a sentence denies just what the question does: "the third floor has no windows yet"."""
    asked = {found.group().lower() for found in _DENIAL.finditer(question)}
    told = list(_DENIAL.finditer(text))
    named = names_in(text, options)
    if len(told) != 1 or told[0].group().lower() not in asked or len(named) != 1 or len(sentences(text)) > 1:
        return None
    if not {*_WORD.findall(text[told[0].end() :].lower())} <= {*_WORD.findall(question.lower())}:
        return None  # it is not the hat that she does not wear
    (letters,) = (each.letters for each in named)
    return next(iter(letters)) if len(letters) == 1 else None


@lru_cache(maxsize=256)
def _name(options: tuple[str, ...]) -> re.Pattern[str]:
    """A name of any of these options: "B", "option (B)", "the red ball", "B. the red ball"."""
    texts = sorted({name_of(option) for option in options if 0 < len(option) <= _LONGEST}, key=len, reverse=True)
    spelled = "|".join(r"\W+".join(map(re.escape, text.split())) for text in texts if text)
    letter = rf"((?-i:[{LETTERS[: len(options)]}]))(?![\w'])"
    text = rf"{_ARTICLE}({spelled})(?!\w)" if spelled else letter
    return re.compile(
        rf"{_LABEL}[\"'(\[]*(?:{text}(?:\s*\({letter}\))?|{letter}(?:[.:,)\]]*\s*[\"'(]*{text})?)[\"')\]]*",
        re.IGNORECASE,
    )


def _letter_of(said: str, options: tuple[str, ...]) -> str:
    own = (letter for letter, option in zip(LETTERS, options, strict=False) if name_of(option) == name_of(said))
    return said if said in LETTERS[: len(options)] else next(own, "")
