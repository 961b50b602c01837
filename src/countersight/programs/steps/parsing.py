"""Parses step programs and the expressions of EVAL with Python's parser; nothing is run as Python.

Lengths are limited before parsing, and only a few kinds of syntax are allowed.
"""

import ast
import operator
import re
import warnings
from collections.abc import Callable, Mapping
from typing import Any, Final

import msgspec

from countersight.programs.answers import number_in
from countersight.programs.limits import ProgramFailed

MOST_STEPS = 64
LONGEST_EXPRESSION = 500
LARGEST = 10**12
"""The largest allowed number."""
_UNPARSABLE = (SyntaxError, ValueError, RecursionError, MemoryError)
"""Exceptions of Python's parser for invalid or too deeply nested text."""

Value = str | int | float | bool


class Name(msgspec.Struct, frozen=True):
    """A reference to the result of an earlier step."""

    id: str


class ProgramStep(msgspec.Struct, frozen=True):
    """One line: the name of its result, its operation, and its arguments."""

    result: str
    operation: str
    arguments: dict[str, Value | Name]
    line: int = 0

    def __str__(self) -> str:
        return f"{self.result}={self.operation}({self.given})"

    @property
    def given(self) -> str:
        """Return the arguments as written."""
        return ", ".join(
            f"{name}={value.id if isinstance(value, Name) else repr(value)}" for name, value in self.arguments.items()
        )


class BadProgram(ProgramFailed):
    """Raised if a text is not a step program; the message says where and why."""

    def __init__(self, reason: str) -> None:
        super().__init__("syntax error", reason)


def parse_program(source: str) -> list[ProgramStep]:
    """Parse the steps of a program without other text."""
    try:
        lines = _parse_python(source, "exec").body
    except SyntaxError as error:
        raise BadProgram(f"line {error.lineno}: {error.msg}") from None
    except _UNPARSABLE as error:
        raise BadProgram(f"it cannot be parsed: {error}") from None
    if len(lines) > MOST_STEPS:
        raise BadProgram(f"the program has more than {MOST_STEPS} steps")
    return [_parse_step(line) for line in lines]


def _parse_python(source: str, mode: str) -> Any:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # Python warns about "\d" and the like, which are ordinary texts here
        return ast.parse(source, mode=mode)


def _parse_step(line: ast.stmt) -> ProgramStep:
    match line:
        case ast.Assign(targets=[ast.Name(id=result)], value=ast.Call(func=ast.Name(id=operation), args=[]) as call):
            pass
        case ast.Expr(value=ast.Call(func=ast.Name(id=operation), args=[]) as call):
            result = ""
        case _:
            raise BadProgram(f"line {line.lineno} is not NAME=OPERATION(name=value, …)")
    arguments = {str(given.arg): _parse_argument(given.value, line.lineno) for given in call.keywords}
    return ProgramStep(result, operation.upper(), arguments, line.lineno)


def _parse_argument(value: ast.expr, line: int) -> Value | Name:
    match value:
        case ast.Name(id=name):
            return Name(name)
        case ast.Constant(value=str() | bool() | float() as constant):
            return constant
        case ast.Constant(value=int() as number) if abs(number) <= LARGEST:
            return number
    raise BadProgram(f"line {line}: its arguments are not name=value, with a name, a text or a number")


_OPERATORS: Final[dict[type[ast.AST], Callable[[Any, Any], Any]]] = {
    ast.Add: operator.add,
    ast.Sub: operator.sub,
    ast.Mult: operator.mul,
    ast.Div: operator.truediv,
    ast.FloorDiv: operator.floordiv,
    ast.Mod: operator.mod,
    ast.Eq: operator.eq,
    ast.NotEq: operator.ne,
    ast.Lt: operator.lt,
    ast.LtE: operator.le,
    ast.Gt: operator.gt,
    ast.GtE: operator.ge,
}
_XOR: Final = "_xor_"
_WORD_XOR: Final = re.compile(r"""('[^']*'|"[^"]*")|\bxor\b""")
"""Matches VisProg's `xor` outside of strings; it is not a Python operator."""
_QUOTED: Final = re.compile(r"\{\s*(\w+)\s*\}")
"""A result in quotes, as in "'{A}' == 'yes'", is also replaced."""


class BadExpression(Exception):  # noqa: N818 - the name says what is invalid
    """Raised if an expression cannot be evaluated; the message is the reason."""


def evaluate(expression: str, results: Mapping[str, object]) -> Value:
    """Evaluate an expression in which {NAME} is an earlier result: arithmetic, comparison and choice."""
    if len(expression) > LONGEST_EXPRESSION:
        raise BadExpression(f"the expression has more than {LONGEST_EXPRESSION} characters")
    text = _WORD_XOR.sub(lambda found: found[1] or f"or {_XOR} or", " ".join(expression.split()))
    try:
        value: Value = _check_size(_evaluate_node(_parse_python(text, "eval").body, results))
    except ZeroDivisionError:
        raise BadExpression("divides by zero") from None
    except (*_UNPARSABLE, TypeError, OverflowError):
        raise BadExpression(f"{expression[:80]!r} cannot be evaluated") from None
    return value


def _evaluate_node(node: ast.expr, results: Mapping[str, object]) -> Any:
    """Evaluate a part of an expression; for a choice, only the selected side."""

    def worked(part: ast.expr) -> Any:
        return _evaluate_node(part, results)

    match node:
        case ast.Constant(value=str() as text) if quoted := _QUOTED.fullmatch(text):
            return _look_up(quoted[1], results)
        case ast.Constant(value=str() | int() | float() as constant):
            return _check_size(constant)
        case ast.Name(id=name):
            return _look_up(name, results)
        case ast.Set(elts=[inner]):  # {NAME}
            return worked(inner)
        case ast.IfExp():
            return worked(node.body if _truth(worked(node.test)) else node.orelse)
        case ast.BoolOp(op=ast.And()):
            return all(_truth(worked(part)) for part in node.values)
        case ast.BoolOp():
            return any(sum(_truth(worked(part)) for part in group) % 2 for group in _split_by_xor(node.values))
        case ast.UnaryOp(op=ast.Not()):
            return not _truth(worked(node.operand))
        case ast.UnaryOp(op=ast.USub()):
            return -_number(worked(node.operand))
        case ast.BinOp(op=reckon) if type(reckon) in _OPERATORS:
            return _check_size(_OPERATORS[type(reckon)](_number(worked(node.left)), _number(worked(node.right))))
        case ast.Compare() if all(type(sign) in _OPERATORS for sign in node.ops):
            values = [worked(part) for part in (node.left, *node.comparators)]
            pairs = zip(node.ops, values, values[1:], strict=False)
            return all(_OPERATORS[type(sign)](*_comparable(one, other)) for sign, one, other in pairs)
    raise BadExpression("only arithmetic, comparisons and if/else expressions can be evaluated")


def _split_by_xor(parts: list[ast.expr]) -> list[list[ast.expr]]:
    """Split the operands of `or` into groups joined by `xor`, which binds more tightly."""
    groups: list[list[ast.expr]] = [[]]
    after_xor = True
    for part in parts:
        is_xor = isinstance(part, ast.Name) and part.id == _XOR
        if not is_xor:
            groups[-1].append(part) if after_xor else groups.append([part])
        after_xor = is_xor
    return groups


def _look_up(name: str, results: Mapping[str, object]) -> Value:
    if name not in results:
        raise BadExpression(f"{name[:40]!r} is not the result of an earlier step")
    found = results[name]
    if not isinstance(found, str | bool | int | float):
        raise BadExpression(f"{name[:40]!r} is neither a number nor a text")
    return found


def _number(value: Value) -> int | float:
    """Return a number for arithmetic; an answer such as "3" or "two dogs" counts as its number."""
    number = number_in(value) if isinstance(value, str) else int(value) if isinstance(value, bool) else value
    if number is None:
        raise BadExpression(f"{str(value)[:40]!r} is not a number")
    _check_size(number)
    return number


def _truth(value: Value) -> bool:
    """Whether a value counts as true; the only texts that do are "yes" and "true"."""
    return value.strip().casefold() in ("yes", "true") if isinstance(value, str) else bool(value)


def _comparable(one: Value, other: Value) -> tuple[Value, Value]:
    """Return two values in comparable form: texts in lower case, or both as numbers if one is a number."""
    if isinstance(one, str) and isinstance(other, str):
        return one.strip().casefold(), other.strip().casefold()
    if isinstance(one, str) or isinstance(other, str):
        return _number(one), _number(other)
    return one, other


def _check_size(value: Any) -> Any:
    if isinstance(value, int | float) and not -LARGEST <= value <= LARGEST:
        raise BadExpression("a number is too large")
    return value
