"""Finish an audit: update its bundle, write its page, seal everything, and print the results."""

import datetime
from pathlib import Path

import msgspec
from rich.console import Console
from rich.text import Text

from countersight import __version__
from countersight.audits.bundle.cases import DIFFERENCES
from countersight.audits.bundle.limits import Limit, headline
from countersight.audits.bundle.seal import seal
from countersight.audits.bundle.write import REPORT, Sheets, refuse_strange_files, write_papers
from countersight.audits.folder import PICTURES, AuditFolder
from countersight.audits.page.page import list_pictures, make_thumbnails, render, shown
from countersight.audits.page.score_tables import agreement_grids, corrected_grid, result_grids
from countersight.audits.plan import Conclusion
from countersight.audits.scores import AuditScores
from countersight.audits.trail import AuditTrail, read_audit
from countersight.engine import lock_folder
from countersight.errors import AuditError
from countersight.files import clear_parts, write_whole
from countersight.html import print_grids
from countersight.progress import Progress, silent
from countersight.text import printable, several

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


def write_derived(
    folder: AuditFolder,
    audit: AuditTrail,
    gallery: int,
    *,
    against: Path | None = None,
    from_dataset: bool = True,
    progress: Progress = silent,
) -> Sheets:
    """Write everything that is derived from the log; the page shows at most `gallery` cases."""
    sheets = write_papers(folder, audit, against=against, from_dataset=from_dataset, progress=progress)
    cases = shown(sheets.cases, gallery)
    names = list_pictures(cases)
    with progress("Shrinking pictures", len(names), "pictures") as done:
        page = render(sheets, cases, make_thumbnails(folder.path, names, done))
    write_whole(folder.path / REPORT, page.encode())
    return sheets


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
    excluded = (f"excluded: {count:,} x {reason}" for reason, count in scores.excluded.items())
    abstained = (f"{judge} abstained {count:,} times" for judge, count in scores.abstentions.items() if count)
    found = (each.words for each in finished.limits if each.of_this_audit and not each.grave)
    for words in (*excluded, *abstained, *found):
        console.print(Text(printable(words)))
