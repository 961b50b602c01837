"""Parsing of server responses in various formats: text, separate reasoning, amounts."""

import json
import re
from typing import Any

import msgspec

from countersight.errors import AskingFailed
from countersight.models.service import shorten

_THINKING = re.compile(r"\s*<(think|thinking|reasoning)>", re.IGNORECASE)


class ServerAnswer(msgspec.Struct, frozen=True):
    """An answer as parsed from a server's response."""

    text: str
    reasoning: str = ""
    finish: str = ""
    tokens_in: int = 0
    tokens_out: int = 0
    cost: float | None = None
    """The cost in dollars, if the server reports it."""
    model: str = ""


def decoded(content: bytes) -> Any:
    """Decode the JSON of a response; raises AskingFailed."""
    try:
        try:
            return msgspec.json.decode(content)
        except msgspec.DecodeError:
            # Half a surrogate pair, as in an emoji that was cut off, is valid JSON only for some parsers.
            return json.loads(content.decode())
    except (ValueError, RecursionError) as error:
        raise AskingFailed(f"the server sent no answer: {shorten(str(error))}", again=True) from None


def words(content: Any, *keys: str) -> str:
    """Return the text of a message; some servers send it in parts, under one of these keys."""
    if isinstance(content, list):
        content = "".join(words(part_of(part, *(keys or ("text",))), *keys) for part in content)
    if not isinstance(content, str):
        return ""
    return content if content.isascii() else content.encode("utf-16", "surrogatepass").decode("utf-16", "replace")


def part_of(part: Any, *keys: str) -> Any:
    """Return the value of the first of these keys that a part has; a part that is not an object is returned as it
    is."""
    return next((part[key] for key in keys if key in part), "") if isinstance(part, dict) else part


def short(value: Any) -> str:
    """Return a short text field of the server."""
    return shorten(words(value))


def amount(usage: Any, *names: str) -> float:
    """Return the sum of the valid counts or costs that a server reports under these names."""
    found = [usage.get(name) for name in names] if isinstance(usage, dict) else []
    return sum(value for value in found if isinstance(value, int | float) and 0 <= value < 1e12)


def apart(text: str) -> tuple[str, str]:
    """Split a text into the answer and the marked reasoning before it.

    Unfinished reasoning has no answer: the token limit cut it off.
    """
    opened = _THINKING.match(text)
    if opened is None:
        return text, ""
    thoughts, closed, answer = text[opened.end() :].partition(f"</{opened[1]}>")
    return (answer.strip(), thoughts.strip()) if closed else ("", thoughts.strip())
