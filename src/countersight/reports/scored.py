"""Scores as the figures that a report shows."""

from collections.abc import Iterable

import msgspec

from countersight.detection import parted
from countersight.html import Figure, count, interval, percent
from countersight.reports.data import AnalysisLine, ComparedGroup, GroupScores
from countersight.scoring import (
    ALL,
    CONFIDENCE,
    Chance,
    Comparison,
    Difference,
    FalseAlarmRates,
    Outcomes,
    Rate,
    Row,
    SetScores,
    Sum,
    share_interval,
)
from countersight.suites import Terms

NO_GROUP = "(no group)"


def as_share(rate: Rate) -> Figure:
    """A share of right answers, or the mean of what answers are worth."""
    soft = rate.credit is not None
    method = "exact binomial, for the number of independent cases" if soft or rate.clustered else ""
    return Figure(
        rate.value,
        rate.low,
        rate.high,
        rate.n,
        right=None if soft else rate.right,
        method=method,
        unread=rate.unread,
    )


def as_difference(found: Difference) -> Figure:
    """A difference of shares over the same cases."""
    wider = found.confidence if found.confidence != CONFIDENCE else None
    method = "" if found.is_exact and not wider else f"Tango score; {found.test}"
    if wider:
        method += ", Holm"
    return Figure(found.value, found.low, found.high, found.n, found.p, method=method, confidence=wider)


def as_group(row: Row) -> GroupScores:
    """A row of scores as a line of a table."""
    return GroupScores(
        group=row.group or NO_GROUP,
        n=row.n,
        factual=_share(row.factual),
        counterfactual=_share(row.counterfactual),
        drop=_difference(row.drop),
        both_right=_share(row.both_right),
        in_both=row.in_both,
        shown=_share(row.shown),
        imagination_gap=_difference(row.imagination_gap),
        fell_back=_share(row.fell_back),
        chance=_chance(row.chance),
        questions=row.questions,
        unread=row.unread,
        cut=row.cut,
        empty=row.empty,
        failed=row.failed,
        missing=row.missing,
        unheard=row.unheard,
        restated=row.restated,
        unread_rate=row.unread_rate,
    )


def as_compared(row: Comparison) -> ComparedGroup:
    """Two runs on one group."""
    return ComparedGroup(
        row.group or NO_GROUP,
        _difference(row.factual),
        _difference(row.counterfactual),
        _difference(row.both_right),
        _difference(row.shown),
        row.unread,
    )


def as_sum(found: Sum | None) -> Figure | None:
    """Shares added up."""
    return (
        Figure(found.value, found.low, found.high, found.n, method="exact binomial, squared and added")
        if found
        else None
    )


def _share(rate: Rate | None) -> Figure | None:
    return as_share(rate) if rate and (rate.n or rate.unread) else None


def _difference(found: Difference | None) -> Figure | None:
    return as_difference(found) if found else None


def _chance(chance: Chance) -> dict[str, float]:
    return {measure: value for measure, value in msgspec.structs.asdict(chance).items() if value is not None}


def share(number: int, n: int) -> Figure:
    """So many of n, with its exact binomial interval; no value where there are none to share."""
    if not n:
        return Figure(None, 0.0, 0.0, 0)
    between = share_interval(number, n, CONFIDENCE)
    return Figure(number / n, between.low, between.high, n, right=number)


def told(figure: Figure) -> str:
    """A share in words: "3 of 19 (15.8%; 5.5 to 37.6)"."""
    return f"{count(figure.right or 0)} of {count(figure.n)} ({percent(figure.value or 0.0)}%; {interval(figure)})"


class AnalysedRun(msgspec.Struct, frozen=True, eq=False):
    """A run as an analysis looks at it."""

    label: str
    model: str
    prompt: str
    answering: str
    outcomes: Outcomes
    rows: tuple[Row, ...]
    """Its scores, by group and in all."""
    alarms: tuple[FalseAlarmRates, ...] = ()
    """Its misses and false alarms, where cases have controls."""
    sets: tuple[SetScores, ...] = ()
    """What it has right as a whole, where cases stand in sets or were shown both worlds."""
    but_for_seed: str = ""
    """All that its answers depend on but chance: runs that agree in it are one way of asking, done several times."""


def group_words(group: str, terms: Terms) -> str:
    """What a suite calls a group."""
    return terms.groups.get(group, group) or NO_GROUP


def group_line(run: AnalysedRun, group: str, terms: Terms, n: int, cells: Iterable[Figure | str]) -> AnalysisLine:
    """A line of an analysis about a group of cases, or about all: how many they are, then what it has of them."""
    cells = (count(n), *cells)
    words = group_words(group, terms)
    return AnalysisLine(name=words, cells=cells, run=run.label, group=group, n=n, total=group == ALL)


def groups_in_order(run: AnalysedRun, terms: Terms) -> list[str]:
    """The groups of a run in the order of the suite's paper, then the others; none where there is only one."""
    found = run.outcomes.group_names
    named = [group for group in terms.groups if group in found]
    named += [group for group in found if group not in named]
    return named if len(named) > 1 else []


_PROGRAMS = ("viper:", "visprog:")
_DETECTOR, _TOLD = "detector:", "told:"


def short_name(model: str) -> str:
    """gpt-4o for openai:gpt-4o, qwen for endpoint:http://127.0.0.1:8000/v1#qwen; of a program, who writes and looks."""
    if model.startswith(_PROGRAMS):
        style, _, rest = model.partition(":")
        code, named, eyes = rest.rpartition(";vision=")
        return f"{style}:{short_name(code)};vision={_eyes(eyes)}" if named else f"{style}:{short_name(rest)}"
    _, mark, served = model.rpartition("#")
    return served if mark else model.removeprefix("openai:")


def _eyes(name: str) -> str:
    """detector:ssd.pb for detector:/weights/ssd.pb?config=/weights/ssd.pbtxt."""
    if not name.startswith(_DETECTOR):
        return short_name(name)
    where, beside = parted(name.removeprefix(_DETECTOR))
    file = _DETECTOR + where.partition("?")[0].rstrip("/").rpartition("/")[2]
    told = _TOLD if beside.startswith(_TOLD) else ""
    return f"{file}+{told}{short_name(beside.removeprefix(_TOLD))}" if beside else file
