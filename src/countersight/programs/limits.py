"""How much a program may take: it was written by a model, and nobody has read it."""

import msgspec


class Limits(msgspec.Struct, frozen=True):
    """What one program may take before it is stopped and its case has failed."""

    seconds: float = 5.0
    """Time it may compute; an ordinary program takes a few milliseconds, and a thousand times as long on a machine that
    is busy with other things. Waiting for a tool does not count."""
    waiting: float = 600.0
    """Seconds it may take in all, its tools included."""
    memory: int = 64 * 1024 * 1024
    """Bytes."""
    calls: int = 64
    """Questions to the eyes and to the language model."""
    round_trips: int = 5_000
    """Everything it may ask of us, comparing patches included."""
    depth: int = 200
    """Calls of functions within functions."""
