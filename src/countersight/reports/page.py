"""The report as one self-contained HTML page."""

from collections.abc import Iterator, Sequence

from countersight.case import ASKING_WORDS, ASKINGS
from countersight.html import Live, count, document, inert, name
from countersight.reports.data import PageData
from countersight.reports.figures import MARKS, SIGNS, answered, finding_drawing, finding_plot
from countersight.reports.finding import sentences
from countersight.reports.gallery import PAIR_OUTCOMES, pair_outcome
from countersight.reports.provenance import definitions, origins
from countersight.reports.sections import sections, svg_url, tiles


def render(
    data: PageData, live: Live | None = None, addresses: Sequence[str] = (), blocks: Sequence[tuple[str, str]] = ()
) -> str:
    """Return the whole page. A served one has `live`, the addresses of its pictures, and links to blocks of cases."""
    report = data.report
    return document(
        __package__,
        "page.html",
        title=f"{name(report.dataset)} – Countersight report",
        script="page.js live.js" if live else "page.js",
        picture_sources="'self' data: blob:" if live else "data: blob:",
        asks="'self'" if live else "'none'",
        home=live is not None,
        report=report,
        sentences=sentences(report),
        marks=MARKS,
        finding_plot=finding_plot(report),
        finding_legend=[(asking, report.terms.measures.get(asking, asking)) for asking in answered(report)],
        finding_drawing=svg_url(finding_drawing(report)),
        tiles=tiles(report),
        sections=list(sections(report)),
        pictures=dict(zip(data.picture_names, data.pictures, strict=False)),
        sampled=_sampled(data, in_order=bool(blocks)),
        blocks=blocks,
        how=[*origins(report), *definitions(report)],
        inert=inert,
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
    """Return what filtering needs about every case; the rest is loaded when a case is viewed.

    `right_of` and `scored_of` have, for each run and case, the askings in which its answer was right, or counts, as
    bits. `addresses` are those of the pictures on a served page.
    """
    runs = data.report.runs
    groups = list(dict.fromkeys(case.group for case in data.cases))
    outcomes = list(PAIR_OUTCOMES)
    verdicts = [
        [[getattr(case.answers[run].get(asking), "verdict", None) for asking in ASKINGS] for case in data.cases]
        for run in range(len(runs))
    ]

    def bits(counted: tuple[str, ...]) -> list[list[int]]:
        return [
            [sum(1 << bit for bit, verdict in enumerate(of_case) if verdict in counted) for of_case in of_run]
            for of_run in verdicts
        ]

    return {
        "askings": [
            {"key": key, "sign": SIGNS[key], "words": f"{key}: {words}"} for key, words in ASKING_WORDS.items()
        ],
        "runs": [name(run.label) for run in runs],
        "blind": [not run.sees for run in runs],
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
    return f"All {count(total)} cases." if total != 1 else "The one case."
