"""A verb that is called like a room: `countersight.audit(…)` audits, and `countersight.audit.judges` is in the room."""

import functools
import importlib
from collections.abc import Callable
from typing import Any, TypeVar, cast

Function = TypeVar("Function", bound=Callable[..., Any])


class _Verb:
    """Called, it is the function; anything else that is asked of it is in the room that it stands before."""

    def __init__(self, function: Callable[..., Any]) -> None:
        functools.update_wrapper(self, function)
        self._function = function

    def __call__(self, *arguments: Any, **named: Any) -> Any:
        return self._function(*arguments, **named)

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):  # what Python itself looks for is the function's or nobody's
            raise AttributeError(name)
        return getattr(importlib.import_module(f"countersight.{self._function.__name__}"), name)

    def __repr__(self) -> str:
        return repr(self._function)

    def __reduce__(self) -> str:
        return self._function.__name__


def before_room(function: Function) -> Function:
    """The verb as a door to the room of its name, so that `import countersight.audit.judges as j` finds its way."""
    return cast("Function", _Verb(function))
