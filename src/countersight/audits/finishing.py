"""Finish an audit: update its bundle, write its page, and seal everything."""

from pathlib import Path

import msgspec

from countersight.audits.bundle.limits import headline
from countersight.audits.bundle.write import REPORT, Sheets, write_bundle
from countersight.audits.page.page import picture_files, render, shown, small_pictures
from countersight.audits.plan import Conclusion
from countersight.audits.scores import AuditScores
from countersight.progress import Progress, silent

GALLERY = 200
"""Default number of cases on the page."""


class Finished(msgspec.Struct, frozen=True):
    """The page of an audit, and the seal of its bundle."""

    html: Path
    seal: str
    scores: AuditScores
    conclusion: Conclusion
    warnings: tuple[str, ...] = ()
    """Warnings to read with the scores: low agreement of judges, a calibration that does not fit."""


def finish(
    folder: Path, *, against: Path | None = None, gallery: int = GALLERY, progress: Progress = silent
) -> Finished:
    """Write everything that others need to follow, check and sign an audit, from its log.

    `against` is an earlier audit to be set beside it, `gallery` how many cases the page shows at most. It asks nobody
    anything, and may be done again: after a calibration or reviews came in.
    """

    def page(sheets: Sheets) -> str:
        return page_of(sheets, gallery, progress)

    seal, sheets = write_bundle(folder, page, gallery=gallery, against=against, progress=progress)
    return Finished(folder / REPORT, seal, sheets.scores, sheets.conclusion, headline(sheets.limits))


def page_of(sheets: Sheets, gallery: int, progress: Progress = silent) -> str:
    """Return the page of an audit with at most `gallery` cases; the same for the same sheets."""
    cases = shown(sheets.cases, gallery)
    names = picture_files(cases)
    with progress("Shrinking pictures", len(names), "pictures") as done:
        return render(sheets, cases, small_pictures(sheets.folder.path, names, done))
