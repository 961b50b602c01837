"""Write the files of a bundle next to the log and the pictures of an audit, then seal everything."""

import re
from pathlib import Path, PurePosixPath
from typing import Final

import msgspec

from countersight.audits.bundle.cases import (
    CASES,
    DIFFERENCES,
    EXCLUSIONS,
    CaseSheet,
    case_sheets,
    edits,
    encode_cases,
    encode_exclusions,
    write_differences,
)
from countersight.audits.bundle.changes import CHANGES, ChangeRecord, change_record, stored_record
from countersight.audits.bundle.limits import LIMITS, SIGN_OFF, Limit, encode_limits, encode_sign_off, limits
from countersight.audits.bundle.manifest import (
    DATASET_SHEET,
    MANIFEST_SHEET,
    SESSIONS,
    BundleManifest,
    DatasetSheet,
    Session,
    dataset_sheet,
    read_sessions,
    run_manifest,
)
from countersight.audits.bundle.seal import FileEntry, content, digests, list_entries, sealable
from countersight.audits.calibration.people import REVIEWED, ReviewLog, read_reviews
from countersight.audits.calibration.sheet import CALIBRATION, CALIBRATION_FOLDER, LABELS, TAKEN
from countersight.audits.folder import LOG, MANIFEST, ORDERS, PICTURES, SUFFIXES, AuditFolder
from countersight.audits.plan import PLAN, PLAN_SIGNATURE, VERDICT, Conclusion, conclude, plan_of
from countersight.audits.scores import SCORES, AuditScores, encode, score
from countersight.audits.selection import SELECTION, decode_selection
from countersight.audits.trail import AuditTrail
from countersight.errors import AuditError
from countersight.files import write_whole
from countersight.progress import Progress, silent

REPORT: Final = "report.html"
PAPERS: Final = frozenset(
    (SCORES, MANIFEST_SHEET, DATASET_SHEET, CASES, EXCLUSIONS, LIMITS, SIGN_OFF, VERDICT, CHANGES, REPORT)
)
"""The files that are derived from the log."""
GIVEN: Final = frozenset(
    (
        *(MANIFEST, LOG, SELECTION, SESSIONS, ORDERS, PLAN, PLAN_SIGNATURE, REVIEWED, CALIBRATION),
        *(f"{CALIBRATION_FOLDER}/{name}" for name in (*TAKEN, LABELS)),
    )
)
_PICTURE: Final = re.compile(
    rf"{PICTURES}/[0-9a-f]{{64}}\.(?:{'|'.join(SUFFIXES.values())})|{DIFFERENCES}/[0-9a-f]{{16}}-[0-9a-f]{{16}}\.png"
)


def is_derived(name: str) -> bool:
    """Whether a file is derived from the log."""
    return name in PAPERS or name.startswith(f"{DIFFERENCES}/")


def belongs(name: str) -> bool:
    """Whether an audit may contain a file with this name."""
    return name in PAPERS or name in GIVEN or _PICTURE.fullmatch(name) is not None


class Sheets(msgspec.Struct, frozen=True, kw_only=True):
    """The content of a bundle."""

    folder: AuditFolder
    audit: AuditTrail
    scores: AuditScores
    manifest: BundleManifest
    sessions: tuple[Session, ...]
    dataset: DatasetSheet
    cases: tuple[CaseSheet, ...]
    limits: tuple[Limit, ...]
    reviews: ReviewLog
    changes: ChangeRecord | None
    conclusion: Conclusion


def write_papers(
    folder: AuditFolder,
    audit: AuditTrail,
    *,
    against: Path | None = None,
    from_dataset: bool = True,
    progress: Progress = silent,
) -> Sheets:
    """Write everything that is derived from the log, except the page: difference pictures and documents.

    The card of the dataset is the stored one, unless it is read again with `from_dataset`.
    """
    with progress("Comparing pictures", len(edits(audit.cases)), "edits") as done:
        write_differences(folder, audit.cases, done)
    path, scores, sessions = folder.path, score(audit), read_sessions(folder.path)
    chosen = len(decode_selection(content(path / SELECTION)).cases) if (path / SELECTION).is_file() else None
    names = (found.name for found in list_entries(path) if isinstance(found, FileEntry))
    sheets = Sheets(
        folder=folder,
        audit=audit,
        scores=scores,
        manifest=run_manifest(audit, sessions),
        sessions=sessions,
        dataset=dataset_sheet(path, audit.manifest, audit.cases, from_dataset=from_dataset),
        cases=case_sheets(audit, scores, names),
        limits=limits(audit.manifest, scores, audit.calibration, drawn=any(case.record.scene for case in audit.cases)),
        reviews=read_reviews(path, scores),
        changes=change_record(audit, scores, against) if against else stored_record(audit, scores),
        conclusion=conclude(audit.manifest, scores, plan_of(path, audit.manifest), chosen),
    )
    for name, written in _papers(sheets).items():
        write_whole(path / name, written)
    if not sheets.changes:
        (folder.path / CHANGES).unlink(missing_ok=True)
    return sheets


def refuse_strange_files(path: Path) -> None:
    """Raise an error for files that no audit writes, and for pictures that differ from those in the log."""
    names = [each.name for each in list_entries(path) if isinstance(each, FileEntry) and sealable(each)]
    for name in names:
        if not belongs(name):
            raise AuditError(f"{path / name} does not belong to the audit; remove it to seal the bundle")
    pictures = [name for name in names if name.startswith(f"{PICTURES}/")]
    for name, sha256 in zip(pictures, digests(path, pictures), strict=True):
        if PurePosixPath(name).stem != sha256:
            raise AuditError(f"{path / name} was changed after it was written, so the audit cannot be sealed")


def _papers(sheets: Sheets) -> dict[str, bytes]:
    """Return the content of each file that follows from the sheets, except the page, by file name."""
    written = {
        SCORES: encode(sheets.scores),
        MANIFEST_SHEET: _pretty(sheets.manifest),
        DATASET_SHEET: _pretty(sheets.dataset),
        CASES: encode_cases(sheets.cases),
        EXCLUSIONS: encode_exclusions(sheets.cases),
        LIMITS: encode_limits(sheets.limits),
        VERDICT: _pretty(sheets.conclusion),
        SIGN_OFF: encode_sign_off(sheets.manifest, sheets.dataset.name),
    }
    return written | ({CHANGES: _pretty(sheets.changes)} if sheets.changes else {})


def _pretty(sheet: object) -> bytes:
    return msgspec.json.format(msgspec.json.encode(sheet), indent=2) + b"\n"
