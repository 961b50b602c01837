"""The dialect of OpenAI's chat completions, which most servers support with small differences in field names."""

from collections.abc import Mapping
from typing import Any

from countersight.errors import AskingFailed, Overloaded
from countersight.models.fields import Names
from countersight.models.hosted import nothing_said
from countersight.models.picture_urls import Sending
from countersight.models.protocol import Turn
from countersight.models.response_parsing import ServerAnswer, amount, short, words
from countersight.models.service import shorten

OLDER = ("max_tokens", "max_completion_tokens")
NEWER = ("max_completion_tokens", "max_tokens")


class ChatDialect:
    """`/chat/completions`."""

    def __init__(
        self,
        model: str,
        *,
        limit: tuple[str, ...] = OLDER,
        seed: str = "seed",
        further: Mapping[str, Any] | None = None,
    ) -> None:
        self._model = model
        self._further = dict(further or {})
        self.names: Names = {
            "max_tokens": limit,
            "seed": (seed,),
            "temperature": ("temperature",),
            "detail": ("detail",),
        }

    async def body(self, turns: tuple[Turn, ...], fields: Mapping[str, Any], pictures: Sending) -> dict[str, Any]:
        """Return the request body for the next turn of a conversation."""
        detail = {"detail": fields["detail"]} if "detail" in fields else {}
        return {
            "model": self._model,
            "messages": [await _message(turn, detail, pictures) for turn in turns],
            **{name: value for name, value in fields.items() if name != "detail"},
            **self._further,
        }

    def read(self, sent: Any) -> ServerAnswer:
        """Return the first choice of a completion; optional fields of the wrong type are ignored."""
        choice = first_choice(sent)
        message = choice["message"]
        text = words(message.get("content"))
        if not text and isinstance(message.get("refusal"), str):
            # A refusal is the model's reply: it is kept, and counted as unread.
            text = message["refusal"]
        if not text and choice.get("finish_reason") == "content_filter":
            raise AskingFailed("the server's content filter blocked the answer", again=False)
        usage = sent.get("usage")
        return ServerAnswer(
            text,
            _thoughts(message),
            short(choice.get("finish_reason")),
            int(amount(usage, "prompt_tokens")),
            int(amount(usage, "completion_tokens")),
            amount(usage, "cost") if isinstance(usage, dict) and "cost" in usage else None,
            short(sent.get("model")),
        )


def first_choice(sent: Any) -> dict[str, Any]:
    """Return the first choice of a completion; raises AskingFailed if there is none."""
    if not isinstance(sent, dict):
        raise nothing_said("chat completion")
    choices = sent.get("choices")
    if isinstance(choices, list) and choices:
        choice = choices[0]
        if not isinstance(choice, dict) or not isinstance(choice.get("message"), dict):
            raise nothing_said("chat completion")
        return choice
    if error := sent.get("error"):  # some gateways send errors with status 200
        code, said = (error.get("code"), error.get("message")) if isinstance(error, dict) else (None, error)
        reason = f"the server sent an error: {shorten(str(said))}"
        raise Overloaded(reason, None) if code in (429, 503) else AskingFailed(reason, again=True)
    raise nothing_said("choices")


def _thoughts(message: dict[str, Any]) -> str:
    """Return the model's reasoning: next to the content under one of several names, or among its parts."""
    for name in ("reasoning_content", "reasoning", "thinking"):
        if name in message and (thoughts := words(message[name])):
            return thoughts
    content = message.get("content")
    parts = [part.get("thinking") for part in content if isinstance(part, dict)] if isinstance(content, list) else []
    return "".join(words(part, "text", "thinking") for part in parts)


async def _message(turn: Turn, detail: dict[str, Any], pictures: Sending) -> dict[str, Any]:
    if turn.picture is None:
        return {"role": turn.role, "content": turn.text}
    images = [{"url": await pictures.address(picture), **detail} for picture in turn.pictures]
    shown = [{"type": "image_url", "image_url": image} for image in images]
    return {"role": turn.role, "content": [*shown, {"type": "text", "text": turn.text}]}
