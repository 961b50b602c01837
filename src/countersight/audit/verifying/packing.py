"""Pictures that were made again: another release of a library may pack them otherwise, and put nothing beside them."""

import zlib
from collections import Counter
from typing import Final

CREDENTIALS: Final = b"caBX"
"""Where a PNG has its content credentials: who signed them put in what nobody else can make again."""


def holds_more(lying: bytes, made: bytes, *, signed: bool = False) -> bool:
    """Whether a PNG holds words or bytes that are neither its pixels nor in the one that was made again.

    A picture that may be `signed` may have its content credentials too.
    """
    if lying == made:
        return False
    (beside, packed), (expected, repacked) = _parted(lying), _parted(made)
    added = [part for part in (Counter(beside) - Counter(expected)) if not (signed and part[4:8] == CREDENTIALS)]
    return bool(added) or not _unpacks_to(packed, len(zlib.decompress(repacked)))


def _parted(png: bytes) -> tuple[list[bytes], bytes]:
    """Everything beside the pixels, in parts, and the pixels as they are packed."""
    beside, packed, start = [png[:8]], [], 8
    while start < len(png):
        end = start + 12 + int.from_bytes(png[start : start + 4])
        part, kind = png[start:end], png[start + 4 : start + 8]
        if kind == b"IDAT":
            packed.append(part[8:-4])
        else:
            beside.append(part)
        start = end
    return beside, b"".join(packed)


def _unpacks_to(packed: bytes, size: int) -> bool:
    """Whether there are exactly so many bytes of pixels in it, and none behind them."""
    unpacking = zlib.decompressobj()
    try:
        pixels = unpacking.decompress(packed, size + 1)
    except zlib.error:
        return False
    return len(pixels) == size and unpacking.eof and not unpacking.unused_data


def is_bare_webp(data: bytes) -> bool:
    """Whether a WebP is its pixels and nothing else: neither words beside them nor bytes behind."""
    if data[:4] != b"RIFF" or data[12:16] not in (b"VP8 ", b"VP8L"):
        return False
    size = int.from_bytes(data[16:20], "little")
    return int.from_bytes(data[4:8], "little") + 8 == len(data) == 20 + size + size % 2
