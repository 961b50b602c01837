"""Hosted editors: `chat-image:`, `openai-edit:` and `gemini:`, and code that they share with `flux:`.

Responses are treated as untrusted input.
"""

import base64
import binascii
import io
import os
import re
from typing import Any

import aiohttp
import msgspec
import numpy as np
from PIL import Image

from countersight.editing.painting import Brief, Given, Log, Painting
from countersight.editing.protocol import EditorSettings, Instruction, words_for
from countersight.errors import EditFailed, EditorError, Overloaded
from countersight.models import (
    OPENAI,
    ChatDialect,
    GeminiDialect,
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
_RETRY_DELAY = re.compile(rb'"retryDelay":\s*"(\d{1,6}(?:\.\d{1,9})?)s"')


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
    words = error_text(received.content)
    if b"API_KEY_INVALID" in received.content:  # Gemini reports this with status 400
        return EditorError(f"{service.host} does not accept the key: {words}")
    if 400 <= received.status < 500 and received.status != 429 and _MODERATED.search(received.content):
        return moderated(words)
    error = status_error(service.host, received, service.key_variable)
    if isinstance(error, Overloaded) and error.wait is None and (told := _RETRY_DELAY.search(received.content)):
        error.wait = float(told[1])  # Gemini's response body contains the time to wait
    return error


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

    async def _answer(self, path: str, body: bytes | aiohttp.FormData) -> dict[str, Any]:
        """Post a request, and return the JSON object in the response."""
        return self._object(await self._service.post(f"{self._base}/{path}", body))

    def _object(self, received: Received) -> dict[str, Any]:
        if not received.well:
            raise failure(self._service, received)
        return object_in(received)


OPENROUTER = "https://openrouter.ai/api/v1"
_BLOCKED = frozenset(
    {"content_filter", "SAFETY", "RECITATION", "BLOCKLIST", "PROHIBITED_CONTENT", "SPII"}
    | {"IMAGE_SAFETY", "IMAGE_PROHIBITED_CONTENT", "IMAGE_RECITATION"}
)
"""Finish reasons of a blocked response. Others, such as NO_IMAGE and OTHER, may succeed on a retry."""


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
        return _given_in_chat(self._object(received))

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


class OpenAIEdit(HostedPainter):
    """An image model of OpenAI, which accepts a mask."""

    async def paint(self, brief: Brief) -> Given:
        """Send the form, and return the picture in the response. The seed is not sent: these models accept none."""
        answer = await self._answer("images/edits", self._form(brief))
        first = value_at(answer, "data", 0)
        if value_at(first, "b64_json") is None:
            if value_at(first, "url") is not None:
                raise EditFailed("the response contains an address instead of the picture")
            raise no_picture(short_text(value_at(answer, "error", "message")))
        log: Log = {
            "tokens_in": amount(value_at(answer, "usage", "input_tokens")),
            "tokens_out": amount(value_at(answer, "usage", "output_tokens")),
        }
        if revised := short_text(value_at(first, "revised_prompt")):
            log["revised_prompt"] = revised
        return Given(from_base64(value_at(first, "b64_json")), log)

    def _form(self, brief: Brief) -> aiohttp.FormData:
        form = aiohttp.FormData({"model": self._model, "prompt": brief.words, "n": "1", "output_format": "png"})
        if self._model.startswith("gpt-image-1") and "mini" not in self._model:
            form.add_field("input_fidelity", "high")  # later models do this by default
        kind = brief.picture.mime.removeprefix("image/")
        form.add_field("image", brief.picture.data, filename=f"picture.{kind}", content_type=brief.picture.mime)
        if brief.mask is not None:
            clear = np.zeros((*brief.mask.shape, 4), np.uint8)  # transparent where the picture may be changed
            clear[:, :, 3] = np.where(brief.mask, 0, 255)
            file = io.BytesIO()
            Image.fromarray(clear).save(file, "PNG")
            form.add_field("mask", file.getvalue(), filename="mask.png", content_type="image/png")
        return form


def open_openai_edit(name: str, model: str, settings: EditorSettings) -> Painting:
    """Open `openai-edit:MODEL`; the key is read from OPENAI_API_KEY, an optional base address from OPENAI_BASE_URL."""
    base = check_address(os.environ.get("OPENAI_BASE_URL") or OPENAI)
    return Painting(name, OpenAIEdit(model, base, require_key("OPENAI_API_KEY", "openai-edit"), settings))


GEMINI = "https://generativelanguage.googleapis.com/v1beta"


class Gemini(HostedPainter):
    """One of Google's models that return pictures, through the Gemini API."""

    key_header = "x-goog-api-key"

    async def paint(self, brief: Brief) -> Given:
        """Request the picture, and return it from the parts of the response."""
        turns = (Turn("user", brief.words, brief.picture),)
        fields = {"responseModalities": ["TEXT", "IMAGE"], "seed": brief.seed & 0x7FFFFFFF}
        body = await GeminiDialect().body(turns, fields, self._pictures)
        answer = await self._answer(f"models/{self._model}:generateContent", msgspec.json.encode(body))
        if block := short_text(value_at(answer, "promptFeedback", "blockReason")):
            raise moderated(block)
        candidate = value_at(answer, "candidates", 0)
        parts = value_at(candidate, "content", "parts")
        # Pictures drawn while reasoning are not part of the answer.
        parts = [part for part in parts if not value_at(part, "thought")] if isinstance(parts, list) else []
        pictures = [data for part in parts if (data := value_at(part, "inlineData", "data")) is not None]
        if not pictures:
            finish = short_text(value_at(candidate, "finishReason"))
            if finish in _BLOCKED:
                raise moderated(f"{finish} {short_text(value_at(candidate, 'finishMessage'))}")
            said = short_text(parts)
            if not said and finish not in ("", "STOP"):
                raise EditFailed(f"the server sent no picture ({finish})", again=True)
            raise no_picture(said)
        log: Log = {
            "model": short_text(answer.get("modelVersion")),
            "answer": short_text(answer.get("responseId")),
            "tokens_in": amount(value_at(answer, "usageMetadata", "promptTokenCount")),
            "tokens_out": amount(value_at(answer, "usageMetadata", "candidatesTokenCount")),
        }
        if len(pictures) > 1:
            log["pictures"] = len(pictures)  # the last one is the final version
        return Given(from_base64(pictures[-1]), log)


def open_gemini(name: str, model: str, settings: EditorSettings) -> Painting:
    """Open `gemini:MODEL`; the key is read from GEMINI_API_KEY, an optional base address from GEMINI_BASE_URL."""
    base = check_address(os.environ.get("GEMINI_BASE_URL") or GEMINI)
    key = require_key("GEMINI_API_KEY", "gemini")
    return Painting(name, Gemini(model_in_address(model, "gemini"), base, key, settings))
