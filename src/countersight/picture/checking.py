"""Read pictures from files and check them without decoding, so that bad pictures are found before they are sent.

Use `as_seen` to decode a picture. It handles EXIF orientation, CMYK, 16 bits, transparency and animation in one way, so
that every model sees the picture as an image viewer shows it.
"""

import base64
import errno
import io
import os
import stat
import zlib
from pathlib import Path
from typing import TYPE_CHECKING, Literal, NamedTuple

import msgspec

from countersight.errors import BadPicture, LinkedPicture
from countersight.picture.limits import LARGE, LONGEST_SIDE, MAX_BYTES, MAX_PIXELS

if TYPE_CHECKING:  # imported only to decode; most commands do not
    from PIL import Image

_JPEG_FRAMES = frozenset(range(0xC0, 0xD0)) - {0xC4, 0xC8, 0xCC}
_JPEG_BARE = frozenset({0x01, *range(0xD0, 0xD9)})
_GREY_OR_RGB = (b"\x01", b"\x03")
_EXIF = b"Exif\x00\x00"


class Picture(msgspec.Struct, frozen=True):
    """The bytes of a picture file, with its type and size."""

    data: bytes
    mime: str
    width: int
    height: int
    orientation: int = 1
    """The EXIF orientation: 1 is upright, 3 upside down, 5 to 8 rotated by 90 degrees."""
    plain: bool = False
    """Whether every decoder gives the same result: 8 bits, opaque, RGB, one frame (the orientation is separate)."""

    def __repr__(self) -> str:
        return f"Picture({self.mime}, {self.width} × {self.height}, {len(self.data):,} bytes)"

    def _repr_mimebundle_(self, **asked: object) -> dict[str, object]:
        """Return the picture for notebooks."""
        return {"text/plain": repr(self), self.mime: self.data}


class _Header(NamedTuple):
    """Facts about a picture that are read from the structure of its file."""

    width: int
    height: int
    plain: bool
    orientation: int = 1


def data_url(mime: str, data: bytes) -> str:
    """Return the bytes of a picture as a data URL, for an HTML page, a request or a log."""
    return f"data:{mime};base64,{base64.b64encode(data).decode('ascii')}"


def read_picture(path: Path | str, *, follow: bool = True) -> Picture:
    """Read a picture from a file; raises BadPicture with the reason, or LinkedPicture for a link unless `follow`."""
    try:
        # A run reads a picture for every case, and open() makes twice as many system calls.
        file = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC | (0 if follow else os.O_NOFOLLOW))
        try:
            info = os.fstat(file)
            if not stat.S_ISREG(info.st_mode):
                raise BadPicture("is not a file")
            if info.st_size > MAX_BYTES:
                raise BadPicture(f"has {info.st_size:,} bytes; the maximum is {MAX_BYTES:,}")
            data = os.read(file, info.st_size + 1)
        finally:
            os.close(file)
    except FileNotFoundError:
        raise BadPicture("is not in the folder") from None
    except OSError as error:
        if error.errno == errno.ELOOP and not follow:
            raise LinkedPicture("is a link") from None
        raise BadPicture(f"cannot be read ({error.strerror})") from None
    return check_picture(data)  # the type is determined by the content, not by the file name


def check_picture(data: bytes) -> Picture:
    """Return the picture in these bytes, after checking its structure from the first byte to the last."""
    if not data:
        raise BadPicture("is empty")
    if data.startswith(b"\x89PNG\r\n\x1a\n"):
        mime, header = "image/png", _png(data)
    elif data.startswith(b"\xff\xd8\xff"):
        mime, header = "image/jpeg", _jpeg(data)
    elif data[:6] in (b"GIF87a", b"GIF89a"):
        mime, header = "image/gif", _gif(data)
    elif data[:4] == b"RIFF" and data[8:12] == b"WEBP":
        mime, header = "image/webp", _webp(data)
    else:
        raise BadPicture("is not a PNG, JPEG, GIF or WebP picture")
    width, height, plain, orientation = header
    if not (width and height):
        raise BadPicture(f"claims to be {width} x {height} pixels")
    if width * height > MAX_PIXELS:
        raise BadPicture(_too_large(width, height))
    return Picture(data, mime, width, height, orientation, plain)


def as_seen(picture: Picture, side: int = LONGEST_SIDE) -> "Image.Image":
    """Return the picture as a viewer shows it, in RGB: upright, opaque, 8 bits, the first frame.

    Pictures with a side longer than `side` pixels are scaled down; large JPEGs are not decoded at full size.
    Transparent parts are shown on white. Colour profiles are ignored. Raises BadPicture if it cannot be decoded.
    """
    from countersight.picture.viewing import view

    if picture.width * picture.height > MAX_PIXELS:
        raise BadPicture(_too_large(picture.width, picture.height))
    try:
        return view(picture.data, picture.orientation, side)
    except BadPicture:
        raise
    except Exception as error:  # decoders raise many types of errors on damaged data
        raise BadPicture(f"cannot be decoded ({type(error).__name__})") from None


def goes_as_it_is(picture: Picture) -> bool:
    """Return whether a server that decodes the original bytes gets the picture that viewers show."""
    return picture.plain and picture.orientation == 1 and max(picture.width, picture.height) <= LONGEST_SIDE


def to_send(picture: Picture) -> Picture:
    """Return the picture for a server: the original bytes if suitable, otherwise re-encoded as shown by a viewer.

    Re-encoding is lossless, except for photographs and large pictures, which become high-quality JPEG.
    """
    if goes_as_it_is(picture):
        return picture
    seen = as_seen(picture)
    file = io.BytesIO()
    if picture.mime == "image/jpeg" or seen.width * seen.height > LARGE:
        seen.save(file, "JPEG", quality=95, subsampling=0)
        return Picture(file.getvalue(), "image/jpeg", *seen.size, plain=True)
    seen.save(file, "PNG")
    return Picture(file.getvalue(), "image/png", *seen.size, plain=True)


def _too_large(width: int, height: int) -> str:
    return f"claims to be {width} x {height} pixels; the maximum is {MAX_PIXELS:,}"


def _png(data: bytes) -> _Header:
    position = 8
    header = _Header(0, 0, plain=False)
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
            if (position, length) != (8, 13):
                raise BadPicture("is damaged (no header)")
            bits, colours = data[24], data[25]
            plain = bits <= 8 and colours in (0, 2, 3)  # grey, RGB or palette: no alpha channel
            header = _Header(int.from_bytes(data[16:20]), int.from_bytes(data[20:24]), plain)
        elif kind in (b"tRNS", b"acTL"):
            header = header._replace(plain=False)
        elif kind == b"eXIf":
            header = header._replace(orientation=_orientation(data[position + 8 : end - 4]))
        elif kind == b"IEND":
            return header
        position = end
    raise BadPicture("is cut off")


def _jpeg(data: bytes) -> _Header:
    position = 2
    header = _Header(0, 0, plain=False)
    orientation = 0
    while position + 4 <= len(data):
        if data[position] != 0xFF:
            raise BadPicture("is damaged (a marker is missing)")
        marker = data[position + 1]
        if marker == 0xFF:  # padding
            position += 1
            continue
        if marker in _JPEG_BARE:
            position += 2
            continue
        length = int.from_bytes(data[position + 2 : position + 4])
        if marker in _JPEG_FRAMES:
            header = _Header(
                int.from_bytes(data[position + 7 : position + 9]),
                int.from_bytes(data[position + 5 : position + 7]),
                plain=data[position + 4 : position + 5] == b"\x08"
                and data[position + 9 : position + 10] in _GREY_OR_RGB,
            )
        elif marker == 0xE1 and not orientation and data.startswith(_EXIF, position + 4):
            orientation = _orientation(data[position + 4 : position + 2 + length])
        if marker == 0xDA:
            # Inside a scan, 0xFF is always followed by 0x00 or a restart marker, so this is the real end marker;
            # that of an embedded thumbnail comes before the scan and was skipped.
            if data.find(b"\xff\xd9", position) < 0:
                break
            return header._replace(orientation=orientation or 1)
        position += 2 + length
    raise BadPicture("is cut off")


def _gif(data: bytes) -> _Header:
    if len(data) < 14 or not data.rstrip(b"\x00").endswith(b";"):
        raise BadPicture("is cut off")
    # Never plain: most are animated or partly transparent, and not every server accepts GIF.
    return _Header(int.from_bytes(data[6:8], "little"), int.from_bytes(data[8:10], "little"), plain=False)


def _webp(data: bytes) -> _Header:
    if len(data) < 30 or int.from_bytes(data[4:8], "little") + 8 > len(data):
        raise BadPicture("is cut off")
    from PIL import Image

    try:
        with Image.open(io.BytesIO(data), formats=["WEBP"]) as file:
            plain = file.mode == "RGB" and not getattr(file, "is_animated", False)
            return _Header(*file.size, plain, _orientation(file.info.get("exif", b"")))
    except Exception as error:  # decoders raise many types of errors on damaged data
        raise BadPicture(f"is damaged ({type(error).__name__})") from None


def _orientation(exif: bytes) -> int:
    """Return the orientation from the tag 0x0112 of the first directory; upright if it is missing or damaged."""
    exif = exif.removeprefix(_EXIF)
    orders: dict[bytes, Literal["little", "big"]] = {b"II": "little", b"MM": "big"}
    order = orders.get(exif[:2])
    if order is None:
        return 1
    start = int.from_bytes(exif[4:8], order)
    for entry in range(int.from_bytes(exif[start : start + 2], order)):
        place = start + 2 + 12 * entry
        if place + 12 > len(exif):
            break
        if int.from_bytes(exif[place : place + 2], order) == 0x0112:
            value = int.from_bytes(exif[place + 8 : place + 10], order)
            return value if 1 <= value <= 8 else 1
    return 1
