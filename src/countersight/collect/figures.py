"""Figures for leads and workers: the progress of a campaign, waiting items, agreement, cost, and each person's work."""

from collections import Counter, defaultdict
from collections.abc import Iterable
from typing import Any

import msgspec
from sqlalchemy import ColumnElement, Connection, FromClause, Select, case, func, select

from countersight.collect import pay, tables
from countersight.collect.flows import Flow, Phase
from countersight.collect.work import STANDS, Contribution, contributions
from countersight.scoring import Agreement, Estimate, agreement

_RESAMPLES = 1_000
"""The number of resamples; few, because the page Campaign recomputes these intervals all the time."""
_item, _lease, _made, _person = tables.item.c, tables.lease.c, tables.contribution.c, tables.person.c
_STANDING = tables.lease.join(tables.contribution, _made.id == _lease.contribution_id)


class PhaseFigures(msgspec.Struct, frozen=True):
    """One phase of the flow."""

    phase: str
    title: str
    waiting: int
    """The number of items with a free seat."""
    under_way: int
    """The number of seats that are taken."""
    done: int
    """The number of valid contributions."""


class LabelAgreement(msgspec.Struct, frozen=True):
    """The agreement on one of the decisions that two people make about an item."""

    label: str
    agreement: Agreement


class Fooling(msgspec.Struct, frozen=True):
    """The numbers of checks by the model in the loop, of items submitted after a check, and of items that fooled the
    model."""

    checks: int
    items: int
    fooled: int


class PersonFigures(msgspec.Struct, frozen=True):
    """One person's work. Only contributions that count are included."""

    id: int
    name: str
    pseudonym: str
    role: str
    done: int
    seconds: float | None
    pasted: float | None
    known: int
    known_right: int
    earned: int
    access: str
    deleted: bool


class Figures(msgspec.Struct, frozen=True):
    """The whole campaign."""

    items: int
    states: dict[str, int]
    phases: tuple[PhaseFigures, ...]
    flags: int
    disputed: int
    agreement: tuple[LabelAgreement, ...]
    groups: dict[str, int]
    fooling: Fooling | None
    balances: dict[str, int]
    per_item: float | None
    """The cost of a finished item, in minor units."""


def _count(connection: Connection, table: FromClause, *conditions: ColumnElement[bool]) -> int:
    return int(connection.execute(select(func.count()).select_from(table).where(*conditions)).scalar_one())


def _pairs(connection: Connection, question: Select[Any]) -> dict[Any, int]:
    """Return the two columns of a query as a dictionary of numbers."""
    return {key: int(number) for key, number in connection.execute(question)}


def campaign_figures(connection: Connection, flow: Flow) -> Figures:
    """Return all figures of the page Campaign."""
    states = _pairs(connection, select(_item.state, func.count()).group_by(_item.state))
    balances = pay.balances(connection)
    spent = sum(amount for state, amount in balances.items() if state != "voided")
    finished = states.get("done", 0)
    waiting, author = tables.flag.c.outcome.is_(None), tables.flag.c.person_id
    return Figures(
        sum(number for state, number in states.items() if state != "check"),
        states,
        tuple(_phase(connection, phase) for phase in flow.phases),
        _count(connection, tables.flag, waiting, author.is_not(None)),
        _count(connection, tables.flag, waiting, author.is_(None)),
        tuple(label_agreement(flow, contributions(connection, flow, STANDS, _item.state != "check"))),
        group_counts(connection, flow),
        _fooling(connection),
        balances,
        spent / finished if finished else None,
    )


def _phase(connection: Connection, phase: Phase) -> PhaseFigures:
    of_phase = select(_lease.state, func.count()).where(_lease.phase == phase.name).group_by(_lease.state)
    seats = _pairs(connection, of_phase)
    free = (_item.phase == phase.name, _item.state == "open", _item.seats_left > 0)
    waiting = _count(connection, tables.item, *free)
    return PhaseFigures(phase.name, phase.title, waiting, seats.get("active", 0), seats.get("done", 0))


def label_agreement(flow: Flow, given: Iterable[Contribution]) -> list[LabelAgreement]:
    """Return the agreement on everything that two people decide about the same item."""
    rows: dict[str, dict[int, list[str]]] = defaultdict(lambda: defaultdict(list))
    for each in given:
        if not flow.phase(each.phase).adjudicates:
            for label, value in flow.labels(each.phase, each.content).items():
                rows[label][each.item_id].append(value)
    return [LabelAgreement(label, _agreement(list(items.values()))) for label, items in rows.items()]


def _agreement(rows: list[list[str]]) -> Agreement:
    """Return the agreement, without intervals if there is only one item to resample."""
    found = agreement(rows, resamples=_RESAMPLES)
    if found.items > 1:
        return found
    estimates = {name: value for name, value in msgspec.structs.asdict(found).items() if name != "items"}
    bare = {name: msgspec.structs.replace(value, interval=None) for name, value in estimates.items()}
    return msgspec.structs.replace(found, **bare)


def format_agreement(found: Agreement) -> dict[str, str]:
    """Format the measures of agreement, each with its interval."""
    named = {
        "raw agreement": found.raw,
        "Cohen's kappa": found.cohen,
        "Krippendorff's alpha": found.alpha,
        "Gwet's AC1": found.ac1,
    }
    return {name: _format_estimate(estimate) for name, estimate in named.items()}


def _format_estimate(estimate: Estimate) -> str:
    if estimate.value is None:
        return f"undefined ({estimate.why})"
    if estimate.interval is None:
        return f"{estimate.value:.2f} (no interval: one item)"
    if estimate.interval.low == 1:  # resampling people who always agree says nothing
        return f"{estimate.value:.2f} (no interval: everybody agreed)"
    return f"{estimate.value:.2f} ({estimate.interval.low:.2f} to {estimate.interval.high:.2f})"


def group_counts(connection: Connection, flow: Flow, person_id: int | None = None) -> dict[str, int]:
    """Return the number of items in each balanced group, overall or for one person; groups can overlap."""
    counts = Counter(dict.fromkeys(flow.balance, 0))
    own = () if person_id is None else (_lease.person_id == person_id,)
    counted = (_made.phase == flow.grouped_in, _item.state.not_in(("check", "removed")), *own)
    for each in contributions(connection, flow, STANDS, *counted):
        counts.update(group for group in flow.groups(each.content) if group in counts)
    return dict(counts)


def _fooling(connection: Connection) -> Fooling | None:
    checked = (_made.fooled.is_not(None), _lease.state == "done")
    items, fooled = (_count(connection, _STANDING, *checked, *more) for more in ((), (_made.fooled > 0,)))
    checks = _count(connection, tables.check)
    return Fooling(checks, items, fooled) if checks else None


def people_figures(connection: Connection, after: int, most: int) -> list[PersonFigures]:
    """Return the figures of at most `most` people with ids above `after`."""
    chosen = select(_person.id).where(_person.id > after).order_by(_person.id).limit(most)
    paid = tables.payment.c
    work = (
        select(
            _made.person_id,
            func.count().label("done"),
            func.sum(_made.seconds).label("seconds"),
            func.avg(_made.pasted).label("pasted"),
            func.count(_made.right).label("known"),
            func.sum(case((_made.right.is_(True), 1), else_=0)).label("known_right"),
        )
        .select_from(_STANDING)
        .where(_lease.state == "done", _made.person_id.in_(chosen))
        .group_by(_made.person_id)
        .subquery()
    )
    earned = select(func.coalesce(func.sum(paid.amount), 0)).where(paid.person_id == _person.id, paid.state != "voided")
    question = (
        select(
            _person.id,
            func.coalesce(_person.name, "(deleted)").label("name"),
            _person.pseudonym,
            _person.role,
            func.coalesce(work.c.done, 0).label("done"),
            (work.c.seconds / work.c.done).label("seconds"),
            work.c.pasted,
            func.coalesce(work.c.known, 0).label("known"),
            func.coalesce(work.c.known_right, 0).label("known_right"),
            earned.scalar_subquery().label("earned"),
            _person.access,
            _person.deleted_at.is_not(None).label("deleted"),
        )
        .outerjoin(work, work.c.person_id == _person.id)
        .where(_person.id > after)
        .order_by(_person.id)
        .limit(most)
    )
    return [PersonFigures(**row) for row in connection.execute(question).mappings()]
