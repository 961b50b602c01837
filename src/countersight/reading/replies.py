"""Extracts the answer from a text or from a stored reply."""

from collections import Counter
from collections.abc import Sequence
from typing import get_args

import msgspec
from msgspec.structs import replace

from countersight.case import LETTERS, AnswerKind, Option, Question, Reply
from countersight.errors import CountersightError
from countersight.reading.answers import ReadFrom, answer_in


class Reading(msgspec.Struct, frozen=True):
    """The extracted answer of a reply; None if it gives no answer, or more than one."""

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
    """Extract the answer from a reply: "3", "yes", the letter of an option, or the text itself.

    `finished` is False for a reply that the token limit cut off; with `read_from="end"`, the
    answer is expected at the end, after the reasoning.
    """
    if kind not in get_args(AnswerKind):
        raise CountersightError(f"kind must be one of {', '.join(get_args(AnswerKind))}, not {kind!r}")
    if kind == "choice" and not 2 <= len(options) <= len(LETTERS):
        raise CountersightError(f"pass the texts of 2 to {len(LETTERS)} options as options=[…], not {len(options)}")
    asked = Question(question, "", kind, tuple(map(Option, options)))
    return Reading(answer_in(text, asked, read_from, finished=finished))


def read_reply(reply: Reply, question: Question, read_from: ReadFrom = "whole") -> str | None:
    """Return the answer in a reply; if the options were asked in several orders, the most frequent answer."""
    if not reply.orders:
        return answer_in(reply.text, question, read_from, finished=not reply.is_cut)
    votes: Counter[int] = Counter()
    for order in reply.orders:
        if sorted(order.places) != list(range(len(question.options))):
            continue  # not an order of these options
        options = tuple(question.options[place] for place in order.places)
        letter = answer_in(order.text, replace(question, options=options), read_from)
        if letter is not None:
            votes[order.places[LETTERS.index(letter)]] += 1
    best = [place for place, count in votes.items() if count == max(votes.values())]
    return LETTERS[best[0]] if len(best) == 1 else None
