"""Read the elements of a JSON array or object one at a time, with the memory of the largest element.

Where elements begin and end is found by looking at brackets and quotation marks with numpy, a megabyte at once; the
elements themselves are left as text, for msgspec to decode into what is wanted. On Visual Genome's layout both together
are about twice as fast as ijson alone (`python -m benchmarks.motifs`).
"""

import gzip
import io
import zlib
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, BinaryIO, cast

import numpy as np
import numpy.typing as npt

PIECE = 1 << 20
MAX_ELEMENT = 1 << 24
"""Longest element accepted: one of Visual Genome has 100 kB."""

_Ints = npt.NDArray[np.int64]

OnRead = Callable[[int], None]
"""Called with the number of bytes of the file read so far."""


class BrokenFile(Exception):  # noqa: N818 - it names the thing, as people say it
    """An error in a file as a whole, after which nothing more can be read. Caught by the readers."""


@contextmanager
def opened(path: Path, on_read: OnRead | None = None) -> Iterator[BinaryIO]:
    """Open a file of bytes, decompressing gzip."""
    with open(path, "rb") as raw:
        packed = raw.read(2) == b"\x1f\x8b"
        raw.seek(0)
        counted = cast(BinaryIO, io.BufferedReader(_Counted(raw, on_read), PIECE)) if on_read else raw
        if not packed:
            yield counted
            return
        try:
            with gzip.open(counted, "rb") as unpacked:
                yield cast(BinaryIO, unpacked)
        except (EOFError, gzip.BadGzipFile, zlib.error) as error:
            raise BrokenFile(f"cannot be unpacked ({error})") from error


class _Counted(io.RawIOBase):
    """A file that tells how far it was read."""

    def __init__(self, file: BinaryIO, on_read: OnRead) -> None:
        self._file = file
        self._on_read = on_read
        self._done = 0

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:
        data = self._file.read(len(buffer))
        buffer[: len(data)] = data
        self._done += len(data)
        self._on_read(self._done)
        return len(data)


def elements(file: BinaryIO) -> Iterator[bytes | None]:
    """Return the text of each element of the array or object in a file; None for one that is too long.

    An element of an object comes with its name: `"2375429": {…}`. Raises BrokenFile where the file is none, or ends
    too early.
    """
    cutter = _Cutter()
    while data := file.read(PIECE):
        if cutter.closed and data.strip():
            raise BrokenFile("has content after its closing bracket")
        if not cutter.closed:
            yield from cutter.cut(data)
    cutter.finish()


def is_object(file: BinaryIO) -> bool:
    """Whether the file contains a JSON object rather than an array. Rewinds the file."""
    start = file.read(PIECE)
    file.seek(0)
    return start.removeprefix(b"\xef\xbb\xbf").lstrip()[:1] == b"{"


class _Cutter:
    """Cuts a stream of JSON between the elements of its outermost array or object."""

    def __init__(self) -> None:
        self.closed = False
        self._count = 0
        self._depth = 0
        self._in_text = False
        self._held = b""
        """Backslashes at the end of a piece: what they escape is in the next one."""
        self._parts: list[bytes] = []
        self._size = 0

    def cut(self, data: bytes) -> Iterator[bytes | None]:
        data = self._held + data
        whole = data.rstrip(b"\\")
        data, self._held = (whole, data[len(whole) :]) if len(data) - len(whole) < MAX_ELEMENT else (data, b"")
        if not data:
            return
        places, depths, closers = self._brackets(data)
        if not self._depth and not self._count and len(places):
            self._check_opening(data[: places[0] + 1])
        done = 0
        begun = self._depth > 0
        if len(places):
            if not begun:
                done = int(places[0]) + 1
            for place, depth in zip(places[closers].tolist(), depths[closers].tolist(), strict=True):
                if depth == 1:
                    self._keep(data[done : place + 1])
                    done = place + 1
                    yield self._element()
                elif depth <= 0:
                    self._keep(data[done:place])
                    self._depth = 0
                    self.closed = True
                    self._check_rest(data[place + 1 :])
                    return
            self._depth = int(depths[-1])
        self._keep(data[done:])

    def finish(self) -> None:
        """Say what is wrong with a file that has ended, if it did so before its last bracket."""
        if self.closed:
            return
        if not self._depth:
            self._check_opening(b"".join(self._parts))
        raise BrokenFile(f"ends in the middle of element {self._count + 1}")

    def _brackets(self, data: bytes) -> tuple[_Ints, _Ints, npt.NDArray[np.bool_]]:
        """Where brackets stand outside of text, how deep it is after each, and which of them close."""
        signs = np.frombuffer(data, np.uint8)
        quotes = signs == 34
        if b"\\" in data:
            slashes = np.flatnonzero(signs == 92)
            last = np.flatnonzero(np.diff(slashes, append=slashes[-1] + 2) != 1)  # the last of each run of backslashes
            lengths = np.diff(last, prepend=-1)
            escaped = slashes[last[lengths % 2 == 1]] + 1
            quotes[escaped[escaped < len(quotes)]] = False
        in_text = (np.cumsum(quotes, dtype=np.uint8) + np.uint8(self._in_text)) & 1  # odd or even is all that counts
        self._in_text = bool(in_text[-1])
        folded = signs | 32  # [ and {, ] and } differ in this bit only
        opens = folded == 123
        places = np.flatnonzero((opens | (folded == 125)) & (in_text == 0))
        closers = ~opens[places]
        depths = self._depth + np.cumsum(np.where(closers, -1, 1))
        return places, depths, closers

    def _keep(self, part: bytes) -> None:
        self._size += len(part)
        if self._size <= MAX_ELEMENT:
            self._parts.append(part)
        else:
            self._parts.clear()

    def _element(self) -> bytes | None:
        text = b"".join(self._parts).lstrip(b" \t\r\n,") if self._size <= MAX_ELEMENT else None
        self._parts, self._size = [], 0
        self._count += 1
        return text

    @staticmethod
    def _check_opening(start: bytes) -> None:
        if start.removeprefix(b"\xef\xbb\xbf").strip() not in (b"[", b"{"):
            raise BrokenFile("is not a JSON array or object")

    def _check_rest(self, after: bytes) -> None:
        if b"".join(self._parts).strip(b" \t\r\n,"):
            raise BrokenFile(f"contains something other than a JSON object after element {self._count}")
        if after.strip():
            raise BrokenFile("has content after its closing bracket")
