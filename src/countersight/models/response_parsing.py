"""What servers say, whatever shape it comes in: words, thoughts apart from them, amounts."""

import json
import re
from typing import Any

import msgspec

from countersight.errors import AskingFailed
from countersight.models.service import shorten

_THINKING = re.compile(r"\s*<(think|thinking|reasoning)>", re.IGNORECASE)


class ServerAnswer(msgspec.Struct, frozen=True):
    """An answer as a server gave it."""

    text: str
    reasoning: str = ""
    finish: str = ""
    tokens_in: int = 0
    tokens_out: int = 0
    cost: float | None = None
    """In dollars, where the server reports it."""
    model: str = ""


def decoded(content: bytes) -> Any:
    """What a server sent as JSON; raises AskingFailed."""
    try:
        try:
            return msgspec.json.decode(content)
        except msgspec.DecodeError:
            # Half of a surrogate pair, as a model cut off within an emoji sends it, is JSON to some and not to others.
            return json.loads(content.decode())
    except (ValueError, RecursionError) as error:
        raise AskingFailed(f"the server sent no answer: {shorten(str(error))}", again=True) from None


def words(content: Any, *keys: str) -> str:
    """The words of a message; some servers send them in parts, under one of these keys."""
    if isinstance(content, list):
        content = "".join(words(part_of(part, *(keys or ("text",))), *keys) for part in content)
    if not isinstance(content, str):
        return ""
    return content if content.isascii() else content.encode("utf-16", "surrogatepass").decode("utf-16", "replace")


def part_of(part: Any, *keys: str) -> Any:
    """What stands in a part under the first of these keys; a part that is no object is itself."""
    return next((part[key] for key in keys if key in part), "") if isinstance(part, dict) else part


def short(value: Any) -> str:
    """A word of the server, not too long."""
    return shorten(words(value))


def amount(usage: Any, *names: str) -> float:
    """The sum of the counts or costs a server reports under these names, as far as they can be such."""
    found = [usage.get(name) for name in names] if isinstance(usage, dict) else []
    return sum(value for value in found if isinstance(value, int | float) and 0 <= value < 1e12)


def apart(text: str) -> tuple[str, str]:
    """The answer and the thoughts before it, where a model writes both as one text between marks.

    Thoughts that do not end are no answer: the limit of tokens cut them off.
    """
    opened = _THINKING.match(text)
    if opened is None:
        return text, ""
    thoughts, closed, answer = text[opened.end() :].partition(f"</{opened[1]}>")
    return (answer.strip(), thoughts.strip()) if closed else ("", thoughts.strip())
