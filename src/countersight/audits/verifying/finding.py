"""Findings about a bundle, and comparison of stored pictures with regenerated ones."""

import zlib
from collections import Counter
from typing import Final, Literal

import msgspec
import numpy as np

from countersight.errors import BadPicture
from countersight.picture import as_seen, check_picture
from countersight.text import printable

What = Literal["altered", "missing", "added", "broken", "not verified"]
"""The last is neither sound nor proven wrong: another version wrote it, and this one cannot derive it again."""


class Finding(msgspec.Struct, frozen=True):
    """Something that was changed, or does not follow from the log."""

    what: What
    file: str
    why: str = ""

    def __str__(self) -> str:
        return printable(f"{self.what}: {self.file}" + (f" ({self.why})" if self.why else ""))


class Note(msgspec.Struct, frozen=True):
    """Something that cannot be derived again, and why; it proves nothing for or against a bundle."""

    what: str
    why: str
    trusted: bool = True
    """Whether the verdict depends on it."""

    def __str__(self) -> str:
        return printable(f"{'Taken on trust' if self.trusted else 'Not checked'}: {self.what} ({self.why})")


CREDENTIALS: Final = b"caBX"
"""The PNG chunk with content credentials, which only their signer can make."""


def same_picture(lying: bytes, made: bytes) -> bool:
    """Whether a stored picture has the pixels of the regenerated one, and no further text or bytes."""
    if lying == made:
        return True
    try:
        one, other = (np.asarray(as_seen(check_picture(data)).convert("RGB")) for data in (lying, made))
    except BadPicture:
        return False
    more = holds_more(lying, made, signed=True) if made.startswith(b"\x89PNG") else not is_bare_webp(lying)
    return not more and np.array_equal(one, other)


def holds_more(lying: bytes, made: bytes, *, signed: bool = False) -> bool:
    """Whether a PNG contains text or bytes beyond its pixels that the regenerated one does not.

    A picture that may be `signed` may have its content credentials too.
    """
    if lying == made:
        return False
    (beside, packed), (expected, repacked) = _chunks(lying), _chunks(made)
    added = [chunk for chunk in (Counter(beside) - Counter(expected)) if not (signed and chunk[4:8] == CREDENTIALS)]
    return bool(added) or not _unpacks_to(packed, len(zlib.decompress(repacked)))


def _chunks(png: bytes) -> tuple[list[bytes], bytes]:
    """Every chunk beside the pixels, and the pixels as they are packed."""
    beside, packed, start = [png[:8]], [], 8
    while start < len(png):
        end = start + 12 + int.from_bytes(png[start : start + 4])
        if png[start + 4 : start + 8] == b"IDAT":
            packed.append(png[start + 8 : end - 4])
        else:
            beside.append(png[start:end])
        start = end
    return beside, b"".join(packed)


def _unpacks_to(packed: bytes, size: int) -> bool:
    """Whether the data unpack to exactly this many bytes of pixels, with nothing after them."""
    unpacking = zlib.decompressobj()
    try:
        pixels = unpacking.decompress(packed, size + 1)
    except zlib.error:
        return False
    return len(pixels) == size and unpacking.eof and not unpacking.unused_data


def is_bare_webp(data: bytes) -> bool:
    """Whether a WebP contains its pixels and nothing else."""
    if data[:4] != b"RIFF" or data[12:16] not in (b"VP8 ", b"VP8L"):
        return False
    size = int.from_bytes(data[16:20], "little")
    return int.from_bytes(data[4:8], "little") + 8 == len(data) == 20 + size + size % 2
