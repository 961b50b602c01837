"""Replies in a required format: find and check the JSON in a model's reply, and ask again if it is missing."""

import json
import re
from collections.abc import Callable, Iterator
from typing import Any, TypeVar

import msgspec

from countersight.audits.clients import AskedModel, replace_surrogates
from countersight.audits.records import Attempt
from countersight.engine import fill
from countersight.models import Request, Turn
from countersight.text import printable

TRIES = 3
"""The maximum number of requests for a reply in the required format; after that, a judge abstains."""
LONGEST = 100_000
"""The maximum length of the part of a reply that is searched, in characters."""
NO_JSON = "there is no JSON object in it"
_OBJECTS = 64
"""The maximum number of opening braces that are tried, so that a text full of braces does not take too long."""
_DECODER = json.JSONDecoder()
_THOUGHT = re.compile(r"<(think|thinking|reasoning)>.*?(?:</\1>|\Z)", re.DOTALL | re.IGNORECASE)

Shape = TypeVar("Shape")


class BadShape(ValueError):  # noqa: N818 - it names the thing
    """Raised if a reply does not have the required format; the message says what is wrong."""


def read_shape(
    text: str, shape: type[Shape], otherwise: Callable[[str], dict[str, Any] | None] = lambda text: None
) -> Shape:
    """Parse the value in a text, or raise BadShape. `otherwise` parses a text that contains no JSON.

    The JSON may be fenced, surrounded by text, or preceded by reasoning. Two different values are an error: the model
    may have repeated one that it was shown.
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
    fields = otherwise(text) if fault == NO_JSON and not found else None
    if fields is not None:
        try:
            return msgspec.convert(fields, shape)
        except msgspec.ValidationError as error:
            raise BadShape(printable(str(error))[:200]) from None
    if not found:
        raise BadShape(fault)
    if len(found) > 1:
        raise BadShape("there is more than one answer in it")
    return found[0]


def _objects(text: str) -> Iterator[dict[str, Any]]:
    """Yield the outermost JSON objects in a text, in order."""
    at, tried = 0, 0
    while (at := text.find("{", at)) >= 0 and tried < _OBJECTS:
        tried += 1
        try:
            value, at = _DECODER.raw_decode(text, at)
        except (ValueError, RecursionError):
            at += 1
        else:
            yield value


async def ask_shaped(
    model: AskedModel,
    key: str,
    text: str,
    read: Callable[[str], Any],
    schema: dict[str, Any],
    again: str,
    vote: int = 0,
) -> tuple[Attempt, ...]:
    """Ask until a reply has the required format, at most TRIES times; each new request says what was wrong.

    Return all replies. Only the last can have the required format; if it does, its `fault` is empty.
    """
    turns: tuple[Turn, ...] = (Turn("user", text),)
    tries: list[Attempt] = []
    while True:
        answered = await model.ask(Request(key, turns, "open", shape=schema, vote=vote))
        reply = replace_surrogates(answered.answer.text)
        try:
            read(reply)
            tries.append(Attempt(reply))
        except BadShape as error:
            tries.append(Attempt(reply, str(error)))
        if not tries[-1].fault or len(tries) == TRIES:
            return tuple(tries)
        fault = fill(again, {"fault": tries[-1].fault})
        turns = (*turns, Turn("assistant", reply[:4_000]), Turn("user", fault))
