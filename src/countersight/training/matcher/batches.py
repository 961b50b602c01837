"""Examples as tensors: the options of an example in one pass, examples of like length together."""

from collections.abc import Iterator, Sequence
from random import Random

import numpy as np
import numpy.typing as npt
import torch
from torch import Tensor

from countersight.dataset import Dataset
from countersight.models.matcher import Sequences, View, seen_by_embedded, surface
from countersight.training.matcher.examples import Example
from countersight.training.matcher.plan import Plan

AT_ONCE = 64
"""Pictures looked at together."""

Counts = npt.NDArray[np.float32]
Batch = tuple[list[Example], dict[str, Tensor]]


class Batches:
    """Makes batches of examples; tokens are made once, pictures looked at once."""

    def __init__(self, sequences: Sequences, plan: Plan, views: dict[str, View]) -> None:
        self._sequences = sequences
        self._plan = plan
        self._views = views
        self._tokens: dict[Example, list[list[int]]] = {}
        self._counts: dict[Example, Counts] = {}

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
        if example not in self._tokens:
            self._tokens[example] = self._sequences.encode_options(
                self._plan.inputs, example.parts, example.options, self._plan.others
            )
        return self._tokens[example]

    def _counted(self, example: Example) -> Counts:
        if example not in self._counts:
            self._counts[example] = surface(self._plan.inputs, example.parts, example.options)
        return self._counts[example]

    def _tensors(self, part: Sequence[Example]) -> dict[str, Tensor]:
        tokens, real = self._sequences.batch([row for example in part for row in self._encoded(example)])
        given = {"tokens": torch.from_numpy(tokens), "real": torch.from_numpy(real)}
        if self._views:
            views = [self._views[example.picture] for example in part for _ in example.options]
            given["features"] = torch.from_numpy(np.stack([view.features for view in views]))
            given["boxes"] = torch.from_numpy(np.stack([view.boxes for view in views]))
        if self._plan.surface:
            given["counts"] = torch.from_numpy(np.concatenate([self._counted(example) for example in part]))
        return given


def look(dataset: Dataset, examples: Sequence[Example]) -> dict[str, View]:
    """What is seen of each picture of the examples."""
    names = sorted({example.picture for example in examples})
    views: dict[str, View] = {}
    for start in range(0, len(names), AT_ONCE):
        part = names[start : start + AT_ONCE]
        views |= dict(zip(part, seen_by_embedded([dataset.picture(name) for name in part]), strict=True))
    return views
