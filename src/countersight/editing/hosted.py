"""The hosted editor `chat-image:`, and the code that it shares with `flux:`.

Responses are treated as untrusted input.
"""

import base64
import os
import re
from typing import Any

import msgspec

from countersight.editing.painting import Brief, Given, Log, Painting
from countersight.editing.protocol import EditorSettings
from countersight.editing.selecting import Selector
from countersight.errors import EditFailed, EditorError
from countersight.models import (
    ApiKey,
    ChatDialect,
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
"""The size limit of a response: the largest picture in base64, plus the text around it."""
_MODERATED = re.compile(rb"moderat|content_policy|content_filter|flagged|safety system", re.IGNORECASE)


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
    return status_error(service, received)


def moderated(word: str) -> EditFailed:
    """Return the exception for a request that the service refuses; retrying would not help."""
    return EditFailed(f"moderated: {shorten(word)}")


class HostedEditor(Painting):
    """Base class of editors that call a service; subclasses send the request and get the picture from the response."""

    key_header = "Authorization"

    def __init__(
        self, name: str, model: str, base: str, key: ApiKey, settings: EditorSettings, selector: Selector | None = None
    ) -> None:
        super().__init__(name, {"address": base, "model": model}, selector)
        self._model, self._base = model, base.rstrip("/")
        self._service = Service(base, key, header=self.key_header, timeout=settings.timeout, most=MAX_ANSWER)

    async def close(self) -> None:
        """Close connections."""
        await self._service.close()


def require_key(variable: str, kind: str) -> ApiKey:
    """Return the API key from an environment variable; raises if it is missing."""
    key = read_key(variable)
    if not key.text:
        raise EditorError(f"{kind}: needs a key; set {variable} in the environment")
    return key


OPENROUTER = "https://openrouter.ai/api/v1"
_BLOCKED = frozenset(
    {"content_filter", "SAFETY", "RECITATION", "BLOCKLIST", "PROHIBITED_CONTENT", "SPII"}
    | {"IMAGE_SAFETY", "IMAGE_PROHIBITED_CONTENT", "IMAGE_RECITATION"}
)
"""Finish reasons of a blocked response."""


class ChatImage(HostedEditor):
    """A chat model that replies with a picture, on OpenRouter or a compatible server."""

    def __init__(self, name: str, model: str, base: str, key: ApiKey, settings: EditorSettings) -> None:
        super().__init__(name, model, base, key, settings)
        self._pictures = PictureUrls()
        self._modalities: tuple[str, ...] = ("image", "text")

    async def paint(self, brief: Brief) -> Given:
        """Request the picture; if the model rejects text output, request only an image."""
        received = await self._ask(brief, self._modalities)
        if received.status in (400, 404, 422) and b"modalit" in received.content and "text" in self._modalities:
            received = await self._ask(brief, ("image",))
            if received.succeeded:
                self._modalities = ("image",)
        if not received.succeeded:
            raise failure(self._service, received)
        return _given_in_chat(object_in(received))

    async def _ask(self, brief: Brief, modalities: tuple[str, ...]) -> Received:
        dialect = ChatDialect(self._model, further={"modalities": modalities})
        turns = (Turn("user", brief.words, brief.picture),)
        body = await dialect.body(turns, {"seed": brief.seed}, self._pictures)
        return await self._service.post(f"{self._base}/chat/completions", msgspec.json.encode(body))


def open_chat_image(name: str, address: str, settings: EditorSettings) -> ChatImage:
    """Open `chat-image:MODEL` (with OPENROUTER_API_KEY, optionally OPENROUTER_BASE_URL) or `chat-image:URL#MODEL`."""
    if "://" not in address:
        base = check_address(os.environ.get("OPENROUTER_BASE_URL") or OPENROUTER)
        return ChatImage(name, address, base, require_key("OPENROUTER_API_KEY", "chat-image"), settings)
    url, _, model = address.partition("#")
    if not model:
        raise EditorError(
            "write chat-image:URL#MODEL for an image server, such as chat-image:http://127.0.0.1:8000/v1#m"
        )
    return ChatImage(name, model, check_address(url), read_key("COUNTERSIGHT_API_KEY"), settings)


def _given_in_chat(completion: dict[str, Any]) -> Given:
    choice = first_choice(completion)
    message = choice["message"]
    parts = [part for key in ("images", "content") if isinstance(found := message.get(key), list) for part in found]
    addresses = [found for part in parts if isinstance(found := value_at(part, "image_url", "url"), str)]
    if not addresses:
        ends = (choice.get("native_finish_reason"), choice.get("finish_reason"))
        if block := next((word for word in ends if word in _BLOCKED), None):
            raise moderated(block)
        said = shorten(short_text(message.get("content")) or short_text(message.get("refusal")))
        # A model that replied with text would do so again.
        raise EditFailed(f"the server sent no picture{said and f', only this text: {said}'}", again=not said)
    log: Log = {"model": short_text(completion.get("model")), "answer": short_text(completion.get("id"))}
    if len(addresses) > 1:
        log["pictures"] = len(addresses)  # the last one is the final version
    head, comma, data = addresses[-1].partition(",")
    if not head.startswith("data:") or not comma:  # links are not followed
        raise EditFailed("the response contains an address instead of the picture")
    if not head.endswith(";base64"):
        raise EditFailed("the picture in the response is not valid base64")
    try:
        picture = base64.b64decode(data, validate=True)
    except ValueError:
        raise EditFailed("the picture in the response is damaged (base64)", again=True) from None
    return Given(picture, log, amount(value_at(completion, "usage", "cost")))
