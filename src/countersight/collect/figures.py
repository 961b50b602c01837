"""Figures for leads: the progress of a campaign, waiting items, agreement and cost."""

from collections import Counter, defaultdict
from statistics import median
from typing import Any

import msgspec
from sqlalchemy import ColumnElement, Connection, Row, Select, case, exists, func, select

from countersight.collect import pay
from countersight.collect.database import tables
from countersight.collect.flows import Flow
from countersight.collect.work.claiming import HELD
from countersight.scoring import Agreement, Interval, agreement, share_interval

_RESAMPLES = 1_000
"""Enough for an interval on a page that is looked at while it changes."""
_DAY = 86_400.0


class PhaseFigures(msgspec.Struct, frozen=True):
    """One phase of the flow."""

    phase: str
    title: str
    waiting: int
    """Items with a free seat."""
    under_way: int
    """Seats that are taken."""
    done: int
    """Valid contributions."""
    oldest: float | None
    """The longest waiting time of an item, in seconds."""
    seconds: float | None
    """Median time for one contribution, in seconds."""
    day: int
    """Contributions of the last 24 hours."""
    week: int


class LabelAgreement(msgspec.Struct, frozen=True):
    """The agreement on one of the decisions in a phase."""

    phase: str
    label: str
    agreement: Agreement


class Fooling(msgspec.Struct, frozen=True):
    """How often the model in the loop was fooled."""

    checks: int
    items: int
    """Items that were submitted with a check."""
    fooled: int
    """Those with a distractor that fooled the model."""
    interval: Interval


class PersonFigures(msgspec.Struct, frozen=True):
    """One person's work."""

    id: int
    name: str
    pseudonym: str
    role: str
    done: int
    seconds: float | None
    pasted: float | None
    known: int
    known_right: int
    flagged: int
    """Contributions with a justified flag."""
    earned: int
    hourly: float | None
    """Earnings per hour of work, in minor units."""
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
    stranded: int
    """Items that nobody can take, because all permitted people have contributed to them."""


def campaign_figures(connection: Connection, flow: Flow, now: float) -> Figures:
    """Return all figures on the leads' first page."""
    states = _states(connection)
    balances = pay.balances(connection)
    spent = sum(amount for state, amount in balances.items() if state != "voided")
    finished = states.get("done", 0)
    return Figures(
        sum(number for state, number in states.items() if state != "check"),
        states,
        tuple(_phase(connection, phase.name, phase.title, now) for phase in flow.phases),
        _count(connection, tables.flag.c.outcome.is_(None), tables.flag.c.person_id.is_not(None)),
        _count(connection, tables.flag.c.outcome.is_(None), tables.flag.c.person_id.is_(None)),
        tuple(label_agreement(connection, flow)),
        group_counts(connection, flow),
        _fooling(connection),
        balances,
        spent / finished if finished else None,
        _stranded(connection),
    )


def _stranded(connection: Connection) -> int:
    item, person, lease, sight = tables.item.c, tables.person.c, tables.lease.c, tables.sight.c
    part = exists().where(lease.item_id == item.id, lease.person_id == person.id, lease.state.in_(HELD))
    seen = exists().where(sight.item_id == item.id, sight.person_id == person.id)
    somebody = exists().where(person.access == "open", person.deleted_at.is_(None), ~part, ~seen)
    begun = exists().where(lease.item_id == item.id)
    waits = (item.state == "open", item.seats_left > 0)
    question = select(func.count()).select_from(tables.item).where(*waits, begun, ~somebody)
    return int(connection.execute(question).scalar_one())


def _states(connection: Connection) -> dict[str, int]:
    question = select(tables.item.c.state, func.count()).group_by(tables.item.c.state)
    return {state: int(number) for state, number in connection.execute(question)}


def _count(connection: Connection, *conditions: ColumnElement[bool]) -> int:
    return int(connection.execute(select(func.count()).select_from(tables.flag).where(*conditions)).scalar_one())


def _phase(connection: Connection, name: str, title: str, now: float) -> PhaseFigures:
    item, lease = tables.item.c, tables.lease.c
    waiting, oldest = connection.execute(
        select(func.count(), func.min(item.phase_since)).where(
            item.phase == name, item.state == "open", item.seats_left > 0
        )
    ).one()
    question = select(lease.state, func.count()).where(lease.phase == name).group_by(lease.state)
    seats = {state: int(number) for state, number in connection.execute(question)}
    times = connection.execute(
        select(tables.contribution.c.seconds)
        .where(tables.contribution.c.phase == name, tables.contribution.c.content.is_not(None))
        .order_by(tables.contribution.c.at.desc())
        .limit(500)
    ).scalars()
    seconds = list(times)
    return PhaseFigures(
        name,
        title,
        int(waiting),
        seats.get("active", 0),
        seats.get("done", 0),
        now - oldest if oldest is not None else None,
        median(seconds) if seconds else None,
        *(_since(connection, name, now - days * _DAY) for days in (1, 7)),
    )


def _since(connection: Connection, phase: str, moment: float) -> int:
    made = tables.contribution.c
    lately = (made.phase == phase, made.at > moment, made.content.is_not(None))
    return int(connection.execute(select(func.count()).where(*lately)).scalar_one())


def label_agreement(connection: Connection, flow: Flow) -> list[LabelAgreement]:
    """Return the agreement on everything that two people decide about the same item."""
    rows: dict[tuple[str, str], dict[int, list[str]]] = defaultdict(lambda: defaultdict(list))
    for phase in flow.phases:
        if phase.adjudicates:
            continue
        for item, content in _standing(connection, phase.name):
            decoded = msgspec.json.decode(content, type=phase.content)
            for label, value in flow.labels(phase.name, decoded).items():
                # The writer's own answer and the blind one are two people's labels of one thing (CFMM).
                rows["write and blind" if flow.name == "cfmm" else phase.name, label][item].append(value)
    return [
        LabelAgreement(phase, label, _bounded(agreement(list(items.values()), resamples=_RESAMPLES)))
        for (phase, label), items in rows.items()
    ]


def _bounded(found: Agreement) -> Agreement:
    """The same without intervals of no width: resampling people who always agree says nothing of those to come."""
    names = ("raw", "cohen", "fleiss", "alpha", "ac1")
    given = {name: getattr(found, name) for name in names}
    sure = {
        name: msgspec.structs.replace(
            each, interval=share_interval(found.items, found.items) if name == "raw" else None
        )
        for name, each in given.items()
        if each.value == 1 and each.interval and each.interval.low == 1
    }
    return msgspec.structs.replace(found, **sure)


def _standing(connection: Connection, phase: str, *without: str, person_id: int | None = None) -> list[tuple[int, str]]:
    """The contributions of a phase that stand, by item, without items of some states or whose answer is known."""
    question = (
        select(tables.lease.c.item_id, tables.contribution.c.content)
        .join(tables.contribution, tables.contribution.c.id == tables.lease.c.contribution_id)
        .join(tables.item, tables.item.c.id == tables.lease.c.item_id)
        .where(
            tables.lease.c.phase == phase,
            tables.lease.c.state == "done",
            tables.item.c.state.not_in(["check", *without]),
        )
        .order_by(tables.contribution.c.id)
    )
    if person_id is not None:
        question = question.where(tables.lease.c.person_id == person_id)
    return [(row.item_id, row.content) for row in connection.execute(question)]


def group_counts(connection: Connection, flow: Flow, person_id: int | None = None) -> dict[str, int]:
    """Return the number of items by group that should be balanced, overall or for one person; groups can overlap."""
    counts = Counter(dict.fromkeys(flow.balance, 0))
    for phase in flow.phases:
        if phase.name == flow.grouped_in:
            for _, content in _standing(connection, phase.name, "removed", person_id=person_id):
                decoded = msgspec.json.decode(content, type=phase.content)
                counts.update(group for group in flow.groups(decoded) if group in counts)
    return dict(counts)


def _fooling(connection: Connection) -> Fooling | None:
    made = tables.contribution.c
    items, fooled = connection.execute(
        select(func.count(), func.coalesce(func.sum(case((made.fooled > 0, 1), else_=0)), 0))
        .select_from(tables.lease)
        .join(tables.contribution, made.id == tables.lease.c.contribution_id)
        .where(made.fooled.is_not(None), tables.lease.c.state == "done")
    ).one()
    checks = int(connection.execute(select(func.count()).select_from(tables.check)).scalar_one())
    return Fooling(checks, int(items), int(fooled), share_interval(int(fooled), int(items))) if checks else None


def people_figures(connection: Connection, after: int, most: int) -> list[PersonFigures]:
    """Return the figures of at most `most` people, after this number, in a few queries."""
    made, person = tables.contribution.c, tables.person.c
    everybody = connection.execute(select(tables.person).where(person.id > after).order_by(person.id).limit(most)).all()
    numbers = [row.id for row in everybody]
    work = {
        row.person_id: row
        for row in connection.execute(
            select(
                made.person_id,
                func.count().label("done"),
                func.sum(made.seconds).label("seconds"),
                func.avg(made.pasted).label("pasted"),
                func.sum(case((made.right.is_not(None), 1), else_=0)).label("known"),
                func.sum(case((made.right.is_(True), 1), else_=0)).label("right"),
            )
            .select_from(tables.lease)
            .join(tables.contribution, made.id == tables.lease.c.contribution_id)
            .where(tables.lease.c.state == "done", tables.lease.c.person_id.in_(numbers))
            .group_by(made.person_id)
        )
    }
    earned = _by_person(
        connection,
        select(tables.payment.c.person_id, func.sum(tables.payment.c.amount))
        .where(tables.payment.c.state != "voided", tables.payment.c.person_id.in_(numbers))
        .group_by(tables.payment.c.person_id),
    )
    flagged = _by_person(
        connection,
        select(made.person_id, func.count())
        .join(tables.flag, tables.flag.c.contribution_id == made.id)
        .where(tables.flag.c.outcome == "fair", made.person_id.in_(numbers))
        .group_by(made.person_id),
    )
    return [_person(row, work.get(row.id), earned.get(row.id, 0), flagged.get(row.id, 0)) for row in everybody]


def _by_person(connection: Connection, question: Select[Any]) -> dict[int, int]:
    return {person: int(number) for person, number in connection.execute(question)}


def _person(row: Row[Any], work: Row[Any] | None, earned: int, flagged: int) -> PersonFigures:
    done, seconds = (work.done, work.seconds) if work else (0, 0.0)
    return PersonFigures(
        row.id,
        row.name or "(deleted)",
        row.pseudonym,
        row.role,
        int(done),
        seconds / done if done else None,
        float(work.pasted) if work else None,
        int(work.known) if work else 0,
        int(work.right) if work else 0,
        flagged,
        earned,
        3600 * earned / seconds if seconds else None,
        row.access,
        row.deleted_at is not None,
    )
