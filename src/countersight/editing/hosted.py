"""The hosted editor `chat-image:`, and code that it shares with `flux:`.

Responses are treated as untrusted input.
"""

import base64
import binascii
import os
import re
from typing import Any

import msgspec

from countersight.editing.painting import Brief, Given, Log, Painting
from countersight.editing.protocol import EditorSettings, Instruction, words_for
from countersight.errors import EditFailed, EditorError
from countersight.models import (
    ChatDialect,
    Key,
    PictureUrls,
    Received,
    Service,
    Turn,
    amount,
    check_address,
    error_text,
    first_choice,
    read_key,
    short_text,
    shorten,
    status_error,
    value_at,
)
from countersight.picture import MAX_BYTES

MAX_ANSWER = MAX_BYTES * 4 // 3 + 1024 * 1024
"""Size limit of a response: the largest picture in base64, plus the text around it."""
_MODERATED = re.compile(rb"moderat|content_policy|content_filter|flagged|safety system", re.IGNORECASE)


def require_key(variable: str, kind: str) -> Key:
    """Return the API key from an environment variable; raises if it is missing."""
    key = read_key(variable)
    if not key.text:
        raise EditorError(f"{kind}: needs a key; set {variable} in the environment")
    return key


def model_in_address(model: str, kind: str) -> str:
    """Return the model name if it is safe as part of an address; raises otherwise."""
    if not re.fullmatch(r"[A-Za-z0-9][A-Za-z0-9._-]{0,99}", model):
        raise EditorError(f"the MODEL in {kind}:MODEL may contain only letters, digits, dots, dashes and underscores")
    return model


def object_in(received: Received) -> dict[str, Any]:
    """Return the JSON object in a response."""
    try:
        sent = msgspec.json.decode(received.content)
    except (ValueError, RecursionError) as error:
        raise EditFailed(f"the server's response is not JSON: {shorten(str(error))}", again=True) from None
    if not isinstance(sent, dict):
        raise EditFailed("the server's response is not a JSON object", again=True)
    return sent


def failure(service: Service, received: Received) -> Exception:
    """Return the exception for an error response."""
    if 400 <= received.status < 500 and received.status != 429 and _MODERATED.search(received.content):
        return moderated(error_text(received.content))
    return status_error(service.host, received, service.key_variable)


def moderated(word: str) -> EditFailed:
    """Return the exception for a request that the service refuses; retrying would not help."""
    return EditFailed(f"moderated: {shorten(word)}")


def no_picture(said: str) -> EditFailed:
    """Return the exception for a response without a picture; the edit is retried unless the model replied with text."""
    said = shorten(said)
    return EditFailed(
        f"the server sent no picture, only this text: {said}" if said else "the server sent no picture", again=not said
    )


def from_base64(text: Any) -> bytes:
    """Decode a picture in base64."""
    try:
        return base64.b64decode(text, validate=True)
    except (binascii.Error, ValueError, TypeError):
        raise EditFailed("the picture in the answer is damaged (base64)", again=True) from None


def as_base64(data: bytes) -> str:
    """Encode bytes in base64."""
    return base64.b64encode(data).decode("ascii")


class HostedPainter:
    """Base class of hosted painters; subclasses create the request and extract the picture from the response."""

    fills = False
    key_header = "Authorization"

    def __init__(self, model: str, base: str, key: Key, settings: EditorSettings) -> None:
        self.settings = {"address": base, "model": model}
        self._model, self._base = model, base.rstrip("/")
        self._pictures = PictureUrls()
        self._service = Service(base, key, header=self.key_header, timeout=settings.timeout, most=MAX_ANSWER)

    def words(self, instruction: Instruction) -> str:
        """Return the instruction as a prompt."""
        return words_for(instruction)

    async def close(self) -> None:
        """Close connections."""
        await self._service.close()


OPENROUTER = "https://openrouter.ai/api/v1"
_BLOCKED = frozenset(
    {"content_filter", "SAFETY", "RECITATION", "BLOCKLIST", "PROHIBITED_CONTENT", "SPII"}
    | {"IMAGE_SAFETY", "IMAGE_PROHIBITED_CONTENT", "IMAGE_RECITATION"}
)
"""Finish reasons of a blocked response."""


class ChatImage(HostedPainter):
    """A chat model that replies with a picture, at OpenRouter or a compatible server."""

    _modalities: tuple[str, ...] = ("image", "text")

    async def paint(self, brief: Brief) -> Given:
        """Request the picture; if the model rejects text output, request only an image."""
        received = await self._ask(brief, self._modalities)
        if received.status in (400, 404, 422) and b"modalit" in received.content and "text" in self._modalities:
            received = await self._ask(brief, ("image",))
            if received.well:
                self._modalities = ("image",)
        if not received.well:
            raise failure(self._service, received)
        return _given_in_chat(object_in(received))

    async def _ask(self, brief: Brief, modalities: tuple[str, ...]) -> Received:
        dialect = ChatDialect(self._model, further={"modalities": modalities})
        turns = (Turn("user", brief.words, brief.picture),)
        body = await dialect.body(turns, {"seed": brief.seed}, self._pictures)
        return await self._service.post(f"{self._base}/chat/completions", msgspec.json.encode(body))


def open_chat_image(name: str, address: str, settings: EditorSettings) -> Painting:
    """Open `chat-image:MODEL` (with OPENROUTER_API_KEY, optionally OPENROUTER_BASE_URL) or `chat-image:URL#MODEL`."""
    if "://" not in address:
        base = check_address(os.environ.get("OPENROUTER_BASE_URL") or OPENROUTER)
        return Painting(name, ChatImage(address, base, require_key("OPENROUTER_API_KEY", "chat-image"), settings))
    url, _, model = address.partition("#")
    if not model:
        raise EditorError(
            "write chat-image:URL#MODEL for an image server, such as chat-image:http://127.0.0.1:8000/v1#m"
        )
    return Painting(name, ChatImage(model, check_address(url), read_key("COUNTERSIGHT_API_KEY"), settings))


def _given_in_chat(completion: dict[str, Any]) -> Given:
    choice = first_choice(completion)
    message = choice["message"]
    parts = [part for key in ("images", "content") if isinstance(found := message.get(key), list) for part in found]
    addresses = [found for part in parts if isinstance(found := value_at(part, "image_url", "url"), str)]
    if not addresses:
        ends = (choice.get("native_finish_reason"), choice.get("finish_reason"))
        if block := next((word for word in ends if word in _BLOCKED), None):
            raise moderated(block)
        raise no_picture(short_text(message.get("content")) or short_text(message.get("refusal")))
    log: Log = {"model": short_text(completion.get("model")), "answer": short_text(completion.get("id"))}
    if len(addresses) > 1:
        log["pictures"] = len(addresses)  # the last one is the final version
    head, comma, data = addresses[-1].partition(",")
    if not head.startswith("data:") or not comma:  # links are not followed
        raise EditFailed("the response contains an address instead of the picture")
    if not head.endswith(";base64"):
        raise EditFailed("the picture in the response is not valid base64")
    return Given(from_base64(data), log, amount(value_at(completion, "usage", "cost")))
