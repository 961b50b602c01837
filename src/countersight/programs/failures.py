"""How a program can fail: each failure is of a kind, so that a report can count them."""

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
"""From the code model that wrote none to the program that broke down by itself; "forbidden" is one that reached for
files, the network or the machine."""

LONGEST_REASON = 200


class ProgramFailed(Exception):  # noqa: N818 - it names what happened
    """A program that gave no answer. The message is the reason; `kind` says of which sort it is."""

    def __init__(self, kind: FailureKind, reason: str) -> None:
        reason = printable(reason[: 2 * LONGEST_REASON])  # it may hold what the program said
        super().__init__(reason if len(reason) <= LONGEST_REASON else reason[:LONGEST_REASON] + "…")
        self.kind = kind
