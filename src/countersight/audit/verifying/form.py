"""Nothing is smuggled into the records: each of them, read and written again, has the bytes that lie there.

A member that nobody reads, or one that stands there twice, would pass every other check and still be seen by people.
"""

import hashlib
from collections.abc import Iterator
from pathlib import Path
from typing import Final

import msgspec

from countersight.audit.bundle.files import content
from countersight.audit.bundle.seal import SEAL, Bundle
from countersight.audit.bundle.sessions import SESSIONS, Session
from countersight.audit.bundle.zipping import zip_bundle
from countersight.audit.calibration.sheet import CALIBRATION, Calibration
from countersight.audit.calibration.taking import CALIBRATION_FOLDER
from countersight.audit.folder import MANIFEST
from countersight.audit.log import LOG, decode_step, encode_step
from countersight.audit.records import Manifest
from countersight.audit.selection import SELECTION, Selection
from countersight.audit.verifying.finding import Finding, Opened, What
from countersight.errors import AuditError

WHOLE: Final[dict[str, type[msgspec.Struct]]] = {
    SEAL: Bundle,
    MANIFEST: Manifest,
    SELECTION: Selection,
    CALIBRATION: Calibration,
    f"{CALIBRATION_FOLDER}/{MANIFEST}": Manifest,
}
LOGS: Final = (LOG, f"{CALIBRATION_FOLDER}/{LOG}")


def checked_form(opened: Opened) -> Iterator[Finding]:
    """Every record that holds something which no audit writes."""
    if opened.early:
        return
    what: What = "not verified" if opened.other_version else "broken"
    for name in (*WHOLE, SESSIONS, *LOGS):
        if name in opened.files and (line := _strange(opened.path / name, name)):
            yield Finding(what, name, f"line {line} holds something that no audit writes{opened.other_version}")


def _strange(file: Path, name: str) -> int:
    """The first line that is not as it is written, counted from 1; 0 where all are."""
    if name in LOGS:
        with open(file, "rb") as lines:
            return next((number for number, line in enumerate(lines, 1) if not _is_step(line)), 0)
    data = content(file)
    if name == SESSIONS:
        lying = enumerate(data.splitlines(), 1)
        return next((number for number, line in lying if not _is_written(line, Session)), 0)
    return 0 if _is_written(data, WHOLE[name]) else 1


def _is_step(line: bytes) -> bool:
    step = decode_step(line)
    return step is not None and encode_step(step)[0] == line


def _is_written(data: bytes, kind: type[msgspec.Struct]) -> bool:
    try:
        return msgspec.json.encode(msgspec.json.decode(data, type=kind)) == msgspec.json.format(data, indent=-1)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        return False


def checked_zip(file: Path, unpacked: Path) -> Iterator[Finding]:
    """Whether a ZIP has bytes beside its files: one that is made of them again is the same."""
    again = unpacked.with_name(f"{unpacked.name}.again.zip")
    try:
        zip_bundle(unpacked, again)
        if _digest(again) != _digest(file):
            yield Finding("added", file.name, "it has bytes that no bundle in one file has")
    except AuditError:  # it is not sealed: that is found where its files are looked at
        return
    finally:
        again.unlink(missing_ok=True)


def _digest(file: Path) -> bytes:
    with open(file, "rb") as bytes_of:
        return hashlib.file_digest(bytes_of, "sha256").digest()
