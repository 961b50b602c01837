"""The finding as one figure: every run from what is to what if, with intervals and what guessing gives."""

from collections.abc import Iterator, Sequence

from countersight.case import ASKINGS, TWO_WORLDS, Asking
from countersight.pages import (
    MARGIN,
    WIDTH,
    Figure,
    Markup,
    element,
    hint,
    interval,
    name,
    percent,
    sheet,
    with_its_ends,
    words_at,
)
from countersight.reports.data import GroupScores, ReportData, RunScores
from countersight.reports.figures import MARKS, answered, nothing_read

_LEFT, _RIGHT = 250, 150
_INSIDE = WIDTH - 2 * MARGIN - _LEFT - _RIGHT
_TOP, _ROW = 96, 46
_NAME, _TITLE = 32, 50
"""Letters there is room for."""
_MOST_LINES = 60
_STYLE = """
  .factual { fill: var(--one); stroke: var(--one) } .counterfactual { fill: var(--two); stroke: var(--two) }
  .shown { fill: var(--three); stroke: var(--three) } .fall { stroke: var(--soft); stroke-width: 2 }
  .rule { stroke: var(--rule) } .chance { stroke: var(--ink); stroke-dasharray: 4 4 }
  .interval { stroke-width: 5; opacity: .35; stroke-linecap: round }
"""


def finding_figure(report: ReportData) -> Markup:
    """A sheet with a line for every run."""
    return _lines(report, "right answers", [(run.label, run.overall) for run in report.runs])


def groups_figure(report: ReportData) -> Markup | None:
    """A sheet with a line for every group of every run; None where these are too many to look at."""
    lines = [(_called(report, run, scores), scores) for run in report.runs for scores in run.groups]
    return _lines(report, f"right answers by {report.terms.group}", lines) if len(lines) <= _MOST_LINES else None


def _called(report: ReportData, run: RunScores, scores: GroupScores) -> str:
    group = name(report.terms.groups.get(scores.group, scores.group))
    return f"{name(run.label)}: {group}" if len(report.runs) > 1 else group


def _lines(report: ReportData, what: str, lines: Sequence[tuple[str, GroupScores]]) -> Markup:
    height = _TOP + _ROW * len(lines) + 60
    dataset = with_its_ends(name(report.dataset), _TITLE)
    title = f"{dataset}: {what} in per cent, with {percent(report.confidence, 0)}% intervals"
    parts = [words_at(MARGIN, 40, title, "head"), *_legend(report), *_scale(len(lines))]
    for place, (label, scores) in enumerate(lines):
        parts += _line(label, scores, _TOP + _ROW * place + _ROW / 2)
    return sheet(title, height, _STYLE, parts)


def _x(share: float) -> float:
    return MARGIN + _LEFT + _INSIDE * share


def _legend(report: ReportData) -> Iterator[Markup]:
    x = float(MARGIN)
    for asking in ASKINGS:
        if asking in answered(report):
            words = report.terms.measures.get(asking, asking)
            yield element("g", MARKS[asking], class_=asking, transform=f"translate({x + 8} 64)")
            yield words_at(x + 22, 68, words, "soft")
            x += 40 + 7.5 * len(words)
    if any(run.overall.chance for run in report.runs):
        yield element("line", class_="chance", x1=x, x2=x + 22, y1=64, y2=64)
        yield words_at(x + 28, 68, "guessing", "soft")


def _scale(runs: int) -> Iterator[Markup]:
    bottom = _TOP + _ROW * runs
    for tick in (0, 25, 50, 75, 100):
        x = _x(tick / 100)
        yield element("line", class_="rule", x1=x, x2=x, y1=_TOP, y2=bottom)
        yield words_at(x, bottom + 20, f"{tick}%", "soft", "middle")


def _line(label: str, scores: GroupScores, y: float) -> Iterator[Markup]:
    told = {asking: getattr(scores, asking) for asking in reversed(ASKINGS)}  # what comes last lies on top
    figures = {asking: figure for asking, figure in told.items() if figure and figure.value is not None}
    yield words_at(MARGIN, y + 5, with_its_ends(name(label), _NAME))
    chance = scores.chance.get("counterfactual", scores.chance.get("factual"))
    if chance is not None:
        yield element("line", class_="chance", x1=_x(chance), x2=_x(chance), y1=y - 20, y2=y + 20)
    if "factual" in figures and "counterfactual" in figures:
        ends = [_x(figures[asking].value or 0.0) for asking in TWO_WORLDS]
        yield element("line", class_="fall", x1=ends[0], x2=ends[1], y1=y, y2=y)
    for asking, figure in figures.items():
        yield from _mark(asking, figure, y)
    drop = scores.drop
    if drop and drop.value is not None:
        yield words_at(WIDTH - MARGIN, y, f"drop {percent(drop.value)}", "", "end")
        yield words_at(WIDTH - MARGIN, y + 15, f"{interval(drop)}; n = {drop.n}", "soft", "end")
    else:
        words = nothing_read(scores) or ("" if figures else "nothing scored")
        yield words_at(WIDTH - MARGIN, y + 5, words, "soft", "end")


def _mark(asking: Asking, figure: Figure, y: float) -> Iterator[Markup]:
    shift = {"factual": -4.0, "counterfactual": 4.0, "shown": 0.0}[asking]
    words = f"{asking}: {percent(figure.value or 0.0)}% ({interval(figure)}; n = {figure.n})"
    ends = {"x1": _x(figure.low), "x2": _x(figure.high), "y1": y + shift, "y2": y + shift}
    yield element("line", class_=f"interval {asking}", **ends)
    at = f"translate({_x(figure.value or 0.0):.1f} {y:.1f})"
    yield element("g", hint(words), MARKS[asking], class_=asking, transform=at)
