"""The report as one self-contained HTML page."""

from collections.abc import Iterator, Sequence

import msgspec

from countersight.case import ASKING_WORDS, ASKINGS, Asking
from countersight.html import Live, count, document, inert, name
from countersight.reports.data import GalleryAnswer, PageData
from countersight.reports.figures import MARKS, SIGNS, answered, finding_drawing, finding_plot
from countersight.reports.finding import sentences
from countersight.reports.gallery import PAIR_OUTCOMES, PairOutcome, pair_outcome
from countersight.reports.provenance import definitions, origins
from countersight.reports.sections import sections, svg_url, tiles


class _Outcome(msgspec.Struct, frozen=True):
    key: PairOutcome
    words: str


class _Asking(msgspec.Struct, frozen=True):
    key: Asking
    sign: str
    words: str


class _Index(msgspec.Struct, frozen=True):
    """What filtering needs of every case; the rest of a case is read when it is looked at."""

    askings: tuple[_Asking, ...]
    runs: tuple[str, ...]
    blind: tuple[bool, ...]
    """Whether each run was shown no picture."""
    groups: tuple[str, ...]
    outcomes: tuple[_Outcome, ...]
    group_of: list[int]
    outcomes_of: list[list[int]]
    """For each run, the outcome of each case."""
    sizes: list[tuple[int, int]]
    """Width and height of each picture as the model saw it."""
    addresses: tuple[str, ...]
    """The address of each picture on a served page; empty if it is in the page."""
    right_of: list[list[int]]
    """For each run and case, the askings in which it was right, as bits."""
    scored_of: list[list[int]]
    """For each run and case, the askings in which its answer counts (right, wrong or unread), as bits."""


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
    """What the scripts read."""
    if live:
        yield "live", live
    yield "index", _index(data, addresses)
    yield from ((f"case-{number}", case) for number, case in enumerate(data.cases))
    yield from ((f"fault-{number}", each.fault) for number, each in enumerate(data.pictures) if each.fault)


def _index(data: PageData, addresses: Sequence[str]) -> _Index:
    groups = list(dict.fromkeys(case.group for case in data.cases))
    place = {group: number for number, group in enumerate(groups)}
    outcomes = list(PAIR_OUTCOMES)
    outcomes_of = []
    for run in range(len(data.report.runs)):
        verdicts = (
            [answer.verdict if (answer := case.answers[run].get(asking)) else None for asking in ASKINGS[:2]]
            for case in data.cases
        )
        outcomes_of.append([outcomes.index(pair_outcome(*pair)) for pair in verdicts])
    return _Index(
        askings=tuple(_Asking(key, SIGNS[key], f"{key}: {words}") for key, words in ASKING_WORDS.items()),
        runs=tuple(name(run.label) for run in data.report.runs),
        blind=tuple(not run.sees for run in data.report.runs),
        groups=tuple(name(group) for group in groups),
        outcomes=tuple(_Outcome(key, words) for key, words in PAIR_OUTCOMES.items()),
        sizes=[(picture.width, picture.height) for picture in data.pictures],
        group_of=[place[case.group] for case in data.cases],
        outcomes_of=outcomes_of,
        addresses=tuple(addresses),
        right_of=_bits(data, {"right"}),
        scored_of=_bits(data, {"right", "wrong", "unread"}),
    )


def _bits(data: PageData, verdicts: set[str]) -> list[list[int]]:
    """For each run and case, a bit for each asking whose answer has one of these verdicts."""
    return [[_bits_of(case.answers[run], verdicts) for case in data.cases] for run in range(len(data.report.runs))]


def _bits_of(answers: dict[Asking, GalleryAnswer], verdicts: set[str]) -> int:
    found = [asking in answers and answers[asking].verdict in verdicts for asking in ASKINGS]
    return sum(1 << bit for bit, is_found in enumerate(found) if is_found)


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
