"""Withdraw work: by its author while nobody has built on it, or all work of a person by a lead."""

from collections.abc import Sequence
from typing import Any, Final, Literal

from sqlalchemy import Connection, Row, Select, and_, exists, or_, select, update

from countersight.collect.database import tables
from countersight.collect.flows import Flow
from countersight.collect.pay import LEFT, void_contribution
from countersight.collect.people import end_sessions
from countersight.collect.settings import Settings
from countersight.collect.work.claiming import HELD, Lease, as_lease, change_lease, lease_by_token, release
from countersight.collect.work.items import put_item
from countersight.collect.work.reviewing import EDITED, reopen, vacate, withdraw
from countersight.collect.work.submitting import append


def undo(
    connection: Connection, settings: Settings, flow: Flow, contribution_id: int, person_id: int, now: float
) -> Lease | str:
    """Withdraw a contribution, as a new version; return the lease to edit it in, or why it cannot be withdrawn."""
    rows = _standing(settings, flow, person_id, now).where(tables.contribution.c.id == contribution_id)
    row = connection.execute(rows).first()
    lease = lease_by_token(connection, row.token, person_id) if row else None
    if row is None or lease is None:
        return "There is nothing to take back."
    refusal = _refusal(row)
    if refusal:
        return refusal
    append(connection, settings, lease, None, now)
    void_contribution(connection, contribution_id, person_id, now)
    withdraw(connection, lease.item_id)
    until = now + settings.lease_minutes * 60
    change_lease(connection, lease.id, state="active", contribution_id=None, expires_at=until)
    put_item(connection, settings, lease.item_id, lease.phase, "open", now)
    return lease


Access = Literal["open", "paused", "blocked"]
Fate = Literal["keep", "redo", "remove"]


def set_access(connection: Connection, settings: Settings, person_id: int, access: Access) -> None:
    """Allow somebody to work, pause them (they see only their account), or block them (they cannot log in)."""
    connection.execute(update(tables.person).where(tables.person.c.id == person_id).values(access=access))
    if access != "open":
        held = (tables.lease.c.person_id == person_id) & (tables.lease.c.state == "active")
        for row in connection.execute(select(tables.lease).where(held)).all():
            release(connection, settings, as_lease(row))
    if access == "blocked":
        end_sessions(connection, person_id)


def retract(
    connection: Connection, settings: Settings, flow: Flow, person_id: int, fate: Fate, paid: bool, by: int, now: float
) -> int:
    """Have all work of a person repeated by others or removed, paid or not; return the number of contributions.

    What others built on work that is done again has to be done again too; they are paid for both. Pay that has left in
    a batch stays there.
    """
    item, lease = tables.item.c, tables.lease.c
    question = select(tables.lease, item.state.label("item_state"), item.phase.label("item_phase"))
    done = (lease.person_id == person_id) & (lease.state == "done")
    rows = connection.execute(question.join(tables.item, item.id == lease.item_id).where(done)).all()
    for row in rows:
        if not paid:
            void_contribution(connection, row.contribution_id, by, now)
        if row.item_state in ("check", "removed"):
            continue
        if fate == "redo":
            vacate(connection, lease.id == row.id)
            reopen(connection, settings, flow, row.item_id, row.phase, now)
        elif fate == "remove":
            withdraw(connection, row.item_id)
            put_item(connection, settings, row.item_id, row.item_phase, "removed", now)
    return len(rows)


def undoable(
    connection: Connection, settings: Settings, flow: Flow, contributions: Sequence[int], person_id: int, now: float
) -> set[int]:
    """Return which of these contributions their author may withdraw now."""
    rows = _standing(settings, flow, person_id, now).where(tables.contribution.c.id.in_(contributions))
    return {row.id for row in connection.execute(rows) if not _refusal(row)}


REFUSALS: Final = {
    "late": "The time in which it could be taken back is over.",
    "decided": "A reviewer has decided about this item, so it cannot be changed.",
    "went_on": "Somebody is working on it already.",
    "seen": "You have opened the complete item since, so it cannot be changed.",
    "is_paid": "It is already being paid, so it cannot be changed.",
}
"""Why a contribution cannot be withdrawn, by the column of `_standing` that says so."""


def _refusal(row: Row[Any]) -> str:
    """Return the reason why a contribution cannot be withdrawn; empty if it can."""
    return next((words for name, words in REFUSALS.items() if getattr(row, name)), "")


def _standing(settings: Settings, flow: Flow, person_id: int, now: float) -> Select[Any]:
    """What a person has sent and not taken back, with all that may keep it from being taken back."""
    made, lease, flag, payment = tables.contribution.c, tables.lease.c, tables.flag.c, tables.payment.c
    item, sight, part = tables.item.c, tables.sight.c, tables.lease.alias().c
    names = [phase.name for phase in flow.phases]
    later = or_(*(and_(lease.phase == name, part.phase.in_(names[at + 1 :])) for at, name in enumerate(names)))
    in_doubt = exists().where(flag.contribution_id == made.id, flag.reason == EDITED, flag.outcome.is_(None))
    held = exists().where(part.item_id == lease.item_id, part.state.in_(HELD), later)
    reasons = {
        "late": made.at < now - settings.undo_minutes * 60,
        "decided": exists().where(flag.item_id == lease.item_id, flag.decided_at >= made.at),
        "is_paid": exists().where(payment.contribution_id == made.id, payment.state.in_(LEFT)),
        "seen": exists().where(sight.item_id == lease.item_id, sight.person_id == person_id),
        "went_on": (item.state == "check") | ((item.state == "flagged") & ~in_doubt) | held,
    }
    return (
        select(made.id, lease.token, *(reason.label(name) for name, reason in reasons.items()))
        .join(tables.lease, (lease.id == made.lease_id) & (lease.contribution_id == made.id))
        .join(tables.item, item.id == lease.item_id)
        .where(made.person_id == person_id, lease.state == "done")
    )
