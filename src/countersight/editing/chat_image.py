"""`chat-image:MODEL`: models that answer a conversation with a picture, at OpenRouter or a server that speaks so."""

import os
from typing import Any

import msgspec

from countersight.editing.hosted import (
    MAX_ANSWER,
    amount,
    failure,
    from_data_url,
    inside,
    moderated,
    needed_key,
    no_picture,
    object_in,
    words_in,
)
from countersight.editing.painting import Brief, Given, Log, Painting
from countersight.editing.protocol import EditorSettings, Instruction, words_for
from countersight.errors import EditFailed, EditorError, Overloaded
from countersight.models import Received, Service, checked_address, error_text, key_from
from countersight.picture import data_url

OPENROUTER = "https://openrouter.ai/api/v1"
_BLOCKS = ("content_filter", "SAFETY", "IMAGE_SAFETY", "PROHIBITED_CONTENT", "IMAGE_PROHIBITED_CONTENT", "BLOCKLIST")
"""How an answer ends that was held back, in the words of the gateway or of the model behind it."""


class ChatImage:
    """One model that paints and may talk."""

    fills = False

    def __init__(self, model: str, base: str, key: str, settings: EditorSettings) -> None:
        self.settings = {"address": base, "model": model}
        self._model = model
        self._url = base.rstrip("/") + "/chat/completions"
        self._service = Service(base, key, timeout=settings.timeout, most=MAX_ANSWER)
        self._modalities = ["image", "text"]

    def words(self, instruction: Instruction) -> str:
        """The instruction, in words."""
        return words_for(instruction)

    async def paint(self, brief: Brief) -> Given:
        """Ask for the picture; of a model that gives only pictures, only for that."""
        received = await self._ask(brief, self._modalities)
        if received.status in (400, 404, 422) and b"modalit" in received.content and "text" in self._modalities:
            received = await self._ask(brief, ["image"])
            if received.well:
                self._modalities = ["image"]
        if not received.well:
            raise failure(self._service.host, received)
        return _given(object_in(received), error_text(received.content))

    async def close(self) -> None:
        await self._service.close()

    async def _ask(self, brief: Brief, modalities: list[str]) -> Received:
        address = data_url(brief.picture.mime, brief.picture.data)
        content = [{"type": "text", "text": brief.words}, {"type": "image_url", "image_url": {"url": address}}]
        body = {
            "model": self._model,
            "messages": [{"role": "user", "content": content}],
            "modalities": modalities,
            "seed": brief.seed,
        }
        return await self._service.post(self._url, msgspec.json.encode(body))


def open_chat_image(name: str, address: str, settings: EditorSettings) -> Painting:
    """`chat-image:MODEL`, with OPENROUTER_API_KEY and OPENROUTER_BASE_URL; or `chat-image:URL#MODEL`, as endpoints."""
    if "://" not in address:
        base = checked_address(os.environ.get("OPENROUTER_BASE_URL") or OPENROUTER)
        return Painting(name, ChatImage(address, base, needed_key("OPENROUTER_API_KEY", "chat-image"), settings))
    url, _, model = address.partition("#")
    if not model:
        raise EditorError(
            "a server that paints is named chat-image:URL#MODEL, as in chat-image:http://127.0.0.1:8000/v1#m"
        )
    return Painting(name, ChatImage(model, checked_address(url), key_from("COUNTERSIGHT_API_KEY"), settings))


def _given(completion: dict[str, Any], error: str) -> Given:
    choice = inside(completion, "choices", 0)
    if not isinstance(choice, dict):
        if completion.get("error"):  # some gateways send errors with status 200
            busy = inside(completion, "error", "code") in (429, 503)
            reason = f"the server sent an error: {error}"
            raise Overloaded(reason, None) if busy else EditFailed(reason, again=True)
        raise no_picture("")
    message = choice.get("message")
    addresses = [*_addresses(inside(message, "images")), *_addresses(inside(message, "content"))]
    if not addresses:
        ends = [word for word in (choice.get("native_finish_reason"), choice.get("finish_reason")) if word in _BLOCKS]
        if ends:
            raise moderated(ends[0])
        raise no_picture(_said(message))
    log: Log = {"model": words_in(completion.get("model")), "answer": words_in(completion.get("id"))}
    if len(addresses) > 1:
        log["pictures"] = len(addresses)  # the last is the one it ended with
    return Given(from_data_url(addresses[-1]), log, amount(inside(completion, "usage", "cost")))


def _addresses(parts: Any) -> list[str]:
    found = [inside(part, "image_url", "url") for part in parts] if isinstance(parts, list) else []
    return [address for address in found if isinstance(address, str)]


def _said(message: Any) -> str:
    content = inside(message, "content")
    if isinstance(content, list):
        content = " ".join(words_in(inside(part, "text")) for part in content)
    return words_in(content) or words_in(inside(message, "refusal"))
