"""Batches of examples as tensors. All options of an example are in one batch, and batches have similar lengths."""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from itertools import islice
from pathlib import Path
from random import Random
from typing import Any

import msgspec
import numpy as np
import numpy.typing as npt
import torch
from torch import Tensor

from countersight.errors import CountersightError
from countersight.models.matcher import TOKENIZER, Sequences, View, side_by_side, surface
from countersight.training.examples import Example
from countersight.training.plan import COUNTS, Plan

VOCABULARY = 8000
SPECIAL = ("[PAD]", "[UNK]", "[CLS]", "[SEP]")
AHEAD = 4
"""The number of batches prepared in advance."""

Batch = tuple[Sequence[Example], dict[str, Tensor]]


class TrainingBatches:
    """Creates batches of examples, with cached tokens."""

    def __init__(self, sequences: Sequences, plan: Plan, views: Mapping[str, View]) -> None:
        self._sequences = sequences
        self._plan = plan
        self._views = views
        self._tokens: dict[str, list[list[int]]] = {}
        self._counts: dict[str, npt.NDArray[np.float32]] = {}

    def shuffled(self, examples: Sequence[Example], size: int, seed: str) -> Iterator[Batch]:
        """Iterate over all examples once, in batches of similar length to limit padding, in random order."""
        chance = Random(seed)
        order = sorted(examples, key=lambda one: (self._length(one) + chance.uniform(0, 8), one.key))
        cut = [order[start : start + size] for start in range(0, len(order), size)]
        chance.shuffle(cut)
        return self._ahead(cut)

    def in_order(self, examples: Sequence[Example], size: int) -> Iterator[Batch]:
        """Iterate over all examples once, the longest first."""
        order = sorted(examples, key=lambda one: (-self._length(one), one.key))
        return self._ahead([order[start : start + size] for start in range(0, len(order), size)])

    def _ahead(self, parts: Sequence[Sequence[Example]]) -> Iterator[Batch]:
        """Create the batches in a background thread, a few in advance."""
        with ThreadPoolExecutor(1, "batches") as pool:
            remaining = iter(parts)
            started = [(part, pool.submit(self._tensors, part)) for part in islice(remaining, AHEAD)]
            while started:
                part, batch = started.pop(0)
                started += [(after, pool.submit(self._tensors, after)) for after in islice(remaining, 1)]
                yield part, batch.result()

    def _length(self, example: Example) -> int:
        return max(map(len, self._encoded(example)))

    def _encoded(self, example: Example) -> list[list[int]]:
        if example.key not in self._tokens:
            tokens = self._sequences.encode_options(self._plan.inputs, example.parts, example.options)
            self._tokens[example.key] = tokens
        return self._tokens[example.key]

    def _tensors(self, part: Sequence[Example]) -> dict[str, Tensor]:
        tokens, real = self._sequences.batch([row for example in part for row in self._encoded(example)])
        tensors = {"tokens": torch.from_numpy(tokens), "real": torch.from_numpy(real)}
        if self._plan.inputs == "full":  # the picture of each example, stored once, and its index for each sequence
            features, boxes, there = map(torch.from_numpy, side_by_side([self._views[one.picture] for one in part]))
            shown = torch.arange(len(part)).repeat_interleave(torch.tensor([len(one.options) for one in part]))
            tensors |= {"features": features, "boxes": boxes, "there": there, "shown": shown}
        if self._plan.surface:
            for one in part:
                if one.key not in self._counts:
                    self._counts[one.key] = surface(self._plan.inputs, one.parts, one.options)
            tensors["counts"] = torch.from_numpy(np.concatenate([self._counts[one.key] for one in part]))
        return tensors


def sequences_for(encoder: str, examples: Sequence[Example]) -> Sequences:
    """Return the encoder's own tokenizer, or build one from the examples if there is no encoder."""
    if encoder in ("", COUNTS):
        return Sequences(_learn_tokenizer(examples))
    file = Path(encoder) / TOKENIZER
    if file.is_file():
        return Sequences.open(file)
    from transformers import AutoTokenizer

    try:
        slow = AutoTokenizer.from_pretrained(encoder, local_files_only=True)
        return Sequences(slow.backend_tokenizer)
    except (OSError, ValueError, AttributeError) as error:
        raise CountersightError(f"{encoder} contains no usable tokenizer: {str(error)[:200]}") from None


def _learn_tokenizer(examples: Sequence[Example]) -> Any:
    """Build a vocabulary of the most frequent words, with all characters to spell other words.

    Unlike in the trainer of `tokenizers`, ties are broken deterministically, so that training is reproducible.
    """
    from tokenizers import Tokenizer, normalizers, pre_tokenizers
    from tokenizers.models import WordPiece

    normalizer, splitter = normalizers.BertNormalizer(), pre_tokenizers.BertPreTokenizer()
    words: Counter[str] = Counter()
    for text in (text for one in examples for text in (*msgspec.structs.astuple(one.parts), *one.options)):
        words.update(word for word, _ in splitter.pre_tokenize_str(normalizer.normalize_str(text)))
    signs = sorted({sign for word in words for sign in word})
    known = sorted(words, key=lambda word: (-words[word], word))[:VOCABULARY]
    tokens = dict.fromkeys([*SPECIAL, *signs, *(f"##{sign}" for sign in signs), *known])
    tokenizer = Tokenizer(WordPiece({token: number for number, token in enumerate(tokens)}, unk_token=SPECIAL[1]))
    tokenizer.normalizer, tokenizer.pre_tokenizer = normalizer, splitter
    return tokenizer
