"""Flags: somebody says that the work before theirs is not good; a reviewer reads why and decides."""

from typing import Any, Final

import msgspec
from sqlalchemy import Connection, Row, Select, exists, func, insert, select, update

from countersight.collect.database import tables
from countersight.collect.pay import void_contribution
from countersight.collect.settings import Settings
from countersight.collect.work.claiming import HELD, Lease, lease_by_token
from countersight.collect.work.items import put_item, standing_in

REASONS: Final = {
    "unclear": "It cannot be understood",
    "wrong": "It is wrong",
    "unrelated": "It is not about the picture",
    "guidelines": "It does not follow the guidelines",
    "offensive": "It is offensive or personal",
    "machine": "It reads as if a machine wrote it",
    "other": "Something else",
}
"""Why somebody flags."""
EDITED: Final = "edited"
FOUND: Final = {
    "ambiguous": "Two people disagree",
    "leak": "It may give its answer away",
    EDITED: "The right response was edited",
}
"""Why the program itself asks for a reviewer."""


WITHDRAWN: Final = "withdrawn"
"""The outcome of a question that nobody had to decide, since its author took back what it was about."""


class Flag(msgspec.Struct, frozen=True):
    """A flag as a reviewer sees it."""

    id: int
    item_id: int
    contribution_id: int | None
    by_person: bool
    """Somebody flagged it; otherwise two people disagreed."""
    reason: str
    words: str
    at: float
    outcome: str | None
    note: str | None
    """What the reviewer said who decided."""


def flag(
    connection: Connection, settings: Settings, lease: Lease, verified: str, reason: str, words: str, now: float
) -> None:
    """Flag what the phase before wrote, and give the item to the reviewers; sent again, it changes nothing."""
    fresh = lease_by_token(connection, lease.token, lease.person_id)
    if fresh is None or fresh.state != "active":
        return
    before = standing_in(connection, lease.item_id, verified)
    row = {"item_id": lease.item_id, "contribution_id": before, "lease_id": lease.id, "person_id": lease.person_id}
    connection.execute(insert(tables.flag).values(reason=reason, words=words, at=now, **row))
    connection.execute(update(tables.lease).where(tables.lease.c.id == lease.id).values(state="flagged"))
    put_item(connection, settings, lease.item_id, lease.phase, "flagged", now)


def open_flags(connection: Connection, reviewer_id: int, most: int = 50) -> list[Flag]:
    """Flags that wait for a decision, the oldest first; none of items the reviewer has a part in."""
    rows = connection.execute(_waiting(reviewer_id).order_by(tables.flag.c.id).limit(most))
    return [_as_flag(row) for row in rows]


def count_open(connection: Connection, reviewer_id: int) -> int:
    """How many flags wait for this reviewer."""
    return int(connection.execute(select(func.count()).select_from(_waiting(reviewer_id).subquery())).scalar_one())


def flag_for(connection: Connection, flag_id: int, reviewer_id: int) -> Flag | None:
    """A flag that waits for this reviewer."""
    row = connection.execute(_waiting(reviewer_id).where(tables.flag.c.id == flag_id)).first()
    return _as_flag(row) if row else None


def flags_of(connection: Connection, item_id: int) -> list[Flag]:
    """Every flag of an item, decided or not."""
    rows = connection.execute(select(tables.flag).where(tables.flag.c.item_id == item_id).order_by(tables.flag.c.id))
    return [_as_flag(row) for row in rows]


def decide(
    connection: Connection, settings: Settings, found: Flag, reviewer_id: int, fair: bool, note: str, now: float
) -> bool:
    """A fair flag removes the item and the pay of what was flagged; an unfair one returns the item.

    Where two people disagreed there is nobody to return it to: it is then complete as it is. An edit of the right
    response that says something else costs only its phase, which somebody else does again. False where another reviewer
    was quicker: the first decision stands.
    """
    values = {"outcome": "fair" if fair else "unfair", "reviewer_id": reviewer_id, "note": note, "decided_at": now}
    waiting = (tables.flag.c.id == found.id) & tables.flag.c.outcome.is_(None)
    if not connection.execute(update(tables.flag).where(waiting).values(**values)).rowcount:
        return False
    phase = connection.execute(select(tables.item.c.phase).where(tables.item.c.id == found.item_id)).scalar_one()
    if not fair:
        put_item(connection, settings, found.item_id, phase, "open" if found.by_person else "done", now)
        return True
    if found.contribution_id is not None:
        void_contribution(connection, found.contribution_id, reviewer_id, now)
    if found.reason == EDITED:
        _vacate(connection, found.contribution_id)
    put_item(connection, settings, found.item_id, phase, "open" if found.reason == EDITED else "removed", now)
    return True


def _vacate(connection: Connection, contribution_id: int | None) -> None:
    """Free the seat of a contribution that does not count any more; whoever had it has had their part."""
    seat = tables.lease.c.contribution_id == contribution_id
    connection.execute(update(tables.lease).where(seat).values(state="flagged", contribution_id=None))


def withdraw(connection: Connection, contribution_id: int) -> None:
    """Take an undecided question of the program's own back, since what it is about was taken back."""
    asked = (tables.flag.c.contribution_id == contribution_id) & tables.flag.c.person_id.is_(None)
    connection.execute(update(tables.flag).where(asked, tables.flag.c.outcome.is_(None)).values(outcome=WITHDRAWN))


def _waiting(reviewer_id: int) -> Select[Any]:
    part = exists().where(
        tables.lease.c.item_id == tables.flag.c.item_id,
        tables.lease.c.person_id == reviewer_id,
        tables.lease.c.state.in_(HELD),
    )
    return select(tables.flag).where(tables.flag.c.outcome.is_(None), ~part)


def _as_flag(row: Row[Any]) -> Flag:
    return Flag(
        row.id,
        row.item_id,
        row.contribution_id,
        row.person_id is not None,
        row.reason,
        row.words,
        row.at,
        row.outcome,
        row.note,
    )
