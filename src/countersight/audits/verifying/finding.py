"""What can be wrong with a bundle, and what of it cannot be checked."""

import io
import zlib
from collections import Counter
from typing import Final, Literal

import msgspec
import numpy as np
from PIL import Image, ImageChops, ImageFilter

from countersight.errors import BadPicture
from countersight.picture import as_seen, check_picture
from countersight.text import printable

What = Literal["altered", "missing", "added", "broken", "not verified"]
"""The last is neither sound nor proven wrong: another version wrote it, and this one cannot derive it again."""


class Finding(msgspec.Struct, frozen=True):
    """Something that is not as it was, or does not follow."""

    what: What
    file: str
    why: str = ""

    def __str__(self) -> str:
        return printable(f"{self.what}: {self.file}" + (f" ({self.why})" if self.why else ""))


class Note(msgspec.Struct, frozen=True):
    """Something that nobody can derive again, and why; it proves nothing against a bundle, and nothing for it."""

    what: str
    why: str
    trusted: bool = True
    """Whether the verdict rests on it."""

    def __str__(self) -> str:
        return printable(f"{'Taken on trust' if self.trusted else 'Not checked'}: {self.what} ({self.why})")


FAINT: Final = 32
"""How far 5 x 5 pixels of two pictures may be apart on average, of 255, where another library drew the same."""
CREDENTIALS: Final = b"caBX"
"""Where a PNG has its content credentials: who signed them put in what nobody else can make again."""
Likeness = Literal["same", "alike", "other"]
"""Pixel by pixel the same; the same but for what another library may do; or something else."""


def likeness(lying: bytes, made: bytes) -> Likeness:
    """How far a stored picture is the one that was made again; words or bytes beside its pixels make it another."""
    if lying == made:
        return "same"
    try:
        one, other = (as_seen(check_picture(data)) for data in (lying, made))
    except BadPicture:
        return "other"
    if made.startswith(b"\x89PNG") and holds_more(lying, made, signed=True):
        return "other"
    if one.size == other.size and np.array_equal(np.asarray(one.convert("RGB")), np.asarray(other.convert("RGB"))):
        return "same"
    return "alike" if alike(one, other) else "other"


def alike(one: Image.Image, other: Image.Image) -> bool:
    """Whether two pictures show the same, but for what another release of a library may do to their pixels."""
    if one.size != other.size:
        return False
    apart = ImageChops.difference(one.convert("RGB"), other.convert("RGB")).filter(ImageFilter.BoxBlur(2))
    return bool(np.asarray(apart).max() <= FAINT)


def same_webp(shown: bytes, made: bytes) -> bool:
    """Whether a small picture of a page shows what it should and holds nothing else."""
    try:
        pictures = (Image.open(io.BytesIO(data), formats=["WEBP"]) for data in (shown, made))
        return is_bare_webp(shown) and alike(*pictures)
    except (OSError, ValueError, Image.DecompressionBombError):
        return False


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
