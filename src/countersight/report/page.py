"""The report as one HTML page that needs nothing else: no request leaves it, no text in it can act."""

import base64
from collections.abc import Iterator
from itertools import product
from typing import Any

import msgspec

from countersight.case import ASKING_WORDS, ASKINGS, Asking
from countersight.pages import (
    Markup,
    Thumbnail,
    as_table,
    clean,
    count,
    definition_list,
    document,
    element,
    interval,
    joined,
    name,
    percent,
    section,
    text,
)
from countersight.picture import data_url
from countersight.report.analysis_tables import analysis_grids
from countersight.report.answer_shares import shares_figure
from countersight.report.data import Analysis, Answer, PageData, ReportData
from countersight.report.figures import accuracy_plot, drop_plot, legend, letter_bars
from countersight.report.finding import sentence
from countersight.report.finding_figure import finding_figure
from countersight.report.gallery import PAIR_OUTCOMES, PairOutcome, pair_outcome
from countersight.report.interval_plot import interval_plot
from countersight.report.provenance import definitions, origins
from countersight.report.reference import beside
from countersight.report.tables import by_group, compared, more, overview, totals
from countersight.report.twins import twins_figure

_FEW_RUNS = 3
_SIGNS: dict[Asking, str] = {"factual": "●", "counterfactual": "◆", "shown": "▲"}
"""The marks of the figures, as text."""


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
    groups: tuple[str, ...]
    outcomes: tuple[_Outcome, ...]
    group_of: list[int]
    outcomes_of: list[list[int]]
    """For each run, the outcome of each case."""
    sizes: list[tuple[int, int]]
    """Of each picture, width and height as the model saw it."""
    right_of: list[list[int]]
    """For each run and case, in which askings it was right: a bit for each."""


def render(data: PageData) -> str:
    """The whole page."""
    report = data.report
    return document(
        __package__,
        "page.html",
        title=f"{name(report.dataset)} – Countersight report",
        script="page.js",
        heading=text(name(report.dataset)),
        sentence=text(sentence(report)),
        finding=_finding(report),
        tiles=_tiles(report),
        nav=joined(element("li", element("a", text(words), href=f"#{key}")) for key, words in _nav(report)),
        sections=joined(_sections(report, dict(zip(data.picture_names, data.pictures, strict=False)))),
        sampled=text(_sampled(data)),
        how=_how(report),
        version=text(report.version),
        index=_inert("index", _index(data)),
        cases=joined(_inert(f"case-{number}", case) for number, case in enumerate(data.cases)),
        faults=joined(_faults(data)),
        pictures=joined(_pictures(data)),
    )


def _finding(report: ReportData) -> Markup:
    """The finding to look at, as a figure that can be saved; the drawing is one file within the page."""
    drawing = finding_figure(report)
    source = data_url("image/svg+xml", drawing.encode())
    image = element("img", src=source, alt=sentence(report), id="finding", class_="finding")
    save = [
        element("button", text(f"Save as {kind.upper()}"), type="button", class_="plain", data_save=kind, hidden="")
        for kind in ("svg", "png")
    ]
    return element("figure", image, element("figcaption", *save), class_="panel finding-panel")


def _inert(key: str, value: object) -> Markup:
    """Data the browser neither runs nor reads until the script asks: no "<" is left that could end the block."""
    written = msgspec.json.encode(_cleaned(msgspec.to_builtins(value))).decode().replace("<", "\\u003c")
    return Markup(f'<script type="application/json" id="{key}">{written}</script>')


def _cleaned(value: Any) -> Any:
    if isinstance(value, str):
        return clean(value)
    if isinstance(value, dict):
        return {key: _cleaned(inner) for key, inner in value.items()}
    if isinstance(value, list | tuple):
        return [_cleaned(inner) for inner in value]
    return value


def _faults(data: PageData) -> Iterator[Markup]:
    for number, picture in enumerate(data.pictures):
        if picture.fault:
            yield _inert(f"fault-{number}", picture.fault)


def _pictures(data: PageData) -> Iterator[Markup]:
    for number, picture in enumerate(data.pictures):
        if not picture.fault:
            encoded = base64.b64encode(picture.data).decode()
            kind = f' data-mime="{text(picture.mime)}"'
            yield Markup(f'<script type="text/plain" id="picture-{number}"{kind}>{encoded}</script>')


def _index(data: PageData) -> _Index:
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
        askings=tuple(_Asking(key, _SIGNS[key], f"{key}: {words}") for key, words in ASKING_WORDS.items()),
        runs=tuple(name(run.label) for run in data.report.runs),
        groups=tuple(name(group) for group in groups),
        outcomes=tuple(_Outcome(key, words) for key, words in PAIR_OUTCOMES.items()),
        sizes=[(picture.width, picture.height) for picture in data.pictures],
        group_of=[place[case.group] for case in data.cases],
        outcomes_of=outcomes_of,
        right_of=[[_right(case.answers[run]) for case in data.cases] for run in range(len(data.report.runs))],
    )


def _right(answers: dict[Asking, Answer]) -> int:
    right = [asking in answers and answers[asking].verdict == "right" for asking in ASKINGS]
    return sum(1 << bit for bit, is_right in enumerate(right) if is_right)


def _sampled(data: PageData) -> str:
    shown, total = len(data.cases), data.report.cases
    if shown < total:
        return (
            f"{count(shown)} of {count(total)} cases, drawn with seed {data.report.seed} so that every group and "
            "outcome is represented. The shares among them are not those of the dataset. "
            "All of them: countersight view RUN."
        )
    return f"All {count(total)} cases." if total != 1 else "The one case."


def _askings(report: ReportData) -> list[Asking]:
    return [asking for asking in ASKINGS if any(getattr(run.overall, asking) for run in report.runs)]


def _nav(report: ReportData) -> Iterator[tuple[str, str]]:
    yield ("drop", "Drop") if report.two_worlds else ("accuracy", "Accuracy")
    yield "scores", "Scores"
    if any(run.letters for run in report.runs):
        yield "letters", "Letters"
    if report.comparisons:
        yield "comparison", "Comparison"
    if report.references:
        yield "reported", "Reported"
    if report.answers:
        yield "answers", "Right answers"
    if report.readings:
        yield "readings", "Read otherwise"
    for number, analysis in enumerate(report.analyses):
        yield f"analysis-{number}", name(analysis.heading.rpartition(": ")[2])
    yield "cases", "Cases"
    yield "how", "How"


def _tiles(report: ReportData) -> Markup:
    """The figures to remember, a row a run; many runs are better read in the table below."""
    rows: list[Markup] = []
    if len(report.runs) > _FEW_RUNS:
        return Markup("")
    for run in report.runs:
        scores, words = run.overall, report.terms.measures
        tiles = [
            ("factual", words.get("factual"), scores.factual, "%"),
            ("counterfactual", words.get("counterfactual"), scores.counterfactual, "%"),
            ("drop", words.get("drop"), scores.drop, " pts"),
            ("both", words.get("both_right"), scores.both_right, "%"),
            ("gap", words.get("imagination_gap"), scores.imagination_gap, " pts"),
        ]
        written = [
            element(
                "div",
                element("dt", text(called)),
                element(
                    "dd",
                    element("b", text(percent(figure.value)), element("span", text(unit))),
                    element("small", text(interval(figure))),
                ),
                class_=f"tile tile-{key}",
            )
            for key, called, figure, unit in tiles
            if called and figure and figure.value is not None
        ]
        standing = [element("small", text(f" {run.standing}"))] if run.standing else []
        heading = element("p", text(name(run.label)), *standing, class_="tiles-run", dir="auto")
        rows.append(element("div", heading, element("dl", *written, class_="tiles"), class_="tiles-row"))
    return element("div", *rows, class_="tiles-rows")


def _sections(report: ReportData, pictures: dict[str, Thumbnail]) -> Iterator[Markup]:
    many = len(report.runs) > 1
    tables = [as_table(overview(report))] if many else []
    if many and any(run.total for run in report.runs):
        tables.append(as_table(totals(report)))
    for run in report.runs:
        table = as_table(by_group(run, report.terms, report.blind), f"{run.model}, prompt {run.prompt}")
        table += joined(as_table(grid, grid.note) for grid in more(run, report.terms))
        tables.append(_folded(run.label, table, len(report.runs)) if many else table)
    points = ", drop and gap in points" if report.two_worlds else ""
    note = f"Shares in per cent{points}, each with its {percent(report.confidence, 0)}% interval."
    yield _drop(report) if report.two_worlds else _accuracy(report)
    yield section("scores", "Scores", note, *tables)
    if any(run.letters for run in report.runs):
        bars = [
            element("div", *([_run_heading(run.label)] if many else []), letter_bars(run))
            for run in report.runs
            if run.letters
        ]
        yield section(
            "letters",
            "Letters answered",
            "How often each option letter was answered. The upright stroke is how often it was the right one: "
            "a bar far past its stroke is a habit, not an answer.",
            element("figure", *bars, class_="panel panel-bars"),
        )
    if report.comparisons:
        yield section(
            "comparison",
            "Run against run",
            "Differences in points over the cases both runs answered; above zero, the first did better.",
            *(as_table(compared(comparison, report.terms)) for comparison in report.comparisons),
        )
    if report.references:
        yield section(
            "reported",
            "Beside what papers report",
            "Measured rows first, with n and interval; reported rows as the paper prints them.",
            *(as_table(grid, grid.note) for grid in (beside(report, table) for table in report.references)),
        )
    if report.answers:
        yield section(
            "answers",
            "Right answers",
            "How often each number is the right answer under the change, by group, as in C-VQA's Figure 3: a model "
            "that always says the commonest one is right that often.",
            shares_figure(report.answers, report.terms),
        )
    if report.readings:
        yield section(
            "readings",
            "Read otherwise",
            "The same replies read by somebody else. Nothing of it goes into any other figure of this page.",
            *(as_table(grid, grid.note) for grid in report.readings),
        )
    for number, analysis in enumerate(report.analyses):
        yield _analysis(f"analysis-{number}", analysis, pictures)


def _analysis(key: str, analysis: Analysis, pictures: dict[str, Thumbnail]) -> Markup:
    """What was found in words, and the tables behind it folded away unless they were asked for."""
    points = [
        element(
            "div",
            element("h3", text(name(point.title)), dir="auto"),
            element("ul", *(element("li", text(words), dir="auto") for words in point.sentences)),
        )
        for point in analysis.points
    ]
    tables = [as_table(grid, grid.note) for grid in analysis_grids(analysis)]
    summary = element("summary", text("The figures behind this"))
    return section(
        key,
        analysis.heading,
        analysis.about,
        element("div", *points, class_="points panel"),
        *([interval_plot(analysis.plot)] if analysis.plot else []),
        *([twins_figure(analysis.twins, pictures)] if analysis.twins else []),
        element("details", summary, element("div", *tables), open="" if analysis.asked_for else None),
    )


def _drop(report: ReportData) -> Markup:
    many = len(report.runs) > 1
    plots = [
        element("div", *([_run_heading(run.label)] if many else []), drop_plot(run, report.terms))
        for run in report.runs
    ]
    words = report.terms.measures
    return section(
        "drop",
        "From what is to what if",
        f"Accuracy in each {report.terms.group} with its interval; on the right, the drop from {words['factual']} to "
        f"{words['counterfactual']} in points.",
        element(
            "figure",
            legend(_askings(report), report.terms),
            element("div", *plots, class_="plots"),
            class_="panel",
        ),
    )


def _accuracy(report: ReportData) -> Markup:
    plots = []
    for run, asking in product(report.runs, report.worlds):
        label = f"{name(run.label)}, {report.terms.measures[asking]}" if len(report.worlds) > 1 else run.label
        parts = [(report.terms.group, run.groups[:-1]), *((each.name, each.lines) for each in run.divisions)]
        for what, lines in parts:
            if lines or not run.divisions:
                heading = f"{name(label)}, by {what}" if lines else label
                plot = accuracy_plot(lines, run.overall, asking, report.terms)
                plots.append(element("div", _run_heading(heading), plot))
    return section(
        "accuracy",
        "Accuracy",
        "Accuracy on each line with its interval.",
        element("figure", element("div", *plots, class_="plots"), class_="panel"),
    )


def _run_heading(label: str) -> Markup:
    return element("h3", text(name(label)), class_="run-name", dir="auto")


def _folded(label: str, table: Markup, runs: int) -> Markup:
    summary = element("summary", text(name(label)), element("span", text(" by group"), class_="muted"), dir="auto")
    return element("details", summary, table, open="" if runs <= _FEW_RUNS else None)


def _how(report: ReportData) -> Markup:
    return definition_list([*origins(report), *definitions(report)])
