"""Answers that the model writes, to several conversations at once."""

import hashlib
from collections.abc import Callable, Sequence
from typing import Any

import torch
from transformers import GenerationConfig, LogitsProcessor, LogitsProcessorList, StoppingCriteria, StoppingCriteriaList

from countersight.models.local.conversation import check, inputs, pictures_of
from countersight.models.local.loading import Loaded
from countersight.models.protocol import Answer, ModelSettings, Request


def write(
    loaded: Loaded, requests: Sequence[Request], settings: ModelSettings, stopped: Callable[[], bool]
) -> list[Answer]:
    """The model's answers to conversations that all have the same number of pictures."""
    for request in requests:
        check(loaded, request)
    prompts = inputs(loaded, requests, pictures_of(*requests))
    read = prompts["attention_mask"].sum(dim=1)
    # Places left after the longest prompt: beyond them some families have no positions.
    most = min(settings.max_tokens, loaded.longest - int(read.max()))
    ends = _end_tokens(loaded)
    noting = _Noting()
    steering: list[Any] = [noting]
    if warmth := _temperature(loaded, settings):
        steering.append(_Drawing(warmth, [_seed(settings.seed, request.key) for request in requests]))
    with torch.inference_mode():
        made = loaded.model.generate(
            **prompts,
            generation_config=_plainly(loaded, most, ends),
            logits_processor=LogitsProcessorList(steering),
            stopping_criteria=StoppingCriteriaList([_Stopping(stopped)]),
        )
    rows = made[:, noting.start or 0 :].tolist()
    return [_answer(loaded, row, int(number), ends) for row, number in zip(rows, read, strict=True)]


def _answer(loaded: Loaded, row: list[int], read: int, ends: list[int]) -> Answer:
    end = next((place for place, token in enumerate(row) if token in ends), None)
    said = row if end is None else row[:end]
    return Answer(
        loaded.tokenizer.decode(said, skip_special_tokens=True).strip(),
        finish="length" if end is None else "stop",
        tokens_in=read,
        tokens_out=len(said) + (end is not None),
        model=loaded.name,
    )


def _plainly(loaded: Loaded, most: int, ends: list[int]) -> Any:
    """The most likely token each time, whatever a checkpoint proposes: penalties would depend on the padding."""
    return GenerationConfig(
        max_new_tokens=most,
        do_sample=False,
        num_beams=1,
        repetition_penalty=1.0,
        no_repeat_ngram_size=0,
        eos_token_id=ends,
        pad_token_id=loaded.tokenizer.pad_token_id,
        decoder_start_token_id=loaded.decoder_start,
    )


def _end_tokens(loaded: Loaded) -> list[int]:
    """Every token that ends an answer, by the checkpoint's settings and by its tokenizer's."""
    named = loaded.model.generation_config.eos_token_id
    found = [*(named if isinstance(named, list) else [named]), loaded.tokenizer.eos_token_id]
    return sorted({int(token) for token in found if token is not None})


def _temperature(loaded: Loaded, settings: ModelSettings) -> float:
    if settings.temperature is not None:
        return settings.temperature
    own = loaded.model.generation_config
    return float(own.temperature or 0.0) if own.do_sample else 0.0


def _seed(seed: int, key: str) -> int:
    digest = hashlib.blake2b(f"{seed}/{key}".encode("utf-8", "surrogatepass"), digest_size=8).digest()
    return int.from_bytes(digest) >> 1


class _Noting(LogitsProcessor):
    """Notes where the answers begin: some families give back the prompt before them, some do not."""

    start: int | None = None

    def __call__(self, input_ids: Any, scores: Any) -> Any:
        if self.start is None:
            self.start = input_ids.shape[1]
        return scores


class _Drawing(LogitsProcessor):
    """Draws each token by chance: the likeliest after Gumbel noise is a fair draw from the softmax.

    Every conversation has its own generator, so that what is drawn for it depends on the seed and its key alone, not
    on the batch it came into nor on the device.
    """

    def __init__(self, temperature: float, seeds: list[int]) -> None:
        self._temperature = temperature
        self._generators = [torch.Generator().manual_seed(seed) for seed in seeds]

    def __call__(self, input_ids: Any, scores: Any) -> Any:
        drawn = [torch.empty(scores.shape[1]).exponential_(generator=each) for each in self._generators]
        return scores.float() / self._temperature - torch.stack(drawn).log().to(scores.device)


class _Stopping(StoppingCriteria):
    """Ends the writing at once where nobody waits for it any more."""

    def __init__(self, stopped: Callable[[], bool]) -> None:
        self._stopped = stopped

    def __call__(self, input_ids: Any, scores: Any, **_: Any) -> Any:
        return torch.full((input_ids.shape[0],), self._stopped(), dtype=torch.bool, device=input_ids.device)
