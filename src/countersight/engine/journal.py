"""The journal of a run, an append-only file with one reply and its checksum per line; and the lock of its folder.

A reply is written before it is shown, so killing the process loses nothing that was shown. At most it leaves a
truncated last line, which is dropped; its question is asked again.
"""

import errno
import fcntl
import os
import zlib
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from types import TracebackType
from typing import BinaryIO, Self, TypeVar

import msgspec

from countersight.case import Reply
from countersight.errors import CountersightError
from countersight.files import missing_folder, write_whole

_encoder = msgspec.json.Encoder()
_decoder = msgspec.json.Decoder(Reply)
_TAIL = len(',"crc":"00000000"}')


def encode_line(reply: Reply) -> bytes:
    """Encode a reply as a JSON line whose last member is the CRC-32 of everything before it."""
    body = _encoder.encode(reply)[:-1]
    return b'%s,"crc":"%08x"}\n' % (body, zlib.crc32(body))


def decode_line(line: bytes) -> Reply | None:
    """Decode the reply on a line; None if the line is damaged."""
    line = line.rstrip(b"\r\n")
    body, tail = line[:-_TAIL], line[-_TAIL:]
    if tail != b',"crc":"%08x"}' % zlib.crc32(body):
        return None
    try:
        return _decoder.decode(body + b"}")
    except (msgspec.DecodeError, UnicodeDecodeError):
        return None


class Journal:
    """A journal opened for appending; only one process at a time may open it."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._unsynced = False

    def __enter__(self) -> Self:
        self._file = os.open(self._path, os.O_RDWR | os.O_CREAT | os.O_APPEND | os.O_CLOEXEC, 0o644)
        _drop_torn_end(self._file)
        return self

    def append(self, reply: Reply) -> None:
        """Write a reply; once this returns, the reply is kept even if the process is killed."""
        self.write(encode_line(reply))

    def write(self, line: bytes) -> None:
        """Write a line of any kind, completely or not at all."""
        try:
            written = os.write(self._file, line)
        except OSError as error:
            raise OSError(error.errno, error.strerror, str(self._path)) from None
        if written != len(line):  # the disk is full: remove the incomplete line, so that the next one is valid
            os.ftruncate(self._file, os.fstat(self._file).st_size - written)
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC), str(self._path))
        self._unsynced = True

    def sync(self) -> None:
        """Flush appended lines to the disk, so that they survive a power failure."""
        if self._unsynced:
            os.fsync(self._file)
            self._unsynced = False

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.sync()
        os.close(self._file)


def read_journal(path: Path, on_damaged: Callable[[], None] | None = None) -> Iterator[Reply]:
    """Iterate over all replies in a journal, in order; `on_damaged` is called for each damaged line."""
    return (reply for _, reply in read_with_offsets(path, on_damaged))


def read_with_offsets(path: Path, on_damaged: Callable[[], None] | None = None) -> Iterator[tuple[int, Reply]]:
    """Iterate over all replies with the offset of their line, for `reply_at`."""
    if not path.exists():
        return
    offset = 0
    with open(path, "rb") as file:
        for line in file:
            reply = decode_line(line)
            if reply is not None:
                yield offset, reply
            elif on_damaged:
                on_damaged()
            offset += len(line)


def replies_at(path: Path, offsets: Iterable[int]) -> dict[int, Reply]:
    """Return the replies whose lines start at these offsets, by offset; damaged lines are left out."""
    offsets = sorted(offsets)
    found = {}
    if offsets:
        with open(path, "rb") as file:
            for offset in offsets:
                file.seek(offset)
                if (reply := decode_line(file.readline())) is not None:
                    found[offset] = reply
    return found


def reply_at(path: Path, offset: int) -> Reply | None:
    """Return the reply whose line starts at this offset; None if there is none."""
    with open(path, "rb") as file:
        file.seek(offset)
        return decode_line(file.readline())


def _drop_torn_end(file: int) -> None:
    """Truncate the file after its last line end."""
    size = os.fstat(file).st_size
    end = size
    while end > 0:
        start = max(0, end - 65536)
        found = os.pread(file, end - start, start).rfind(b"\n")
        if found >= 0:
            end = start + found + 1
            break
        end = start
    if end != size:
        os.ftruncate(file, end)


LOCK = ".lock"

T = TypeVar("T")


def lock_folder(path: Path, error: type[CountersightError]) -> BinaryIO:
    """Lock a folder for writing by this process and return the lock file; the lock ends with the process."""
    lock = open(path / LOCK, "wb")  # noqa: SIM115 - held for as long as the folder is written
    try:
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        lock.close()
        raise error(f"another process is writing to {path}; wait for it or stop it") from None
    return lock


def create_locked_folder(path: Path, manifest: str, what: str, error: type[CountersightError], *parts: str) -> BinaryIO:
    """Create or reopen a folder and lock it; raises an error if it has other contents.

    A process that was killed at the start may leave the lock, `parts` and an unfinished manifest; these are allowed.
    """
    names = {LOCK, *parts}
    if path.exists() and not (path / manifest).exists():
        files = [file.name for file in path.iterdir()] if path.is_dir() else [path.name]
        if not all(name in names or name.startswith(f".{manifest}.") for name in files):
            raise error(f"{path} exists and is not {what}; choose another folder for `out`")
    path.mkdir(parents=True, exist_ok=True)
    return lock_folder(path, error)


def read_manifest(file: Path, kind: type[T], what: str, error: type[CountersightError]) -> T:
    """Read the manifest of a folder."""
    folder = file.parent
    if not folder.exists():
        raise error(missing_folder(folder))
    if not file.is_file():
        raise error(f"{folder} is not {what}: it contains no {file.name}")
    try:
        return msgspec.json.decode(file.read_bytes(), type=kind)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as fault:
        raise error(f"{file} is damaged: {fault}") from None


def write_manifest(file: Path, manifest: msgspec.Struct) -> None:
    """Write the manifest of a folder."""
    write_whole(file, msgspec.json.format(msgspec.json.encode(manifest), indent=2) + b"\n")
