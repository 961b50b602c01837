"""Finish an audit: write the files of its bundle and its page, seal everything, and print the results."""

import datetime
import re
from pathlib import Path, PurePosixPath
from typing import Final

import msgspec
from rich.console import Console
from rich.text import Text

from countersight import __version__
from countersight.audits.bundle.cases import (
    CASES,
    DIFFERENCES,
    EXCLUSIONS,
    case_sheets,
    edits,
    encode_cases,
    encode_exclusions,
    write_differences,
)
from countersight.audits.bundle.changes import CHANGES, change_record, stored_record
from countersight.audits.bundle.dataset_sheet import DATASET_SHEET, dataset_sheet
from countersight.audits.bundle.limits import LIMITS, SIGN_OFF, Limit, encode_limits, encode_sign_off, headline, limits
from countersight.audits.bundle.listing import FileEntry, content, digests, list_entries
from countersight.audits.bundle.manifest import MANIFEST_SHEET, run_manifest
from countersight.audits.bundle.seal import seal, sealable
from countersight.audits.bundle.sessions import SESSIONS, read_sessions
from countersight.audits.calibration.people import REVIEWED, read_reviews
from countersight.audits.calibration.storing import CALIBRATION, CALIBRATION_FOLDER, LABELS, TAKEN
from countersight.audits.folder import MANIFEST, PICTURES, SUFFIXES, AuditFolder
from countersight.audits.log import LOG
from countersight.audits.orders import ORDERS
from countersight.audits.page.page import Sheets, list_pictures, make_thumbnails, render, shown
from countersight.audits.page.score_tables import agreement_grids, corrected_grid, excluded_by_kind, result_grids
from countersight.audits.plan import PLAN, PLAN_SIGNATURE, VERDICT, Conclusion, conclude, plan_of
from countersight.audits.score_records import SCORES, AuditScores
from countersight.audits.scores import encode, score
from countersight.audits.selection import SELECTION, decode_selection
from countersight.audits.trail import AuditTrail, read_audit
from countersight.engine import lock_folder
from countersight.errors import AuditError
from countersight.files import clear_parts, write_whole
from countersight.html import print_grids
from countersight.progress import Progress, silent
from countersight.text import printable, several

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


GALLERY = 200
"""Default number of cases on the page."""


class Finished(msgspec.Struct, frozen=True):
    """The page of an audit, and the seal of its bundle."""

    html: Path
    seal: str
    scores: AuditScores
    conclusion: Conclusion
    limits: tuple[Limit, ...] = ()

    @property
    def warnings(self) -> tuple[str, ...]:
        """Warnings to read with the scores: low agreement of judges, a calibration that does not fit."""
        return headline(self.limits)


def finish(
    folder: Path, *, against: Path | None = None, gallery: int = GALLERY, progress: Progress = silent
) -> Finished:
    """Write all files that others need to follow, check and sign an audit, and seal them.

    `against` is an earlier audit to compare with; `gallery` is the largest number of cases on the page. Everything is
    computed from the log without asking a model, so it can be repeated, for example after a calibration or reviews.
    """
    opened = AuditFolder.open(folder)
    with lock_folder(folder, AuditError):  # a running audit cannot be sealed
        for part_of in (folder, folder / PICTURES, folder / DIFFERENCES):
            clear_parts(part_of)
        audit = read_audit(folder)
        refuse_strange_files(folder)
        sheets = write_derived(opened, audit, gallery, against=against, progress=progress)
        sealed = seal(
            folder,
            sealed=datetime.datetime.now(datetime.UTC).isoformat(timespec="seconds"),
            countersight=__version__,
            steps=len(audit.steps),
            last_step=audit.steps[-1].hash if audit.steps else "",
            gallery=gallery,
        )
    return Finished(folder / REPORT, sealed, sheets.scores, sheets.conclusion, sheets.limits)


def print_results(finished: Finished, console: Console) -> None:
    """Print the verdict, warnings, the tables of the page, exclusions and limits."""
    scores = finished.scores
    title = f"Are the explanations of {scores.model} faithful?"
    for words in (title, finished.conclusion.words, *(f"Warning: {each}" for each in finished.warnings)):
        console.print(Text(printable(words), style="bold"))
    corrected = [corrected_grid(scores)] if scores.corrected else []
    print_grids((*result_grids(scores), *agreement_grids(scores.agreement), *corrected), console)
    tested = f"{several(scores.cases, 'case')}, {several(len(scores.concepts), 'concept')} tested"
    console.print(f"\n{tested}; 95% intervals, clustered by picture")
    excluded = (f"excluded: {count:,} x {reason}" for reason, count in excluded_by_kind(scores).items())
    abstained = (f"{judge} abstained {count:,} times" for judge, count in scores.abstentions.items() if count)
    found = (each.words for each in finished.limits if each.of_this_audit and not each.grave)
    for words in (*excluded, *abstained, *found):
        console.print(Text(printable(words)))


def write_derived(
    folder: AuditFolder,
    audit: AuditTrail,
    gallery: int,
    *,
    against: Path | None = None,
    from_dataset: bool = True,
    progress: Progress = silent,
) -> Sheets:
    """Write everything that is derived from the log: difference pictures, documents, and a page with `gallery` cases.

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
    documents = {
        SCORES: encode(scores),
        MANIFEST_SHEET: _indented(sheets.manifest),
        DATASET_SHEET: _indented(sheets.dataset),
        CASES: encode_cases(sheets.cases),
        EXCLUSIONS: encode_exclusions(sheets.cases),
        LIMITS: encode_limits(sheets.limits),
        VERDICT: _indented(sheets.conclusion),
        SIGN_OFF: encode_sign_off(sheets.manifest, sheets.dataset.name),
    }
    if sheets.changes:
        documents[CHANGES] = _indented(sheets.changes)
    else:
        (path / CHANGES).unlink(missing_ok=True)
    for name, written in documents.items():
        write_whole(path / name, written)
    cases = shown(sheets.cases, gallery)
    pictures = list_pictures(cases)
    with progress("Shrinking pictures", len(pictures), "pictures") as done:
        page = render(sheets, cases, make_thumbnails(path, pictures, done))
    write_whole(path / REPORT, page.encode())
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


def _indented(sheet: object) -> bytes:
    return msgspec.json.format(msgspec.json.encode(sheet), indent=2) + b"\n"
