"""A plain function as a model: `(picture, question) -> answer`."""

import asyncio
import hashlib
import inspect
import re
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from countersight.errors import AskingFailed, CountersightError, ModelError
from countersight.models.protocol import Answer, Displayed, Request
from countersight.picture import Picture, as_seen

if TYPE_CHECKING:
    from PIL.Image import Image

Function = Callable[["Image | None", str], str]
"""Handed the picture, as a viewer shows it, and the question with its options; says the answer."""


class FunctionModel(Displayed):
    """Asks a function, in a thread of its own, so that a slow one keeps nobody waiting."""

    needs_picture = False

    def __init__(self, function: Function, name: str = "") -> None:
        if not callable(function):
            raise ModelError(
                f"{function!r} is not a model: pass a name, an object with a `reply` method, or a function"
            )
        self.name = name or getattr(function, "__name__", type(function).__name__)
        self.settings: dict[str, Any] = {"function": self.name, "code": _fingerprint(function)}
        self._function = function
        if not _takes_both(function):
            raise ModelError(f"{self.name} must take two arguments, the picture and the question")

    async def reply(self, request: Request) -> Answer:
        """What the function says; what it raises fails this question and no other."""
        turn = request.turns[-1]
        if len(asked_of := _last_shown(request)) > 1:
            raise AskingFailed(f"{self.name} accepts one picture, but this question has {len(asked_of)}", again=False)
        picture = as_seen(asked_of[0]) if asked_of else None
        # A function remembers no conversation: what it is asked to restate is told with its own reply.
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
        """There is nothing to let go of."""


def _takes_both(function: Function) -> bool:
    """Whether it can be called with a picture and a question, as far as can be known."""
    try:
        inspect.signature(function).bind(None, "")
    except TypeError:
        return False
    except ValueError:  # some that are not written in Python do not say
        return True
    return True


def _last_shown(request: Request) -> tuple[Picture, ...]:
    """The pictures that the question is about: those shown last."""
    return next((turn.pictures for turn in reversed(request.turns) if turn.picture), ())


def _fingerprint(function: Function) -> str:
    """Tells one function from another of the same name, as all lambdas are: a folder of answers belongs to one."""
    code = getattr(function, "__code__", None)
    written = repr((code.co_code, code.co_consts, code.co_names)) if code else type(function).__qualname__
    return hashlib.sha256(re.sub(r" at 0x\w+", "", written).encode()).hexdigest()[:12]
