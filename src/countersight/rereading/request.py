"""What a second reader is asked: which answer a reply gives. It sees neither the picture nor the gold answer."""

import hashlib
import re
from typing import Final

from countersight.case import LETTERS, AnswerKind, Question
from countersight.models import Request, Turn
from countersight.reading import answer_in

_TASK: Final = (
    "Somebody was asked a question about a picture and replied. Say which answer the reply gives. Do not answer the "
    "question yourself, and do not put the reply right where it is wrong."
)
_WANTED: Final[dict[AnswerKind, str]] = {
    "number": "Write the number that the reply gives, in digits",
    "boolean": "Write yes or no, as the reply says",
    "choice": "Write the letter of the option that the reply chooses",
    "open": "Write the answer in the reply's own words",
}
_NOTHING: Final = (
    "and nothing else. If the reply gives no answer, or more than one, or breaks off before it comes to one, write: "
    "none"
)
_NONE = re.compile(r"\W*(?:none|no answer|unread)\W*", re.IGNORECASE)
_LONGEST: Final = 8_000  # characters of a reply that are shown, half of them from its end


def second_request(reply: str, question: Question) -> Request:
    """The request that has a reply read, known by a digest of its own words."""
    options = [f"{letter}: {option.text}" for letter, option in zip(LETTERS, question.options, strict=False)]
    listed = "\n".join(["Options:", *options, ""]) if options else ""
    text = (
        f"{_TASK}\n\nQuestion: {question.text}\n{listed}\n"
        f"Reply, between the lines:\n-----\n{_bounded(reply)}\n-----\n\n"
        f"{_WANTED[question.kind]}, {_NOTHING}"
    )
    key = hashlib.sha256(text.encode("utf-8", "replace")).hexdigest()[:32]
    return Request(key, (Turn("user", text),), question.kind, question.options, question.text)


def second_answer(said: str, question: Question) -> str | None:
    """The answer that a second reader found, or None where it says that there is none."""
    return None if _NONE.fullmatch(said) else answer_in(said, question)


def _bounded(reply: str) -> str:
    if len(reply) <= _LONGEST:
        return reply
    return f"{reply[: _LONGEST // 2]}\n[…]\n{reply[-_LONGEST // 2 :]}"
