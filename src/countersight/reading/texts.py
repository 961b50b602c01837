"""Reading as a function of two texts."""

from collections.abc import Sequence
from typing import get_args

import msgspec

from countersight.case import AnswerKind, Option, Question
from countersight.errors import CountersightError
from countersight.reading.answers import ReadFrom, answer_in


class Reading(msgspec.Struct, frozen=True):
    """What a reply was taken to answer; None where it gives no answer, or more than one."""

    answer: str | None

    @property
    def unread(self) -> bool:
        return self.answer is None


def read(
    text: str,
    question: str,
    kind: AnswerKind,
    options: Sequence[str] = (),
    *,
    read_from: ReadFrom = "whole",
    finished: bool = True,
) -> Reading:
    """Reads the answer out of a reply: "3", "yes", the letter of an option, or the text itself.

    `finished` is False for a reply that the model was not allowed to end; `read_from="end"` reads a reply that thinks
    aloud by what it comes to.
    """
    if kind not in get_args(AnswerKind):
        raise CountersightError(
            f'there is no kind of answer "{kind}": pass kind= one of {", ".join(get_args(AnswerKind))}'
        )
    if kind == "choice" and len(options) < 2:
        raise ValueError("a choice needs its options: pass their texts as options=[…]")
    asked = Question(question, "", kind, tuple(map(Option, options)))
    return Reading(answer_in(text, asked, read_from, finished=finished))
