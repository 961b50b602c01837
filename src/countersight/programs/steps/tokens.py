"""Words and signs of step programs and their expressions.

A reader of our own, and not Python's: it takes time in proportion to the text, lets others compute meanwhile, and knows
no number that is too long to be written out again.
"""

import re
from collections.abc import Iterator
from typing import Final, Literal

import msgspec

LONGEST_NUMBER = 30
"""Signs in a number; one with more counts nothing."""
_TOKEN: Final = re.compile(
    r"(?P<space>[ \t\f\r]+|\\\r?\n|#[^\n]*)"
    r"|(?P<end>[\n;])"
    r"|(?P<name>[^\W\d]\w*)"
    r"|(?P<number>\.?\d[\w.]*(?:(?<=[eE])[+-]\d+)?)"
    r"|(?P<text>'(?:[^'\\\n]|\\.)*'|\"(?:[^\"\\\n]|\\.)*\")"
    r"|(?P<sign>//|[=<>!]=|[-+*/%<>=(),{}])",
    re.DOTALL,
)
_ESCAPE: Final = re.compile(r"\\(x[0-9a-fA-F]{2}|u[0-9a-fA-F]{4}|.)", re.DOTALL)
_ESCAPED: Final = {"n": "\n", "t": "\t", "r": "\r", "\\": "\\", "'": "'", '"': '"', "\n": ""}
_NUMBER: Final = re.compile(
    r"0[xX](?P<hex>[0-9a-fA-F_]+)|(?P<whole>\d+(?:_\d+)*)|(?P<real>[\d_]*\.?[\d_]*(?:[eE][+-]?\d+)?)"
)

Value = str | int | float | bool


class Token(msgspec.Struct, frozen=True):
    """A word, a number, a text, a sign, or the end of a line."""

    kind: Literal["name", "number", "text", "sign", "end"]
    written: str
    line: int
    value: Value = ""
    """What a number or a text stands for."""


class BadToken(Exception):  # noqa: N818 - it names the thing
    """A sign that no program has; `line` says where."""

    def __init__(self, reason: str, line: int) -> None:
        super().__init__(reason)
        self.line = line


def tokens(text: str) -> Iterator[Token]:
    """The words and signs of a text, one after the other; the last is an end. Raises BadToken."""
    place, line = 0, 1
    while place < len(text):
        found = _TOKEN.match(text, place)
        if found is None:
            raise BadToken(f"{text[place : place + 10]!r} has no place in a program", line)
        kind, written = str(found.lastgroup), found[0]
        place = found.end()
        if kind != "space":
            yield Token(kind, written, line, _value(kind, written, line))  # type: ignore[arg-type]
        line += written.count("\n")
    yield Token("end", "", line)


def _value(kind: str, written: str, line: int) -> Value:
    if kind == "text":
        return _ESCAPE.sub(_unescaped, written[1:-1])
    return _number(written, line) if kind == "number" else ""


def _unescaped(found: re.Match[str]) -> str:
    escape = found[1]
    if len(escape) > 1:
        return chr(int(escape[1:], 16))
    return _ESCAPED.get(escape, found[0])


def _number(written: str, line: int) -> int | float:
    if len(written) > LONGEST_NUMBER:
        raise BadToken(f"a number has more than {LONGEST_NUMBER} signs", line)
    found = _NUMBER.fullmatch(written)
    try:
        if found is None:
            raise ValueError
        if found["hex"]:
            return int(found["hex"], 16)
        return int(found["whole"]) if found["whole"] else float(written)
    except ValueError:
        raise BadToken(f"{written!r} is no number", line) from None
