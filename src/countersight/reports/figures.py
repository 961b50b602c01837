"""The figures of a report as data: lines of marks on a scale. Templates draw them.

Positions are percentages of the available width, so one drawing works on a desktop, on a phone and in a file.
"""

from collections.abc import Iterable, Sequence

import msgspec
from markupsafe import Markup

from countersight.case import VARIANT_DESCRIPTIONS, VARIANTS, QuestionVariant
from countersight.figures import Figure
from countersight.html import TOO_FEW_CASES, fragment, name, shortened
from countersight.number_formats import count, interval, percent
from countersight.reports.data import ReportData
from countersight.scoring import GroupScores
from countersight.suites import Terms

MARKS: dict[QuestionVariant, Markup] = {
    "factual": Markup('<circle r="6"/>'),
    "counterfactual": Markup('<path d="M0-7.5 7.5 0 0 7.5-7.5 0z"/>'),
    "shown": Markup('<path d="M0-7 7 5.5-7 5.5z"/>'),
}
"""The marker shape for each question variant."""
SIGNS: dict[QuestionVariant, str] = {"factual": "●", "counterfactual": "◆", "shown": "▲"}
"""The marker for each question variant, as a text symbol."""
_MAX_LINES = 60


class PlotLine(msgspec.Struct, frozen=True):
    """A line of a plot: marks with their intervals, and one printed figure."""

    name: str
    figures: dict[QuestionVariant, Figure]
    words: str
    """A text description of the line for screen readers."""
    printed: Figure | None
    note: str = ""
    """The number of cases behind the printed figure, and whether it is too small."""
    chance: float | None = None
    total: bool = False


class Plot(msgspec.Struct, frozen=True):
    """Lines on a scale of per cent, with a heading for the printed figures."""

    head: str
    lines: tuple[PlotLine, ...]
    title: str = ""


def legend(report: ReportData) -> list[tuple[QuestionVariant, str]]:
    """Return each question variant with a description, including the paper's name for its accuracy if there is one."""
    return [
        (variant, f"{variant}{'' if words == variant else f' ({words})'}: {VARIANT_DESCRIPTIONS[variant]}")
        for variant, words in answered(report)
    ]


def finding_plot(report: ReportData) -> Plot:
    """Return the plot of factual and counterfactual accuracy for every run."""
    key = "drop" if report.two_worlds else report.worlds[-1]
    lines = (_line(run.short_label(report.runs), run.overall, key) for run in report.runs)
    return Plot(report.terms.measures.get(key, key), tuple(lines))


def group_plot(lines: Iterable[GroupScores], terms: Terms) -> Plot:
    """Return a plot of each group's accuracy in each world, with its drop printed beside it."""
    drawn = [_line(name(terms.groups.get(each.group, each.group)), each, "drop") for each in lines]
    *groups, total = (msgspec.structs.replace(line, chance=None) for line in drawn)
    return Plot("drop", (*groups, msgspec.structs.replace(total, total=True)))


def _line(words: str, scores: GroupScores, key: str) -> PlotLine:
    figures = _figures(scores)
    said = [f"{variant} {percent(each.value or 0)}% ({interval(each)})" for variant, each in figures.items()]
    told = "; ".join(said) or "nothing scored"
    printed: Figure | None = getattr(scores, key)
    printed = printed if printed and printed.value is not None else None
    note = with_n(printed) if printed else ""
    told += f"; drop {percent(printed.value or 0)} ({interval(printed)}; {note})" if printed and key == "drop" else ""
    guessing = [scores.chance.get(world) for world in ("counterfactual", "factual")]
    chance = next((share for share in guessing if share is not None), None)
    return PlotLine(words, figures, f"{words}: {told}", printed, note, chance)


def with_n(figure: Figure) -> str:
    """Format the number of cases of a figure, with a warning if it is too small."""
    return f"n = {count(figure.n)}; {TOO_FEW_CASES}" if figure.too_few else f"n = {count(figure.n)}"


def answered(report: ReportData) -> list[tuple[QuestionVariant, str]]:
    """Return the question variants for which any run has a figure, with the paper's names for their accuracies."""
    known = {variant for run in report.runs for variant in _figures(run.overall)}
    return [(variant, report.terms.measures.get(variant, variant)) for variant in VARIANTS if variant in known]


def _figures(scores: GroupScores) -> dict[QuestionVariant, Figure]:
    found = {variant: scores.figure(variant) for variant in VARIANTS}
    return {variant: figure for variant, figure in found.items() if figure and figure.value is not None}


def finding_drawing(report: ReportData) -> Markup:
    """Return the finding as an SVG file: one line per run."""
    lines = [(run.short_label(report.runs), run.overall) for run in report.runs]
    return _drawing(report, "right answers", lines)


def groups_drawing(report: ReportData) -> Markup | None:
    """Return an SVG file with a line for every group of every run; None if there are too many."""
    many, groups = len(report.runs) > 1, report.terms.groups
    lines = [
        (f"{run.short_label(report.runs)}: " * many + name(groups.get(scores.group, scores.group)), scores)
        for run in report.runs
        for scores in run.rows
    ]
    return _drawing(report, f"right answers by {report.terms.group}", lines) if len(lines) <= _MAX_LINES else None


def _drawing(report: ReportData, what: str, lines: Sequence[tuple[str, GroupScores]]) -> Markup:
    dataset = shortened(name(report.dataset), 50)
    title = f"{dataset}: {what} in per cent, with {percent(report.confidence, 0)}% intervals"
    names = [label for label, _ in lines]
    drawn = tuple(_line(shortened(label, 36, names), scores, "drop") for label, scores in lines)
    named = answered(report)
    starts = [56 + sum(40 + 7.5 * len(words) for _, words in named[:place]) for place in range(len(named) + 1)]
    plot = Plot("", drawn, title=title)
    height = 156 + 46 * len(drawn)
    return fragment(__package__, "plot.svg", plot=plot, legend=named, starts=starts, marks=MARKS, height=height)
