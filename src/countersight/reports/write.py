"""Write a report: the page and the tables, each completely or not at all."""

from collections.abc import Sequence
from itertools import chain
from pathlib import Path
from typing import Any

import msgspec

from countersight.files import write_text
from countersight.html import side_for, thumbnails
from countersight.progress import Progress, silent
from countersight.reports.data import Analysis, PageData, ReportData
from countersight.reports.figures import finding_drawing
from countersight.reports.finding import sentence
from countersight.reports.formats import comma_separated, latex, markdown, summary
from countersight.reports.loading import load
from countersight.reports.page import render
from countersight.reports.scores_file import SCORES_JSON, scores_file
from countersight.scoring import SCORES, write_frame

_MANY_PICTURES, _MAX_SIDE = 200, 1024
"""Up to `_MANY_PICTURES` pictures are shown as large as the model saw them, with at most `_MAX_SIDE` pixels a side."""


class ReportFiles(msgspec.Struct, frozen=True):
    """The paths of a written report, and its data."""

    html: Path
    markdown: Path
    latex: Path
    csv: Path
    figure: Path
    """The finding, as an SVG file."""
    scores: Path
    """Every answer of every run, for further analyses."""
    summary: Path
    """The finding and one table in a few lines of Markdown."""
    json: Path
    """The scores of every run and group, for `countersight compare` and other programs."""
    data: ReportData

    @property
    def finding(self) -> str:
        """The finding, in a sentence or two."""
        return sentence(self.data)

    def __repr__(self) -> str:
        return f"ReportFiles({str(self.html)!r})"


def write_report(
    runs: Sequence[Path],
    out: Path,
    *,
    readings: Sequence[Analysis] = (),
    progress: Progress = silent,
    **options: Any,
) -> ReportFiles:
    """Report on one or more runs of one dataset: a page, tables, a summary and scores in `out`.

    `readings` are analyses of the scores with other ways of reading the replies; `options` are those of `load`.
    """
    loaded = load(runs, **options)
    pictures = []
    side = _MAX_SIDE if len(loaded.pictures) <= _MANY_PICTURES else side_for(len(loaded.pictures))
    with progress("Shrinking pictures", len(loaded.pictures), "pictures") as done:
        for picture in thumbnails(loaded.pictures, loaded.dataset.picture, side):
            pictures.append(picture)
            done(len(pictures))
    report = msgspec.structs.replace(loaded.report, analyses=(*loaded.report.analyses, *readings))
    out.mkdir(parents=True, exist_ok=True)
    page = write_text(out / "report.html", render(PageData(report, loaded.cases, tuple(pictures), loaded.pictures)))
    write_frame(chain.from_iterable(run.judged.rows(run.plain_label) for run in loaded.runs), out / SCORES)
    scores = msgspec.json.encode(scores_file(report))
    return ReportFiles(
        html=page,
        markdown=write_text(out / "tables.md", markdown(report)),
        latex=write_text(out / "tables.tex", latex(report)),
        figure=write_text(out / "finding.svg", finding_drawing(report)),
        csv=write_text(out / "tables.csv", comma_separated(report)),
        scores=out / SCORES,
        summary=write_text(out / "summary.md", summary(report)),
        json=write_text(out / SCORES_JSON, msgspec.json.format(scores, indent=2).decode() + "\n"),
        data=report,
    )
