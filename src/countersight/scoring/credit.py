"""The credit of an extracted answer: whether it equals the gold answer, and VQA's soft accuracy.

Soft accuracy is for questions that several people answered. An answer that three other people gave gets full credit,
and one that nobody gave gets none. Each person is left out once and the others are counted, so that people can be
scored in the same way; the accuracy is the mean of these results. Answers are compared as in the official evaluation
(VQAEval), including its peculiarities, so that figures are comparable: if all people wrote the same, nothing is
normalised, and "Net." is not "net".
"""

import re
from collections.abc import Iterator, Sequence
from functools import lru_cache
from typing import Final

from countersight.case import LETTERS, Question
from countersight.english import UNITS
from countersight.reading import canonical

ANSWERS_FOR_FULL_CREDIT: Final = 3
"""The number of other people who must have given the same answer for full credit."""

_NO_WORD = re.compile(r"[\W_]+")
_SUBJECT = re.compile(r"^(?:he|she|it|they|the \w+) (?:is|are|was|were|would be) (?=\w+ing\b)")
# "In the kitchen" and "the kitchen" are the same place.
_PREPOSITION = re.compile(r"^(?:(?:in|on|at|from|to|into|onto) )?(?:(?:a|an|the|his|her|its|their) )?(?=\w)")

_SIGNS = ';/[]"{}()=+\\_-><@`,?!'
_GROUPED_DIGITS = re.compile(r"\d,\d")
_FULL_STOP = re.compile(r"\.(?!\d)")
_FULL_STOPS = 32  # the maximum number of replacements: the official script passes a flag in place of the count
_NUMBERS: Final = {word: str(number) for number, word in enumerate(UNITS[:11])} | {"none": "0"}
_ARTICLES: Final = frozenset(("a", "an", "the"))
# From the official evaluation, without "its", "well", "shed" and "ill", which are words.
_CONTRACTIONS: Final = (
    "ain't aren't can't couldn't couldn't've could've didn't doesn't don't hadn't hadn't've hasn't haven't he'd "
    "he'd've he's how'd how'll how's isn't it'd it'd've it'll ma'am mightn't mightn't've might've mustn't must've "
    "needn't not've o'clock oughtn't 'ow's'at shan't she'd've shouldn't shouldn't've should've somebody'd've "
    "somebody'll somebody's someone'd someone'd've someone'll someone's something'd something'd've something'll "
    "that's there'd there'd've there're there's they'd they'd've they'll they're they've 'twas wasn't we'd've we've "
    "weren't what'll what're what's what've when's where'd where's where've who'd who'd've who'll who's who've why'll "
    "why're why's won't wouldn't wouldn't've would've y'all y'all'd've y'all'll you'd you'd've you'll you're you've"
)


def is_right(answer: str, question: Question) -> bool:
    """Whether an extracted answer equals the question's gold answer."""
    if question.kind == "number":
        return answer == canonical(question.answer)
    if question.kind == "open":
        return _plain(answer) == _plain(question.answer)
    if question.kind == "choice":  # if the right option is listed twice, either is right
        return question.options[LETTERS.index(answer)].text.strip() == question.right_text.strip()
    return answer == question.answer


def _plain(text: str) -> str:
    """Return the text in lower case, without punctuation and without an article, preposition or subject in front."""
    return _PREPOSITION.sub("", _SUBJECT.sub("", _NO_WORD.sub(" ", text).strip().casefold()))


def soft_accuracy(answer: str, answers: Sequence[str]) -> float:
    """Return the credit of an answer, from 0 to 1, given the answers of several people."""
    if not answers:
        return 0.0
    said, others = _on_one_line(answer), [_on_one_line(other) for other in answers]
    if len(set(others)) > 1:
        said, others = normalised(said), [_cached_normalised(other) for other in others]
    people, same = len(others), others.count(said)
    # A person who gave this answer is left out, so one fewer of the others agrees.
    return (
        same * min(1.0, (same - 1) / ANSWERS_FOR_FULL_CREDIT)
        + (people - same) * min(1.0, same / ANSWERS_FOR_FULL_CREDIT)
    ) / people


def normalised(answer: str) -> str:
    """Normalise an answer: lower case, digits for number words, no articles or punctuation."""
    said = _on_one_line(answer)
    text, grouped = said, _GROUPED_DIGITS.search(said) is not None
    for sign in _SIGNS:
        # A sign between two words becomes a space; a sign next to a space is removed.
        text = text.replace(sign, "" if grouped or f"{sign} " in said or f" {sign}" in said else " ")
    text = _FULL_STOP.sub("", text, count=_FULL_STOPS)
    words = (_NUMBERS.get(word, word) for word in text.lower().split())
    return " ".join(_APOSTROPHES.get(word, word) for word in words if word not in _ARTICLES)


def _on_one_line(answer: str) -> str:
    return answer.replace("\n", " ").replace("\t", " ").strip()


_cached_normalised = lru_cache(maxsize=16_384)(normalised)  # people often repeat answers


def _spellings() -> Iterator[tuple[str, str]]:
    """Iterate over contractions with one missing apostrophe, with their correct spelling."""
    for right in _CONTRACTIONS.split():
        for place, sign in enumerate(right):
            if sign == "'":
                yield right[:place] + right[place + 1 :], right


_APOSTROPHES: Final = dict(_spellings()) | {"somebody'd": "somebodyd"}  # this pair is reversed in the official table
