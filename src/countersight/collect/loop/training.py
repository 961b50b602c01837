"""Learning in a process of its own: pages must not wait for arithmetic, and threads of one Python take turns."""

import asyncio
import os
import sys
import threading
from collections.abc import Sequence
from contextlib import suppress
from typing import BinaryIO

import msgspec
import numpy as np

from countersight.collect.flows import Instance
from countersight.collect.loop.ranker import TextRanker, train

FEW = 200
"""Up to so many instances, learning takes about as little time as starting a process."""
AT_ONCE = 60
"""So many are learned from first after a start, for whoever asks before all are."""
_NICER = 10
"""How far whoever waits for a page goes before learning."""
_LENGTH = 8
"""Bytes that say how long the instances are."""


class _Learned(msgspec.Struct, frozen=True):
    """A ranker on its way between processes."""

    weights: bytes
    trained_on: int
    accuracy: float | None


async def train_aside(instances: Sequence[Instance]) -> TextRanker:
    """Learn from instances while others are served."""
    if len(instances) <= FEW:
        return await asyncio.to_thread(train, instances)
    command, pipe = [sys.executable, "-c", f"from {__name__} import learn; learn()"], asyncio.subprocess.PIPE
    child = await asyncio.create_subprocess_exec(*command, stdin=pipe, stdout=pipe)
    assert child.stdin is not None
    assert child.stdout is not None
    try:
        data = msgspec.msgpack.encode(instances)
        child.stdin.write(len(data).to_bytes(_LENGTH, "big") + data)
        learned = msgspec.msgpack.decode(await child.stdout.read(), type=_Learned)
    finally:
        child.stdin.close()  # where it is not done, this ends it
        await child.wait()
    return TextRanker(np.frombuffer(learned.weights), learned.trained_on, learned.accuracy)


def learn() -> None:
    """In the other process: read instances, write what was learned from them. It ends when the server does."""
    os.nice(_NICER)
    source = sys.stdin.buffer
    size = int.from_bytes(source.read(_LENGTH), "big")
    data = source.read(size)
    threading.Thread(target=_end_with_server, args=(source,), daemon=True).start()
    if size and len(data) == size:  # otherwise the server went before it had said everything
        ranker = train(msgspec.msgpack.decode(data, type=list[Instance]))
        learned = _Learned(ranker.weights.tobytes(), ranker.trained_on, ranker.accuracy)
        with suppress(BrokenPipeError):  # the server went just now
            sys.stdout.buffer.write(msgspec.msgpack.encode(learned))
            sys.stdout.buffer.flush()
    os._exit(0)  # the thread still waits for the server


def _end_with_server(source: BinaryIO) -> None:
    source.read(1)  # nothing comes any more: this returns when the other end is closed
    os._exit(0)
