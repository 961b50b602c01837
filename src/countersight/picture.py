"""Pictures from files, checked without being decoded: a bad picture is found before it is sent to anybody."""

import os
import stat
import zlib
from pathlib import Path

import msgspec

MAX_BYTES = 64 * 1024 * 1024
MAX_PIXELS = 100_000_000
"""A picture that says it is larger is taken for a decompression bomb."""

_SUFFIXES = {
    "image/png": (".png",),
    "image/jpeg": (".jpg", ".jpeg", ".jpe", ".jfif"),
    "image/gif": (".gif",),
    "image/webp": (".webp",),
}
_JPEG_FRAMES = frozenset(range(0xC0, 0xD0)) - {0xC4, 0xC8, 0xCC}
_JPEG_BARE = frozenset({0x01, *range(0xD0, 0xD9)})


class Picture(msgspec.Struct, frozen=True):
    """The bytes of a picture as they stand in its file, and what they are."""

    data: bytes
    mime: str
    width: int
    height: int


class BadPicture(ValueError):  # noqa: N818 - it names the thing, as people say it
    """A picture that cannot be used; the message says why, without naming the file."""


def read_picture(path: Path) -> Picture:
    """Read a picture from a file, or raise BadPicture with the reason."""
    try:
        # Plain system calls: a run reads a picture for every case, and open() makes twice as many.
        file = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC)
        try:
            info = os.fstat(file)
            if not stat.S_ISREG(info.st_mode):
                raise BadPicture("is not a file")
            if info.st_size > MAX_BYTES:
                raise BadPicture(f"has {info.st_size:,} bytes; at most {MAX_BYTES:,} are read")
            data = os.read(file, info.st_size + 1)
        finally:
            os.close(file)
    except FileNotFoundError:
        raise BadPicture("is not in the folder") from None
    except OSError as error:
        raise BadPicture(f"cannot be read ({error.strerror})") from None
    picture = check_picture(data)
    if path.suffix.lower() not in _SUFFIXES[picture.mime]:
        raise BadPicture(f"is named {path.suffix or 'without an ending'} but holds {picture.mime}")
    return picture


def check_picture(data: bytes) -> Picture:
    """Say what picture these bytes are, having walked its structure from the first byte to the last."""
    if not data:
        raise BadPicture("is empty")
    if data.startswith(b"\x89PNG\r\n\x1a\n"):
        mime, size = "image/png", _png_size(data)
    elif data.startswith(b"\xff\xd8\xff"):
        mime, size = "image/jpeg", _jpeg_size(data)
    elif data[:6] in (b"GIF87a", b"GIF89a"):
        mime, size = "image/gif", _gif_size(data)
    elif data[:4] == b"RIFF" and data[8:12] == b"WEBP":
        mime, size = "image/webp", _webp_size(data)
    else:
        raise BadPicture("is not a PNG, JPEG, GIF or WebP picture")
    width, height = size
    if not (width and height):
        raise BadPicture(f"says it is {width} x {height} pixels")
    if width * height > MAX_PIXELS:
        raise BadPicture(f"says it is {width} x {height} pixels; at most {MAX_PIXELS:,} are read")
    return Picture(data, mime, width, height)


def _png_size(data: bytes) -> tuple[int, int]:
    position = 8
    size = (0, 0)
    view = memoryview(data)
    while position + 12 <= len(data):
        length = int.from_bytes(data[position : position + 4])
        kind = data[position + 4 : position + 8]
        end = position + 12 + length
        if end > len(data):
            break
        if zlib.crc32(view[position + 4 : end - 4]) != int.from_bytes(data[end - 4 : end]):
            raise BadPicture(f"is damaged (checksum of {kind!r})")
        if kind == b"IHDR":
            size = (int.from_bytes(data[16:20]), int.from_bytes(data[20:24]))
        elif kind == b"IEND":
            return size
        position = end
    raise BadPicture("is cut off")


def _jpeg_size(data: bytes) -> tuple[int, int]:
    position = 2
    size = (0, 0)
    while position + 4 <= len(data):
        if data[position] != 0xFF:
            raise BadPicture("is damaged (no marker where one must be)")
        marker = data[position + 1]
        if marker == 0xFF:  # padding
            position += 1
            continue
        if marker in _JPEG_BARE:
            position += 2
            continue
        length = int.from_bytes(data[position + 2 : position + 4])
        if marker in _JPEG_FRAMES:
            size = (
                int.from_bytes(data[position + 7 : position + 9]),
                int.from_bytes(data[position + 5 : position + 7]),
            )
        if marker == 0xDA:
            # Inside a scan 0xFF is always followed by 0x00 or a restart marker, so this end marker is the real
            # one; that of an embedded thumbnail stands before the scan and was stepped over.
            if data.find(b"\xff\xd9", position) < 0:
                break
            return size
        position += 2 + length
    raise BadPicture("is cut off")


def _gif_size(data: bytes) -> tuple[int, int]:
    if len(data) < 14 or not data.rstrip(b"\x00").endswith(b";"):
        raise BadPicture("is cut off")
    return int.from_bytes(data[6:8], "little"), int.from_bytes(data[8:10], "little")


def _webp_size(data: bytes) -> tuple[int, int]:
    if len(data) < 30 or int.from_bytes(data[4:8], "little") + 8 > len(data):
        raise BadPicture("is cut off")
    kind = data[12:16]
    if kind == b"VP8X":
        return int.from_bytes(data[24:27], "little") + 1, int.from_bytes(data[27:30], "little") + 1
    if kind == b"VP8L":
        bits = int.from_bytes(data[21:25], "little")
        return (bits & 0x3FFF) + 1, (bits >> 14 & 0x3FFF) + 1
    if kind == b"VP8 ":
        return int.from_bytes(data[26:28], "little") & 0x3FFF, int.from_bytes(data[28:30], "little") & 0x3FFF
    raise BadPicture("is damaged (unknown kind of WebP)")
