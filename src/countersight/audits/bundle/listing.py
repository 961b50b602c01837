"""The files of a bundle. It is not trusted: links in it are not followed, and the sizes of files are limited."""

import hashlib
import os
import stat
from collections.abc import Iterable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import msgspec

from countersight.errors import AuditError
from countersight.system import cores

MOST_FILES = 1_000_000
DEEPEST = 8
LARGEST_FILE = 4 * 1024**3
"""Size limit of a file of an audit; reading a larger one would take hours."""
LARGEST_SHEET = 256 * 1024**2
"""Size limit of a file that is read into memory."""
MAY_BE_EMPTY = "pictures/"
"""The folder that is empty when an audit begins."""


class FileEntry(msgspec.Struct, frozen=True):
    """A file in a folder, with its relative path."""

    name: str
    bytes: int


class OddEntry(msgspec.Struct, frozen=True):
    """An entry in a folder that is not a plain file, and what it is."""

    name: str
    what: str


def list_entries(folder: Path) -> Iterator[FileEntry | OddEntry]:
    """Return everything in a folder, recursively, in order of name. Links are listed and never followed."""
    left = MOST_FILES
    for found in _walk(folder, "", 1):
        yield found
        left -= 1
        if not left:
            yield OddEntry(".", f"contains more than {MOST_FILES:,} files; the others were not checked")
            return


def _walk(folder: Path, before: str, depth: int) -> Iterator[FileEntry | OddEntry]:
    try:
        with os.scandir(folder) as listed:
            entries = sorted(listed, key=lambda entry: entry.name)
    except OSError as error:
        yield OddEntry(before.rstrip("/") or ".", f"cannot be read ({error.strerror})")
        return
    if not entries and before not in ("", MAY_BE_EMPTY):
        yield OddEntry(before.rstrip("/"), "is an empty folder, which does not belong to a bundle")
    for entry in entries:
        name = before + entry.name
        if entry.is_symlink():
            yield OddEntry(name, "is a link, which does not belong to a bundle")
        elif entry.is_dir(follow_symlinks=False):
            if depth == DEEPEST:
                yield OddEntry(name, f"is nested deeper than {DEEPEST} folders")
            else:
                yield from _walk(Path(entry.path), f"{name}/", depth + 1)
        elif not entry.is_file(follow_symlinks=False):
            yield OddEntry(name, "is neither a file nor a folder")
        else:
            yield FileEntry(name, entry.stat(follow_symlinks=False).st_size)


def digest(path: Path) -> str:
    """Return the SHA-256 of a file; raises AuditError if it cannot be read or is too large."""
    file = _opened(path, LARGEST_FILE)
    with os.fdopen(file, "rb") as opened:
        return hashlib.file_digest(opened, "sha256").hexdigest()


def content(path: Path, largest: int = LARGEST_SHEET) -> bytes:
    """Return the bytes of a file; raises AuditError if it cannot be read or is too large."""
    file = _opened(path, largest)
    with os.fdopen(file, "rb") as opened:
        return opened.read(largest)


def _opened(path: Path, largest: int) -> int:
    try:
        # If the file was replaced since it was listed, neither follow a link nor wait for a pipe.
        file = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC)
    except OSError as error:
        raise AuditError(f"{path} cannot be read ({error.strerror})") from None
    info = os.fstat(file)
    if stat.S_ISREG(info.st_mode) and info.st_size <= largest:
        return file
    os.close(file)
    why = "is not a file" if not stat.S_ISREG(info.st_mode) else f"has {info.st_size:,} bytes; at most {largest:,}"
    raise AuditError(f"{path} {why}" + ("" if why == "is not a file" else " are read"))


def digests(folder: Path, names: Sequence[str]) -> Iterable[str]:
    """Return the SHA-256 of each named file, in order; raises AuditError if one cannot be read."""
    with ThreadPoolExecutor(cores()) as pool:  # hashing releases the GIL
        return list(pool.map(lambda name: digest(folder / name), names))
