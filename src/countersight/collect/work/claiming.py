"""Giving work out: an item is leased to one person for a while, and comes back by itself.

Claims happen inside the one writer's transaction, so two people can never be given the same seat.
"""

import secrets
from random import Random
from typing import Any, Final

import msgspec
from sqlalchemy import (
    BigInteger,
    ColumnClause,
    Connection,
    Row,
    bindparam,
    cast,
    exists,
    func,
    insert,
    literal_column,
    select,
    update,
)

from countersight.collect.database import tables
from countersight.collect.settings import Settings
from countersight.collect.work.items import recount

HELD: Final = ("active", "done", "flagged")


class Lease(msgspec.Struct, frozen=True):
    """A seat of an item that somebody has, or had."""

    id: int
    token: str
    item_id: int
    person_id: int
    phase: str
    state: str
    claimed_at: float
    expires_at: float
    contribution_id: int | None = None
    draft: dict[str, str] | None = None
    draft_at: float | None = None
    note: str | None = None
    """A reviewer's reason for returning it, if one did."""


def claim(
    connection: Connection, settings: Settings, person_id: int, phase: str, now: float, chance: Random
) -> Lease | None:
    """Return the person's open item of this phase, or a new one, or None if there is none for them."""
    free_expired(connection, settings, now)
    there = current_lease(connection, person_id, phase)
    if there is not None:
        return there
    if is_full(connection, settings, person_id, phase):
        return None
    item_id = _known_item(connection, person_id, phase) if chance.random() < settings.gold_share else None
    if item_id is None:
        draw = _shuffled_item if settings.flow == "answer" else _free_item
        item_id = draw(connection, person_id, phase)
    return None if item_id is None else _lease(connection, settings, item_id, person_id, phase, now)


def is_full(connection: Connection, settings: Settings, person_id: int, phase: str) -> bool:
    """Whether somebody has reached the limit of contributions in a phase."""
    most = settings.phases[phase].most
    asked = {"person": person_id, "phase": phase}
    return bool(most) and connection.execute(_DONE, asked).scalar_one() >= most


def current_lease(connection: Connection, person_id: int, phase: str) -> Lease | None:
    """Return the person's open lease in a phase."""
    row = connection.execute(_CURRENT, {"person": person_id, "phase": phase}).first()
    return as_lease(row) if row else None


def lease_by_token(connection: Connection, token: str, person_id: int) -> Lease | None:
    """Return a lease by its token, for its holder only."""
    row = connection.execute(_BY_TOKEN, {"token": token, "person": person_id}).first()
    return as_lease(row) if row else None


def release(connection: Connection, settings: Settings, lease: Lease) -> None:
    """Release an item, so that somebody else may take it."""
    if lease.state != "active":
        return
    connection.execute(update(tables.lease).where(tables.lease.c.id == lease.id).values(state="released"))
    recount(connection, settings, lease.item_id, lease.phase)


def free_expired(connection: Connection, settings: Settings, now: float) -> int:
    """Release expired leases, and return how many. Drafts are kept."""
    rows = connection.execute(_EXPIRED, {"now": now}).all()
    for row in rows:
        connection.execute(update(tables.lease).where(tables.lease.c.id == row.id).values(state="expired"))
        recount(connection, settings, row.item_id, row.phase)
    return len(rows)


def take_up_again(connection: Connection, settings: Settings, lease: Lease, now: float) -> bool:
    """Return an expired seat to its holder, if it is still free."""
    item = connection.execute(select(tables.item).where(tables.item.c.id == lease.item_id)).one()
    has_room = item.state == "check" or (item.state == "open" and item.seats_left > 0)
    if item.phase != lease.phase or not has_room:
        return False
    asked = {"item": lease.item_id, "person": lease.person_id}
    if connection.execute(_ANOTHER_PART, asked).first() or connection.execute(_SEEN, asked).first():
        return False
    values = {"state": "active", "expires_at": now + settings.lease_minutes * 60}
    connection.execute(update(tables.lease).where(tables.lease.c.id == lease.id).values(**values))
    recount(connection, settings, lease.item_id, lease.phase)
    return True


def look(connection: Connection, item_id: int, person_id: int) -> bool:
    """Note that a lead looks at all there is of an item: it is not given to them after that. False while they hold it.

    An item about which nothing is known yet tells nothing.
    """
    asked = {"item": item_id, "person": person_id}
    if connection.execute(_ANOTHER_PART.where(_table.state == _ACTIVE), asked).first():
        return False
    if connection.execute(_TELLS, {"item": item_id}).first() and not connection.execute(_SEEN, asked).first():
        connection.execute(insert(tables.sight).values(item_id=item_id, person_id=person_id))
    return True


def save_draft(connection: Connection, settings: Settings, lease: Lease, values: dict[str, str], now: float) -> None:
    """Save a draft, and renew the lease."""
    draft = msgspec.json.encode(values).decode()
    until = now + settings.lease_minutes * 60 if lease.state == "active" else lease.expires_at
    connection.execute(_DRAFT, {"lease": lease.id, "text": draft, "now": now, "until": until})


def _lease(connection: Connection, settings: Settings, item_id: int, person_id: int, phase: str, now: float) -> Lease:
    token, until = secrets.token_urlsafe(18), now + settings.lease_minutes * 60
    row = {"token": token, "item_id": item_id, "person_id": person_id, "phase": phase, "state": "active"}
    key = connection.execute(_INSERT, row | {"claimed_at": now, "expires_at": until}).inserted_primary_key
    assert key is not None
    recount(connection, settings, item_id, phase)
    return Lease(int(key[0]), token, item_id, person_id, phase, "active", now, until)


def _free_item(connection: Connection, person_id: int, phase: str) -> int | None:
    """The first item with a free seat in which the person has no part, and which they have not looked at as a lead.

    The search begins behind the last item they were given: whoever has done a thousand items does not walk past all of
    them for the next one. Only when nothing is left there does it begin from the front, for seats that came free.
    """
    asked = {"person": person_id, "phase": phase}
    found = connection.execute(_NEXT, asked).scalar()
    return connection.execute(_FIRST, asked).scalar() if found is None else found


def _shuffled_item(connection: Connection, person_id: int, phase: str) -> int | None:
    """The next free item in an order of the person's own, in which the two questions of a case are apart.

    Items that others have begun come first, so that they are finished.
    """
    factor = Random(f"order/{person_id}").randrange(1, _PRIME)
    asked = {"person": person_id, "phase": phase}
    lately = {_case_in(key) for key in connection.execute(_LATELY, asked).scalars()}
    drawn = connection.execute(_SHUFFLED, asked | {"factor": factor}).all()
    apart = (row.id for row in drawn if _case_in(row.key) not in lately)
    return next(apart, drawn[0].id if drawn else None)


def _case_in(key: str) -> str:
    """The case that an item of the flow `answer` asks about."""
    return key.rpartition("/")[0]


def count_free(connection: Connection, person_id: int, phase: str, most: int) -> int:
    """Return how many items of a phase a person could take, counted up to a limit."""
    free = _FIRST.limit(most).subquery()
    return int(
        connection.execute(select(func.count()).select_from(free), {"person": person_id, "phase": phase}).scalar_one()
    )


def _known_item(connection: Connection, person_id: int, phase: str) -> int | None:
    """An item whose answer is known and that the person has not met."""
    return connection.execute(_KNOWN, {"person": person_id, "phase": phase}).scalar()


def as_lease(row: Row[Any]) -> Lease:
    """Return a lease from its row."""
    draft = msgspec.json.decode(row.draft, type=dict[str, str]) if row.draft else None
    return Lease(
        row.id, row.token, row.item_id, row.person_id, row.phase, row.state, row.claimed_at, row.expires_at,
        row.contribution_id, draft, row.draft_at, row.note,
    )  # fmt: skip


_table = tables.lease.c
_ACTIVE: Final[ColumnClause[str]] = literal_column(
    "'active'"
)  # spelled out: a partial index is only used where its condition is seen
_INSERT = insert(tables.lease)
_DRAFT = (
    update(tables.lease)
    .where(_table.id == bindparam("lease"))
    .values(draft=bindparam("text"), draft_at=bindparam("now"), expires_at=bindparam("until"))
)
_CURRENT = select(tables.lease).where(
    _table.person_id == bindparam("person"), _table.phase == bindparam("phase"), _table.state == _ACTIVE
)
_DONE = select(func.count()).where(
    _table.person_id == bindparam("person"), _table.phase == bindparam("phase"), _table.state == "done"
)
_BY_TOKEN = select(tables.lease).where(_table.token == bindparam("token"), _table.person_id == bindparam("person"))
_EXPIRED = select(_table.id, _table.item_id, _table.phase).where(
    _table.state == _ACTIVE, _table.expires_at < bindparam("now")
)
_ANOTHER_PART = select(_table.id).where(
    _table.item_id == bindparam("item"), _table.person_id == bindparam("person"), _table.state.in_(HELD)
)
_SEEN = select(tables.sight.c.item_id).where(
    tables.sight.c.item_id == bindparam("item"), tables.sight.c.person_id == bindparam("person")
)
_WAS_TOLD = exists().where(tables.contribution.c.item_id == tables.item.c.id)
_TELLS = select(tables.item.c.id).where(
    tables.item.c.id == bindparam("item"), tables.item.c.gold.is_not(None) | _WAS_TOLD
)
_HAS_SEEN = exists().where(tables.sight.c.item_id == tables.item.c.id, tables.sight.c.person_id == bindparam("person"))
_HAS_PART = exists().where(
    _table.item_id == tables.item.c.id, _table.person_id == bindparam("person"), _table.state.in_(HELD)
)
_LAST = (
    select(_table.item_id)
    .where(_table.person_id == bindparam("person"), _table.phase == bindparam("phase"))
    .order_by(_table.id.desc())
    .limit(1)
    .scalar_subquery()
)
_FIRST = (
    select(tables.item.c.id)
    .where(
        tables.item.c.phase == bindparam("phase"),
        tables.item.c.state == literal_column("'open'"),
        tables.item.c.seats_left > literal_column("0"),
        ~_HAS_PART,
        ~_HAS_SEEN,
    )
    .order_by(tables.item.c.id)
    .limit(1)
)
_PRIME, _APART = 1_000_003, 5
_LATELY = (
    select(tables.item.c.key)
    .join(tables.lease, _table.item_id == tables.item.c.id)
    .where(_table.person_id == bindparam("person"), _table.phase == bindparam("phase"))
    .order_by(_table.id.desc())
    .limit(_APART)
)
_SHUFFLED = (
    _FIRST.add_columns(tables.item.c.key)
    .order_by(None)
    .order_by(
        tables.item.c.seats_left, cast(tables.item.c.id, BigInteger) * bindparam("factor", type_=BigInteger) % _PRIME
    )
    .limit(2 * _APART)
)
_NEXT = _FIRST.where(tables.item.c.id > func.coalesce(_LAST, 0))
_KNOWN = (
    select(tables.item.c.id)
    .where(tables.item.c.state == "check", tables.item.c.phase == bindparam("phase"), ~_HAS_PART, ~_HAS_SEEN)
    .order_by(tables.item.c.id)
    .limit(1)
)
