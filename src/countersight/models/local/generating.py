"""Words that a model writes one after the other, the most likely each time or steered."""

from collections.abc import Sequence
from typing import Any
from weakref import WeakSet

import torch
from transformers import GenerationConfig, GenerationMixin, LogitsProcessor, LogitsProcessorList, StoppingCriteriaList

from countersight.models.local.loading import Loaded
from countersight.models.local.processing import Prompt

_deaf: WeakSet[Any] = WeakSet()
"""Models whose own `generate` drops the processors of logits that it is given."""


def generate(
    loaded: Loaded, prompts: Prompt, most: int, steering: Sequence[Any] = (), stopping: Sequence[Any] = ()
) -> list[list[int]]:
    """The tokens that a model writes after each conversation of a batch, at most so many, without the prompt."""
    noting = _Noting()
    asked: dict[str, Any] = {
        **prompts,
        "generation_config": _plainly(loaded, most),
        "logits_processor": LogitsProcessorList([noting, *steering]),
        "stopping_criteria": StoppingCriteriaList(stopping),
    }
    with torch.inference_mode():
        own = GenerationMixin.generate if loaded.model in _deaf else type(loaded.model).generate
        made = own(loaded.model, **asked)
        if noting.start is None:  # Janus does not hand on what steers it; the common way does
            _deaf.add(loaded.model)
            made = GenerationMixin.generate(loaded.model, **asked)
    return [list(row) for row in made[:, noting.start :].tolist()]


def end_tokens(loaded: Loaded) -> list[int]:
    """Every token that ends an answer, by the checkpoint's settings and by its tokenizer's."""
    named = loaded.model.generation_config.eos_token_id
    found = [*(named if isinstance(named, list) else [named]), loaded.tokenizer.eos_token_id]
    return sorted({int(token) for token in found if token is not None})


def _plainly(loaded: Loaded, most: int) -> Any:
    """The most likely token each time, whatever a checkpoint proposes: penalties would depend on the padding."""
    return GenerationConfig(
        max_new_tokens=most,
        do_sample=False,
        num_beams=1,
        repetition_penalty=1.0,
        no_repeat_ngram_size=0,
        eos_token_id=end_tokens(loaded),
        pad_token_id=loaded.tokenizer.pad_token_id,
        decoder_start_token_id=loaded.decoder_start,
    )


class _Noting(LogitsProcessor):
    """Notes where the answers begin: some families give back the prompt before them, some do not."""

    start: int | None = None

    def __call__(self, input_ids: Any, scores: Any) -> Any:
        if self.start is None:
            self.start = input_ids.shape[1]
        return scores
