"""What the editors behind a server share: keys, and what comes back, read with mistrust."""

import base64
import binascii
import re
from typing import Any

import msgspec

from countersight.errors import EditFailed, EditorError, Overloaded
from countersight.models import Received, error_text, key_from, refused, shorten
from countersight.picture import MAX_BYTES, Picture

MAX_ANSWER = MAX_BYTES * 4 // 3 + 1024 * 1024
"""The bytes of the largest picture that is read, written as text, and what may stand around it."""
_MODERATED = re.compile(rb"moderat|content_policy|content_filter|flagged|safety system", re.IGNORECASE)
_RETRY_DELAY = re.compile(rb'"retryDelay":\s*"(\d{1,6}(?:\.\d{1,9})?)s"')


def needed_key(variable: str, kind: str) -> str:
    """The key of a service that serves nobody without one."""
    key = key_from(variable)
    if not key:
        raise EditorError(f"{kind}: needs a key; set {variable} in the environment")
    return key


def model_in_address(model: str, kind: str) -> str:
    """A model's name that becomes part of an address."""
    if not re.fullmatch(r"[A-Za-z0-9][A-Za-z0-9._-]{0,99}", model):
        raise EditorError(f"{kind}:MODEL takes the name of a model: letters, digits, dots, dashes and underscores")
    return model


def object_in(received: Received) -> dict[str, Any]:
    """The JSON object that a server sent."""
    try:
        sent = msgspec.json.decode(received.content)
    except (ValueError, RecursionError) as error:
        raise EditFailed(f"the server sent no JSON: {shorten(str(error))}", again=True) from None
    if not isinstance(sent, dict):
        raise EditFailed("the server sent no JSON object", again=True)
    return sent


def failure(host: str, received: Received) -> Exception:
    """What it means that a service did not do what was asked."""
    words = error_text(received.content)
    if received.status == 402:
        return EditorError(f"{host} wants to be paid first: HTTP 402: {words}")
    if b"API_KEY_INVALID" in received.content:  # so says Gemini, with status 400
        return EditorError(f"{host} does not accept the key: {words}")
    if 400 <= received.status < 500 and received.status != 429 and _MODERATED.search(received.content):
        return moderated(words)
    error = refused(host, received)
    if isinstance(error, Overloaded) and error.wait is None and (told := _RETRY_DELAY.search(received.content)):
        error.wait = float(told[1])  # Gemini says in the body how long to wait
    return error


def moderated(word: str) -> EditFailed:
    """The service will not make this picture; asking again would not change its mind."""
    return EditFailed(f"moderated: {shorten(word)}")


def no_picture(said: str) -> EditFailed:
    """An answer without a picture: words in its place are the model's answer, silence may be an accident."""
    said = shorten(said)
    return EditFailed(f"no picture came, but the words: {said}" if said else "no picture came", again=not said)


def from_base64(text: Any) -> bytes:
    """The bytes that a text holds."""
    try:
        return base64.b64decode(text, validate=True)
    except (binascii.Error, ValueError, TypeError):
        raise EditFailed("the picture in the answer is damaged (base64)", again=True) from None


def from_data_url(address: str) -> bytes:
    """The bytes in a `data:` address, whatever it calls them; other addresses are not followed."""
    head, comma, data = address.partition(",")
    if not head.startswith("data:") or not comma:
        raise EditFailed("the answer has an address where its picture should be")
    if not head.endswith(";base64"):
        raise EditFailed("the picture in the answer is no base64")
    return from_base64(data)


def as_base64(picture: Picture) -> str:
    """The bytes of a picture as text."""
    return base64.b64encode(picture.data).decode("ascii")


def words_in(value: Any) -> str:
    """Words of a server that are to be shown or kept; what else stands in their place is none."""
    return shorten(value) if isinstance(value, str) else ""


def amount(value: Any) -> float:
    """A count or cost that a server reports, if it can be one."""
    return float(value) if isinstance(value, int | float) and 0 <= value < 1e12 else 0.0


def inside(value: Any, *path: str | int) -> Any:
    """What stands at a path of names and places in a server's JSON; None where the path leads nowhere."""
    for step in path:
        if isinstance(value, dict) and isinstance(step, str):
            value = value.get(step)
        elif isinstance(value, list) and isinstance(step, int) and -len(value) <= step < len(value):
            value = value[step]
        else:
            return None
    return value
