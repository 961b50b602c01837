"""The report as one self-contained HTML page."""

from collections.abc import Iterator, Sequence
from itertools import count as count_from

import msgspec
from markupsafe import Markup

from countersight.case import VARIANT_DESCRIPTIONS, VARIANTS, QuestionVariant
from countersight.html import Grid, Live, document, json_block, name
from countersight.number_formats import count
from countersight.picture import data_url
from countersight.reports.data import PageData, ReportData
from countersight.reports.figures import (
    MARKS,
    SIGNS,
    Plot,
    answered,
    finding_drawing,
    finding_plot,
    group_plot,
    groups_drawing,
    legend,
    with_n,
)
from countersight.reports.finding import sentences
from countersight.reports.gallery import PAIR_OUTCOMES, pair_outcome
from countersight.reports.origins import origins_and_definitions
from countersight.reports.tables import by_group, further_tables, overview, parts, totals

_FEW_RUNS = 3
"""The number of runs above which the tables by group are folded."""
_FEW_TABLES = 3
"""The number of tables in a section above which each of them is folded under its title."""
_UNITS = {"factual": "%", "counterfactual": "%", "drop": " pts", "both_right": "%", "imagination_gap": " pts"}
"""The figures at the top of the page of one run, with their units."""


def render(
    data: PageData, live: Live | None = None, addresses: Sequence[str] = (), blocks: Sequence[tuple[str, str]] = ()
) -> str:
    """Return the page. A served page also has `live`, the URLs of its pictures, and links to blocks of cases."""
    report = data.report
    return document(
        __package__,
        "page.html",
        title=f"{name(report.dataset)} – Countersight report",
        script="page.js sorting.js live.js" if live else "page.js sorting.js",
        picture_sources="'self' data: blob:" if live else "data: blob:",
        connect_sources="'self'" if live else "'none'",
        home=live is not None,
        report=report,
        sentences=sentences(report),
        marks=MARKS,
        finding_plot=finding_plot(report),
        finding_legend=answered(report),
        finding_drawing=_svg_url(finding_drawing(report)),
        units=_UNITS,
        with_n=with_n,
        sections=list(sections(report)),
        pictures=dict(zip(data.picture_names, data.pictures, strict=False)),
        sampled=_sampled(data, in_order=bool(blocks)),
        blocks=blocks,
        how=origins_and_definitions(report),
        json_block=json_block,
        data=_data(data, live, addresses),
        shown_pictures=[(number, each) for number, each in enumerate(data.pictures) if not each.fault],
    )


def _data(data: PageData, live: Live | None, addresses: Sequence[str]) -> Iterator[tuple[str, object]]:
    """Return the data that the page's scripts read."""
    if live:
        yield "live", live
    yield "index", _index(data, addresses)
    yield from ((f"case-{number}", case) for number, case in enumerate(data.cases))
    yield from ((f"fault-{number}", each.fault) for number, each in enumerate(data.pictures) if each.fault)


def _index(data: PageData, addresses: Sequence[str]) -> dict[str, object]:
    """Return the data of all cases that filters need; the rest is loaded when a case is viewed.

    `right_of` and `scored_of` have an integer for each run and case, with one bit per question variant: whether the
    answer is right, and whether it is scored. `addresses` are the URLs of the pictures on a served page.
    """
    runs = data.report.runs
    groups = list(dict.fromkeys(case.group for case in data.cases))
    outcomes = list(PAIR_OUTCOMES)
    verdicts = [
        [[getattr(case.answers[run].get(variant), "verdict", None) for variant in VARIANTS] for case in data.cases]
        for run in range(len(runs))
    ]

    def bits(counted: tuple[str, ...]) -> list[list[int]]:
        return [
            [sum(1 << bit for bit, verdict in enumerate(of_case) if verdict in counted) for of_case in of_run]
            for of_run in verdicts
        ]

    return {
        "askings": [
            {"key": key, "sign": SIGNS[key], "words": f"{key}: {words}"} for key, words in VARIANT_DESCRIPTIONS.items()
        ],
        "runs": [name(run.label) for run in runs],
        "blind": [not run.shows_pictures for run in runs],
        "groups": [name(group) for group in groups],
        "outcomes": [{"key": key, "words": words} for key, words in PAIR_OUTCOMES.items()],
        "sizes": [(picture.width, picture.height) for picture in data.pictures],
        "group_of": [groups.index(case.group) for case in data.cases],
        "outcomes_of": [[outcomes.index(pair_outcome(*pair[:2])) for pair in of_run] for of_run in verdicts],
        "addresses": addresses,
        "right_of": bits(("right",)),
        "scored_of": bits(("right", "wrong", "unread")),
    }


def _sampled(data: PageData, *, in_order: bool) -> str:
    shown, total = len(data.cases), data.report.cases
    if in_order and shown < total:
        return f"{count(shown)} of {count(total)} cases."
    if shown < total:
        return (
            f"{count(shown)} of {count(total)} cases, drawn with seed {data.report.seed} so that every group and "
            "outcome is represented. They are not a representative sample. To see all cases: countersight view RUN."
        )
    return f"All {count(total)} cases." if total != 1 else "One case."


class Section(msgspec.Struct, frozen=True, kw_only=True):
    """A section of the page: its anchor, its name in the table of contents, and its content."""

    key: str
    called: str
    heading: str
    about: str
    legend: list[tuple[QuestionVariant, str]] = []
    plots: tuple[tuple[str, Plot], ...] = ()
    drawing: str = ""
    """The URL of an SVG file with the downloadable figure."""
    tables: tuple[Grid, ...] = ()
    folds: tuple[tuple[str, tuple[Grid, ...]], ...] = ()
    """Tables that are folded, by title."""
    is_open: bool = True


def sections(report: ReportData) -> Iterator[Section]:
    """Return every non-empty section between the finding and the cases."""
    if report.two_worlds:
        yield _drop(report)
    yield _scores(report)
    numbers = count_from(0)
    for part in parts(report):
        few = len(part.tables) <= _FEW_TABLES
        yield Section(
            key=part.key or f"analysis-{next(numbers)}",
            called=name(part.heading.rpartition(": ")[2]),
            heading=part.heading,
            about=part.about,
            tables=part.tables if few else (),
            folds=() if few else tuple((grid.title, (grid,)) for grid in part.tables),
            is_open=False,
        )


def _svg_url(drawing: Markup | None) -> str:
    return data_url("image/svg+xml", drawing.encode()) if drawing else ""


def _scores(report: ReportData) -> Section:
    many = len(report.runs) > 1
    of_runs = {
        run.label: (by_group(run, report.terms, report.blind, report.knowledge), *further_tables(run, report.terms))
        for run in report.runs
    }
    both = " Both accuracies and the drop are over the cases scored in both worlds." if report.two_worlds else ""
    all_runs = [overview(report)] + [totals(report)] * any(run.total for run in report.runs)
    return Section(
        key="scores",
        called="Scores",
        heading="Scores",
        about=report.units + both,
        tables=tuple(all_runs) if many else of_runs[report.runs[0].label],
        folds=tuple((f"{name(label)} by {report.terms.group}", grids) for label, grids in of_runs.items())
        if many
        else (),
        is_open=len(report.runs) <= _FEW_RUNS,
    )


def _drop(report: ReportData) -> Section:
    words = report.terms.measures
    return Section(
        key="drop",
        called="Drop",
        heading="Factual and counterfactual accuracy",
        about=f"Accuracy in each {report.terms.group} with its interval, over the cases scored in both worlds; on "
        f"the right, the drop from {words['factual']} to {words['counterfactual']} in points.",
        legend=legend(report),
        plots=tuple(
            (run.label if len(report.runs) > 1 else "", group_plot(run.rows, report.terms)) for run in report.runs
        ),
        drawing=_svg_url(groups_drawing(report)),
    )
