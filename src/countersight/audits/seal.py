"""bundle.json: the SHA-256 of every file of an audit, so that every change is detected.

Bundles are not trusted when they are read: links in them are not followed, and the sizes of files are limited.
"""

import hashlib
import os
import re
import stat
from collections.abc import Iterable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime
from pathlib import Path
from typing import Final

import msgspec

from countersight import __version__
from countersight.audits.records import Step, decode_record, encode_record
from countersight.engine import LOCK
from countersight.errors import AuditError
from countersight.files import write_whole
from countersight.system import cores

MOST_NAMES: Final = 200_000
"""The maximum number of files in a bundle."""
DEEPEST: Final = 8
LARGEST_FILE: Final = 4 * 1024**3
"""The size limit of a file of an audit; reading a larger one would take hours."""
LARGEST_SHEET: Final = 256 * 1024**2
"""The size limit of a file that is read into memory."""
LARGEST_SEAL: Final = 64 * 1024**2
"""The size limit of a seal, with a wide margin; a larger file is refused without reading it."""
MAY_BE_EMPTY: Final = "pictures/"
"""The folder that is still empty when an audit begins."""


class FileEntry(msgspec.Struct, frozen=True):
    """An entry in a folder, with its relative path."""

    name: str
    bytes: int
    odd: str = ""
    """What is wrong with the entry, if it is not a plain file."""


def list_entries(folder: Path) -> Iterator[FileEntry]:
    """Return everything in a folder, recursively, in order of name. Links are listed and never followed."""
    for number, found in enumerate(_walk(folder, "", 1)):
        if number == MOST_NAMES:
            yield FileEntry(".", 0, f"contains more than {MOST_NAMES:,} files; audit fewer cases at a time")
            return
        yield found


def _walk(folder: Path, before: str, depth: int) -> Iterator[FileEntry]:
    try:
        with os.scandir(folder) as listed:
            entries = sorted(listed, key=lambda entry: entry.name)
    except OSError as error:
        yield FileEntry(before.rstrip("/") or ".", 0, f"cannot be read ({error.strerror})")
        return
    if not entries and before not in ("", MAY_BE_EMPTY):
        yield FileEntry(before.rstrip("/"), 0, "is an empty folder, which does not belong to a bundle")
    for entry in entries:
        name = before + entry.name
        if entry.is_symlink():
            yield FileEntry(name, 0, "is a link, which does not belong to a bundle")
        elif entry.is_dir(follow_symlinks=False):
            if depth == DEEPEST:
                yield FileEntry(name, 0, f"is nested deeper than {DEEPEST} folders")
            else:
                yield from _walk(Path(entry.path), f"{name}/", depth + 1)
        elif not entry.is_file(follow_symlinks=False):
            yield FileEntry(name, 0, "is neither a file nor a folder")
        else:
            yield FileEntry(name, entry.stat(follow_symlinks=False).st_size)


def file_names(folder: Path) -> list[str]:
    """Return the names of all plain files in a folder."""
    return [found.name for found in list_entries(folder) if not found.odd]


def digest(path: Path) -> str:
    """Return the SHA-256 of a file; raises AuditError if it cannot be read or is too large."""
    with os.fdopen(_opened(path, LARGEST_FILE), "rb") as opened:
        return hashlib.file_digest(opened, "sha256").hexdigest()


def digests(folder: Path, names: Sequence[str]) -> Iterable[str]:
    """Return the SHA-256 of each named file, in order; raises AuditError if one cannot be read."""
    with ThreadPoolExecutor(cores()) as pool:  # hashing releases the GIL
        return list(pool.map(lambda name: digest(folder / name), names))


def content(path: Path, largest: int = LARGEST_SHEET) -> bytes:
    """Return the bytes of a file; raises AuditError if it cannot be read or is too large."""
    with os.fdopen(_opened(path, largest), "rb") as opened:
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
    if not stat.S_ISREG(info.st_mode):
        raise AuditError(f"{path} is not a file")
    raise AuditError(f"{path} has {info.st_size:,} bytes; at most {largest:,} are read")


SEAL: Final = "bundle.json"
SIGNATURE: Final = f"{SEAL}.sig"
SIGNATURES: Final = re.compile(rf"{re.escape(SEAL)}(?:\.[0-9a-f]{{12}})?\.sig")
"""The names of signature files: the first, and further ones named by their keys."""
STAMP: Final = f"{SEAL}.tsr"
FORMAT: Final = 6
"""The version of the format; bundles with an earlier version have other files and are not verified."""


class SealedFile(msgspec.Struct, frozen=True):
    """The size and digest of a file when the bundle was sealed."""

    sha256: str
    bytes: int


class Bundle(msgspec.Struct, frozen=True, kw_only=True):
    """The content of bundle.json."""

    format: int = FORMAT
    sealed: datetime
    countersight: str
    steps: int
    """The number of lines of the log."""
    last_step: str
    """The hash of the last line, to which all others are chained."""
    files: dict[str, SealedFile]
    """Every other file, by its relative path with slashes."""


def is_sealed(found: FileEntry) -> bool:
    """Whether the seal covers a file: all except the seal, its signatures and time stamp, and an empty lock file."""
    unsealed = found.name in (SEAL, STAMP) or SIGNATURES.fullmatch(found.name)
    return not unsealed and (found.name != LOCK or found.bytes > 0)


def seal(folder: Path, steps: Sequence[Step]) -> str:
    """Write bundle.json with the digests of all files, and return its SHA-256, which is the seal to record or sign.

    An existing seal that differs only in its time is left unchanged.
    """
    entries = list(list_entries(folder))
    odd = next((found for found in entries if found.odd), None)
    if odd:
        raise AuditError(f"{folder / odd.name} {odd.odd}; remove it to seal the bundle")
    files = [found for found in entries if is_sealed(found)]
    bundle = Bundle(
        sealed=datetime.now(UTC).replace(microsecond=0),
        countersight=__version__,
        steps=len(steps),
        last_step=steps[-1].hash if steps else "",
        files={
            found.name: SealedFile(sha256, found.bytes)
            for found, sha256 in zip(files, digests(folder, [found.name for found in files]), strict=True)
        },
    )
    if (folder / SEAL).exists():
        before, sealed = read_seal(folder)
        if msgspec.structs.replace(before, sealed=bundle.sealed) == bundle:
            return sealed  # nothing has changed: the seal and its signatures stay valid
    written = encode_record(bundle)
    write_whole(folder / SEAL, written)
    return hashlib.sha256(written).hexdigest()


def read_seal(folder: Path) -> tuple[Bundle, str]:
    """Return bundle.json and its SHA-256."""
    written = content(folder / SEAL, LARGEST_SEAL)
    if written.count(b'"sha256"') > MOST_NAMES:
        raise AuditError(f"{folder / SEAL} lists more than {MOST_NAMES:,} files, the maximum of an audit")
    bundle = decode_record(written, Bundle, folder / SEAL)
    if bundle.format > FORMAT:
        raise AuditError(
            f"{folder / SEAL} was written by a later version of Countersight ({bundle.countersight}); use that version"
        )
    return bundle, hashlib.sha256(written).hexdigest()
