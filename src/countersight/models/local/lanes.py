"""Queues of work on a graphics processor."""

import functools
from collections.abc import Iterator
from contextlib import AbstractContextManager, nullcontext
from itertools import cycle, repeat
from typing import Any

_NUMBER = 2


def lanes(device: Any) -> Iterator[AbstractContextManager[Any]]:
    """Queues that batches are put into in turn: what is computed within one of them is put there.

    Most models look at how large their pictures are before they compute, and so wait until the queue is done with the
    batch before. With a second queue the device has that one to compute meanwhile. Only graphics processors have two.
    """
    import torch

    if device.type != "cuda":
        return repeat(nullcontext())
    return cycle([torch.cuda.stream(stream) for stream in _streams(device)])


def hand_over(lane: AbstractContextManager[Any], *made: Any) -> None:
    """Have the usual queue wait for what was made in a lane, and keep that until it was used there."""
    import torch

    stream = getattr(lane, "stream", None)
    if stream is None:
        return
    usual = torch.cuda.current_stream(stream.device)
    usual.wait_stream(stream)
    for each in made:
        each.record_stream(usual)


@functools.cache
def _streams(device: Any) -> list[Any]:
    """The queues of a device: always the same, since each keeps memory for its own use."""
    import torch

    torch.cuda.synchronize(device)  # a model's weights are there before it is asked
    return [torch.cuda.Stream(device) for _ in range(_NUMBER)]
