"""Choices that say themselves which they are, so that no last look is needed."""

from collections.abc import Sequence

from countersight.case import LETTERS
from countersight.reading.choices.amounts import both_of_two
from countersight.reading.choices.nothing import cannot_be_done, tells_what_cannot_be_done
from countersight.reading.choices.texts import words_of
from countersight.reading.choices.verdicts import by_verdicts
from countersight.reading.language.corrections import corrected
from countersight.reading.language.statements import without_refusal

_SHORT = 5  # words


def are_yes_and_no(options: Sequence[str]) -> bool:
    """Whether the options are "yes" and "no", and at most one besides that says that it cannot be told."""
    return {words_of(option) for option in options if without_refusal(option) is not None} == {"yes", "no"}


def is_plain(answer: str, text: str, options: Sequence[str], question: str) -> bool:
    """Whether a choice was told by a yes or no, by a verdict on every option, or by what both of two do.

    The last look knows options by their words, and such replies need not have any of them.
    """
    letters = LETTERS[: len(options)]
    correction = corrected(text)
    if correction and len(correction.after.split()) <= _SHORT:
        return True  # "the bottom one, no, I mean the middle one"
    return are_yes_and_no(options) or answer in (
        cannot_be_done(text, options, letters) if tells_what_cannot_be_done(text, question) else None,
        by_verdicts(text, options, letters),
        both_of_two(text, options, letters),
    )
