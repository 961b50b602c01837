"""Create thumbnails for pages in several threads, and reuse those of an earlier page."""

import binascii
import hashlib
import io
import re
from base64 import b64decode, b64encode
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Mapping
from concurrent.futures import Future, ThreadPoolExecutor
from pathlib import Path
from types import MappingProxyType
from typing import Final

import msgspec

from countersight.errors import BadPicture
from countersight.picture import Picture, as_seen
from countersight.system import cores


class Thumbnail(msgspec.Struct, frozen=True):
    """A thumbnail, or the reason why there is none, with the size of the original picture."""

    data: bytes = b""
    mime: str = "image/webp"
    fault: str = ""
    width: int = 0
    height: int = 0
    key: str = ""
    """A digest of the original picture and of how the thumbnail was made."""

    @property
    def base64(self) -> str:
        """The image data in base64."""
        return b64encode(self.data).decode()

    @property
    def url(self) -> str:
        """A data URL with the image."""
        return f"data:{self.mime};base64,{self.base64}"


_VERSION: Final = 1
"""Increase this number if thumbnails are made differently, so that old ones are not reused."""
_STORED = re.compile(
    r'<script type="text/plain" id="picture-\d+" data-mime="(image/(?:webp|jpeg))" data-key="(\w+)" '
    r'data-size="(\d{1,9})x(\d{1,9})">([^<]+)</script>\n'
)
_FEW_PICTURES = 1_000
SMALL = 224
"""The size in pixels of thumbnails on pages with many pictures. They are JPEG files: two thirds larger than WebP, but
encoded ten times as fast."""
_WORKERS = max(2, min(8, cores()))
# Waiting pictures are held in memory, so only enough to keep every worker busy are loaded.
_MAX_QUEUED = 4 * _WORKERS


def side_for(pictures: int) -> int:
    """Return the width of thumbnails in pixels: pages with few pictures get larger ones."""
    return 448 if pictures <= _FEW_PICTURES else SMALL


def stored_thumbnails(page: Path) -> dict[str, Thumbnail]:
    """Return the thumbnails on an earlier page, by key; empty if there is no such page."""
    found = {}
    try:
        with page.open(encoding="utf-8", errors="replace") as lines:
            for line in filter(None, map(_STORED.fullmatch, lines)):
                mime, key, width, height, data = line.groups()
                found[key] = Thumbnail(b64decode(data, validate=True), mime, "", int(width), int(height), key)
    except (OSError, binascii.Error):  # the thumbnails are made again
        pass
    return found


def thumbnail(picture: Picture, side: int, key: str = "") -> Thumbnail:
    """Return the picture scaled to at most `side` pixels, or the reason why it cannot be shown. Never raises."""
    try:
        small = as_seen(picture, side)
    except BadPicture as error:
        return Thumbnail(fault=str(error))
    file = io.BytesIO()
    if side <= SMALL:
        small.save(file, "JPEG", quality=80)
    else:
        small.save(file, "WEBP", quality=75, method=2)  # 0.8 ms slower than method 0, but a quarter smaller
    sides = (picture.width, picture.height)
    width, height = reversed(sides) if picture.orientation >= 5 else sides  # the picture is rotated by 90 degrees
    return Thumbnail(file.getvalue(), "image/jpeg" if side <= SMALL else "image/webp", "", width, height, key)


def thumbnails(
    names: Iterable[str],
    open_picture: Callable[[str], Picture],
    side: int,
    stored: Mapping[str, Thumbnail] = MappingProxyType({}),
) -> Iterator[Thumbnail]:
    """Yield the thumbnails of named pictures, in order; those in `stored` are reused.

    Threads are sufficient, because Pillow releases the GIL while it decodes, scales and encodes.
    """

    def make(picture_name: str) -> Thumbnail:
        try:
            picture = open_picture(picture_name)
            key = hashlib.blake2b(picture.data, digest_size=16, key=f"{_VERSION}/{side}".encode()).hexdigest()
            return stored.get(key) or thumbnail(picture, side, key)
        except BadPicture as error:
            return Thumbnail(fault=str(error))

    with ThreadPoolExecutor(_WORKERS) as pool:
        waiting: deque[Future[Thumbnail]] = deque()
        for picture_name in names:
            waiting.append(pool.submit(make, picture_name))
            if len(waiting) > _MAX_QUEUED:
                yield waiting.popleft().result()
        while waiting:
            yield waiting.popleft().result()
