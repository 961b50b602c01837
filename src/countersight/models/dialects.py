"""The dialects of hosted models: OpenAI's chat completions, Anthropic's messages, Gemini and Amazon Bedrock's Converse.

A dialect writes a conversation as the body of a request and parses the response. Fields of a response that have the
wrong type are ignored.

The official SDKs are not used, because they take more than ten times the CPU time per request.
"""

import asyncio
from collections import deque
from collections.abc import Mapping
from types import MappingProxyType
from typing import Any, Protocol

from countersight.errors import AskingFailed, BadPicture, Overloaded
from countersight.models.http_service import shorten
from countersight.models.protocol import Answer, Turn
from countersight.picture import Picture, data_url, goes_as_it_is, to_send

Names = Mapping[str, tuple[str, ...]]
"""The names of each setting in a request; several are tried in turn, and a setting without names is never sent."""
ANTHROPIC_VERSION = "2023-06-01"
OLDER = ("max_tokens", "max_completion_tokens")
NEWER = ("max_completion_tokens", "max_tokens")
KEPT = 4
"""The number of pictures whose URLs are cached, since the questions of a case share their pictures."""


class PictureUrls:
    """Creates `data:` URLs of pictures, with EXIF rotation applied, and caches the most recent ones."""

    def __init__(self) -> None:
        self._recent: deque[tuple[bytes, str | asyncio.Task[str]]] = deque(maxlen=KEPT)

    async def of(self, picture: Picture) -> str:
        """Return the picture as a `data:` URL; raises AskingFailed if it cannot be decoded."""
        made = next((made for data, made in self._recent if data is picture.data), None)
        if made is None:
            as_it_is = goes_as_it_is(picture)
            made = data_url(picture.mime, picture.data) if as_it_is else asyncio.create_task(_encode_picture(picture))
            self._recent.append((picture.data, made))
        # Other callers may await the same task, so cancelling one caller must not cancel it.
        return made if isinstance(made, str) else await asyncio.shield(made)

    async def encoded(self, turns: tuple[Turn, ...]) -> list[tuple[Turn, list[tuple[str, str]]]]:
        """Return each turn with the media type and the base64 data of its pictures."""
        urls = [[await self.of(picture) for picture in turn.pictures] for turn in turns]
        parts = [[url.removeprefix("data:").partition(";base64,") for url in each] for each in urls]
        return [(turn, [(mime, data) for mime, _, data in each]) for turn, each in zip(turns, parts, strict=True)]


async def _encode_picture(picture: Picture) -> str:
    try:
        sent = await asyncio.to_thread(to_send, picture)
    except BadPicture as error:
        raise AskingFailed(f"the picture {error}", again=False) from None
    return data_url(sent.mime, sent.data)


class Dialect(Protocol):
    """The request and response format of a service."""

    names: Names
    """The service's names for the settings max_tokens, temperature, seed and detail."""

    async def body(self, turns: tuple[Turn, ...], fields: Mapping[str, Any], pictures: PictureUrls) -> dict[str, Any]:
        """Return the request body for the next turn of a conversation."""
        ...

    def read(self, sent: Any) -> Answer:
        """Parse a response, without its cost; raises AskingFailed if it is not an answer."""
        ...


class ChatDialect:
    """The dialect of `/chat/completions`, which most servers support with small differences in field names."""

    def __init__(
        self, model: str, *, limit: tuple[str, ...] = OLDER, seed: str = "seed", further: dict[str, Any] | None = None
    ) -> None:
        self._model, self._further = model, further or {}
        self.names: Names = {name: (name,) for name in ("temperature", "detail")} | {
            "max_tokens": limit,
            "seed": (seed,),
        }

    async def body(self, turns: tuple[Turn, ...], fields: Mapping[str, Any], pictures: PictureUrls) -> dict[str, Any]:
        """Return the request body for the next turn of a conversation."""
        detail = {"detail": fields["detail"]} if "detail" in fields else {}
        messages: list[dict[str, Any]] = []
        for turn in turns:
            images = [{"url": await pictures.of(picture), **detail} for picture in turn.pictures]
            shown = [{"type": "image_url", "image_url": image} for image in images]
            content = [*shown, {"type": "text", "text": turn.text}] if shown else turn.text
            messages.append({"role": turn.role, "content": content})
        others = {name: value for name, value in fields.items() if name != "detail"}
        return {"model": self._model, "messages": messages, **others, **self._further}

    def read(self, sent: Any) -> Answer:
        """Return the first choice of a completion."""
        choice = first_choice(sent)
        message = choice["message"]
        content, usage = message.get("content"), sent.get("usage")
        text = _text(content)
        if not text and isinstance(message.get("refusal"), str):
            # A refusal is the model's reply: it is kept, and counted as unread.
            text = message["refusal"]
        if not text and choice.get("finish_reason") == "content_filter":
            raise AskingFailed("the server's content filter blocked the answer", again=False)
        thoughts = (_text(message.get(name)) for name in ("reasoning_content", "reasoning", "thinking"))
        return Answer(
            text,
            reasoning=next(filter(None, thoughts), "")
            or "".join(_text(part.get("thinking"), "text", "thinking") for part in _parts(content)),
            finish=short_text(choice.get("finish_reason")),
            tokens_in=_count(usage, "prompt_tokens"),
            tokens_out=_count(usage, "completion_tokens"),
            model=short_text(sent.get("model")),
        )


def reported_cost(sent: Any) -> float | None:
    """Return the cost in dollars that a server reports with its answer; None if it reports none."""
    usage = value_at(sent, "usage")
    return amount(usage["cost"]) if isinstance(usage, dict) and "cost" in usage else None


def first_choice(sent: Any) -> dict[str, Any]:
    """Return the first choice of a completion; raises AskingFailed if there is none."""
    choice = value_at(sent, "choices", 0)
    if isinstance(choice, dict) and isinstance(choice.get("message"), dict):
        return choice
    if choice is None and (error := value_at(sent, "error")):  # some gateways send errors with status 200
        code, said = (error.get("code"), error.get("message")) if isinstance(error, dict) else (None, error)
        reason = f"the server sent an error: {shorten(str(said))}"
        raise Overloaded(reason, None) if code in (429, 503) else AskingFailed(reason, again=True)
    raise _missing_part("chat completion" if choice is not None or not isinstance(sent, dict) else "choices")


class AnthropicDialect:
    """Anthropic's dialect, for `/v1/messages`."""

    names: Names = MappingProxyType({"max_tokens": ("max_tokens",), "temperature": ("temperature",)})

    def __init__(self, model: str) -> None:
        self._model = model

    async def body(self, turns: tuple[Turn, ...], fields: Mapping[str, Any], pictures: PictureUrls) -> dict[str, Any]:
        """Return the request body for the next turn of a conversation."""
        messages: list[dict[str, Any]] = []
        for turn, shown in await pictures.encoded(turns):
            images = [{"type": "base64", "media_type": mime, "data": data} for mime, data in shown]
            content = [*({"type": "image", "source": image} for image in images), {"type": "text", "text": turn.text}]
            messages.append({"role": turn.role, "content": content if shown else turn.text})
        return {"model": self._model, "messages": messages, **fields}

    def read(self, sent: Any) -> Answer:
        """Return the text of a message, with its thinking separated."""
        content, usage = value_at(sent, "content"), value_at(sent, "usage")
        if not isinstance(content, list):
            raise _missing_part("message")
        return Answer(
            "".join(_text(part.get("text")) for part in _parts(content) if part.get("type") == "text"),
            reasoning="".join(
                _text(part.get("thinking")) for part in _parts(content) if part.get("type") == "thinking"
            ),
            finish=short_text(sent.get("stop_reason")),
            tokens_in=_count(usage, "input_tokens", "cache_creation_input_tokens", "cache_read_input_tokens"),
            tokens_out=_count(usage, "output_tokens"),
            model=short_text(sent.get("model")),
        )


class GeminiDialect:
    """Gemini's dialect, for `/models/MODEL:generateContent`."""

    names: Names = MappingProxyType(
        {"max_tokens": ("maxOutputTokens",), "temperature": ("temperature",), "seed": ("seed",)}
    )

    async def body(self, turns: tuple[Turn, ...], fields: Mapping[str, Any], pictures: PictureUrls) -> dict[str, Any]:
        """Return the request body for the next turn of a conversation."""
        contents = []
        for turn, shown in await pictures.encoded(turns):
            parts = [{"inlineData": {"mimeType": mime, "data": data}} for mime, data in shown]
            role = "user" if turn.role == "user" else "model"
            contents.append({"role": role, "parts": [*parts, {"text": turn.text}]})
        return {"contents": contents, "generationConfig": dict(fields)}

    def read(self, sent: Any) -> Answer:
        """Return the text of the first candidate, with thoughts separated."""
        candidate, usage = value_at(sent, "candidates", 0), value_at(sent, "usageMetadata")
        if not isinstance(candidate, dict):
            if blocked := value_at(sent, "promptFeedback", "blockReason"):
                raise AskingFailed(f"the server blocked the question: {short_text(blocked)}", again=False)
            raise _missing_part("candidates")
        parts = _parts(value_at(candidate, "content", "parts"))
        return Answer(
            "".join(_text(part.get("text")) for part in parts if not part.get("thought")),
            reasoning="".join(_text(part.get("text")) for part in parts if part.get("thought")),
            finish=short_text(candidate.get("finishReason")),
            tokens_in=_count(usage, "promptTokenCount"),
            tokens_out=_count(usage, "candidatesTokenCount", "thoughtsTokenCount"),
            model=short_text(sent.get("modelVersion")),
        )


class BedrockDialect:
    """Amazon Bedrock's dialect, for `/model/MODEL/converse`."""

    names: Names = MappingProxyType({"max_tokens": ("maxTokens",), "temperature": ("temperature",)})

    async def body(self, turns: tuple[Turn, ...], fields: Mapping[str, Any], pictures: PictureUrls) -> dict[str, Any]:
        """Return the request body for the next turn of a conversation."""
        messages = []
        for turn, shown in await pictures.encoded(turns):
            images = [{"format": mime.partition("/")[2], "source": {"bytes": data}} for mime, data in shown]
            content = [*({"image": image} for image in images), {"text": turn.text}]
            messages.append({"role": turn.role, "content": content})
        return {"messages": messages, "inferenceConfig": dict(fields)}

    def read(self, sent: Any) -> Answer:
        """Return the text of the message, with its reasoning separated."""
        content, usage = value_at(sent, "output", "message", "content"), value_at(sent, "usage")
        if not isinstance(content, list):
            raise _missing_part("message")
        return Answer(
            "".join(_text(part.get("text")) for part in _parts(content)),
            reasoning="".join(
                _text(value_at(part, "reasoningContent", "reasoningText", "text")) for part in _parts(content)
            ),
            finish=short_text(sent.get("stopReason")),
            tokens_in=_count(usage, "inputTokens", "cacheReadInputTokens", "cacheWriteInputTokens"),
            tokens_out=_count(usage, "outputTokens"),
        )


def _missing_part(what: str) -> AskingFailed:
    return AskingFailed(f"the server sent no {what}", again=True)


def value_at(value: Any, *path: str | int) -> Any:
    """Return the value at a path of keys and indices; None if there is none."""
    for key in path:
        if isinstance(key, str):
            value = value.get(key) if isinstance(value, dict) else None
        else:
            value = value[key] if isinstance(value, list) and len(value) > key else None
    return value


def _parts(content: Any) -> list[dict[str, Any]]:
    return [part for part in content if isinstance(part, dict)] if isinstance(content, list) else []


def _text(content: Any, *keys: str) -> str:
    """Return the text of a message; some servers send parts, whose text is under one of `keys` (default: text)."""
    if isinstance(content, list):
        keys = keys or ("text",)
        parts = (next(filter(None, map(part.get, keys)), "") if isinstance(part, dict) else part for part in content)
        content = "".join(_text(part, *keys) for part in parts)
    if not isinstance(content, str):
        return ""
    return content if content.isascii() else content.encode("utf-16", "surrogatepass").decode("utf-16", "replace")


def short_text(value: Any) -> str:
    """Return the text of a message or of a field, shortened; "" if there is none."""
    return shorten(_text(value))


def _count(usage: Any, *names: str) -> int:
    """Return the sum of the token counts that a server reports under these names; invalid ones count as 0."""
    return int(sum(amount(value_at(usage, name)) for name in names))


def amount(value: Any) -> float:
    """Return a count or a cost that a server reports, or 0 if it is implausible."""
    return value if isinstance(value, int | float) and 0 <= value < 1e12 else 0
