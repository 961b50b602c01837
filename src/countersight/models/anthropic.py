"""The dialect of Anthropic's messages."""

from collections.abc import Mapping
from typing import Any

from countersight.models.fields import Names
from countersight.models.hosted import nothing_said
from countersight.models.protocol import Turn
from countersight.models.response_parsing import Said, amount, short, words
from countersight.models.sending import Sending, parted

VERSION = "2023-06-01"


class Messages:
    """`/v1/messages`."""

    def __init__(self, model: str) -> None:
        self._model = model
        self.names: Names = {"max_tokens": ("max_tokens",), "temperature": ("temperature",)}

    async def body(self, turns: tuple[Turn, ...], fields: Mapping[str, Any], pictures: Sending) -> dict[str, Any]:
        """The request for the next turn of a conversation."""
        return {"model": self._model, "messages": [await _message(turn, pictures) for turn in turns], **fields}

    def read(self, sent: Any) -> Said:
        """The text of a message, its thinking apart."""
        content = sent.get("content") if isinstance(sent, dict) else None
        if not isinstance(content, list):
            raise nothing_said("message")
        parts = [part for part in content if isinstance(part, dict)]
        usage = sent.get("usage")
        return Said(
            "".join(words(part.get("text")) for part in parts if part.get("type") == "text"),
            "".join(words(part.get("thinking")) for part in parts if part.get("type") == "thinking"),
            short(sent.get("stop_reason")),
            int(amount(usage, "input_tokens", "cache_creation_input_tokens", "cache_read_input_tokens")),
            int(amount(usage, "output_tokens")),
            model=short(sent.get("model")),
        )


async def _message(turn: Turn, pictures: Sending) -> dict[str, Any]:
    if turn.picture is None:
        return {"role": turn.role, "content": turn.text}
    images = []
    for picture in turn.pictures:
        mime, data = parted(await pictures.address(picture))
        images.append({"type": "image", "source": {"type": "base64", "media_type": mime, "data": data}})
    return {"role": turn.role, "content": [*images, {"type": "text", "text": turn.text}]}
