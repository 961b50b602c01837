"""Keeps what a program did, for whoever wants to know why; never more than a page of it."""

from collections.abc import Iterable

from countersight.case import ToolCall, Trace
from countersight.detection import Box

LONGEST_PROGRAM = 8_000
LONGEST_TEXT = 200
MOST_CALLS = 64
MOST_BOXES = 64


class Tracing:
    """The calls of one program, noted as they happen."""

    def __init__(self) -> None:
        self._calls: list[ToolCall] = []
        self._unkept = 0

    def note(self, name: str, arguments: str, result: str, boxes: Iterable[Box] = ()) -> None:
        """Note a call and what it gave."""
        if len(self._calls) >= MOST_CALLS:
            self._unkept += 1
            return
        found = tuple(box for box, _ in zip(boxes, range(MOST_BOXES), strict=False))
        self._calls.append(ToolCall(shortened(name), shortened(arguments), shortened(result), found))

    def trace(self, program: str, failure: str = "") -> Trace:
        """All that was noted, with the program it belongs to."""
        return Trace(shortened(program, LONGEST_PROGRAM), tuple(self._calls), self._unkept, failure)


def shortened(text: str, longest: int = LONGEST_TEXT) -> str:
    """A text that is not too long to keep, and that can be written to a file."""
    text = text if len(text) <= longest else text[: longest - 1] + "…"
    return text if text.isascii() else text.encode("utf-8", "replace").decode()
