"""What a reply says for itself: without markup, thoughts, other turns, or the question and its options said again."""

import re

from countersight.case import Question
from countersight.reading.choices.texts import without_listing
from countersight.reading.counts.said_with_counts import without_what_is_said_with_it
from countersight.reading.language.plain import plain, spoken
from countersight.reading.language.vocabulary import any_of
from countersight.reading.yes_or_no.remarks import without_remarks

_LOOSE = re.compile(r"[\W_]+")
# "In the kitchen" and "the kitchen" name one place.
_ARTICLE = re.compile(r"^(?:(?:in|on|at|from|to|into|onto) )?(?:(?:a|an|the|his|her|its|their) )?(?=\w)")
_ONE_OF_IT = re.compile(r"^一[个只把张条件辆本位名杯块朵支顶双](?=[\u4e00-\u9fff])")  # the article of Chinese
_ASKED_AGAIN = re.compile(r"^\W*(?:q|question)\s*:[^\n]*\n\s*(?:a|answer)\s*:\s*(?=\S)", re.IGNORECASE)
_LABEL = re.compile(r"^\s*(?:a|ans)\s*:\s*(?=\S)", re.IGNORECASE)  # "A: No"
_NEXT_TURN = re.compile(rf"(?<=\S)\s*\n\s*{any_of('statements.turns')}\s*\d*\s*:", re.IGNORECASE)


def in_plain_words(text: str, question: Question) -> str | None:
    """A whole reply as its sentences are read; None where it never stopped thinking."""
    said = spoken(text)
    return None if said is None else to_the_answer(own_words(said, question), question)


def own_words(said: str, question: Question) -> str:
    """The plain text of what was said in the model's own turn."""
    own = _own_turn(_ASKED_AGAIN.sub("", plain(said)), question)
    return own if question.kind == "choice" else _LABEL.sub("", own)


def to_the_answer(said: str, question: Question) -> str:
    """A text without the list of the options, or without what is said around a count, or of a yes or no."""
    if question.kind == "choice":
        return without_listing(said, [option.text for option in question.options])
    if question.kind == "boolean":
        return without_remarks(said, question.text)
    return without_what_is_said_with_it(said, question.text) if question.kind == "number" else said


def loose(text: str) -> str:
    """A text by its words alone, without the article or the preposition that it begins with."""
    return _ARTICLE.sub("", _ONE_OF_IT.sub("", _LOOSE.sub(" ", text).strip()).casefold())


def _own_turn(said: str, question: Question) -> str:
    """The text up to where a model that rambles on asks itself another question, and answers that."""
    for turn in _NEXT_TURN.finditer(said):
        if loose(question.text) not in loose(said[turn.end() :]):
            return said[: turn.start()]
    return said
