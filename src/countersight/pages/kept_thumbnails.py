"""Thumbnails kept between calls, by what they were made from: writing a report again shrinks nothing again."""

import hashlib
import sqlite3
from base64 import b64encode
from contextlib import suppress
from pathlib import Path
from typing import Final

import msgspec

from countersight.system import cache_folder

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
