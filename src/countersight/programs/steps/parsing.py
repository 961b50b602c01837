"""Parses a step program. Every line is a call with named values whose result gets a name:

    BOX0=LOC(image=IMAGE, object='plates')
    ANSWER0=COUNT(box=BOX0)
    ANSWER1=EVAL(expr="{ANSWER0} + 2")
    FINAL_RESULT=RESULT(var=ANSWER1)

Such lines are also Python, so Python's own parser reads them; but the tree is only looked at here, and never run.
"""

import ast
import re
import warnings

import msgspec

from countersight.programs.failures import FailureKind, ProgramFailed
from countersight.programs.fences import LONGEST_REPLY, fenced

LONGEST = 8_000
"""Signs in a program; no sensible one has a tenth of it."""
MOST_STEPS = 64
_STEP = re.compile(r"\s*\w+\s*=\s*\w+\s*\(")

Value = str | int | float | bool
"""What an argument is given as; the name of an earlier result comes as a `Name`."""


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
        with warnings.catch_warnings(action="ignore"):
            tree = ast.parse(source)
    except (SyntaxError, ValueError, RecursionError, MemoryError) as error:
        where = f"line {error.lineno}: " if isinstance(error, SyntaxError) and error.lineno else ""
        raise BadProgram(f"{where}cannot be read as a program") from None
    if len(tree.body) > MOST_STEPS:
        raise BadProgram(f"the program has more than {MOST_STEPS} steps")
    return [_step(statement) for statement in tree.body]


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


def _step(statement: ast.stmt) -> Step:
    line = statement.lineno
    match statement:
        case ast.Assign(targets=[ast.Name(id=result)], value=ast.Call(func=ast.Name(id=operation), args=[]) as call):
            pass
        case ast.Expr(value=ast.Call(func=ast.Name(id=operation), args=[]) as call):
            result = ""
        case _:
            raise BadProgram(f"line {line}: is not NAME=OPERATION(name=value, …)")
    arguments = {}
    for keyword in call.keywords:
        if keyword.arg is None:
            raise BadProgram(f"line {line}: an argument has no name")
        arguments[keyword.arg] = _value(keyword.value, line)
    return Step(result, operation.upper(), arguments, line)


def _value(node: ast.expr, line: int) -> Value | Name:
    match node:
        case ast.Name(id=name):
            return Name(name)
        case ast.Constant(value=str() | bool() | int() | float() as value):
            return value
        case _:
            raise BadProgram(f"line {line}: an argument is neither a name, a text nor a number")
