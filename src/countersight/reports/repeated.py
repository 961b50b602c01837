"""Runs that differ in their seed alone: what is the model's of an accuracy, and what is chance."""

from collections.abc import Sequence
from itertools import groupby

from countersight.pages import Figure, count, name, percent
from countersight.reports.data import Analysis, AnalysisLine, AnalysisTable, Point
from countersight.reports.observations import AnalysedRun
from countersight.reports.short_names import short_name
from countersight.scoring import CONFIDENCE, Repeated, repeats, share_interval


def repeat_analysis(runs: Sequence[AnalysedRun]) -> Analysis | None:
    """What asking several times shows; None where nothing was asked more than once."""
    ordered = sorted(runs, key=lambda run: run.but_for_seed)
    families = [list(family) for _, family in groupby(ordered, key=lambda run: run.but_for_seed)]
    found = [(family[0], repeats([run.outcomes for run in family])) for family in families if len(family) > 1]
    if not any(figures for _, figures in found):
        return None
    return Analysis(
        key="repeats",
        heading="Asked several times",
        about="Runs of one model that differ in their seed alone, on the cases that all of them scored.",
        points=tuple(Point(name(_called(first)), tuple(map(_sentence, figures))) for first, figures in found),
        tables=tuple(_table(first, figures) for first, figures in found),
        definitions=(
            ("expected", f"The accuracy of one run, on average; with the exact binomial {percent(CONFIDENCE, 0)}% "
             "interval for the number of cases."),
            ("majority", "The accuracy of the answer that most runs gave to a case; where several came as often, "
             "the share of them that is right."),
            ("tied", "Cases in which no answer came more often than every other."),
            ("flips", "Cases that were not answered the same every time."),
            ("within", "The variance of right and wrong within a case: what asking again would change."),
            ("between", "The variance between cases: what some are harder by than others."),
        ),
        asked_for=True,
    )  # fmt: skip


def _called(run: AnalysedRun) -> str:
    return f"{short_name(run.model)}, {run.prompt}"


def _sentence(found: Repeated) -> str:
    return (
        f"{found.asking.capitalize()}: asked {found.runs} times, {percent(found.expected)}% right on average and "
        f"{percent(found.majority)}% by majority; {percent(found.flips)}% of {count(found.cases)} cases flip, and "
        f"{percent(found.tied)}% have no majority."
    )


def _table(first: AnalysedRun, figures: Sequence[Repeated]) -> AnalysisTable:
    measures = ("expected", "majority", "tied", "flips")
    return AnalysisTable(
        title=f"Asked several times: {_called(first)}",
        head=("world", "times", "n", *measures, "variance within", "variance between"),
        measures=("", "", *measures, "", ""),
        lines=tuple(_line(first, found) for found in figures),
    )


def _line(first: AnalysedRun, found: Repeated) -> AnalysisLine:
    shares = (_share(value, found.cases) for value in (found.expected, found.majority, found.tied, found.flips))
    return AnalysisLine(
        name=found.asking,
        cells=(count(found.runs), count(found.cases), *shares, f"{found.within:.4f}", f"{found.between:.4f}"),
        run=first.label,  # in files the figures stand with the first of the runs
        group=found.asking,
        n=found.cases,
    )


def _share(value: float, cases: int) -> Figure:
    interval = share_interval(value * cases, cases)
    return Figure(value, interval.low, interval.high, cases)
