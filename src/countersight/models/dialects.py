"""The dialects of Anthropic's messages, Gemini's `generateContent` and Amazon Bedrock's Converse."""

from collections.abc import Mapping
from typing import Any

from countersight.errors import AskingFailed
from countersight.models.fields import Names
from countersight.models.hosted import nothing_said
from countersight.models.picture_urls import Sending, parted
from countersight.models.protocol import Turn
from countersight.models.response_parsing import ServerAnswer, amount, short, words

ANTHROPIC_VERSION = "2023-06-01"


class AnthropicDialect:
    """`/v1/messages`."""

    def __init__(self, model: str) -> None:
        self._model = model
        self.names: Names = {"max_tokens": ("max_tokens",), "temperature": ("temperature",)}

    async def body(self, turns: tuple[Turn, ...], fields: Mapping[str, Any], pictures: Sending) -> dict[str, Any]:
        """Return the request body for the next turn of a conversation."""
        return {
            "model": self._model,
            "messages": [await _anthropic_message(turn, pictures) for turn in turns],
            **fields,
        }

    def read(self, sent: Any) -> ServerAnswer:
        """Return the text of a message, with its thinking separated."""
        content = sent.get("content") if isinstance(sent, dict) else None
        if not isinstance(content, list):
            raise nothing_said("message")
        parts = [part for part in content if isinstance(part, dict)]
        usage = sent.get("usage")
        return ServerAnswer(
            "".join(words(part.get("text")) for part in parts if part.get("type") == "text"),
            "".join(words(part.get("thinking")) for part in parts if part.get("type") == "thinking"),
            short(sent.get("stop_reason")),
            int(amount(usage, "input_tokens", "cache_creation_input_tokens", "cache_read_input_tokens")),
            int(amount(usage, "output_tokens")),
            model=short(sent.get("model")),
        )


async def _anthropic_message(turn: Turn, pictures: Sending) -> dict[str, Any]:
    if turn.picture is None:
        return {"role": turn.role, "content": turn.text}
    images = []
    for picture in turn.pictures:
        mime, data = parted(await pictures.address(picture))
        images.append({"type": "image", "source": {"type": "base64", "media_type": mime, "data": data}})
    return {"role": turn.role, "content": [*images, {"type": "text", "text": turn.text}]}


class GeminiDialect:
    """`/models/MODEL:generateContent`."""

    def __init__(self) -> None:
        self.names: Names = {"max_tokens": ("maxOutputTokens",), "temperature": ("temperature",), "seed": ("seed",)}

    async def body(self, turns: tuple[Turn, ...], fields: Mapping[str, Any], pictures: Sending) -> dict[str, Any]:
        """Return the request body for the next turn of a conversation."""
        return {"contents": [await _content(turn, pictures) for turn in turns], "generationConfig": dict(fields)}

    def read(self, sent: Any) -> ServerAnswer:
        """Return the text of the first candidate, with thoughts separated."""
        candidates = sent.get("candidates") if isinstance(sent, dict) else None
        candidate = candidates[0] if isinstance(candidates, list) and candidates else None
        if not isinstance(candidate, dict):
            feedback = sent.get("promptFeedback") if isinstance(sent, dict) else None
            if isinstance(feedback, dict) and feedback.get("blockReason"):
                raise AskingFailed(f"the server blocked the question: {short(feedback['blockReason'])}", again=False)
            raise nothing_said("candidates")
        content = candidate.get("content")
        found = content.get("parts") if isinstance(content, dict) else None
        parts = [part for part in found if isinstance(part, dict)] if isinstance(found, list) else []
        usage = sent.get("usageMetadata")
        return ServerAnswer(
            "".join(words(part.get("text")) for part in parts if not part.get("thought")),
            "".join(words(part.get("text")) for part in parts if part.get("thought")),
            short(candidate.get("finishReason")),
            int(amount(usage, "promptTokenCount")),
            int(amount(usage, "candidatesTokenCount", "thoughtsTokenCount")),
            model=short(sent.get("modelVersion")),
        )


async def _content(turn: Turn, pictures: Sending) -> dict[str, Any]:
    parts: list[dict[str, Any]] = []
    for picture in turn.pictures:
        mime, data = parted(await pictures.address(picture))
        parts.append({"inlineData": {"mimeType": mime, "data": data}})
    return {"role": "user" if turn.role == "user" else "model", "parts": [*parts, {"text": turn.text}]}


class BedrockDialect:
    """`/model/MODEL/converse`."""

    def __init__(self) -> None:
        self.names: Names = {"max_tokens": ("maxTokens",), "temperature": ("temperature",)}

    async def body(self, turns: tuple[Turn, ...], fields: Mapping[str, Any], pictures: Sending) -> dict[str, Any]:
        """Return the request body for the next turn of a conversation."""
        return {"messages": [await _bedrock_message(turn, pictures) for turn in turns], "inferenceConfig": dict(fields)}

    def read(self, sent: Any) -> ServerAnswer:
        """Return the text of the message, with its reasoning separated."""
        output = sent.get("output") if isinstance(sent, dict) else None
        message = output.get("message") if isinstance(output, dict) else None
        content = message.get("content") if isinstance(message, dict) else None
        if not isinstance(content, list):
            raise nothing_said("message")
        parts = [part for part in content if isinstance(part, dict)]
        usage = sent.get("usage")
        return ServerAnswer(
            "".join(words(part.get("text")) for part in parts),
            "".join(_thought(part.get("reasoningContent")) for part in parts),
            short(sent.get("stopReason")),
            int(amount(usage, "inputTokens", "cacheReadInputTokens", "cacheWriteInputTokens")),
            int(amount(usage, "outputTokens")),
        )


def _thought(content: Any) -> str:
    told = content.get("reasoningText") if isinstance(content, dict) else None
    return words(told.get("text")) if isinstance(told, dict) else ""


async def _bedrock_message(turn: Turn, pictures: Sending) -> dict[str, Any]:
    content: list[dict[str, Any]] = []
    for picture in turn.pictures:
        mime, data = parted(await pictures.address(picture))
        content.append({"image": {"format": mime.partition("/")[2], "source": {"bytes": data}}})
    return {"role": turn.role, "content": [*content, {"text": turn.text}]}
