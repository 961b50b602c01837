"""Replies that give two answers in the same words, and take neither back: "It would be red. It would be blue."."""

import re
from collections.abc import Callable
from itertools import pairwise

from countersight.case import Question
from countersight.reading.bare import loose
from countersight.reading.choices.letters import is_bare
from countersight.reading.choices.texts import words_of
from countersight.reading.language.asked import content
from countersight.reading.language.clauses import sentences
from countersight.reading.language.numerals import numerals
from countersight.reading.language.statements import announced
from countersight.reading.language.vocabulary import found, words
from countersight.reading.open.parts import COLOUR_ASKED

_ANNOUNCEMENT = re.compile(
    r"\W*(?:so |therefore,? |thus,? |hence,? )?(?:the |my )?(?:final )?answer(?: is|:)\W*\S+(?: [a-z]+)?\W*$",
    re.IGNORECASE,
)
_AND_THE_ANSWER = re.compile(r",? and (?=(?:the|my) (?:final )?answer\b)", re.IGNORECASE)
_AND_AGAIN = re.compile(r",? and (?=there (?:would|will|are|is)\b|(?:it|they|he|she) (?:would|will)\b)", re.IGNORECASE)
_PERHAPS = re.compile(r"\b(?:maybe|perhaps|possibly)\b", re.IGNORECASE)
_EITHER = re.compile(r"\W*(?:it (?:is|would be) )?either\b[^.]*\bor\b", re.IGNORECASE)
_COLOUR = found("open.colours")
_ASKED_FOR = frozenset({"color", "colour", "anim", "state", "condit", "kind", "type", "sort", "matter"})
_SAYING = words("questions.helping") | {"be", "is", "are", "would", "will"}
_FEWEST = 2  # words that two sentences begin with alike
_LONGEST = 4  # words of an answer


def announces_two(said: str, opening: Callable[[str], str | None]) -> bool:
    """Whether two statements that do nothing else announce two answers: "The answer is no. So the answer is yes."."""
    every = (part for piece in sentences(said) for part in _AND_THE_ANSWER.split(piece))
    alone = [part for part in every if _ANNOUNCEMENT.match(part)]
    return len({loose(opening(region) or "") for part in alone for region in announced(part)} - {""}) > 1


def tells_two(said: str, question: Question) -> bool:
    """Whether a reply leaves it at two answers."""
    lines = [line for line in said.split("\n") if line.strip()]
    if question.kind == "choice" and len(lines) > 1 and all(map(is_bare, lines)):
        return len({words_of(line) for line in lines}) > 1
    if question.kind == "open" and (_EITHER.match(said) or len(_PERHAPS.findall(said)) > 1):
        return True
    pieces = sentences(said)
    if question.kind == "number":
        joined = [part for piece in pieces for part in pairwise(_AND_AGAIN.split(piece))]
        return any(_differ_in_number(a, b, whole=True) for a, b in pairwise(pieces)) or any(
            _differ_in_number(a, b, whole=False) for a, b in joined
        )
    return any(_differ(first.split(), second.split(), question) for first, second in pairwise(pieces))


def _differ_in_number(first: str, second: str, *, whole: bool) -> bool:
    """Whether two statements are one but for their only number."""
    one, other = numerals(first), numerals(second)
    if len(one) != 1 or len(other) != 1 or one[0].value == other[0].value:
        return False
    before, after = words_of(first[: one[0].start]), words_of(first[one[0].end :])
    behind = words_of(second[other[0].end :])
    return (
        len(before.split()) >= _FEWEST
        and before == words_of(second[: other[0].start])
        and (after == behind if whole else behind.startswith(after))
    )


def _differ(first: list[str], second: list[str], question: Question) -> bool:
    """Whether two sentences begin alike, up to the answer, and end in two of them."""
    shared = next((i for i, (a, b) in enumerate(zip(first, second, strict=False)) if a.lower() != b.lower()), 0)
    ends = [words_of(" ".join(each[shared:])) for each in (first, second)]
    if shared < _FEWEST or not all(0 < len(end.split()) <= _LONGEST for end in ends) or ends[0] == ends[1]:
        return False
    if question.kind == "choice":
        return {*map(loose, ends)} <= {loose(option.text) for option in question.options}
    begun = " ".join(first[:shared])
    asked = content(question.text.split(" if ")[0]) - _ASKED_FOR
    if _SAYING.isdisjoint(begun.lower().split()) or not asked <= content(begun):
        return False
    return not COLOUR_ASKED.search(question.text) or all(map(_COLOUR.search, ends))
