"""bundle.json: the SHA-256 of every file of an audit, so that every change is detected.

A bundle is not trusted: links in it are not followed, and the sizes of files are limited."""

import hashlib
import os
import re
import shutil
import stat
import zipfile
from collections.abc import Iterable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Final

import msgspec

from countersight.audits.records import decode_record
from countersight.engine import LOCK
from countersight.errors import AuditError
from countersight.files import write_whole
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


SEAL: Final = "bundle.json"
SIGNATURE: Final = f"{SEAL}.sig"
SIGNATURES: Final = re.compile(rf"{re.escape(SEAL)}(?:\.[0-9a-f]{{12}})?\.sig")
"""The names of signature files: the first, and further ones named by their keys."""
STAMP: Final = f"{SEAL}.tsr"
OTHERS: Final = tuple(f"{SEAL}.{ending}" for ending in ("asc", "minisig", "sigstore.json"))
"""Signature files of other programs; they are not checked here."""
_NOT_SEALED: Final = re.compile(
    "|".join((SIGNATURES.pattern, *map(re.escape, (STAMP, *OTHERS)), r"sign-off\.[a-z0-9-]{1,60}\.json(?:\.sig)?"))
)
"""Files that are written after the seal and are not sealed: signatures, time stamps and sign-offs."""
FORMAT: Final = 3
"""The version of the format. In 3, the exact judge scores faithfulness, and there is a verdict.

In 2, all files that follow from the log, with the page, are recomputed on verification, and cases have their scenes."""
MOST_NAMES: Final = 200_000
LARGEST_SEAL: Final = 64 * 1024**2
"""Size limit of a seal, with a wide margin; a larger file is refused without reading it."""


class SealedFile(msgspec.Struct, frozen=True):
    """The size and digest of a file when the bundle was sealed."""

    sha256: str
    bytes: int


class Earlier(msgspec.Struct, frozen=True):
    """An earlier seal that was replaced after more judgements, reviews or a calibration."""

    sealed: str
    seal: str
    """SHA-256 of the earlier bundle.json."""


class Bundle(msgspec.Struct, frozen=True, kw_only=True):
    """The content of bundle.json."""

    format: int = FORMAT
    sealed: str
    """The time in UTC."""
    countersight: str
    steps: int
    """The number of lines of the log."""
    last_step: str
    """Hash of the last line, to which all others are chained."""
    files: dict[str, SealedFile]
    """Every other file, by its relative path with slashes."""
    gallery: int = 0
    """The largest number of cases on the page."""
    earlier: tuple[Earlier, ...] = ()


def sealable(found: FileEntry) -> bool:
    """Whether a file is sealed: all except the seal, its signatures, and an empty lock file."""
    return not (found.name == SEAL or _NOT_SEALED.fullmatch(found.name) or (found.name == LOCK and not found.bytes))


def seal(folder: Path, *, sealed: str, countersight: str, steps: int, last_step: str, gallery: int) -> str:
    """Write bundle.json with the digests of all files, and return its SHA-256, which is the seal to record or sign.

    An existing seal that differs only in its time is left unchanged.
    """
    entries = list(list_entries(folder))
    for odd in entries:
        if isinstance(odd, OddEntry):
            raise AuditError(f"{folder / odd.name} {odd.what}; remove it to seal the bundle")
    files = [found for found in entries if isinstance(found, FileEntry) and sealable(found)]
    if len(files) > MOST_NAMES:
        raise AuditError(f"{folder} has more than {MOST_NAMES:,} files; audit fewer cases at a time")
    before = read_seal(folder) if (folder / SEAL).exists() else None
    bundle = Bundle(
        sealed=sealed,
        countersight=countersight,
        steps=steps,
        last_step=last_step,
        files={
            found.name: SealedFile(sha256, found.bytes)
            for found, sha256 in zip(files, digests(folder, [found.name for found in files]), strict=True)
        },
        gallery=gallery,
    )
    if before is not None:
        if msgspec.structs.replace(before[0], sealed=sealed, earlier=()) == bundle:
            return before[1]  # nothing has changed: the seal and its signatures stay valid
        earlier = (*before[0].earlier, Earlier(before[0].sealed, before[1]))
        bundle = msgspec.structs.replace(bundle, earlier=earlier)
    written = msgspec.json.format(msgspec.json.encode(bundle), indent=1) + b"\n"
    write_whole(folder / SEAL, written)
    return hashlib.sha256(written).hexdigest()


def digests(folder: Path, names: Sequence[str]) -> Iterable[str]:
    """Return the SHA-256 of each named file, in order; raises AuditError if one cannot be read."""
    with ThreadPoolExecutor(cores()) as pool:  # hashing releases the GIL
        return list(pool.map(lambda name: digest(folder / name), names))


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


EPOCH: Final = (1980, 1, 1, 0, 0, 0)
"""The time of every file in the ZIP: real times are in the log."""
LARGEST_BUNDLE: Final = 64 * 1024**3
_PIECE: Final = 1 << 20


def zip_bundle(folder: Path, to: Path) -> None:
    """Write every file of a bundle to a ZIP, in order of name and uncompressed."""
    if not (folder / SEAL).is_file():
        raise AuditError(f"{folder} is not sealed; seal it with: countersight audit bundle {folder}")
    part = to.with_name(f".{to.name}.part")
    try:
        with zipfile.ZipFile(part, "w", zipfile.ZIP_STORED, allowZip64=True) as archive:
            for found in list_entries(folder):
                if isinstance(found, OddEntry):
                    raise AuditError(f"{folder / found.name} {found.what}; remove it to zip the bundle")
                if found.name != LOCK:
                    _add(archive, folder, found.name)
        part.replace(to)
    finally:
        part.unlink(missing_ok=True)


def _add(archive: zipfile.ZipFile, folder: Path, name: str) -> None:
    entry = zipfile.ZipInfo(name, EPOCH)
    entry.external_attr = 0o644 << 16
    entry.create_system = 3  # Unix, so that the ZIP is the same on every platform
    entry.file_size = (folder / name).stat().st_size
    with open(folder / name, "rb") as file, archive.open(entry, "w") as into:
        shutil.copyfileobj(file, into, _PIECE)


def unzip_bundle(file: Path, to: Path) -> None:
    """Extract a ZIP into an empty folder; raises AuditError if it is invalid or contains paths outside the folder."""
    try:
        with zipfile.ZipFile(file) as archive:
            entries = archive.infolist()
            _refuse_odd(file, entries)
            for entry in entries:
                target = to / entry.filename
                target.parent.mkdir(parents=True, exist_ok=True)
                with archive.open(entry) as packed, open(target, "xb") as into:
                    shutil.copyfileobj(packed, into, _PIECE)
    except (zipfile.BadZipFile, NotImplementedError, EOFError, RuntimeError) as error:
        raise AuditError(f"{file} is not a readable ZIP file: {error}") from None
    except FileExistsError:
        raise AuditError(f"{file} contains a file twice") from None
    except OSError as error:
        raise AuditError(f"{file} cannot be unpacked ({error.strerror})") from None


def _refuse_odd(file: Path, entries: list[zipfile.ZipInfo]) -> None:
    if len(entries) > MOST_NAMES or sum(entry.file_size for entry in entries) > LARGEST_BUNDLE:
        raise AuditError(f"{file} is larger than any valid bundle")
    for entry in entries:
        parts = entry.filename.split("/")
        if entry.compress_type != zipfile.ZIP_STORED or entry.file_size > LARGEST_FILE:
            raise AuditError(f"{file} was not made by countersight audit bundle --zip")
        if "\\" in entry.filename or any(part in ("", ".", "..") for part in parts) or len(parts) > 8:
            raise AuditError(f"{file} contains {entry.filename[:80]!r}, which is not a valid name in a bundle")
