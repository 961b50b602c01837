"""Assign items to people: leases and drafts.

Each phase of an item has a seat for every person who is to work on it. A seat is leased to one person until the lease
expires.

Claims happen inside the one writer's transaction, so two people can never be given the same seat.
"""

import secrets
from collections.abc import Iterable
from random import Random
from typing import Any, Final

import msgspec
from sqlalchemy import (
    BigInteger,
    ColumnElement,
    Connection,
    Row,
    Select,
    bindparam,
    case,
    cast,
    exists,
    func,
    insert,
    literal_column,
    select,
    update,
)

from countersight.collect import tables
from countersight.collect.campaign import Campaign
from countersight.collect.flows import NewItem
from countersight.collect.settings import Settings
from countersight.collect.store import insert_row

HELD: Final = ("active", "done", "flagged")
_item, _lease, _sight = tables.item.c, tables.lease.c, tables.sight.c
_ACTIVE = _lease.state == literal_column("'active'")  # a literal, because partial indexes are not used with parameters
_PRIME = 1_000_003


def add_items(connection: Connection, campaign: Campaign, items: Iterable[NewItem], now: float) -> None:
    """Add new items to a campaign, each to its split."""
    rows = [
        {
            "key": item.key,
            "split": split_of(campaign.settings, item.key),
            "source": msgspec.json.encode(item.source).decode(),
            "gold": msgspec.json.encode(item.gold).decode() if item.gold else None,
            "phase": item.phase,
            "state": "check" if item.gold else "open",
            "seats_left": campaign.settings.phases[item.phase].people,
            "phase_since": now,
        }
        for item in items
    ]
    if rows:
        connection.execute(insert(tables.item), rows)


def split_of(settings: Settings, key: str) -> str:
    """Return the split of an item: random, but always the same for the same key."""
    place = Random(f"split/{key}").random()
    for name, share in settings.splits.items():
        place -= share
        if place < 0:
            return name
    return next(iter(settings.splits))


def count_seats(connection: Connection, item_id: int, phase: str, *states: str) -> int:
    """Return how many seats of a phase are in one of these states."""
    seats = (_lease.item_id == item_id, _lease.phase == phase, _lease.state.in_(states))
    return int(connection.execute(select(func.count()).where(*seats)).scalar_one())


def valid_contribution(connection: Connection, item_id: int, phase: str) -> int | None:
    """Return the valid contribution of a phase; the first if several people made one."""
    in_phase = (_lease.item_id == item_id, _lease.phase == phase, _lease.state == "done")
    return connection.execute(select(func.min(_lease.contribution_id)).where(*in_phase)).scalar()


def put_item(connection: Connection, campaign: Campaign, item_id: int, phase: str, state: str, now: float) -> None:
    """Move an item to a phase and a state, and count its free seats."""
    values = {"phase": phase, "state": state, "phase_since": now}
    connection.execute(update(tables.item).where(_item.id == item_id).values(**values))
    recount(connection, campaign, item_id, phase)


def recount(connection: Connection, campaign: Campaign, item_id: int, phase: str) -> None:
    """Recount the free seats of an item, if it is still in that phase."""
    left = campaign.settings.phases[phase].people - count_seats(connection, item_id, phase, "active", "done")
    there = (_item.id == item_id, _item.phase == phase)
    connection.execute(update(tables.item).where(*there).values(seats_left=left))


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
    """The reviewer's reason, if a reviewer returned the work."""


def as_lease(row: Row[Any]) -> Lease:
    """Return a lease from its row."""
    draft = msgspec.json.decode(row.draft, type=dict[str, str]) if row.draft else None
    return Lease(**{**row._mapping, "draft": draft})


def change_lease(connection: Connection, lease_id: int, **values: object) -> None:
    """Change a lease."""
    connection.execute(update(tables.lease).where(_lease.id == lease_id).values(**values))


def claim(
    connection: Connection, campaign: Campaign, person_id: int, phase: str, now: float, chance: Random
) -> Lease | None:
    """Return the person's open item of this phase, or a new one, or None if no item is available.

    Somebody who comes back after the reservation expired gets the item with their draft, if it is still free.
    """
    free_expired(connection, campaign, now)
    there = current_lease(connection, person_id, phase)
    if there is not None or is_full(connection, campaign, person_id, phase):
        return there
    begun = select(tables.lease).where(_lease.person_id == person_id, _lease.phase == phase, _lease.draft.is_not(None))
    row = connection.execute(begun.where(_lease.state == "expired").order_by(_lease.id.desc()).limit(1)).first()
    if row and take_up_again(connection, campaign, as_lease(row), now):
        return current_lease(connection, person_id, phase)
    item_id = None
    if chance.random() < campaign.settings.gold_share:  # an item with a known answer
        known = select(_item.id).where(_item.state == "check", _item.phase == phase, *_new_to(person_id))
        item_id = connection.execute(known.order_by(_item.id).limit(1)).scalar()
    if item_id is None:
        draw = _shuffled_item if campaign.settings.flow == "answer" else _next_item
        item_id = draw(connection, person_id, phase)
    if item_id is None:
        return None
    values = {"item_id": item_id, "person_id": person_id, "phase": phase, "state": "active", "claimed_at": now}
    values |= {"token": secrets.token_urlsafe(18), "expires_at": now + campaign.settings.lease_minutes * 60}
    number = insert_row(connection, tables.lease, **values)
    recount(connection, campaign, item_id, phase)
    return Lease(id=number, **values)  # type: ignore[arg-type]


def is_full(connection: Connection, campaign: Campaign, person_id: int, phase: str) -> bool:
    """Whether somebody has reached the limit of contributions in a phase."""
    most = campaign.settings.phases[phase].most
    done = select(func.count()).where(_lease.person_id == person_id, _lease.phase == phase, _lease.state == "done")
    return most is not None and connection.execute(done).scalar_one() >= most


def current_lease(connection: Connection, person_id: int, phase: str) -> Lease | None:
    """Return the person's open lease in a phase."""
    open_now = select(tables.lease).where(_lease.person_id == person_id, _lease.phase == phase, _ACTIVE)
    row = connection.execute(open_now).first()
    return as_lease(row) if row else None


def lease_by_token(connection: Connection, token: str, person_id: int) -> Lease | None:
    """Return a lease by its token, for its holder only."""
    own = select(tables.lease).where(_lease.token == token, _lease.person_id == person_id)
    row = connection.execute(own).first()
    return as_lease(row) if row else None


def release(connection: Connection, campaign: Campaign, lease: Lease) -> None:
    """Release an item, so that somebody else may take it."""
    if lease.state == "active":
        change_lease(connection, lease.id, state="released")
        recount(connection, campaign, lease.item_id, lease.phase)


def free_expired(connection: Connection, campaign: Campaign, now: float) -> int:
    """Release expired leases, and return how many. Drafts are kept."""
    expired = select(_lease.id, _lease.item_id, _lease.phase).where(_ACTIVE, _lease.expires_at < now)
    rows = connection.execute(expired).all()
    for row in rows:
        change_lease(connection, row.id, state="expired")
        recount(connection, campaign, row.item_id, row.phase)
    return len(rows)


def take_up_again(connection: Connection, campaign: Campaign, lease: Lease, now: float) -> bool:
    """Return an expired seat to its holder, if it is still free."""
    item = connection.execute(select(tables.item).where(_item.id == lease.item_id)).one()
    has_room = item.state == "check" or (item.state == "open" and item.seats_left > 0)
    new_to = select(_item.id).where(_item.id == lease.item_id, *_new_to(lease.person_id))
    if item.phase != lease.phase or not has_room or not connection.execute(new_to).first():
        return False
    change_lease(connection, lease.id, state="active", expires_at=now + campaign.settings.lease_minutes * 60)
    recount(connection, campaign, lease.item_id, lease.phase)
    return True


def record_view(connection: Connection, item_id: int, person_id: int) -> bool:
    """Record that a lead or reviewer views an item, so it is never assigned to them; False while they hold it.

    Items without contributions and without a known answer reveal nothing, so views of them are not recorded.
    """
    held = select(_lease.id).where(_lease.item_id == item_id, _lease.person_id == person_id, _ACTIVE)
    if connection.execute(held).first():
        return False
    seen = exists().where(_sight.item_id == item_id, _sight.person_id == person_id)
    tells = select(_item.id).where(_item.id == item_id, _item.gold.is_not(None) | _has_contribution(), ~seen)
    if connection.execute(tells).first():
        connection.execute(insert(tables.sight).values(item_id=item_id, person_id=person_id))
    return True


def save_draft(connection: Connection, campaign: Campaign, lease: Lease, values: dict[str, str], now: float) -> None:
    """Save a draft, and renew the lease; work that was sent back is reserved for longer anyway."""
    renewed = now + campaign.settings.lease_minutes * 60 if lease.state == "active" else 0.0
    until = max(lease.expires_at, renewed)
    draft = msgspec.json.encode(values).decode()
    change_lease(connection, lease.id, draft=draft, draft_at=now, expires_at=until)


def _has_contribution() -> ColumnElement[bool]:
    return exists().where(tables.contribution.c.item_id == _item.id)


def _new_to(person_id: int) -> tuple[ColumnElement[bool], ...]:
    """Return SQL conditions: the person has no seat of the item and has not viewed it as a lead or reviewer."""
    part = exists().where(_lease.item_id == _item.id, _lease.person_id == person_id, _lease.state.in_(HELD))
    return ~part, ~exists().where(_sight.item_id == _item.id, _sight.person_id == person_id)


def _free(person_id: int, phase: str) -> Select[Any]:
    """Return a query for items with a free seat for a person."""
    free = (_item.state == literal_column("'open'"), _item.seats_left > literal_column("0"))
    return select(_item.id).where(_item.phase == phase, *free, *_new_to(person_id))


def count_free(connection: Connection, person_id: int, phase: str, most: int) -> int:
    """Return how many items of a phase a person could take, counted up to a limit.

    Items with a known answer that the person has already had are subtracted, so the number decreases after every item.
    """
    known = select(func.count()).join(tables.item, _item.id == _lease.item_id).where(_item.gold.is_not(None))
    own = (_lease.person_id == person_id, _lease.phase == phase, _lease.state.in_(HELD))
    had = int(connection.execute(known.where(*own)).scalar_one())
    free = _free(person_id, phase).limit(most + had).subquery()
    left = int(connection.execute(select(func.count()).select_from(free)).scalar_one())
    return max(left - had, min(left, 1))


def _next_item(connection: Connection, person_id: int, phase: str) -> int | None:
    """Return the first item with a free seat for a person.

    The search starts after the person's last item, so it does not scan all their finished items. Only if nothing is
    left there does it start from the beginning, for seats that became free.
    """
    free = _free(person_id, phase).order_by(_item.id).limit(1)
    lately = select(_lease.item_id).where(_lease.person_id == person_id, _lease.phase == phase)
    last = connection.execute(lately.order_by(_lease.id.desc()).limit(1)).scalar() or 0
    found = connection.execute(free.where(_item.id > last)).scalar()
    return connection.execute(free).scalar() if found is None else found


def _shuffled_item(connection: Connection, person_id: int, phase: str) -> int | None:
    """Return the next free item in an order that differs between people.

    The two questions of a case have adjacent numbers, and about a third of the items or more come between them. Items
    that others have begun come first, so that they are finished.
    """
    chosen = Random(f"order/{person_id}").randrange(_PRIME // 3, 2 * _PRIME // 3)
    place = cast(_item.id, BigInteger) * bindparam("factor", chosen, BigInteger) % _PRIME
    begun = case((_has_contribution(), 0), else_=1)  # has an answer, not just a claim
    question = _free(person_id, phase).order_by(_item.seats_left, begun, place).limit(1)
    return connection.execute(question).scalar()
