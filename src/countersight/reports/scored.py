"""Scores as the figures that a report shows."""

import msgspec

from countersight.pages import Figure
from countersight.reports.data import ComparedGroup, GroupScores
from countersight.scoring import CONFIDENCE, Chance, Comparison, Difference, Rate, Row, Sum

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
