"""Works out the expressions of EVAL: arithmetic, comparison and choice over earlier results, and nothing else."""

import operator
import re
from collections.abc import Callable, Mapping
from typing import Any, Final

from countersight.programs.answers import number_in
from countersight.programs.steps.parsing import BadToken, Token, tokens

LONGEST = 500
DEEPEST = 40
"""Parentheses, signs and choices within each other."""
LARGEST = 10**12
"""Numbers beyond it are no counts of things."""

Result = str | int | float | bool
Results = Mapping[str, object]
Worked = Callable[[Results], Any]
"""A part of an expression that is worked out when it is wanted: of a choice only one side is."""

_LEVELS: Final[tuple[dict[str, Callable[[Any, Any], Any]], ...]] = (
    {"+": operator.add, "-": operator.sub},
    {"*": operator.mul, "/": operator.truediv, "//": operator.floordiv, "%": operator.mod},
)
_COMPARED: Final[dict[str, Callable[[Any, Any], Any]]] = {
    "==": operator.eq,
    "!=": operator.ne,
    "<": operator.lt,
    "<=": operator.le,
    ">": operator.gt,
    ">=": operator.ge,
}
_CONSTANTS: Final = {"True": True, "False": False}
_QUOTED: Final = re.compile(r"\{\s*(\w+)\s*\}")


class BadExpression(Exception):  # noqa: N818 - it names the thing
    """An expression that cannot be worked out; the message is the reason."""


def evaluate(expression: str, results: Results) -> Result:
    """The value of an expression in which {NAME} stands for an earlier result."""
    if len(expression) > LONGEST:
        raise BadExpression(f"the expression has more than {LONGEST} signs")
    try:
        value: Result = _bounded(_Parser(expression).whole()(results))
    except ZeroDivisionError:
        raise BadExpression("divides by zero") from None
    except (BadToken, TypeError, ValueError, OverflowError, RecursionError):
        raise BadExpression(f"{expression[:80]!r} cannot be worked out") from None
    return value


class _Parser:
    """Reads an expression from left to right, each kind of it by a method of its own."""

    def __init__(self, expression: str) -> None:
        self._tokens = [token for token in tokens(expression.replace("\n", " ")) if token.written]
        self._place = self._depth = 0

    def whole(self) -> Worked:
        worked = self._choice()
        if self._next is not None:
            raise BadExpression("only arithmetic, comparison and a choice by if and else can be worked out")
        return worked

    def _choice(self) -> Worked:
        self._depth += 1
        if self._depth > DEEPEST:
            raise BadExpression(f"the expression is more than {DEEPEST} deep")
        chosen = self._either()
        if self._taken("if"):
            test = self._either()
            if not self._taken("else"):
                raise BadExpression("an if has no else")
            other = self._choice()
            chosen = _chosen(chosen, test, other)
        self._depth -= 1
        return chosen

    def _either(self) -> Worked:
        return self._joined("or", self._unlike, any)

    def _unlike(self) -> Worked:
        return self._joined("xor", self._both, lambda truths: sum(truths) % 2 == 1)

    def _both(self) -> Worked:
        return self._joined("and", self._negated, all)

    def _joined(self, word: str, part: Callable[[], Worked], joined: Callable[[Any], bool]) -> Worked:
        parts = [part()]
        while self._taken(word):
            parts.append(part())
        return parts[0] if len(parts) == 1 else lambda results: joined(_truth(one(results)) for one in parts)

    def _negated(self) -> Worked:
        times = 0
        while self._taken("not"):
            times += 1
        compared = self._compared()
        return (lambda results: _truth(compared(results)) == (times % 2 == 0)) if times else compared

    def _compared(self) -> Worked:
        sides, signs = [self._reckoned(0)], []
        while sign := self._taken(*_COMPARED):
            signs.append(_COMPARED[sign])
            sides.append(self._reckoned(0))
        return _comparison(sides, signs) if signs else sides[0]

    def _reckoned(self, level: int) -> Worked:
        """Sums of products of single values."""
        if level == len(_LEVELS):
            return self._signed()
        worked = self._reckoned(level + 1)
        while sign := self._taken(*_LEVELS[level]):
            worked = _reckoning(_LEVELS[level][sign], worked, self._reckoned(level + 1))
        return worked

    def _signed(self) -> Worked:
        negative = 0
        while self._taken("-"):
            negative += 1
        value = self._value()
        return (lambda results: (-1) ** negative * _number(value(results))) if negative else value

    def _value(self) -> Worked:
        token = self._next
        if token is None:
            raise BadExpression("the expression ends too soon")
        self._place += 1
        if token.kind == "number" or (token.kind == "text" and not _QUOTED.fullmatch(str(token.value))):
            constant = _bounded(token.value)
            return lambda results: constant
        if token.kind == "text":  # "'{A}' == 'yes'": the braces mean the result in quotes too
            return _named(str(token.value).strip("{} "))
        if token.kind == "name":
            return _named(token.written)
        closing = {"(": ")", "{": "}"}.get(token.written)
        if closing is None:
            raise BadExpression("only arithmetic, comparison and a choice by if and else can be worked out")
        inner = self._choice()
        if not self._taken(closing):
            raise BadExpression(f"a {token.written} is not closed")
        return inner

    @property
    def _next(self) -> Token | None:
        return self._tokens[self._place] if self._place < len(self._tokens) else None

    def _taken(self, *written: str) -> str:
        """The next word or sign, taken, if it is one of these; else nothing."""
        token = self._next
        if token is None or token.kind == "text" or token.written not in written:
            return ""
        self._place += 1
        return token.written


def _named(name: str) -> Worked:
    def named(results: Results) -> Any:
        if name in _CONSTANTS:
            return _CONSTANTS[name]
        if name not in results:
            raise BadExpression(f"{name[:40]!r} is not the result of an earlier step")
        found = results[name]
        if not isinstance(found, str | bool | int | float):
            raise BadExpression(f"{name[:40]!r} is neither a number nor a text")
        return found

    return named


def _chosen(chosen: Worked, test: Worked, other: Worked) -> Worked:
    return lambda results: (chosen if _truth(test(results)) else other)(results)


def _reckoning(reckon: Callable[[Any, Any], Any], one: Worked, other: Worked) -> Worked:
    return lambda results: _bounded(reckon(_number(one(results)), _number(other(results))))


def _comparison(sides: list[Worked], signs: list[Callable[[Any, Any], Any]]) -> Worked:
    def compared(results: Results) -> bool:
        values = [side(results) for side in sides]
        pairs = zip(signs, values, values[1:], strict=False)
        return all(sign(*_alike(one, other)) for sign, one, other in pairs)

    return compared


def _number(value: Result) -> int | float:
    """A number to reckon with; an answer such as "3" or "two dogs" counts as its number."""
    number = number_in(value) if isinstance(value, str) else int(value) if isinstance(value, bool) else value
    if number is None:
        raise BadExpression(f"{str(value)[:40]!r} is no number to reckon with")
    _bounded(number)
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
