"""Why a program gave no answer: the kinds of failures, and the exception."""

from typing import Literal

from countersight.text import printable

FailureKind = Literal[
    "no program",
    "syntax error",
    "unknown tool",
    "tool failure",
    "wrong type of answer",
    "timeout",
    "memory",
    "too many calls",
    "too deep",
    "forbidden",
    "error",
]
"""Why a program failed; "forbidden" means that it tried to access files, the network or the machine."""

LONGEST_REASON = 200


class ProgramFailed(Exception):  # noqa: N818 - the name says what happened
    """Raised if a program gave no answer; the message is the reason, and `kind` the kind of failure."""

    def __init__(self, kind: FailureKind, reason: str) -> None:
        reason = printable(reason[: 2 * LONGEST_REASON])  # the reason may contain text of the program
        super().__init__(reason if len(reason) <= LONGEST_REASON else reason[:LONGEST_REASON] + "…")
        self.kind = kind
