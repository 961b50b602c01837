"""Words and signs of step programs and their expressions.

A reader of our own, and not Python's: it takes time in proportion to the text, lets others compute meanwhile, and knows
no number that is too long to be written out again.
"""

import re
from collections.abc import Iterator
from typing import Final, Literal

import msgspec

from countersight.programs.failures import FailureKind, ProgramFailed
from countersight.programs.fences import LONGEST_REPLY, fenced

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
            yield Token(kind, written, line, _token_value(kind, written, line))  # type: ignore[arg-type]
        line += written.count("\n")
    yield Token("end", "", line)


def _token_value(kind: str, written: str, line: int) -> Value:
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


LONGEST = 8_000
"""Signs in a program; no sensible one has a tenth of it."""
MOST_STEPS = 64
_STEP = re.compile(r"\s*\w+\s*=\s*\w+\s*\(")
_CONSTANTS = {"True": True, "False": False}


class Name(msgspec.Struct, frozen=True):
    """The result of an earlier step, by its name."""

    id: str


class Step(msgspec.Struct, frozen=True):
    """One line: the name of its result, its operation, and its arguments."""

    result: str
    operation: str
    arguments: dict[str, Value | Name]
    line: int = 0

    def __str__(self) -> str:
        return f"{self.result}={self.operation}({self.given})"

    @property
    def given(self) -> str:
        """Its arguments as they are written."""
        return ", ".join(
            f"{name}={value.id if isinstance(value, Name) else repr(value)}" for name, value in self.arguments.items()
        )


class BadProgram(ProgramFailed):
    """A text that is no step program; the message says where and why."""

    def __init__(self, reason: str, kind: FailureKind = "syntax error") -> None:
        super().__init__(kind, reason)


def parse_steps(text: str) -> list[Step]:
    """The steps of a program, taken out of the talk around it."""
    return parsed(step_lines(text))


def parsed(source: str) -> list[Step]:
    """The steps of a program that stands alone."""
    try:
        lines = _statements(list(tokens(source)))
    except BadToken as error:
        raise BadProgram(f"line {error.line}: {error}") from None
    if len(lines) > MOST_STEPS:
        raise BadProgram(f"the program has more than {MOST_STEPS} steps")
    return [_step(line) for line in lines]


def step_lines(text: str) -> str:
    """The lines of a program: all that stand between code fences, else those that look like a step."""
    source = fenced(text, _STEP)
    lines = (text[:LONGEST_REPLY] if source is None else source).splitlines()
    kept = [line.strip() for line in lines if (_STEP.match(line) if source is None else line.strip())]
    if not any(_STEP.match(line) for line in kept):
        raise BadProgram("there is no step in what the code model wrote", "no program")
    program = "\n".join(kept)
    if len(program) > LONGEST:
        raise BadProgram(f"the program has more than {LONGEST:,} signs")
    return program


def _statements(found: list[Token]) -> list[list[Token]]:
    """The tokens of each line; one whose parentheses are open goes on in the next."""
    lines: list[list[Token]] = [[]]
    depth = 0
    for token in found:
        depth += {"(": 1, ")": -1}.get(token.written if token.kind == "sign" else "", 0)
        if token.kind != "end":
            lines[-1].append(token)
        elif depth <= 0:
            lines.append([])
    return [line for line in lines if line]


def _step(line: list[Token]) -> Step:
    number = line[0].line
    match [token.written if token.kind == "sign" else token.kind for token in line]:
        case ["name", "=", "name", "(", *_, ")"]:
            result, operation, given = line[0].written, line[2].written, line[4:-1]
        case ["name", "(", *_, ")"]:
            result, operation, given = "", line[0].written, line[2:-1]
        case _:
            raise BadProgram(f"line {number}: is not NAME=OPERATION(name=value, …)")
    return Step(result, operation.upper(), _arguments(given, number), number)


def _arguments(given: list[Token], number: int) -> dict[str, Value | Name]:
    """The named values between a step's parentheses; a comma may follow the last."""
    arguments: dict[str, Value | Name] = {}
    for place in range(0, len(given), 4):
        match [token.written if token.kind == "sign" else token.kind for token in given[place : place + 4]]:
            case ["name", "=", "name" | "number" | "text"] | ["name", "=", "name" | "number" | "text", ","]:
                arguments[given[place].written] = _value(given[place + 2])
            case _:
                raise BadProgram(f"line {number}: its arguments are not name=value, with a name, a text or a number")
    return arguments


def _value(token: Token) -> Value | Name:
    if token.kind != "name":
        return token.value
    return _CONSTANTS[token.written] if token.written in _CONSTANTS else Name(token.written)
