"""Lines of files that anybody may have written."""

from collections.abc import Iterator
from typing import BinaryIO


def bounded_lines(file: BinaryIO, most: int) -> Iterator[bytes]:
    """Lines of a file; of one longer than `most` bytes only so much as shows that it is."""
    while line := file.readline(most + 1):
        yield line
        while not line.endswith(b"\n") and (line := file.readline(most + 1)):
            pass
