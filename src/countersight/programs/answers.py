"""Converts the result of a program to an answer: a number, yes or no, the letter of an option, or a text."""

import math

from countersight.case import LETTERS, Option, Question
from countersight.models import Request
from countersight.programs.limits import ProgramFailed, shortened
from countersight.reading import answer_in

LONGEST_ANSWER = 2_000
MOST_DIGITS = 30
"""The maximum number of digits; writing a million digits would take seconds."""

_NUMBER = Question("Which number is it?", "0", "number")


def answer_of(value: object, request: Request) -> str:
    """Return the answer for a program's result; raises ProgramFailed if it has the wrong type for the question."""
    match value:
        case bool():
            if request.kind == "number":
                raise _wrong_type("yes or no", request)
            said = "yes" if value else "no"
        case int() | float():
            if request.kind == "boolean":
                raise _wrong_type("a number", request)
            said = _format_number(value, request)
        case str():
            said = shortened(value.strip(), LONGEST_ANSWER)
            if not said:
                raise _wrong_type("an empty text", request)
            said = _check_text(said, request)
        case None:
            raise _wrong_type("nothing", request)
        case _:
            raise _wrong_type(f"something of type {type(value).__name__[:40]}", request)
    if request.kind != "choice":
        return said
    place = match_option(said, tuple(option.text for option in request.options), request.question)
    return said if place is None else LETTERS[place]


def number_in(text: str) -> int | float | None:
    """Return the only number in a text, as digits or words; None if there is none, or several."""
    found = answer_in(text[:LONGEST_ANSWER], _NUMBER)
    if found is None:
        return None
    return float(found) if "." in found else int(found)


def polarity_in(text: str, question: str) -> bool | None:
    """Return True if a text answers a question with yes, False if with no; None if neither."""
    found = answer_in(text[:LONGEST_ANSWER], Question(question, "no", "boolean"))
    return None if found is None else found == "yes"


def match_option(text: str, options: tuple[str, ...], question: str = "") -> int | None:
    """Return the index of the option that a text matches: the same words, the same number, or the same answer."""
    if not 0 < len(options) <= len(LETTERS):
        return None
    same = [place for place, option in enumerate(options) if option.strip().casefold() == text.strip().casefold()]
    if not same and (number := number_in(text)) is not None:
        same = [place for place, option in enumerate(options) if number_in(option) == number]
    if same:
        return same[0]
    letter = answer_in(text, Question(question, "A", "choice", tuple(map(Option, options))))
    return None if letter is None else LETTERS.index(letter)


def _format_number(value: int | float, request: Request) -> str:
    if isinstance(value, float):
        if not math.isfinite(value):
            raise _wrong_type("a number that is not finite", request)
        return str(int(value)) if value.is_integer() and abs(value) < 10**MOST_DIGITS else str(value)
    if abs(value) >= 10**MOST_DIGITS:
        raise _wrong_type("a number that is too large", request)
    return str(value)


def _check_text(text: str, request: Request) -> str:
    """Return a text as an answer of the requested kind; raises ProgramFailed if it has none."""
    if request.kind == "number" and number_in(text) is None:
        raise _wrong_type("a text without a number", request)
    if request.kind == "boolean" and polarity_in(text, request.question) is None:
        raise _wrong_type("a text without yes or no", request)
    return text


def _wrong_type(what: str, request: Request) -> ProgramFailed:
    asked = {"number": "a number", "boolean": "yes or no", "choice": "an option", "open": "a text"}[request.kind]
    return ProgramFailed("wrong type of answer", f"the program returned {what}; the question asks for {asked}")
