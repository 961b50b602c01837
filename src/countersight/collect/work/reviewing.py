"""Flags and the decisions of reviewers; pausing and blocking people, and decisions about all of a person's work."""

from random import Random
from typing import Any, Final, Literal

import msgspec
from sqlalchemy import ColumnElement, Connection, exists, select, update

from countersight.collect import tables
from countersight.collect.campaign import Campaign
from countersight.collect.flows import Content
from countersight.collect.pay import pay_fooling, void_contribution, void_person
from countersight.collect.people import end_sessions
from countersight.collect.store import insert_row
from countersight.collect.work.contributing import EDITED, append, load_item, withdraw
from countersight.collect.work.leases import (
    HELD,
    Lease,
    as_lease,
    change_lease,
    lease_by_token,
    put_item,
    release,
    valid_contribution,
)

FOUND: Final = {
    "ambiguous": "Two people disagree",
    "leak": "It may give its answer away",
    EDITED: "The right response was edited",
    "sample": "A sample of finished work",
}
"""The reasons for which the program itself sends an item to a reviewer."""
Outcome = Literal["fair", "unfair", "edited", "returned"]
"""A decision: the item is removed, kept, kept as edited by the reviewer, or returned to its author."""


class Flag(msgspec.Struct, frozen=True):
    """A flag as shown to a reviewer; `note` was written by the reviewer who decided."""

    id: int
    item_id: int
    contribution_id: int | None
    by_person: bool
    """Whether a person flagged it; otherwise the program did, or a reviewer drew the item."""
    reason: str
    words: str
    at: float
    outcome: str | None
    note: str | None


def flag(connection: Connection, campaign: Campaign, lease: Lease, reason: str, words: str, now: float) -> None:
    """Flag the work of the phase before, and send the item to the reviewers; repeating this changes nothing."""
    fresh = lease_by_token(connection, lease.token, lease.person_id)
    if fresh is None or fresh.state != "active":
        return
    names = campaign.flow.names
    before = valid_contribution(connection, lease.item_id, names[names.index(lease.phase) - 1])
    row = {"item_id": lease.item_id, "contribution_id": before, "lease_id": lease.id, "person_id": lease.person_id}
    insert_row(connection, tables.flag, reason=reason, words=words, at=now, **row)
    change_lease(connection, lease.id, state="flagged")
    put_item(connection, campaign, lease.item_id, lease.phase, "flagged", now)


def open_flags(connection: Connection, reviewer_id: int, flag_id: int | None = None, most: int = 50) -> list[Flag]:
    """Return undecided flags, oldest first, or one of them, without items that the reviewer contributed to."""
    row, lease = tables.flag.c, tables.lease.c
    part = exists().where(lease.item_id == row.item_id, lease.person_id == reviewer_id, lease.state.in_(HELD))
    chosen = () if flag_id is None else (row.id == flag_id,)
    return _flags(connection, row.outcome.is_(None), ~part, *chosen, most=most)


def flags_of(connection: Connection, item_id: int) -> list[Flag]:
    """Return every flag of an item, decided or not."""
    return _flags(connection, tables.flag.c.item_id == item_id)


def _flags(connection: Connection, *conditions: ColumnElement[bool], most: int | None = None) -> list[Flag]:
    row = tables.flag.c
    columns = (row.id, row.item_id, row.contribution_id, row.person_id.is_not(None), row.reason, row.words, row.at)
    question = select(*columns, row.outcome, row.note).where(*conditions).order_by(row.id).limit(most)
    return [Flag(*found) for found in connection.execute(question)]


def decide(
    connection: Connection,
    campaign: Campaign,
    found: Flag,
    reviewer_id: int,
    outcome: Outcome,
    note: str,
    now: float,
    contribution_id: int | None = None,
    content: Content | None = None,
) -> bool:
    """Carry out a reviewer's decision; False if another reviewer decided first, or the author withdrew the work.

    `fair` removes the item and the pay of one of its contributions, or of none; if the right response was edited to say
    something else, only that phase is repeated. `unfair` keeps the item; after a person's flag, work on it continues.
    `edited` keeps it with another `content` of one of its contributions. `returned` sends one back.
    """
    item = load_item(connection, found.item_id)
    about = found.contribution_id if found.reason == EDITED else contribution_id or None
    values: dict[str, Any] = {"outcome": outcome, "reviewer_id": reviewer_id, "note": note, "decided_at": now}
    if outcome == "fair":
        values["contribution_id"] = about
    waiting = (tables.flag.c.id == found.id) & tables.flag.c.outcome.is_(None)
    if item.state not in ("flagged", "done"):
        return False
    if not connection.execute(update(tables.flag).where(waiting).values(**values)).rowcount:
        return False
    if outcome == "fair":
        if about is not None:
            void_contribution(connection, about, reviewer_id, now)
        if found.reason == EDITED:
            vacate(connection, tables.lease.c.contribution_id == found.contribution_id)
        put_item(connection, campaign, item.id, item.phase, "open" if found.reason == EDITED else "removed", now)
        return True
    if outcome == "returned":  # later phases must be repeated
        lease, until = _lease_of(connection, contribution_id), now + campaign.settings.return_days * 86_400
        change_lease(connection, lease.id, state="active", contribution_id=None, note=note, expires_at=until)
        reopen(connection, campaign, lease.item_id, lease.phase, now)
        return True
    if outcome == "edited":  # the author keeps the seat and the pay
        made, lease = tables.contribution.c, _lease_of(connection, contribution_id)
        before = connection.execute(select(made.fooled).where(made.id == contribution_id)).scalar()
        append(connection, campaign, lease, content, now, fooled=before, editor_id=reviewer_id)
    put_item(connection, campaign, item.id, item.phase, "open" if found.by_person else "done", now)
    pay_fooling(connection, campaign.settings.pay, item.id, now)
    return True


def _lease_of(connection: Connection, contribution_id: int | None) -> Lease:
    own = select(tables.lease).where(tables.lease.c.contribution_id == contribution_id)
    return as_lease(connection.execute(own).one())


def reopen(connection: Connection, campaign: Campaign, item_id: int, phase: str, now: float) -> None:
    """Return an item to a phase: later phases are repeated, by the same people or others, and open flags are withdrawn.

    Pay for the later phases stays.
    """
    names = campaign.flow.names
    later = tables.lease.c.phase.in_(names[names.index(phase) + 1 :])
    vacate(connection, (tables.lease.c.item_id == item_id) & later & tables.lease.c.state.in_(HELD), again=True)
    withdraw(connection, item_id)
    put_item(connection, campaign, item_id, phase, "open", now)


def vacate(connection: Connection, seats: ColumnElement[bool], *, again: bool = False) -> None:
    """Free seats whose contributions no longer count; with `again`, their holders may take them again."""
    state = "released" if again else "flagged"
    connection.execute(update(tables.lease).where(seats).values(state=state, contribution_id=None))


def author_of(connection: Connection, found: Flag, contribution_id: int) -> str | None:
    """Return the account state of the author of a valid contribution to a flag's item; None if there is none."""
    lease, person = tables.lease.c, tables.person.c
    stands = (lease.contribution_id == contribution_id) & (lease.item_id == found.item_id) & (lease.state == "done")
    question = select(person.access, person.deleted_at).join(tables.lease, lease.person_id == person.id).where(stands)
    row = connection.execute(question).first()
    return None if row is None else "deleted" if row.deleted_at else str(row.access)


def sample(
    connection: Connection, campaign: Campaign, reviewer_id: int, now: float, chance: Random, item_id: int = 0
) -> int | None:
    """Draw a finished item for a reviewer, or take a given one; return the number of its flag, or None if none is left.

    Items with a bonus that waits for a reviewer come first. The flag refers to the writer's contribution if there is
    exactly one writer.
    """
    item, made, lease, flag = tables.item.c, tables.contribution.c, tables.lease.c, tables.flag.c
    waiting = exists().where(flag.item_id == item.id, flag.outcome.is_(None))
    drawn_before = exists().where(flag.item_id == item.id, flag.reason == "sample")
    chosen = (item.id == item_id, ~waiting) if item_id else (~drawn_before,)
    part = exists().where(lease.item_id == item.id, lease.person_id == reviewer_id, lease.state.in_(HELD))
    left = select(item.id).where(item.state == "done", ~part, *chosen).order_by(item.id)
    bonus = exists().where(lease.item_id == item.id, lease.contribution_id == made.id, made.fooled > 0)
    drawn = list(connection.execute(left.where(bonus)).scalars()) or list(connection.execute(left).scalars())
    if not drawn:
        return None
    number = chance.choice(drawn)
    first = campaign.flow.phases[0].name
    written = valid_contribution(connection, number, first) if campaign.settings.phases[first].people == 1 else None
    row = {"item_id": number, "contribution_id": written, "reason": "sample", "words": ""}
    return insert_row(connection, tables.flag, at=now, **row)


Access = Literal["open", "paused", "blocked"]
Fate = Literal["keep", "redo", "remove"]


def set_access(connection: Connection, campaign: Campaign, person_id: int, access: Access) -> None:
    """Allow somebody to work, pause them (they can log in, but cannot work), or block them (they cannot log in).

    Their items return to the pool. Paused people keep work that was sent back to them until it expires.
    """
    connection.execute(update(tables.person).where(tables.person.c.id == person_id).values(access=access))
    if access != "open":
        held = (tables.lease.c.person_id == person_id) & (tables.lease.c.state == "active")
        for lease in map(as_lease, connection.execute(select(tables.lease).where(held))):
            if access == "blocked" or not lease.note:
                release(connection, campaign, lease)
    if access == "blocked":
        end_sessions(connection, person_id)


def retract(
    connection: Connection, campaign: Campaign, person_id: int, fate: Fate, paid: bool, by: int, now: float
) -> tuple[list[int], int]:
    """Have all work of a person repeated by others or removed, paid or not; return the items and the withdrawn amount.

    Later work that is based on repeated work is repeated too, and paid for again. Exported pay does not change.
    """
    item, lease = tables.item.c, tables.lease.c
    question = select(tables.lease, item.state.label("item_state"), item.phase.label("item_phase"))
    done = (lease.person_id == person_id) & (lease.state == "done")
    rows = connection.execute(question.join(tables.item, item.id == lease.item_id).where(done)).all()
    withdrawn = 0 if paid else void_person(connection, person_id, by, now)
    for row in rows:
        if row.item_state in ("check", "removed"):
            continue
        if fate == "redo":
            vacate(connection, lease.id == row.id)
            reopen(connection, campaign, row.item_id, row.phase, now)
        elif fate == "remove":
            withdraw(connection, row.item_id)
            put_item(connection, campaign, row.item_id, row.item_phase, "removed", now)
    return [row.item_id for row in rows], withdrawn
