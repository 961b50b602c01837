"""Whether a file of another tool was asked the questions of a dataset, or others that only have the same names."""

import msgspec

from countersight.case import Question


class Put(msgspec.Struct, frozen=True, kw_only=True):
    """A question as the file of another tool has it; what does not stand there is empty."""

    words: str = ""
    """All that was said to the model: the question stands somewhere in it."""
    options: tuple[str, ...] = ()
    answer: str = ""


def disagreement(put: Put, question: Question) -> str:
    """What the file says otherwise than the dataset, as a sentence's end; nothing where they agree."""
    if put.words and _plain(question.text) not in _plain(put.words):
        return _told("its question", put.words, question.text)
    for there, here in zip(put.options, question.options, strict=False):
        if there and _value(there) != _value(here.text):
            return _told("an option", there, here.text)
    right = {_value(question.answer), _value(question.right_text)}
    if put.answer and not question.hidden and _value(put.answer) not in right:
        return _told("its right answer", put.answer, question.answer)
    return ""


def is_another(compared: int, disagreeing: int) -> bool:
    """Whether so many disagree that other questions were asked: all, or more than one and than one in twenty."""
    return 0 < disagreeing == compared or disagreeing > max(1, compared / 20)


def _told(what: str, there: str, here: str) -> str:
    return f"{what} is {_plain(there)[:120]!r} there and {_plain(here)[:120]!r} here"


def _plain(text: str) -> str:
    return " ".join(text.split())


def _value(text: str) -> str | float:
    """A short text as tables of other tools keep it: a column of numbers may come back as 3.0, True as TRUE."""
    plain = _plain(text).casefold()
    try:
        return float(plain)
    except ValueError:
        return plain
