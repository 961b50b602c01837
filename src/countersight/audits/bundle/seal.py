"""bundle.json: the SHA-256 of every file of an audit, so that every change is detected."""

import hashlib
import re
from pathlib import Path
from typing import Final

import msgspec

from countersight.audits.bundle.listing import FileEntry, OddEntry, content, digests, list_entries
from countersight.audits.records import decode_record
from countersight.engine import LOCK
from countersight.errors import AuditError
from countersight.files import write_whole

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
