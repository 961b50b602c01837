"""Encode pictures as PNG files.

This encoder is our own because it takes half the time of Pillow for drawn scenes (`python -m benchmarks.drawing`).
"""

import struct
import zlib

import numpy as np
from numpy.typing import NDArray

SIGNATURE = b"\x89PNG\r\n\x1a\n"
LEVEL = 2


def encode(pixels: NDArray[np.uint8]) -> bytes:
    """Encode RGB pixels (height × width × 3) as a PNG file.

    This is three times as fast as Pillow's default (4 ms against 13 ms for a 448 px scene), and files are a tenth
    smaller: in flat drawings most rows repeat the one above, which zlib finds best in unfiltered bytes. Levels up to 6
    save another tenth and take three times as long.
    """
    height, width, _ = pixels.shape
    rows = np.zeros((height, 1 + 3 * width), np.uint8)  # the first byte of a row is 0: no filter
    for channel in range(3):
        rows[:, 1 + channel :: 3] = pixels[:, :, channel]
    header = struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0)
    return b"".join(
        (
            SIGNATURE,
            _chunk(b"IHDR", header),
            _chunk(b"IDAT", zlib.compress(rows.data, LEVEL)),
            _chunk(b"IEND", b""),
        )
    )


def _chunk(name: bytes, data: bytes) -> bytes:
    return b"".join((struct.pack(">I", len(data)), name, data, struct.pack(">I", zlib.crc32(data, zlib.crc32(name)))))
