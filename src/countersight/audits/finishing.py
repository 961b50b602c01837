"""Finish an audit: write the files of its bundle and its page, seal everything, and print the results."""

import re
from collections.abc import Iterable
from pathlib import Path, PurePosixPath
from typing import Final

import msgspec
from rich.console import Console
from rich.text import Text

from countersight.audits.calibration.calibration_file import CALIBRATION
from countersight.audits.conclusion import VERDICT, Conclusion, conclude
from countersight.audits.differences import DIFFERENCES, difference_of, edits, replace, write_differences
from countersight.audits.folder import MANIFEST, PICTURES, SUFFIXES, AuditFolder
from countersight.audits.limits import Limit, headline, limits
from countersight.audits.orders import ORDERS
from countersight.audits.page.page import Sheets, list_pictures, make_thumbnails, render, shown
from countersight.audits.page.score_tables import agreement_grids, corrected_grid, excluded_by_kind, result_grids
from countersight.audits.plan import PLAN, PLAN_SIGNATURE, plan_of
from countersight.audits.records import encode_record
from countersight.audits.reviews import REVIEWED, read_reviews
from countersight.audits.score_records import SCORES, AuditScores
from countersight.audits.scores import score
from countersight.audits.seal import content, digests, file_names, is_sealed, list_entries, seal
from countersight.audits.selection import SELECTION, decode_selection
from countersight.audits.sessions import SESSIONS, read_sessions
from countersight.audits.step_log import LOG
from countersight.audits.trail import AuditTrail, CaseTrail, ConceptTrail, read_audit
from countersight.engine import lock_folder
from countersight.errors import AuditError
from countersight.files import clear_parts, write_whole
from countersight.html import print_grids
from countersight.progress import Progress, silent
from countersight.text import printable, several

REPORT: Final = "report.html"
CASES: Final = "cases.jsonl"
PAPERS: Final = frozenset((SCORES, CASES, VERDICT, REPORT))
"""The files that are derived from the log."""
GIVEN: Final = frozenset((MANIFEST, LOG, SELECTION, SESSIONS, ORDERS, PLAN, PLAN_SIGNATURE, REVIEWED, CALIBRATION))
OBSOLETE: Final = ("changes.json", "dataset.json", "exclusions.csv", "limits.md", "manifest.json", "sign-off.md")
"""Derived files of earlier versions, which are removed when such an audit is sealed again."""
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
"""The maximum number of cases on the page."""


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


def finish(folder: Path, *, progress: Progress = silent) -> Finished:
    """Write all files that others need in order to follow, check and sign an audit, and seal them.

    Everything is computed from the log without asking a model, so it can be repeated, for example after a calibration
    or reviews.
    """
    opened = AuditFolder.open(folder)
    with lock_folder(folder, AuditError):  # a running audit cannot be sealed
        for part_of in (folder, folder / PICTURES, folder / DIFFERENCES):
            clear_parts(part_of)
        for name in OBSOLETE:
            (folder / name).unlink(missing_ok=True)
        audit = read_audit(folder)
        refuse_strange_files(folder)
        sheets = write_derived(opened, audit, progress=progress)
        sealed = seal(folder, audit.steps)
    return Finished(folder / REPORT, sealed, sheets.scores, sheets.conclusion, sheets.limits)


def print_results(finished: Finished, console: Console) -> None:
    """Print the verdict, warnings, the tables of the page, exclusions and limits."""
    scores = finished.scores
    title = f"Faithfulness of the explanations of {scores.model}"
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


def write_derived(folder: AuditFolder, audit: AuditTrail, *, progress: Progress = silent) -> Sheets:
    """Write everything that is derived from the log: difference pictures, documents, and the page."""
    with progress("Comparing pictures", len(edits(audit.cases)), "edits") as done:
        write_differences(folder, audit.cases, done)
    path, scores = folder.path, score(audit)
    selection = decode_selection(content(path / SELECTION))
    sheets = Sheets(
        audit=audit,
        scores=scores,
        sessions=read_sessions(path),
        selection=selection,
        cases=cases_in_full(audit, scores, file_names(path)),
        limits=limits(audit.manifest, scores, audit.calibration, drawn=any(case.record.scene for case in audit.cases)),
        reviews=read_reviews(path, scores),
        conclusion=conclude(audit.manifest, scores, plan_of(path, audit.manifest), len(selection.cases)),
    )
    write_whole(path / SCORES, encode_record(scores))
    write_whole(path / CASES, encode_cases(sheets.cases))
    write_whole(path / VERDICT, encode_record(sheets.conclusion))
    cases = shown(sheets.cases, GALLERY)
    pictures = list_pictures(cases)
    with progress("Shrinking pictures", len(pictures), "pictures") as done:
        page = render(sheets, cases, make_thumbnails(path, pictures, done))
    write_whole(path / REPORT, page.encode())
    return sheets


def cases_in_full(audit: AuditTrail, scores: AuditScores, files: Iterable[str]) -> tuple[CaseTrail, ...]:
    """Return the trails of all cases with their scores, without scenes, and with file names instead of digests.

    `files` has the names of all existing files.
    """
    names = {PurePosixPath(name).stem: name for name in files if name.startswith((f"{PICTURES}/", f"{DIFFERENCES}/"))}
    scored = {(concept.case, concept.number): concept for concept in scores.concepts}

    def in_full(case: CaseTrail, concept: ConceptTrail) -> ConceptTrail:
        edit, score = concept.edit, scored.get((case.case, concept.number))
        if edit is not None:
            files = {key: names.get(getattr(edit, key), "") for key in ("before", "after", "mask")}
            concept = replace(
                concept, edit=replace(edit, scene=None, **files), difference=names.get(difference_of(edit), "")
            )
        doses = tuple(replace(dose, picture=names.get(dose.picture, "")) for dose in concept.doses)
        if score is None:
            return replace(concept, doses=doses)
        return replace(concept, doses=doses, pcs=score.pcs, ncc=score.ncc, ccs=score.ccs, excluded=score.excluded)

    return tuple(
        replace(
            case,
            record=replace(case.record, picture=names.get(case.record.picture, ""), scene=None),
            concepts=tuple(in_full(case, concept) for concept in case.concepts),
            control=in_full(case, case.control) if case.control else None,
            uncited=tuple(in_full(case, concept) for concept in case.uncited),
        )
        for case in audit.cases
    )


def encode_cases(cases: Iterable[CaseTrail]) -> bytes:
    """Return the bytes of cases.jsonl."""
    return b"".join(msgspec.json.encode(case) + b"\n" for case in cases)


def refuse_strange_files(path: Path) -> None:
    """Raise an error for files that no audit writes, and for pictures that differ from those in the log."""
    names = [each.name for each in list_entries(path) if not each.odd and is_sealed(each)]
    for name in names:
        if not belongs(name):
            raise AuditError(f"{path / name} does not belong to the audit; remove it to seal the bundle")
    pictures = [name for name in names if name.startswith(f"{PICTURES}/")]
    for name, sha256 in zip(pictures, digests(path, pictures), strict=True):
        if PurePosixPath(name).stem != sha256:
            raise AuditError(f"{path / name} was changed after it was written, so the audit cannot be sealed")
