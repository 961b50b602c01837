"""The members of an .eval file, whichever way they are packed: Inspect packs them with Zstandard."""

import json
import zipfile
import zlib
from importlib import import_module
from pathlib import Path
from types import TracebackType
from typing import Any, BinaryIO, Self

from countersight.errors import ExchangeError

MOST = 256 * 1024 * 1024
"""Bytes of a member that are read: a sample with its pictures stays far below."""
_ZSTANDARD = 93
_LOCAL_HEADER = 30


class Packed:
    """An .eval file, opened for reading."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._file: BinaryIO = open(path, "rb")  # noqa: SIM115 - open as long as this is
        try:
            self._zip = zipfile.ZipFile(self._file)
        except (zipfile.BadZipFile, OSError) as fault:
            self._file.close()
            raise ExchangeError(f"{path} is no log of Inspect: {fault}") from None

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._zip.close()
        self._file.close()

    def names(self) -> list[str]:
        """What is in it, in the order it was written."""
        return self._zip.namelist()

    def json(self, name: str) -> Any:
        """A member's content; a sentence where it cannot be had."""
        member = self._zip.getinfo(name)
        if member.file_size > MOST:
            raise ExchangeError(f"{name} has {member.file_size:,} bytes; at most {MOST:,} are read")
        try:
            return json.loads(self._bytes(member))  # not msgspec: Inspect writes NaN
        except (ValueError, RecursionError, OSError, EOFError, zipfile.BadZipFile, zlib.error) as fault:
            raise ExchangeError(f"{name} is damaged: {fault}") from None

    def _bytes(self, member: zipfile.ZipInfo) -> bytes:
        if member.compress_type != _ZSTANDARD:
            with self._zip.open(member) as file:
                return file.read(MOST + 1)
        self._file.seek(member.header_offset)
        header = self._file.read(_LOCAL_HEADER)
        name, extra = (int.from_bytes(header[at : at + 2], "little") for at in (26, 28))
        self._file.seek(member.header_offset + _LOCAL_HEADER + name + extra)
        return _unpacked(self._file.read(member.compress_size), member.file_size)


def _unpacked(data: bytes, size: int) -> bytes:
    """What was packed with Zstandard, never more of it than was announced."""
    try:
        reader = import_module("zstandard").ZstdDecompressor().stream_reader(data, read_across_frames=True)
    except ImportError:
        raise ExchangeError(
            "Inspect packs its logs with Zstandard; read them with: pip install 'countersight[exchange]'"
        ) from None
    with reader:
        try:
            unpacked: bytes = reader.read(size)
        except Exception as fault:  # zstandard.ZstdError, which is not there to be named
            raise ValueError(str(fault)) from None
    return unpacked
