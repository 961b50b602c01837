"""The dialect of Gemini's own `generateContent`."""

from collections.abc import Mapping
from typing import Any

from countersight.errors import AskingFailed
from countersight.models.fields import Names
from countersight.models.hosted import nothing_said
from countersight.models.protocol import Turn
from countersight.models.response_parsing import Said, amount, short, words
from countersight.models.sending import Sending, parted


class Contents:
    """`/models/MODEL:generateContent`."""

    def __init__(self) -> None:
        self.names: Names = {"max_tokens": ("maxOutputTokens",), "temperature": ("temperature",), "seed": ("seed",)}

    async def body(self, turns: tuple[Turn, ...], fields: Mapping[str, Any], pictures: Sending) -> dict[str, Any]:
        """The request for the next turn of a conversation."""
        return {"contents": [await _content(turn, pictures) for turn in turns], "generationConfig": dict(fields)}

    def read(self, sent: Any) -> Said:
        """The text of the first candidate; parts that are marked as thoughts apart."""
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
        return Said(
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
