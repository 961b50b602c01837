"""The embedded model; concurrent questions are answered in batches."""

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final

from countersight.errors import AskingFailed, ModelError
from countersight.models.embedded.inference import LONGEST, Conversation, Inference, fingerprint, weights_folder
from countersight.models.protocol import Answer, Displayed, ModelSettings, Request, check_options
from countersight.models.request_queue import Feed, Queue, Work

WORLDS = {"embedded": "both", "embedded:factual": "factual"}
"""The kind of questions that each checkpoint was trained on: only factual ones, or also counterfactual ones."""
BATCH = 64
"""The maximum number of questions in a batch."""
ROOM = BATCH * 360
"""The maximum number of characters in a batch, padded to the longest question, to limit memory."""
QUIET = 0.002
"""The number of seconds without a new question after which a batch begins."""


_MARKED = re.compile(r"^\(?([A-Z])[.)] *(?=\S)", re.MULTILINE)


class Embedded(Displayed):
    """A small vision-language model trained on generated scenes; it ships with the package. See its MODEL_CARD.md."""

    needs_picture = True
    picture_limits = (1, 1)

    def __init__(self, name: str, settings: ModelSettings, folder: Path | None = None) -> None:
        if name not in WORLDS:
            raise ModelError(f"there is no model {name!r}; the embedded ones are: {', '.join(WORLDS)}")
        self.name = name
        folder = folder or weights_folder()
        self._folder, self._most = folder, settings.max_tokens
        self.settings: dict[str, Any] = {
            "max_tokens": settings.max_tokens,
            "weights": fingerprint(folder, WORLDS[name]),
        }
        self._inference: Inference | None = None
        self._queue = Queue(BATCH, ROOM, QUIET)

    async def reply(self, request: Request) -> Answer:
        """Return the next turn of a conversation."""
        conversation = _conversation(request)
        text, read, written = await self._ask(self._answers, conversation, conversation)
        finish = "length" if written >= min(self._most, LONGEST) else "stop"
        return Answer(text, finish=finish, tokens_in=read, tokens_out=written, model=self.name)

    async def losses(self, request: Request) -> tuple[float, ...]:
        """Return the loss of each option as the answer to the question."""
        check_options(request)
        conversation = _conversation(request)
        answers = option_answers(request)
        return tuple(await self._ask(self._losses, conversation, (conversation, answers)))

    async def close(self) -> None:
        """Cancel waiting questions and free the memory."""
        queue, self._queue = self._queue, self._queue.renewed()
        await queue.close()
        self._inference = None

    async def _ask(self, work: Work, conversation: Conversation, item: Any) -> Any:
        return await self._queue.ask(work, item, weight=sum(len(text) for _, text in conversation.turns))

    def _answers(self, feed: Feed[Conversation]) -> Iterator[tuple[int, tuple[str, int, int]]]:
        asked = list(feed)
        yield from zip(asked, self._loaded().answer(list(feed.values()), self._most), strict=True)

    def _losses(self, feed: Feed[tuple[Conversation, list[str]]]) -> Iterator[tuple[int, list[float]]]:
        for number, (conversation, answers) in list(feed.items()):
            yield number, self._loaded().losses(conversation, answers)

    def _loaded(self) -> Inference:
        if self._inference is None:
            self._inference = Inference(self._folder, WORLDS[self.name])
        return self._inference


def option_answers(request: Request) -> list[str]:
    """Return each option in the form of the model's answers."""
    if request.kind == "boolean":
        return [f"{option.text.capitalize()}." for option in request.options]
    return [option.text for option in request.options]


def _conversation(request: Request) -> Conversation:
    shown = [turn for turn in request.turns if turn.picture is not None]
    if not shown:
        raise AskingFailed("the embedded model needs a picture", again=False)
    if shown[-1].further:
        raise AskingFailed("the embedded model accepts one picture at a time", again=False)
    return Conversation(
        tuple((turn.role, normalise_options(turn.text)) for turn in request.turns), shown[-1].pictures[0]
    )


def normalise_options(text: str) -> str:
    """Rewrite markers of options such as "A. 3" or "A) 3" to the trained form "A: 3"."""
    return _MARKED.sub(r"\1: ", text)


def open_embedded(name: str, target: str, settings: ModelSettings) -> Embedded:
    """Open the model `embedded` or `embedded:factual`."""
    return Embedded(name, settings)


UNKNOWN: Final = "I do not know."
"""The model's answer to pictures and questions of an unknown kind."""
