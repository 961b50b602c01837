"""A local model as the rest of the program sees it.

A request arrives at `Local` here, waits in `queue.py`, and is answered in `ranking.py` (options) or `writing.py`.
What these stand on: `probing.py` finds once how a model can be computed, `rows.py` and `trees.py` lay out what several
requests share, `generating.py` and `stepping.py` write many answers at once, `conversation.py` and `forms.py` make
numbers of words and pictures, `loading.py` and `finding.py` open the model.
"""

import sys
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from countersight.errors import AskingFailed
from countersight.models.local.conversation import picture_limits
from countersight.models.local.finding import (
    check_device_map,
    find_device,
    find_dtype,
    find_folder,
    fingerprint,
    pictures_by,
    read_config,
    uncollected,
)
from countersight.models.local.loading import Ahead, Loaded, load
from countersight.models.local.queue import MOST, ROOM, Feed, Queue
from countersight.models.protocol import Answer, Displayed, ModelSettings, Request

if TYPE_CHECKING:
    from countersight.models.local.probing import KeptFindings
    from countersight.models.local.text_model import LocalTextModel

PLACES = {"cuda": 12}
"""There one batch is computed, the next is made ready, and a third waits, so that the device never does."""
SWITCH = {"cuda": 0.0005}
"""Seconds after which a thread lets the next one run: at Python's own 0.005 the one that feeds a graphics processor
waits again and again for those that prepare pictures."""


class Local(Displayed):
    """A vision-language model computed on this machine by transformers: it writes, and its options can be ranked."""

    needs_picture = True

    def __init__(self, name: str, where: str, settings: ModelSettings) -> None:
        folder = find_folder(where)
        # Before anything large is imported, which takes longer than reading the weights does.
        quantised = b'"quantization_config"' in (folder / "config.json").read_bytes()
        ahead = settings.asked_soon and not settings.device_map and not quantised
        self._ahead = Ahead(folder, settings.device, settings.dtype) if ahead else None
        if settings.device_map:
            check_device_map(settings.device_map)
        device = find_device("auto" if settings.device_map else settings.device)
        config = read_config(folder)
        self.name = name
        self.picture_limits = picture_limits(config.model_type)
        self.settings: dict[str, Any] = {
            "max_tokens": settings.max_tokens,
            "temperature": settings.temperature,
            "seed": settings.seed,
            "loss": settings.loss,
            "dtype": find_dtype(settings.dtype, device, config),
            "pictures": pictures_by(),
            "weights": fingerprint(folder),
        }
        self.remarks: list[str] = []
        """What turned out about the model while it was asked and whoever waits for it should know."""
        self._where, self._options = where, settings
        kind = device.partition(":")[0]
        self.places = PLACES.get(kind, 1)
        """So many times as many questions can be under way as with a server."""
        self._queue = Queue(
            most=settings.batch or MOST[kind],
            room=float("inf") if settings.batch else ROOM[kind],
        )
        self._loaded: Loaded | None = None
        self._findings: KeptFindings | None = None
        self._switch = sys.getswitchinterval()

    async def reply(self, request: Request) -> Answer:
        """Say the next turn of a conversation."""
        answer: Answer = await self._queue.ask(self._write, request)
        return answer

    async def losses(self, request: Request) -> tuple[float, ...]:
        """How little the model expected each option after the conversation."""
        if not request.options:
            raise AskingFailed("there are no options to rank", again=False)
        losses: tuple[float, ...] = await self._queue.ask(self._rank, request)
        return losses

    async def close(self) -> None:
        """Let go of what waits and of the memory."""
        from countersight.models.local.queue import forget

        queue, self._queue = self._queue, self._queue.reopened()
        await queue.close()
        if self._findings is not None:
            self._findings.keep()
        self._loaded = self._findings = self._ahead = None
        sys.setswitchinterval(self._switch)
        forget()

    def _write(self, requests: Feed) -> Iterator[tuple[int, Answer | AskingFailed]]:
        with uncollected():
            from countersight.models.local.writing import written

        queue = self._queue
        return written(self._awake(), requests, self._options, lambda: queue.closed)

    def _rank(self, requests: Feed) -> Iterator[tuple[int, tuple[float, ...] | AskingFailed]]:
        with uncollected():
            from countersight.models.local.probing import plan_of, ranked

        loaded = self._awake()
        if plan_of(loaded).way == "plain" and not self.remarks:
            self.remarks.append(f"{self.name} cannot share what its options have in common: each is read in full.")
        return ranked(loaded, requests, self._options.loss)

    def _awake(self) -> Loaded:
        """The model, loaded at the first question: a run that has nothing left to ask does not wait for it."""
        if self._loaded is None:
            from transformers.utils import logging

            from countersight.models.local.probing import KeptFindings

            logging.set_verbosity_error()  # its notes and bars would run into the progress we show
            logging.disable_progress_bar()
            options = self._options
            self._loaded = load(
                self._where,
                device=options.device,
                dtype=options.dtype,
                device_map=options.device_map,
                ahead=self._ahead,
            )
            self._ahead = None
            self._findings = KeptFindings(self.settings, self._loaded)
            sys.setswitchinterval(SWITCH.get(self._loaded.device.type, self._switch))
        return self._loaded


def open_local(name: str, target: str, settings: ModelSettings) -> "Local | LocalTextModel":
    """`hf:NAME_OR_PATH`; one that looks at no pictures is asked with words alone."""
    # Most models for pictures are known by a look at the file, so that their weights are read while torch is imported.
    if b"ForCausalLM" in (find_folder(target) / "config.json").read_bytes():
        from countersight.models.local.text_model import LocalTextModel, is_text_model

        if is_text_model(target):
            return LocalTextModel(name, target, settings)
    return Local(name, target, settings)
