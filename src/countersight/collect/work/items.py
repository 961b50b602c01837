"""Items and their visible contributions."""

from collections.abc import Iterable, Iterator, Sequence
from itertools import groupby
from random import Random
from typing import Any

import msgspec
from sqlalchemy import Connection, Integer, bindparam, func, insert, select, update

from countersight.collect.database import tables
from countersight.collect.flows import Content, Flow, Item, NewItem, Past, phase_of
from countersight.collect.settings import Settings

_ITEM = select(tables.item).where(tables.item.c.id == bindparam("id"))


def add_items(connection: Connection, settings: Settings, items: Iterable[NewItem], now: float) -> int:
    """Add new items to a campaign, each to its split; return how many."""
    rows = [_row(settings, item, now) for item in items]
    if rows:
        connection.execute(insert(tables.item), rows)
    return len(rows)


def _row(settings: Settings, item: NewItem, now: float) -> dict[str, object]:
    return {
        "key": item.key,
        "split": split_of(settings, item.key),
        "source": msgspec.json.encode(item.source).decode(),
        "gold": msgspec.json.encode(item.gold).decode() if item.gold else None,
        "phase": item.phase,
        "state": "check" if item.gold else "open",
        "seats_left": settings.phases[item.phase].people,
        "phase_since": now,
    }


def split_of(settings: Settings, key: str) -> str:
    """Return the split of an item: random, but always the same for the same key."""
    place = Random(f"split/{key}").random()
    for name, share in settings.splits.items():
        place -= share
        if place < 0:
            return name
    return next(iter(settings.splits))


def kept_splits(connection: Connection, settings: Settings) -> int:
    """Return how many items have another split than today's settings would give: items keep their split."""
    rows = connection.execute(select(tables.item.c.key, tables.item.c.split))
    return sum(split_of(settings, row.key) != row.split for row in rows)


def load_item(connection: Connection, item_id: int) -> Item:
    """Return an item by its number."""
    row = connection.execute(_ITEM, {"id": item_id}).one()
    gold = msgspec.json.decode(row.gold) if row.gold else None
    return Item(row.id, row.key, row.split, msgspec.json.decode(row.source), row.phase, row.state, gold)


def load_past(connection: Connection, flow: Flow, item_id: int, phases: Sequence[str], seed: str = "") -> Past:
    """Return the contributions to an item in these phases only.

    Blindness is kept here: what a phase may not see is not read. With a seed, people of one phase come in an order that
    says nothing of who was first.
    """
    past: dict[str, list[Content]] = {}
    if not phases:
        return past
    _gather(past, flow, connection.execute(_PAST, {"item": item_id, "phases": list(phases)}))
    if seed:
        for name in sorted(past):
            Random(f"{seed}/{name}").shuffle(past[name])
    return past


def finished_pasts(connection: Connection, flow: Flow, split: str) -> Iterator[Past]:
    """Return the contributions to each finished item of a split, with one query for all."""
    rows = connection.execute(_FINISHED, {"split": split})
    for _, of_item in groupby(rows, lambda row: row.item_id):
        past: dict[str, list[Content]] = {}
        _gather(past, flow, of_item)
        yield past


def _gather(past: dict[str, list[Content]], flow: Flow, rows: Iterable[Any]) -> None:
    for row in rows:
        phase = phase_of(flow, row.phase)
        assert phase is not None  # contributions are made in phases of the flow
        past.setdefault(row.phase, []).append(msgspec.json.decode(row.content, type=phase.content))


_STANDING = (
    select(tables.lease.c.item_id, tables.contribution.c.phase, tables.contribution.c.content)
    .join(tables.lease, tables.lease.c.contribution_id == tables.contribution.c.id)
    .where(tables.lease.c.state == "done")
    .order_by(tables.lease.c.item_id, tables.contribution.c.id)
)
_PAST = _STANDING.where(
    tables.lease.c.item_id == bindparam("item"), tables.lease.c.phase.in_(bindparam("phases", expanding=True))
)
_FINISHED = _STANDING.join(tables.item, tables.item.c.id == tables.lease.c.item_id).where(
    tables.item.c.state == "done", tables.item.c.split == bindparam("split")
)

_lease, _item = tables.lease.c, tables.item.c
_SEATS = (
    select(func.count())
    .where(
        _lease.item_id == bindparam("item"),
        _lease.phase == bindparam("at"),
        _lease.state.in_(bindparam("states", expanding=True)),
    )
    .scalar_subquery()
)
_HELD = select(_SEATS)
_LEFT = bindparam("people", type_=Integer) - _SEATS
# Statements that every contribution takes are built once: building one costs more than asking SQLite.
_PUT = (
    update(tables.item)
    .where(_item.id == bindparam("item"))
    .values(phase=bindparam("at"), state=bindparam("state"), seats_left=_LEFT, phase_since=bindparam("now"))
)
_RECOUNT = (
    update(tables.item).where(_item.id == bindparam("item"), _item.phase == bindparam("at")).values(seats_left=_LEFT)
)
_TAKEN = ["active", "done"]


def held(connection: Connection, item_id: int, phase: str, *states: str) -> int:
    """Return how many seats of a phase are in one of these states."""
    return int(connection.execute(_HELD, {"item": item_id, "at": phase, "states": states}).scalar_one())


def standing_in(connection: Connection, item_id: int, phase: str) -> int | None:
    """Return the valid contribution of a phase; the first if several people made one."""
    lease = tables.lease.c
    in_phase = (lease.item_id == item_id) & (lease.phase == phase) & (lease.state == "done")
    return connection.execute(select(func.min(lease.contribution_id)).where(in_phase)).scalar()


def put_item(connection: Connection, settings: Settings, item_id: int, phase: str, state: str, now: float) -> None:
    """Move an item to a phase and a state, and count its free seats."""
    values = {"item": item_id, "at": phase, "state": state, "now": now, "states": _TAKEN}
    connection.execute(_PUT, values | {"people": settings.phases[phase].people})


def recount(connection: Connection, settings: Settings, item_id: int, phase: str) -> None:
    """Recount the free seats of an item, if it is still in that phase."""
    values = {"item": item_id, "at": phase, "states": _TAKEN, "people": settings.phases[phase].people}
    connection.execute(_RECOUNT, values)
