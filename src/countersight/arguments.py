"""Validation of arguments against a function's signature; invalid arguments raise an error before any work is done."""

import functools
import inspect
import os
from collections.abc import Callable, Iterable, Sequence
from numbers import Integral, Real
from pathlib import Path
from types import NoneType, UnionType
from typing import Any, Literal, TypeVar, Union, cast, get_args, get_origin

from countersight.english import article
from countersight.errors import CountersightError

Verb = TypeVar("Verb", bound=Callable[..., Any])

_PLAIN: dict[Any, tuple[tuple[type, ...], str]] = {
    int: ((Integral,), "a whole number"),
    float: ((Real,), "a number"),
    bool: ((bool,), "True or False"),
    str: ((str,), "a str"),
    Path: ((os.PathLike,), "a path"),
    NoneType: ((NoneType,), "None"),
}


def checked(verb: Verb) -> Verb:
    """Wrap a verb so that invalid arguments raise an error that names them."""
    signature = inspect.signature(verb)

    def check(*arguments: Any, **named: Any) -> None:
        for name, value in signature.bind(*arguments, **named).arguments.items():
            kind = signature.parameters[name].annotation
            if not _fits(value, kind):
                raise CountersightError(f"{name} is {_words(kind)}, not {_shown(value)}")

    @functools.wraps(verb)
    def calls(*arguments: Any, **named: Any) -> Any:
        check(*arguments, **named)
        return verb(*arguments, **named)

    @functools.wraps(verb)
    async def awaits(*arguments: Any, **named: Any) -> Any:
        check(*arguments, **named)
        return await verb(*arguments, **named)

    return cast("Verb", awaits if inspect.iscoroutinefunction(verb) else calls)


def check_from(least: int, **numbers: int | None) -> None:
    """Raise an error if a number is given and is too small."""
    for name, number in numbers.items():
        if number is not None and number < least:
            raise CountersightError(f"{name} must be a whole number of at least {least}, not {number}")


def _fits(value: Any, kind: Any) -> bool:
    origin = get_origin(kind)
    if origin in (Union, UnionType):
        return any(_fits(value, each) for each in get_args(kind))
    if origin is Literal:
        return value in get_args(kind)
    if origin in (Sequence, Iterable):
        several = isinstance(value, Iterable) and not isinstance(value, str | bytes)
        looked_into = value if isinstance(value, list | tuple) else ()  # iterating could consume other iterables
        return several and all(_fits(each, get_args(kind)[0]) for each in looked_into)
    if origin is not None or kind is Any:
        return origin is not Callable or callable(value)
    if kind in _PLAIN:
        return isinstance(value, _PLAIN[kind][0]) and (kind is bool or not isinstance(value, bool))
    if getattr(kind, "_is_protocol", False):
        return all(hasattr(value, member) for member in _members(kind))
    return isinstance(value, kind)


def _members(protocol: type) -> list[str]:
    declared = {name for each in protocol.__mro__ for name in (*vars(each).get("__annotations__", ()), *vars(each))}
    return sorted(name for name in declared if not name.startswith("_"))


def _words(kind: Any) -> str:
    """Describe the values that an annotation allows, for an error message."""
    parts = get_args(kind) if get_origin(kind) in (Union, UnionType) else (kind,)
    if Path in parts:  # str is accepted as a path
        parts = tuple(part for part in parts if part is not str)
    return _either([_word(part) for part in parts])


def _either(words: list[str]) -> str:
    return words[0] if len(words) == 1 else f"{', '.join(words[:-1])} or {words[-1]}"


def _word(kind: Any) -> str:
    origin = get_origin(kind)
    if origin is Literal:
        return _either([repr(each) for each in get_args(kind)])
    if origin in (Sequence, Iterable):
        return f"a list, each {_words(get_args(kind)[0])}"
    if origin is Callable:
        return "a function"
    if kind in _PLAIN:
        return _PLAIN[kind][1]
    has = f" ({', '.join(_members(kind))})" if getattr(kind, "_is_protocol", False) else ""
    return f"{article(kind.__name__)} {kind.__name__}{has}"


def _shown(value: Any) -> str:
    return repr(value) if isinstance(value, str | int | float | None) else type(value).__name__
