"""The dialect of Amazon Bedrock's Converse, which is one for the models of all makers there."""

from collections.abc import Mapping
from typing import Any

from countersight.models.fields import Names
from countersight.models.hosted import nothing_said
from countersight.models.protocol import Turn
from countersight.models.response_parsing import Said, amount, short, words
from countersight.models.sending import Sending, parted


class Converse:
    """`/model/MODEL/converse`."""

    def __init__(self) -> None:
        self.names: Names = {"max_tokens": ("maxTokens",), "temperature": ("temperature",)}

    async def body(self, turns: tuple[Turn, ...], fields: Mapping[str, Any], pictures: Sending) -> dict[str, Any]:
        """The request for the next turn of a conversation."""
        return {"messages": [await _message(turn, pictures) for turn in turns], "inferenceConfig": dict(fields)}

    def read(self, sent: Any) -> Said:
        """The text of the message, its reasoning apart."""
        output = sent.get("output") if isinstance(sent, dict) else None
        message = output.get("message") if isinstance(output, dict) else None
        content = message.get("content") if isinstance(message, dict) else None
        if not isinstance(content, list):
            raise nothing_said("message")
        parts = [part for part in content if isinstance(part, dict)]
        usage = sent.get("usage")
        return Said(
            "".join(words(part.get("text")) for part in parts),
            "".join(_thought(part.get("reasoningContent")) for part in parts),
            short(sent.get("stopReason")),
            int(amount(usage, "inputTokens", "cacheReadInputTokens", "cacheWriteInputTokens")),
            int(amount(usage, "outputTokens")),
        )


def _thought(content: Any) -> str:
    told = content.get("reasoningText") if isinstance(content, dict) else None
    return words(told.get("text")) if isinstance(told, dict) else ""


async def _message(turn: Turn, pictures: Sending) -> dict[str, Any]:
    content: list[dict[str, Any]] = []
    for picture in turn.pictures:
        mime, data = parted(await pictures.address(picture))
        content.append({"image": {"format": mime.partition("/")[2], "source": {"bytes": data}}})
    return {"role": turn.role, "content": [*content, {"text": turn.text}]}
