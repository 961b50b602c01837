"""The record of the tool calls of a program."""

from collections.abc import Iterable

from countersight.case import ToolCall, Trace
from countersight.detection import Box

LONGEST_PROGRAM = 8_000
LONGEST_TEXT = 200
MOST_CALLS = 64
MOST_BOXES = 64


class Tracing:
    """Records the calls of one program."""

    def __init__(self) -> None:
        self._calls: list[ToolCall] = []
        self._unkept = 0

    def note(self, name: str, arguments: str, result: str, boxes: Iterable[Box] = ()) -> None:
        """Record a call and its result."""
        if len(self._calls) >= MOST_CALLS:
            self._unkept += 1
            return
        found = tuple(box for box, _ in zip(boxes, range(MOST_BOXES), strict=False))
        self._calls.append(ToolCall(shortened(name), shortened(arguments), shortened(result), found))

    def trace(self, program: str, failure: str = "") -> Trace:
        """Return the recorded calls with their program."""
        return Trace(shortened(program, LONGEST_PROGRAM), tuple(self._calls), self._unkept, failure)


def shortened(text: str, longest: int = LONGEST_TEXT) -> str:
    """Shorten a text to `longest` characters, and make it encodable."""
    text = text if len(text) <= longest else text[: longest - 1] + "…"
    return text if text.isascii() else text.encode("utf-8", "replace").decode()
