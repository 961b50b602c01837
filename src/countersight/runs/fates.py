"""What a reply comes to before anybody asks whether it is right: failed, cut, empty, unread, or an answer."""

from typing import Literal

import msgspec

from countersight.case import Question, Reply
from countersight.reading import ReadFrom, read_reply

ReplyFate = Literal["failed", "cut", "empty", "unread", "read"]
"""Cut: the limit of tokens ended it before its answer. Empty: nothing was said. Unread: no answer was found in it."""


class ReadReply(msgspec.Struct, frozen=True):
    """What became of a reply, and the answer where one was read."""

    fate: ReplyFate
    answer: str | None = None


def fate_of(reply: Reply, question: Question, read_from: ReadFrom = "whole") -> ReadReply:
    """Read a reply; what was cut off before its answer is neither wrong nor unread, but cut."""
    if reply.state == "failed":
        return ReadReply("failed")
    answer = None if reply.is_empty else read_reply(reply, question, read_from)
    if answer is not None:
        return ReadReply("read", answer)
    if reply.is_cut:
        return ReadReply("cut")
    return ReadReply("empty" if reply.is_empty else "unread")


def is_doubtful(reply: Reply) -> bool:
    """Whether a reply may be cut or empty: only then it has to be read to know."""
    return reply.is_cut or reply.is_empty
