"""Learning in a process of its own: pages must not wait for arithmetic, and threads of one Python take turns."""

import asyncio
import os
import sys
from collections.abc import Sequence

import msgspec
import numpy as np

from countersight.collect.flows import Instance
from countersight.collect.loop.ranker import TextRanker, train

FEW = 200
"""Up to so many instances, learning takes less time than starting a process."""
_NICER = 10
"""How far whoever waits for a page goes before learning."""


class _Learned(msgspec.Struct, frozen=True):
    """A ranker on its way between processes."""

    weights: bytes
    trained_on: int
    accuracy: float | None


async def train_aside(instances: Sequence[Instance]) -> TextRanker:
    """Learn from instances while others are served."""
    if len(instances) <= FEW:
        return await asyncio.to_thread(train, instances)
    pipe = asyncio.subprocess.PIPE
    child = await asyncio.create_subprocess_exec(sys.executable, "-m", __name__, stdin=pipe, stdout=pipe)
    try:
        written, _ = await child.communicate(msgspec.msgpack.encode(instances))
    finally:
        if child.returncode is None:  # the server stops, or whoever waited is gone
            child.kill()
    learned = msgspec.msgpack.decode(written, type=_Learned)
    return TextRanker(np.frombuffer(learned.weights), learned.trained_on, learned.accuracy)


def _main() -> None:
    """Read instances, write what was learned from them."""
    os.nice(_NICER)
    ranker = train(msgspec.msgpack.decode(sys.stdin.buffer.read(), type=list[Instance]))
    learned = _Learned(ranker.weights.tobytes(), ranker.trained_on, ranker.accuracy)
    sys.stdout.buffer.write(msgspec.msgpack.encode(learned))


if __name__ == "__main__":
    _main()
