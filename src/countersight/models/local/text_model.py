"""Language models without eyes, computed here: they write programs and know things, but are never shown a picture."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from countersight.errors import AskingFailed, ModelError
from countersight.models.local.finding import (
    any_config,
    check_accelerate,
    check_device_map,
    find_device,
    find_dtype,
    find_folder,
    fingerprint,
    is_for_pictures,
    is_quantised,
    refuse_gaps,
    refuse_wordless,
    unusable,
)
from countersight.models.local.forms import Form, find_form
from countersight.models.local.loading import Loaded
from countersight.models.local.queue import ROOM, Feed, Queue
from countersight.models.protocol import Answer, Displayed, ModelSettings, Request, Turn
from countersight.text import printable

MOST = 16
"""Questions in a batch at first: programs are long, and so is what is said before them."""


class LocalTextModel(Displayed):
    """A language model computed on this machine by transformers."""

    needs_picture = False
    picture_limits = (0, 0)

    def __init__(self, name: str, where: str, settings: ModelSettings) -> None:
        folder = find_folder(where)
        if settings.device_map:
            check_device_map(settings.device_map)
        device = find_device("auto" if settings.device_map else settings.device)
        config = any_config(folder)
        if is_quantised(config):
            check_accelerate("quantised weights need")
        self.name = name
        self.settings: dict[str, Any] = {
            "max_tokens": settings.max_tokens,
            "temperature": settings.temperature,
            "seed": settings.seed,
            "dtype": find_dtype(settings.dtype, device, config),
            "weights": fingerprint(folder),
        }
        self._where, self._options, self._device = where, settings, device
        self._queue = Queue(most=settings.batch or MOST, room=ROOM[device.partition(":")[0]])
        self._loaded: Loaded | None = None

    async def reply(self, request: Request) -> Answer:
        """Say the next turn of a conversation, which shows nothing."""
        if request.pictures:
            raise ModelError(f"{self.name} looks at no pictures; ask it with the prompt text-only")
        answer: Answer = await self._queue.ask(self._write, request)
        return answer

    async def close(self) -> None:
        """Let go of what waits and of the memory."""
        from countersight.models.local.queue import forget

        queue, self._queue = self._queue, self._queue.reopened()
        await queue.close()
        self._loaded = None
        forget()

    def _write(self, requests: Feed) -> Iterator[tuple[int, Answer | AskingFailed]]:
        from countersight.models.local.writing import written

        queue = self._queue
        if self._loaded is None:
            self._loaded = _load(self._where, self._device, self.settings["dtype"], self._options.device_map)
        return written(self._loaded, requests, self._options, lambda: queue.closed)


def is_text_model(where: str) -> bool:
    """Whether the model there writes but does not look at pictures; raises ModelError where there is none."""
    from transformers.models.auto.modeling_auto import MODEL_FOR_CAUSAL_LM_MAPPING

    config = any_config(find_folder(where))
    return type(config) in MODEL_FOR_CAUSAL_LM_MAPPING and not is_for_pictures(config)


@dataclass(frozen=True, slots=True)
class _Form:
    """The written form of conversations without pictures: by the chat template, or else the words alone."""

    tokenizer: Any
    plain: Form

    def write(self, turns: tuple[Turn, ...]) -> str:
        messages = [{"role": turn.role, "content": self.plain.harmless(turn.text)} for turn in turns]
        if not self.tokenizer.chat_template:
            return "\n".join(message["content"] for message in messages)
        try:
            return str(self.tokenizer.apply_chat_template(messages, tokenize=False, add_generation_prompt=True))
        except Exception as error:  # a template is a program of the model's makers
            raise AskingFailed(
                f"the model's chat template cannot write this ({printable(str(error))[:200]})", again=False
            ) from None


@dataclass(frozen=True, slots=True)
class _Words:
    """A tokenizer where a processor of pictures and words is expected."""

    tokenizer: Any

    def __call__(self, *, text: list[str], images: None, **how: Any) -> Any:
        return self.tokenizer(text, **how)


def _load(where: str, device: str, dtype: str, device_map: str | None) -> Loaded:
    from transformers import AutoModelForCausalLM, AutoTokenizer
    from transformers.utils import logging

    logging.set_verbosity_error()  # its notes and bars would run into the progress we show
    logging.disable_progress_bar()
    folder = find_folder(where)
    known = {"local_files_only": True, "trust_remote_code": False}
    quantised = is_quantised(any_config(folder))
    try:
        tokenizer = AutoTokenizer.from_pretrained(folder, **known)
        placed = device_map or ({"": device} if quantised else None)
        model, faults = AutoModelForCausalLM.from_pretrained(
            folder, dtype=dtype, device_map=placed, output_loading_info=True, **known
        )
    except Exception as error:  # torn files, wrong shapes, no room: each layer beneath has its own exceptions
        raise unusable(folder, error) from None
    refuse_gaps(folder, faults["missing_keys"])
    refuse_wordless(folder, tokenizer)
    if tokenizer.pad_token is None:
        tokenizer.pad_token = tokenizer.eos_token
    if device_map is None and not quantised:
        model.to(device)
    model.eval()
    processor = _Words(tokenizer)
    form: Any = _Form(tokenizer, find_form(processor, model.config.model_type))
    return Loaded(
        name=where,
        model=model,
        processor=processor,
        tokenizer=tokenizer,
        family=model.config.model_type,
        form=form,
        answers_apart=False,
        decoder_start=None,
        longest=int(getattr(model.config, "max_position_embeddings", 0) or 1_000_000),
    )
