"""The local model. Requests wait in a queue (`request_queue.py`), whose thread processes them in batches.

`ranking.py` ranks options, and `writing.py` generates replies. Both store shared tokens only once, in a tree
(`trees.py`).
"""

import sys
from collections.abc import Iterator
from typing import Any

from countersight.errors import AskingFailed, ModelError
from countersight.models.local.conversation import Loaded, picture_limits
from countersight.models.local.loading import (
    find_device,
    find_dtype,
    find_folder,
    fingerprint,
    has_torchvision,
    is_text_only,
    load,
    read_config,
)
from countersight.models.protocol import Answer, Displayed, ModelSettings, Request, check_options, recorded_settings
from countersight.models.request_queue import Feed, Queue, Work, free_memory

PLACES = {"cuda": 12}
"""The multiple of the default concurrency used on a GPU: one batch runs, one is prepared and one waits."""
SWITCH = {"cuda": 0.0005}
"""The thread switch interval in seconds: with Python's default of 0.005, the thread that feeds the GPU often waits for
those that prepare pictures."""
MOST = {"cuda": 256, "mps": 64, "cpu": 64}
"""The initial number of questions in a batch."""
_MOST_WORDS = 16
"""The initial number of questions in a batch of a text-only model; small, since programs and their prompts are long."""
ROOM = {"cuda": 131_072.0, "mps": 16_384.0, "cpu": 8_192.0}
"""The initial number of tokens in a batch; small without a GPU, since main memory must not run out."""


class LocalModel(Displayed):
    """A local model, run by transformers, that generates replies and ranks options.

    Most models accept pictures; text-only models write programs, or answer without seeing the picture.
    """

    def __init__(self, name: str, where: str, settings: ModelSettings) -> None:
        folder = find_folder(where)
        device = find_device(settings.device)
        config = read_config(folder)
        self.name = name
        self.needs_picture = not is_text_only(config)
        self.picture_limits = picture_limits(config.model_type) if self.needs_picture else (0, 0)
        self.settings: dict[str, Any] = {
            **recorded_settings(settings, "max_tokens", "temperature", "seed"),
            "dtype": find_dtype(settings.dtype, device, config),
            **({"pictures": "torchvision" if has_torchvision() else "pillow"} if self.needs_picture else {}),
            "weights": fingerprint(folder),
        }
        self.remarks: list[str] = []
        """Remarks about the model to show to the user."""
        self._where, self._options = where, settings
        kind = device.partition(":")[0]
        self.places = PLACES.get(kind, 1)
        """The number of concurrent questions, as a multiple of the default for servers."""
        self._queue = Queue(
            most=settings.batch or (MOST[kind] if self.needs_picture else _MOST_WORDS),
            room=float("inf") if settings.batch else ROOM[kind],
        )
        self._loaded: Loaded | None = None
        self._switch = sys.getswitchinterval()

    async def reply(self, request: Request) -> Answer:
        """Return the next turn of a conversation."""
        self._refuse_pictures(request)
        answer: Answer = await ask_queue(self._queue, self._write, request)
        return answer

    async def losses(self, request: Request) -> tuple[float, ...]:
        """Return the loss of each option after the conversation."""
        check_options(request)
        self._refuse_pictures(request)
        losses: tuple[float, ...] = await ask_queue(self._queue, self._rank, request)
        return losses

    async def close(self) -> None:
        """Cancel waiting questions and free the memory."""
        queue, self._queue = self._queue, self._queue.renewed()
        await queue.close()
        self._loaded = None
        sys.setswitchinterval(self._switch)
        free_memory()

    def _refuse_pictures(self, request: Request) -> None:
        if request.pictures and not self.needs_picture:
            raise ModelError(f"{self.name} does not accept pictures; choose the prompt text-only")

    def _write(self, requests: Feed[Request]) -> Iterator[tuple[int, Answer | AskingFailed]]:
        from countersight.models.local.writing import write_answers

        queue = self._queue
        return write_answers(self._load_once(), requests, self._options, lambda: queue.closed)

    def _rank(self, requests: Feed[Request]) -> Iterator[tuple[int, tuple[float, ...] | AskingFailed]]:
        from countersight.models.local.probing import ranking_sight
        from countersight.models.local.ranking import rank_requests

        loaded = self._load_once()
        sight = ranking_sight(loaded)
        if sight is None and not self.remarks:
            self.remarks.append(
                f"{self.name} ranks slowly: it cannot share what all options have in common, so each option is "
                "computed in full."
            )
        return rank_requests(sight, loaded, requests)

    def _load_once(self) -> Loaded:
        """Return the model. It is loaded at the first question, so that repeating a finished run does not load it."""
        if self._loaded is None:
            from transformers.utils import logging

            logging.set_verbosity_error()  # its messages and progress bars would disturb our own display
            logging.disable_progress_bar()
            options = self._options
            self._loaded = load(self._where, device=options.device, dtype=options.dtype)
            sys.setswitchinterval(SWITCH.get(self._loaded.device.type, self._switch))
        return self._loaded


async def ask_queue(queue: Queue, work: Work, request: Request) -> Any:
    """Queue a request. Processors require the same number of pictures in all conversations of a batch."""
    pictures = request.pictures
    scene = id(pictures[0].data) if pictures else None  # a picture is encoded once for all its questions
    return await queue.ask(work, request, kind=len(pictures), weight=_tokens_in(request), scene=scene)


def _tokens_in(request: Request) -> int:
    """Return the approximate number of tokens of a request, for comparison only."""
    words = sum(len(turn.text) for turn in request.turns) + sum(len(option.text) for option in request.options)
    pictures = sum(picture.width * picture.height for picture in request.pictures)
    return 16 + words // 4 + pictures // 784
