"""Examples as tensors: the options of an example in one pass, examples of like length together."""

from collections.abc import Iterator, Sequence
from random import Random

import numpy as np
import torch
from torch import Tensor

from countersight.dataset import Dataset
from countersight.models.matcher import Inputs, Sequences, View, parts_of, seen_by_embedded
from countersight.training.matcher.examples import Example

AT_ONCE = 64
"""Pictures looked at together."""

Batch = tuple[list[Example], dict[str, Tensor]]


class Batches:
    """Makes batches of examples; tokens are made once, pictures looked at once."""

    def __init__(self, sequences: Sequences, inputs: Inputs, views: dict[str, View]) -> None:
        self._sequences = sequences
        self._inputs = inputs
        self._views = views
        self._tokens: dict[str, list[list[int]]] = {}

    def shuffled(self, examples: Sequence[Example], size: int, seed: str) -> Iterator[Batch]:
        """Every example once, those of like length together so that little is filled up, batches in random order."""
        chance = Random(seed)
        order = sorted(examples, key=lambda one: (self._length(one) + chance.uniform(0, 8), one.key))
        cut = [order[start : start + size] for start in range(0, len(order), size)]
        chance.shuffle(cut)
        for part in cut:
            yield part, self._tensors(part)

    def in_order(self, examples: Sequence[Example], size: int) -> Iterator[Batch]:
        """Every example once, the longest first."""
        order = sorted(examples, key=lambda one: (-self._length(one), one.key))
        for start in range(0, len(order), size):
            part = order[start : start + size]
            yield part, self._tensors(part)

    def _length(self, example: Example) -> int:
        return max(map(len, self._encoded(example)))

    def _encoded(self, example: Example) -> list[list[int]]:
        if example.key not in self._tokens:
            self._tokens[example.key] = [
                self._sequences.encode(parts_of(self._inputs, example.parts, option)) for option in example.options
            ]
        return self._tokens[example.key]

    def _tensors(self, part: Sequence[Example]) -> dict[str, Tensor]:
        tokens, real = self._sequences.batch([row for example in part for row in self._encoded(example)])
        given = {"tokens": torch.from_numpy(tokens), "real": torch.from_numpy(real)}
        if self._views:
            views = [self._views[example.picture] for example in part for _ in example.options]
            given["features"] = torch.from_numpy(np.stack([view.features for view in views]))
            given["boxes"] = torch.from_numpy(np.stack([view.boxes for view in views]))
        return given


def look(dataset: Dataset, examples: Sequence[Example]) -> dict[str, View]:
    """What is seen of each picture of the examples."""
    names = sorted({example.picture for example in examples})
    views: dict[str, View] = {}
    for start in range(0, len(names), AT_ONCE):
        part = names[start : start + AT_ONCE]
        views |= dict(zip(part, seen_by_embedded([dataset.picture(name) for name in part]), strict=True))
    return views
