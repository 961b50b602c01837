"""Finish an audit: update its bundle, write its page, seal everything, and print the results."""

from pathlib import Path

import msgspec
from rich.console import Console
from rich.text import Text

from countersight.audits.bundle.limits import Limit, headline
from countersight.audits.bundle.write import REPORT, Sheets, write_bundle
from countersight.audits.criteria import Conclusion
from countersight.audits.page.page import list_pictures, make_thumbnails, render, shown
from countersight.audits.page.score_tables import agreement_grids, corrected_grid, result_grids
from countersight.audits.scores import AuditScores
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
    """Write everything that others need to follow, check and sign an audit, from its log.

    `against` is an earlier audit to be set beside it, `gallery` how many cases the page shows at most. It asks nobody
    anything, and may be done again: after a calibration or reviews came in.
    """
    seal, sheets = write_bundle(
        folder, lambda sheets: page_of(sheets, gallery, progress), gallery=gallery, against=against, progress=progress
    )
    return Finished(folder / REPORT, seal, sheets.scores, sheets.conclusion, sheets.limits)


def page_of(sheets: Sheets, gallery: int, progress: Progress = silent) -> str:
    """Return the page of an audit with at most `gallery` cases; the same for the same sheets."""
    cases = shown(sheets.cases, gallery)
    names = list_pictures(cases)
    with progress("Shrinking pictures", len(names), "pictures") as done:
        return render(sheets, cases, make_thumbnails(sheets.folder.path, names, done))


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
