"""Read the elements of a JSON array or object one at a time, with no more memory than the largest element needs.

The boundaries of elements are found by searching for brackets and quotation marks with numpy, a megabyte at a time.
Elements stay text, which msgspec then decodes. On Visual Genome's layout, both steps together are about twice as fast
as ijson (`python -m benchmarks.motifs`).
"""

import gzip
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO, cast

import numpy as np
import numpy.typing as npt

PIECE = 1 << 20
MAX_ELEMENT = 1 << 24
"""The longest element accepted, in bytes; those of Visual Genome have 100 kB."""

_Ints = npt.NDArray[np.int64]


class BrokenFile(Exception):  # noqa: N818 - it describes the file
    """An error in a file as a whole, after which nothing more can be read. Caught by the readers."""


@contextmanager
def open_unpacked(path: Path) -> Iterator[BinaryIO]:
    """Open a file of bytes, decompressing gzip."""
    with open(path, "rb") as raw:
        packed = raw.read(2) == b"\x1f\x8b"
        raw.seek(0)
        try:
            yield cast(BinaryIO, gzip.GzipFile(fileobj=raw)) if packed else raw
        except (EOFError, gzip.BadGzipFile, zlib.error) as error:
            raise BrokenFile(f"cannot be unpacked ({error})") from error


def is_object(file: BinaryIO) -> bool:
    """Return whether the file contains a JSON object rather than an array. Rewinds the file."""
    start = file.read(PIECE)
    file.seek(0)
    return start.removeprefix(b"\xef\xbb\xbf").lstrip()[:1] == b"{"


def elements(file: BinaryIO) -> Iterator[bytes | None]:
    """Yield the text of each element of the array or object in a file; None for an element that is too long.

    An element of an object includes its name: `"2375429": {…}`. Raises BrokenFile if the file is neither, or ends too
    early.
    """
    depth = count = 0
    in_text = closed = False
    held = b""  # backslashes at the end of a piece, which escape the start of the next piece
    text = _Text()
    while piece := file.read(PIECE):
        data = held + piece
        whole = data.rstrip(b"\\")
        data, held = (whole, data[len(whole) :]) if len(data) - len(whole) < MAX_ELEMENT else (data, b"")
        places, depths, closing, in_text = _brackets(data, depth, in_text)
        done = 0
        if not depth and not count and not closed and len(places):
            done = int(places[0]) + 1
            text.add(data[:done])
            _check_opening(text.take())
        ends = np.flatnonzero(closing & (depths <= 1)) if not closed else ()
        for place, level in ((int(places[end]), int(depths[end])) for end in ends):
            text.add(data[done : place + (level == 1)])
            done = place + 1
            if level != 1:
                if (text.take() or b"").strip(b" \t\r\n,"):
                    raise BrokenFile(f"contains something other than a JSON object after element {count}")
                closed = True
                break
            count += 1
            found = text.take()
            yield found if found is None else found.lstrip(b" \t\r\n,")
        if closed and data[done:].strip():
            raise BrokenFile("has content after its closing bracket")
        if len(places):
            depth = int(depths[-1])
        text.add(data[done:])
    if not closed:
        if not depth:
            _check_opening(text.take())
        raise BrokenFile(f"ends in the middle of element {count + 1}")


class _Text:
    """The text of an element as it arrives, up to the limit."""

    def __init__(self) -> None:
        self._parts: list[bytes] = []
        self._size = 0

    def add(self, part: bytes) -> None:
        self._size += len(part)
        self._parts.append(part)
        if self._size > MAX_ELEMENT:
            self._parts.clear()

    def take(self) -> bytes | None:
        """Return what was added since the last call; None if it is too long."""
        found = b"".join(self._parts) if self._size <= MAX_ELEMENT else None
        self._parts, self._size = [], 0
        return found


def _brackets(data: bytes, depth: int, in_text: bool) -> tuple[_Ints, _Ints, npt.NDArray[np.bool_], bool]:
    """Return the positions of brackets outside strings, the depth after each, which of them close, and whether the data
    ends inside a string."""
    signs = np.frombuffer(data, np.uint8)
    quotes = signs == 34
    if b"\\" in data:
        slashes = np.flatnonzero(signs == 92)
        last = np.flatnonzero(np.diff(slashes, append=slashes[-1] + 2) != 1)  # the last of each run of backslashes
        lengths = np.diff(last, prepend=-1)
        escaped = slashes[last[lengths % 2 == 1]] + 1
        quotes[escaped[escaped < len(quotes)]] = False
    inside = (np.cumsum(quotes, dtype=np.uint8) + np.uint8(in_text)) & 1  # only the parity matters
    folded = signs | 32  # [ and {, ] and } differ in this bit only
    opens = folded == 123
    places = np.flatnonzero((opens | (folded == 125)) & (inside == 0))
    closing = ~opens[places]
    return places, depth + np.cumsum(np.where(closing, -1, 1)), closing, bool(inside[-1]) if len(data) else in_text


def _check_opening(start: bytes | None) -> None:
    if (start or b"").removeprefix(b"\xef\xbb\xbf").strip() not in (b"[", b"{"):
        raise BrokenFile("is not a JSON array or object")
