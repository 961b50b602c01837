"""An endless stream of training pictures, drawn by several processes, always in the same order."""

from collections.abc import Iterator

import numpy as np
import torch
from torch import Tensor
from torch.utils.data import DataLoader, IterableDataset, get_worker_info

from countersight.models.embedded import KINDS
from countersight.scenes import Facts
from tools.embedded.pictures import sample

CHUNK = 32
"""Pictures a process draws at a time."""

Drawn = tuple[Tensor, Tensor, Tensor, list[Facts]]
"""Pictures, targets, the numbers of their kinds, and facts."""


class _Pictures(IterableDataset[Drawn]):
    def __init__(self, seed: str, start: int) -> None:
        self._seed, self._start = seed, start

    def __iter__(self) -> Iterator[Drawn]:
        torch.set_num_threads(1)
        worker = get_worker_info()
        number, step = (worker.id, worker.num_workers) if worker else (0, 1)
        while True:
            first = self._start + number * CHUNK
            samples = [sample(f"{self._seed}/{first + nth}") for nth in range(CHUNK)]
            yield (
                torch.from_numpy(np.stack([each.picture for each in samples])),
                torch.from_numpy(np.stack([each.target for each in samples])),
                torch.tensor([KINDS.index(each.facts.kind) for each in samples]),
                [each.facts for each in samples],
            )
            number += step


def drawn(seed: str, *, start: int, workers: int) -> Iterator[Drawn]:
    """Return the pictures of a seed from the `start`-th on, CHUNK at a time; the same for any number of workers."""
    return iter(
        DataLoader(
            _Pictures(seed, start),
            batch_size=None,
            num_workers=workers,
            prefetch_factor=8 if workers else None,
            multiprocessing_context="fork" if workers else None,
        )
    )
