"""What a reply comes to before anybody asks whether it is right: failed, cut, empty, unread, or an answer."""

import re
from typing import Final, Literal

import msgspec

from countersight.case import Question, Reply
from countersight.reading import ReadFrom, read_reply

ReplyFate = Literal["failed", "cut", "empty", "unread", "read"]
"""Cut: the limit of tokens ended it before its answer. Empty: nothing was said. Unread: no answer was found in it."""


UNCERTAIN: Final = "uncertain"
"""The answer of a reply which says that the question cannot be answered."""
_UNCERTAIN: Final = re.compile(
    r"\b(?:un(?:certain|clear|sure|able to|known)|not (?:certain|clear|sure|able to|possible to|enough information)"
    r"|impossible to|insufficient|inconclusive|(?:can(?:no|')t|can not|could(?: no|n')t) (?:be )?(?:\w+ )?"
    r"(?:say|tell|told|know|known|see|seen|determine|determined|answer|answered|verify|verified|confirm|confirmed|view)"
    r"|do(?: not|n't) (?:know|have|see)|no (?:image|picture|figure|chart|map|table|information)|depends on)\b",
    re.I,
)


class ReadReply(msgspec.Struct, frozen=True):
    """What became of a reply, and the answer where one was read."""

    fate: ReplyFate
    answer: str | None = None


def fate_of(reply: Reply, question: Question, read_from: ReadFrom = "whole") -> ReadReply:
    """Read a reply; what was cut off before its answer is neither wrong nor unread, but cut.

    A reply that restates another is the answer alone, wherever the prompt has the answer stand.
    """
    if reply.state == "failed":
        return ReadReply("failed")
    read_from = "whole" if reply.restates and not reply.orders else read_from
    answer = None if reply.is_empty else read_reply(reply, question, read_from)
    if answer is not None:
        return ReadReply("read", answer)
    if reply.is_cut:
        return ReadReply("cut")
    if question.accepts_uncertain and says_uncertain(reply.text):
        return ReadReply("read", UNCERTAIN)
    return ReadReply("empty" if reply.is_empty else "unread")


def says_uncertain(text: str) -> bool:
    """Whether a reply says that the question cannot be answered."""
    return _UNCERTAIN.search(text.replace("\u2019", "'")) is not None


def is_doubtful(reply: Reply) -> bool:
    """Whether a reply may be cut or empty: only then it has to be read to know."""
    return reply.is_cut or reply.is_empty
