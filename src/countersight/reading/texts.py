"""Reading as a function of two texts."""

from collections.abc import Sequence

import msgspec

from countersight.arguments import checked
from countersight.case import LETTERS, AnswerKind, Option, Question
from countersight.errors import CountersightError
from countersight.reading.answers import ReadFrom, answer_in


class Reading(msgspec.Struct, frozen=True):
    """What a reply was taken to answer; None where it gives no answer, or more than one."""

    answer: str | None

    @property
    def unread(self) -> bool:
        return self.answer is None


@checked
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
    if kind == "choice" and len(options) < 2:
        raise CountersightError("a choice needs its options: pass their texts as options=[…]")
    if kind == "choice" and len(options) > len(LETTERS):
        raise CountersightError(f"a choice has at most {len(LETTERS)} options, A to {LETTERS[-1]}, not {len(options)}")
    asked = Question(question, "", kind, tuple(map(Option, options)))
    return Reading(answer_in(text, asked, read_from, finished=finished))
