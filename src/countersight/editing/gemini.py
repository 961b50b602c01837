"""`gemini:MODEL`: Google's models that answer with pictures, through their own interface."""

import os
from typing import Any

import msgspec

from countersight.editing.hosted import (
    MAX_ANSWER,
    amount,
    as_base64,
    failure,
    from_base64,
    inside,
    model_in_address,
    moderated,
    needed_key,
    no_picture,
    object_in,
    words_in,
)
from countersight.editing.painting import Brief, Given, Log, Painting
from countersight.editing.protocol import EditorSettings, Instruction, words_for
from countersight.errors import EditFailed
from countersight.models import Service, checked_address

GEMINI = "https://generativelanguage.googleapis.com/v1beta"
_BLOCKS = frozenset(
    {"SAFETY", "RECITATION", "BLOCKLIST", "PROHIBITED_CONTENT", "SPII"}
    | {"IMAGE_SAFETY", "IMAGE_PROHIBITED_CONTENT", "IMAGE_RECITATION"}
)
"""How an answer ends that was held back. NO_IMAGE, OTHER and the like are accidents: the next try may do."""


class Gemini:
    """One model that answers with pictures."""

    fills = False

    def __init__(self, model: str, base: str, key: str, settings: EditorSettings) -> None:
        self.settings = {"address": base, "model": model}
        self._url = f"{base.rstrip('/')}/models/{model}:generateContent"
        self._service = Service(base, key, header="x-goog-api-key", timeout=settings.timeout, most=MAX_ANSWER)

    def words(self, instruction: Instruction) -> str:
        """The instruction, in words."""
        return words_for(instruction)

    async def paint(self, brief: Brief) -> Given:
        """Ask for the picture, and find it among the parts of the answer."""
        picture = {"inlineData": {"mimeType": brief.picture.mime, "data": as_base64(brief.picture)}}
        body = {
            "contents": [{"role": "user", "parts": [{"text": brief.words}, picture]}],
            "generationConfig": {"responseModalities": ["TEXT", "IMAGE"], "seed": brief.seed & 0x7FFFFFFF},
        }
        received = await self._service.post(self._url, msgspec.json.encode(body))
        if not received.well:
            raise failure(self._service.host, received)
        return _given(object_in(received))

    async def close(self) -> None:
        await self._service.close()


def open_gemini(name: str, model: str, settings: EditorSettings) -> Painting:
    """`gemini:MODEL`; key from GEMINI_API_KEY, another base address from GEMINI_BASE_URL."""
    base = checked_address(os.environ.get("GEMINI_BASE_URL") or GEMINI)
    key = needed_key("GEMINI_API_KEY", "gemini")
    return Painting(name, Gemini(model_in_address(model, "gemini"), base, key, settings))


def _given(answer: dict[str, Any]) -> Given:
    if block := words_in(inside(answer, "promptFeedback", "blockReason")):
        raise moderated(block)
    candidate = inside(answer, "candidates", 0)
    parts = inside(candidate, "content", "parts")
    # What it drew while it thought is not its answer.
    parts = [part for part in parts if not inside(part, "thought")] if isinstance(parts, list) else []
    pictures = [data for part in parts if (data := inside(part, "inlineData", "data")) is not None]
    if not pictures:
        finish = words_in(inside(candidate, "finishReason"))
        if finish in _BLOCKS:
            raise moderated(f"{finish} {words_in(inside(candidate, 'finishMessage'))}")
        said = " ".join(filter(None, (words_in(inside(part, "text")) for part in parts)))
        if not said and finish not in ("", "STOP"):
            raise EditFailed(f"no picture came ({finish})", again=True)
        raise no_picture(said)
    log: Log = {
        "model": words_in(answer.get("modelVersion")),
        "answer": words_in(answer.get("responseId")),
        "tokens_in": amount(inside(answer, "usageMetadata", "promptTokenCount")),
        "tokens_out": amount(inside(answer, "usageMetadata", "candidatesTokenCount")),
    }
    if len(pictures) > 1:
        log["pictures"] = len(pictures)  # the last is the one it ended with
    return Given(from_base64(pictures[-1]), log)
