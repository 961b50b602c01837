"""A bundle as one ZIP file, which is the same on every platform."""

import shutil
import zipfile
from pathlib import Path
from typing import Final

from countersight.audits.bundle.listing import LARGEST_FILE, OddEntry, list_entries
from countersight.audits.bundle.seal import MOST_NAMES, SEAL
from countersight.engine import LOCK
from countersight.errors import AuditError

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
