"""Small pictures for pages, kept between calls by what they were made from."""

import hashlib
import io
import sqlite3
from base64 import b64encode
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import suppress
from pathlib import Path
from typing import Final

import msgspec

from countersight.errors import BadPicture
from countersight.picture import Picture, as_seen
from countersight.system import cache_folder, cores

MOST_BYTES: Final = 1 << 29
"""Beyond this the store is begun anew: it only saves time."""
STORE: Final = "thumbnails.sqlite"
_FORM: Final = 1
"""Counted up when thumbnails are made otherwise, so that no old one is taken for new."""


class Thumbnail(msgspec.Struct, frozen=True):
    """A small picture, or why there is none; and how large the picture is that it was made from."""

    data: bytes = b""
    mime: str = "image/webp"
    fault: str = ""
    width: int = 0
    height: int = 0

    @property
    def base64(self) -> str:
        """Its bytes as text."""
        return b64encode(self.data).decode()

    @property
    def url(self) -> str:
        """An address that holds the picture itself."""
        return f"data:{self.mime};base64,{self.base64}"


class KeptThumbnails:
    """A file of thumbnails. One that cannot be written, or read, only costs the time to make them again."""

    def __init__(self, folder: Path | None = None) -> None:
        self._store: sqlite3.Connection | None = None
        file = (folder or cache_folder()) / STORE
        with suppress(OSError, sqlite3.Error, RuntimeError):  # a user without a home has no cache either
            file.parent.mkdir(parents=True, exist_ok=True)
            if file.exists() and file.stat().st_size > MOST_BYTES:
                file.unlink()
            self._store = sqlite3.connect(file, timeout=1, check_same_thread=False)
            self._store.execute("CREATE TABLE IF NOT EXISTS thumbnails (key BLOB PRIMARY KEY, made BLOB)")

    def key(self, data: bytes, side: int) -> bytes:
        """What a thumbnail is known by: the bytes of its picture, and its size."""
        return hashlib.blake2b(data, digest_size=16, key=b"%d/%d" % (_FORM, side)).digest()

    def find(self, key: bytes) -> Thumbnail | None:
        """The thumbnail of that key, if it was made before."""
        with suppress(sqlite3.Error, msgspec.MsgspecError):
            found = self._store and self._store.execute("SELECT made FROM thumbnails WHERE key = ?", (key,)).fetchone()
            return msgspec.msgpack.decode(found[0], type=Thumbnail) if found else None
        return None

    def keep(self, made: dict[bytes, Thumbnail]) -> None:
        """Keep what was made for the next call."""
        with suppress(sqlite3.Error):
            if self._store and made:
                rows = [(key, msgspec.msgpack.encode(each)) for key, each in made.items()]
                with self._store:
                    self._store.executemany("INSERT OR REPLACE INTO thumbnails VALUES (?, ?)", rows)

    def close(self) -> None:
        """Let go of the file."""
        if self._store:
            self._store.close()


_FEW = 1_000
SMALL = 224
"""Thumbnails of this size come in thousands: JPEG is made in a tenth of the time that WebP takes, in two thirds more
bytes."""
_WORKERS = max(2, min(8, cores()))
# Pictures waiting to be decoded are held in memory; a few keep every worker busy.
_AHEAD = 4 * _WORKERS
_KEPT_AT_ONCE = 500


def side_for(pictures: int) -> int:
    """How many pixels wide a thumbnail may be: a page with few pictures can afford sharp ones."""
    return 448 if pictures <= _FEW else SMALL


def thumbnail(picture: Picture, side: int) -> Thumbnail:
    """The picture at most `side` pixels wide and high, or why it cannot be shown. Never raises."""
    try:
        small = as_seen(picture, side)
    except BadPicture as error:
        return Thumbnail(fault=str(error))
    file = io.BytesIO()
    if side <= SMALL:
        small.save(file, "JPEG", quality=80)
    else:
        small.save(file, "WEBP", quality=75, method=2)  # 0.8 ms more than method 0, and files a quarter smaller
    sides = (picture.width, picture.height)
    width, height = reversed(sides) if picture.orientation >= 5 else sides  # it lies on a side
    return Thumbnail(file.getvalue(), "image/jpeg" if side <= SMALL else "image/webp", width=width, height=height)


def thumbnails(
    names: Iterable[str],
    open_picture: Callable[[str], Picture],
    side: int,
    kept: KeptThumbnails | None = None,
) -> Iterator[Thumbnail]:
    """The thumbnails of named pictures, in order; those made in an earlier call are taken from where they were kept.

    Threads are enough: Pillow lets go of the interpreter while it decodes, scales and encodes.
    """
    made: dict[bytes, Thumbnail] = {}

    def make(picture_name: str) -> Thumbnail:
        try:
            picture = open_picture(picture_name)
        except BadPicture as error:
            return Thumbnail(fault=str(error))
        key = kept.key(picture.data, side) if kept else b""
        found = kept.find(key) if kept else None
        if found is None:
            found = made[key] = thumbnail(picture, side)
        return found

    def keep() -> None:
        if kept:
            kept.keep(dict(made))
        made.clear()

    with ThreadPoolExecutor(_WORKERS) as pool:
        waiting: deque[Future[Thumbnail]] = deque()
        for picture_name in names:
            waiting.append(pool.submit(make, picture_name))
            if len(waiting) > _AHEAD:
                yield waiting.popleft().result()
            if len(made) >= _KEPT_AT_ONCE:
                keep()
        while waiting:
            yield waiting.popleft().result()
    keep()
