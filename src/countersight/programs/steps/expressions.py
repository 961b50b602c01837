"""Works out the expressions of EVAL: arithmetic, comparison and choice over earlier results, and nothing else."""

import ast
import operator
import re
import warnings
from collections.abc import Callable, Mapping
from typing import Any, Final

from countersight.programs.answers import number_in

LONGEST = 500
LARGEST = 10**12
"""Numbers beyond it are no counts of things."""

_BINARY: Final[dict[type[ast.operator], Callable[[Any, Any], Any]]] = {
    ast.Add: operator.add,
    ast.Sub: operator.sub,
    ast.Mult: operator.mul,
    ast.Div: operator.truediv,
    ast.FloorDiv: operator.floordiv,
    ast.Mod: operator.mod,
}
_COMPARED: Final[dict[type[ast.cmpop], Callable[[Any, Any], Any]]] = {
    ast.Eq: operator.eq,
    ast.NotEq: operator.ne,
    ast.Lt: operator.lt,
    ast.LtE: operator.le,
    ast.Gt: operator.gt,
    ast.GtE: operator.ge,
}
_REFERENCE = re.compile(r"\{\s*(\w+)\s*\}")

Result = str | int | float | bool


class BadExpression(Exception):  # noqa: N818 - it names the thing
    """An expression that cannot be worked out; the message is the reason."""


def evaluate(expression: str, results: Mapping[str, object]) -> Result:
    """The value of an expression in which {NAME} stands for an earlier result."""
    if len(expression) > LONGEST:
        raise BadExpression(f"the expression has more than {LONGEST} signs")
    try:
        with warnings.catch_warnings(action="ignore"):
            tree = ast.parse(_REFERENCE.sub(r"\1", expression).strip(), mode="eval")
        value: Result = _bounded(_value(tree.body, results))
        return value
    except BadExpression:
        raise
    except ZeroDivisionError:
        raise BadExpression("divides by zero") from None
    except (SyntaxError, ValueError, TypeError, RecursionError, MemoryError, OverflowError):
        raise BadExpression(f"{expression[:80]!r} cannot be worked out") from None


def _value(node: ast.expr, results: Mapping[str, object]) -> Any:
    match node:
        case ast.Constant(value=str() | bool() | int() | float() as value):
            return _bounded(value)
        case ast.Name(id=name):
            if name not in results:
                raise BadExpression(f"{name[:40]!r} is not the result of an earlier step")
            found = results[name]
            if not isinstance(found, str | bool | int | float):
                raise BadExpression(f"{name[:40]!r} is neither a number nor a text")
            return found
        case ast.BinOp(left=left, op=op, right=right) if type(op) in _BINARY:
            return _bounded(_BINARY[type(op)](_number(_value(left, results)), _number(_value(right, results))))
        case ast.UnaryOp(op=ast.USub(), operand=operand):
            return -_number(_value(operand, results))
        case ast.UnaryOp(op=ast.Not(), operand=operand):
            return not _truth(_value(operand, results))
        case ast.BoolOp(op=op, values=values):
            chosen = all if isinstance(op, ast.And) else any
            return chosen(_truth(_value(value, results)) for value in values)
        case ast.Compare(left=left, ops=ops, comparators=comparators) if all(type(op) in _COMPARED for op in ops):
            sides = [_value(side, results) for side in (left, *comparators)]
            pairs = zip(ops, sides, sides[1:], strict=False)
            return all(_COMPARED[type(op)](*_alike(one, other)) for op, one, other in pairs)
        case ast.IfExp(test=test, body=body, orelse=orelse):
            return _value(body if _truth(_value(test, results)) else orelse, results)
        case _:
            raise BadExpression("only arithmetic, comparison and a choice by if and else can be worked out")


def _number(value: Result) -> int | float:
    """A number to reckon with; an answer such as "3" or "two dogs" counts as its number."""
    if isinstance(value, bool | int):
        return int(value)
    number = number_in(value) if isinstance(value, str) else value
    if number is None:
        raise BadExpression(f"{str(value)[:40]!r} is no number to reckon with")
    return number


def _truth(value: Result) -> bool:
    """Whether a value counts as yes: of texts only "yes" and "true" do, not "no" for being some text."""
    return value.strip().casefold() in ("yes", "true") if isinstance(value, str) else bool(value)


def _alike(one: Result, other: Result) -> tuple[Result, Result]:
    """Two values as they are compared: texts without regard to case, a text and a number as numbers."""
    if isinstance(one, str) and isinstance(other, str):
        return one.strip().casefold(), other.strip().casefold()
    if isinstance(one, str) or isinstance(other, str):
        return _number(one), _number(other)
    return one, other


def _bounded(value: Any) -> Any:
    if isinstance(value, int | float) and not -LARGEST <= value <= LARGEST:
        raise BadExpression("a number is too large")
    return value
