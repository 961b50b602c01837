"""Queues of work on a graphics processor."""

import functools
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

_NUMBER = 2


class Streams:
    """Queues that batches are put into in turn.

    Most models look at how large their pictures are before they compute, and so wait until the queue is done with the
    batch before. With a second queue the device has that one to compute meanwhile.
    """

    def __init__(self, device: Any) -> None:
        self._device = device
        self._turn = 0

    @contextmanager
    def next(self) -> Iterator[None]:
        """While this lasts, work is put into the next queue; only graphics processors have more than one."""
        import torch

        if self._device.type != "cuda":
            yield
            return
        stream = _streams(self._device)[self._turn]
        self._turn = (self._turn + 1) % _NUMBER
        with torch.cuda.stream(stream):
            yield

    def join(self, *made: Any) -> None:
        """Have what follows wait for all queues; `made` is what it uses of theirs."""
        import torch

        if self._device.type != "cuda":
            return
        here = torch.cuda.current_stream(self._device)
        for stream in _streams(self._device):
            here.wait_stream(stream)
        for each in made:
            each.record_stream(here)


@functools.cache
def _streams(device: Any) -> list[Any]:
    """The queues of a device: always the same, since each keeps memory for its own use."""
    import torch

    torch.cuda.synchronize(device)  # what a model's weights are made by
    return [torch.cuda.Stream(device) for _ in range(_NUMBER)]
