"""A plain function as a model: `(picture, question) -> answer`."""

import asyncio
import hashlib
import inspect
import re
from collections.abc import Callable, Iterator
from contextlib import suppress
from typing import TYPE_CHECKING, Any

from countersight.errors import AskingFailed, CountersightError, ModelError
from countersight.models.protocol import Answer, Displayed, Request
from countersight.picture import as_seen

if TYPE_CHECKING:
    from PIL.Image import Image

Function = Callable[["Image | None", str], str]
"""Receives the picture, with EXIF rotation applied, and the question with its options; returns the answer."""

_PLAIN = (str, bytes, int, float, type(None), tuple, list, range)
"""Types whose text distinguishes their values, and is the same in every process."""


class FunctionModel(Displayed):
    """A model that calls a function in a separate thread, so that a slow one does not block the event loop."""

    needs_picture = True

    def __init__(self, function: Function, name: str = "") -> None:
        if not callable(function):
            raise ModelError(
                f"{function!r} is not a model: pass a name, an object with a `reply` method, or a function"
            )
        self.name = name or getattr(function, "__name__", type(function).__name__)
        self.settings: dict[str, Any] = {"function": self.name, "code": _fingerprint(function)}
        self._function = function
        if not _accepts_two_arguments(function):
            raise ModelError(f"{self.name} must take two arguments, the picture and the question")

    async def reply(self, request: Request) -> Answer:
        """Return the function's answer; an exception fails only this question."""
        turn = request.turns[-1]
        shown = next((each.pictures for each in reversed(request.turns) if each.picture), ())
        if len(shown) > 1:
            raise AskingFailed(f"{self.name} accepts one picture, but this question has {len(shown)}", again=False)
        picture = as_seen(shown[0]) if shown else None
        # A function has no memory, so a request to restate a reply includes the reply.
        text = "\n\n".join(each.text for each in request.turns[-3:]) if request.restates else turn.text
        try:
            said = await asyncio.to_thread(self._function, picture, text)
            said = await said if inspect.isawaitable(said) else said
        except CountersightError:
            raise
        except Exception as error:
            raise AskingFailed(f"{self.name} raised {type(error).__name__}: {error}", again=False) from error
        if not isinstance(said, str):
            raise ModelError(f"{self.name} must return a str, not {type(said).__name__}")
        return Answer(said)

    async def close(self) -> None:
        """Do nothing; there are no resources to release."""


def _accepts_two_arguments(function: Function) -> bool:
    """Whether the function accepts a picture and a question, as far as its signature shows."""
    try:
        inspect.signature(function).bind(None, "")
    except TypeError:
        return False
    except ValueError:  # some functions not written in Python have no signature
        return True
    return True


def _fingerprint(function: Function) -> str:
    """Return a hash that distinguishes functions of the same name: lambdas, and closures with other values."""
    code = getattr(function, "__code__", None)
    written = _code_of(function) if code else type(function).__qualname__
    captured = [*(getattr(function, "__defaults__", None) or ()), *_captured(function)]
    written += "".join(map(_code_of, captured))
    return hashlib.sha256(re.sub(r" at 0x\w+", "", written).encode()).hexdigest()[:12]


def _code_of(value: object) -> str:
    """Return the code of a function or the text of a plain value; of anything else, only its type is known."""
    code = getattr(value, "__code__", None)
    if code:
        return repr((code.co_code, code.co_consts, code.co_names))
    return repr(value) if isinstance(value, _PLAIN) else type(value).__qualname__


def _captured(function: Function) -> Iterator[object]:
    """Yield the values that a function captured from the function around it."""
    for cell in getattr(function, "__closure__", None) or ():
        with suppress(ValueError):  # the cell is still empty
            yield cell.cell_contents
