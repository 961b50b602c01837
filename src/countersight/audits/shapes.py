"""Replies that must have a shape: JSON found in what a model says, checked, and asked for again where it is missing."""

import re
from collections.abc import Callable, Iterator
from typing import Any, TypeVar

import msgspec

from countersight.audits.asking import AskedModel, conversation, plain, spent
from countersight.audits.prompts import AuditPrompts
from countersight.audits.records import Asked, Try, Usage
from countersight.engine import fill
from countersight.models import Request, Turn
from countersight.text import printable

TRIES = 3
"""So many replies without the shape are no answer (of a judge: an abstention)."""
LONGEST = 100_000
"""Signs of a reply that are looked through."""
NO_JSON = "there is no JSON object in it"
_OBJECTS = 64
"""Beginnings of an object that are tried; a text full of braces must not take for ever."""
_FENCE = re.compile(r"```[\w-]*\n(.*?)```", re.DOTALL)
_THOUGHT = re.compile(r"<(think|thinking|reasoning)>.*?(?:</\1>|\Z)", re.DOTALL | re.IGNORECASE)

Shape = TypeVar("Shape")


class BadShape(ValueError):  # noqa: N818 - it names the thing
    """A reply that has not the shape asked for; the message says what is wrong with it."""


class Shaped(msgspec.Struct, frozen=True):
    """What came of asking for a shape."""

    value: Any
    """Of the type asked for; None where no reply had the shape."""
    tries: tuple[Try, ...]
    spent: Usage
    asked: tuple[Asked, ...]


def read_shape(
    text: str, shape: type[Shape], otherwise: Callable[[str], dict[str, Any] | None] = lambda text: None
) -> Shape:
    """The one value of a shape in a text, or BadShape. `otherwise` reads a text that has no JSON at all.

    A text may talk around its JSON, fence it, or think aloud before it. Two values that differ are none: the model may
    have repeated one that somebody else put to it.
    """
    text = _THOUGHT.sub("", text[:LONGEST]).strip()
    fault = NO_JSON
    found: list[Shape] = []
    for part in _objects(text):
        try:
            value = msgspec.convert(part, shape)
        except msgspec.ValidationError as error:
            fault = printable(str(error))[:200]
            continue
        if value not in found:
            found.append(value)
    told = otherwise(text) if fault == NO_JSON and not found else None
    if told is not None:
        try:
            return msgspec.convert(told, shape)
        except msgspec.ValidationError as error:
            raise BadShape(printable(str(error))[:200]) from None
    if not found:
        raise BadShape(fault)
    if len(found) > 1:
        raise BadShape("there is more than one answer in it")
    return found[0]


def _objects(text: str) -> Iterator[dict[str, Any]]:
    """The outermost JSON objects in a text, in order."""
    whole = _decoded(text)
    if whole is not None:
        yield whole
        return
    fenced = _FENCE.findall(text)
    for part in fenced:
        inner = _decoded(part.strip())
        if inner is not None:
            yield inner
    if fenced:
        text = _FENCE.sub("", text)
    import json  # its decoder alone can say where an object ends

    decoder = json.JSONDecoder()
    at, tried = 0, 0
    while (at := text.find("{", at)) >= 0 and tried < _OBJECTS:
        tried += 1
        try:
            value, at = decoder.raw_decode(text, at)
        except (ValueError, RecursionError):
            at += 1
            continue
        if isinstance(value, dict):
            yield value


def _decoded(text: str) -> dict[str, Any] | None:
    try:
        value = msgspec.json.decode(text.encode("utf-8", "replace"))
    except (msgspec.DecodeError, RecursionError):
        return None
    return value if isinstance(value, dict) else None


async def ask_shaped(
    model: AskedModel,
    key: str,
    text: str,
    read: Callable[[str], Any],
    schema: dict[str, Any],
    again: str,
    vote: int = 0,
) -> Shaped:
    """Ask for a shape until a reply has it, at most TRIES times; each further time says what was wrong."""
    turns: tuple[Turn, ...] = (Turn("user", text),)
    tries: list[Try] = []
    so_far: Usage | None = None
    while True:
        answered = await model.ask(Request(key, turns, "open", shape=schema, vote=vote))
        so_far = spent(answered, so_far)
        reply = plain(answered.answer.text)
        try:
            value = read(reply)
        except BadShape as error:
            tries.append(Try(reply, str(error)))
        else:
            return Shaped(value, (*tries, Try(reply)), so_far, conversation(turns))
        if len(tries) == TRIES:
            return Shaped(None, tuple(tries), so_far, conversation(turns))
        turns = (*turns, *_asked_again(tries[-1], again))


def shaped_conversation(text: str, tries: tuple[Try, ...], prompts: AuditPrompts) -> tuple[Asked, ...]:
    """The conversation that such tries come from; anybody can put it together again."""
    further = (turn for each in tries[:-1] for turn in _asked_again(each, prompts.again))
    return conversation((Turn("user", text), *further))


def tries_follow(tries: tuple[Try, ...], read: Callable[[str], Any]) -> bool:
    """Whether each reply is as good as is noted of it: asking ends with the first that has the shape."""
    faults = [_fault(each.text, read) for each in tries]
    ended = not faults[-1] or len(tries) == TRIES
    return faults == [each.fault for each in tries] and all(faults[:-1]) and ended


def _fault(text: str, read: Callable[[str], Any]) -> str:
    try:
        read(text)
    except BadShape as error:
        return str(error)
    return ""


def _asked_again(bad: Try, again: str) -> tuple[Turn, Turn]:
    """What was said, and what was wrong with it."""
    return Turn("assistant", bad.text[:4_000]), Turn("user", fill(again, {"fault": bad.fault}))
