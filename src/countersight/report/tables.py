"""The tables of a report as grids of words, the same for every format they are written in."""

from collections.abc import Sequence

import msgspec

from countersight.report.data import ASKINGS, Comparison, Figure, GroupScores, ReportData, RunScores
from countersight.report.wording import count, interval, name, p_value, percent


class Cell(msgspec.Struct, frozen=True):
    """A figure and what stands beside it in small: its interval, its p value, its own n."""

    text: str
    details: tuple[str, ...] = ()


class Line(msgspec.Struct, frozen=True):
    """A line of a table; `total` marks the one that sums up the others."""

    cells: tuple[Cell, ...]
    total: bool = False


class Grid(msgspec.Struct, frozen=True):
    """A table: what it shows, the head of each column, and its lines. The first column names the line."""

    title: str
    head: tuple[str, ...]
    lines: tuple[Line, ...]
    note: str = ""


MEASURES = {
    "factual": "factual",
    "counterfactual": "counterfactual",
    "drop": "drop",
    "both_right": "both right",
    "shown": "shown",
    "imagination_gap": "imagination gap",
}
"""The figures of a line of scores, in order, and what they are called."""

COMPARED = ("factual", "counterfactual", "both_right", "shown")

NOTHING = Cell("–")


def overview(report: ReportData) -> Grid:
    """All runs on all cases, a line each."""
    lines = [(run.label, run.overall) for run in report.runs]
    return Grid("All runs, all cases", *_scores("run", lines))


def by_group(run: RunScores) -> Grid:
    """One run, a line for each group and one for all."""
    return Grid(name(run.label), *_scores("group", [(scores.group, scores) for scores in run.groups]))


def compared(comparison: Comparison) -> Grid:
    """Two runs, case by case."""
    measures = [key for key in COMPARED if any(getattr(group, key) for group in comparison.groups)]
    lines = tuple(
        Line(
            (Cell(name(group.group)), *(_figure(getattr(group, key), None) for key in measures)),
            total=group is comparison.groups[-1],
        )
        for group in comparison.groups
    )
    return Grid(
        f"{name(comparison.first)} minus {name(comparison.second)}",
        ("group", *(MEASURES[key] for key in measures)),
        lines,
        "Differences in points over the cases both runs answered; above zero the first run did better.",
    )


def letters(run: RunScores) -> Grid:
    """How often a run answered each letter, beside how often the letter was right."""
    askings = [asking for asking in ASKINGS if any(share.asking == asking for share in run.letters)]
    found = {(share.asking, share.letter): share for share in run.letters}
    lines = []
    for letter in sorted({share.letter for share in run.letters}):
        cells = [Cell(name(letter))]
        for asking in askings:
            share = found.get((asking, letter))
            cells += (
                (Cell(percent(share.answered / share.n)), Cell(percent(share.gold / share.n)))
                if share and share.n
                else (NOTHING, NOTHING)
            )
        lines.append(Line(tuple(cells)))
    head = [f"{asking}, {what}" for asking in askings for what in ("answered", "gold")]
    return Grid(f"Letters answered: {name(run.label)}", ("letter", *head), tuple(lines))


def grids(report: ReportData) -> list[Grid]:
    """Every table of a report, in reading order."""
    tables = [overview(report)] if len(report.runs) > 1 else []
    tables += [by_group(run) for run in report.runs]
    tables += [compared(comparison) for comparison in report.comparisons]
    tables += [letters(run) for run in report.runs if run.letters]
    return tables


def _scores(what: str, named: Sequence[tuple[str, GroupScores]]) -> tuple[tuple[str, ...], tuple[Line, ...]]:
    measures = [key for key in MEASURES if any(getattr(scores, key) for _, scores in named)]
    lines = tuple(
        Line(
            (
                Cell(name(label)),
                Cell(count(scores.n)),
                *(_figure(getattr(scores, key), scores.n) for key in measures),
                *(Cell(count(number)) for number in (scores.unread, scores.failed, scores.missing)),
            ),
            total=what == "group" and scores is named[-1][1],
        )
        for label, scores in named
    )
    return (what, "n", *(MEASURES[key] for key in measures), "unread", "failed", "missing"), lines


def _figure(figure: Figure | None, expected_n: int | None) -> Cell:
    """A figure with its interval; its n is said where it is not that of the line."""
    if figure is None or figure.value is None:
        return NOTHING
    details = [interval(figure)]
    if figure.p is not None:
        details.append(p_value(figure.p))
    if figure.n != expected_n:
        details.append(f"n = {count(figure.n)}")
    return Cell(percent(figure.value), tuple(details))
