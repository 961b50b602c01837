"""Items and their visible contributions."""

from collections.abc import Iterable, Iterator, Sequence
from itertools import groupby
from random import Random
from typing import Any

import msgspec
from sqlalchemy import Connection, Select, func, insert, select, update

from countersight.collect.database import tables
from countersight.collect.flows import Content, Flow, Item, NewItem, Past
from countersight.collect.settings import Settings

_item, _lease, _made = tables.item.c, tables.lease.c, tables.contribution.c


def add_items(connection: Connection, settings: Settings, items: Iterable[NewItem], now: float) -> int:
    """Add new items to a campaign, each to its split; return how many."""
    rows = [
        {
            "key": item.key,
            "split": split_of(settings, item.key),
            "source": msgspec.json.encode(item.source).decode(),
            "gold": msgspec.json.encode(item.gold).decode() if item.gold else None,
            "phase": item.phase,
            "state": "check" if item.gold else "open",
            "seats_left": settings.phases[item.phase].people,
            "phase_since": now,
        }
        for item in items
    ]
    if rows:
        connection.execute(insert(tables.item), rows)
    return len(rows)


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
    rows = connection.execute(select(_item.key, _item.split))
    return sum(split_of(settings, row.key) != row.split for row in rows)


def load_item(connection: Connection, item_id: int) -> Item:
    """Return an item by its number."""
    row = connection.execute(select(tables.item).where(_item.id == item_id)).one()
    gold = msgspec.json.decode(row.gold) if row.gold else None
    return Item(row.id, row.key, row.split, msgspec.json.decode(row.source), row.phase, row.state, gold)


def load_past(connection: Connection, flow: Flow, item_id: int, phases: Sequence[str], seed: str = "") -> Past:
    """Return the contributions to an item in these phases only.

    Blindness is kept here: what a phase may not see is not read. With a seed, people of one phase come in an order that
    says nothing of who was first.
    """
    if not phases:
        return {}
    question = _standing().where(_lease.item_id == item_id, _lease.phase.in_(phases))
    past = _gather(flow, connection.execute(question))
    if seed:
        for name in sorted(past):
            Random(f"{seed}/{name}").shuffle(past[name])
    return past


def finished_pasts(connection: Connection, flow: Flow, split: str) -> Iterator[Past]:
    """Return the contributions to each finished item of a split, with one query for all."""
    of_items = _standing().join(tables.item, _item.id == _lease.item_id)
    rows = connection.execute(of_items.where(_item.state == "done", _item.split == split))
    for _, of_item in groupby(rows, lambda row: row.item_id):
        yield _gather(flow, of_item)


def _standing() -> Select[Any]:
    """Return a query for valid contributions, in order."""
    question = select(_lease.item_id, _made.phase, _made.content).join(tables.lease, _lease.contribution_id == _made.id)
    return question.where(_lease.state == "done").order_by(_lease.item_id, _made.id)


def _gather(flow: Flow, rows: Iterable[Any]) -> dict[str, list[Content]]:
    types = {phase.name: phase.content for phase in flow.phases}
    past: dict[str, list[Content]] = {}
    for row in rows:
        past.setdefault(row.phase, []).append(msgspec.json.decode(row.content, type=types[row.phase]))
    return past


def count_seats(connection: Connection, item_id: int, phase: str, *states: str) -> int:
    """Return how many seats of a phase are in one of these states."""
    seats = (_lease.item_id == item_id, _lease.phase == phase, _lease.state.in_(states))
    return int(connection.execute(select(func.count()).where(*seats)).scalar_one())


def standing_in(connection: Connection, item_id: int, phase: str) -> int | None:
    """Return the valid contribution of a phase; the first if several people made one."""
    in_phase = (_lease.item_id == item_id, _lease.phase == phase, _lease.state == "done")
    return connection.execute(select(func.min(_lease.contribution_id)).where(*in_phase)).scalar()


def put_item(connection: Connection, settings: Settings, item_id: int, phase: str, state: str, now: float) -> None:
    """Move an item to a phase and a state, and count its free seats."""
    values = {"phase": phase, "state": state, "phase_since": now}
    connection.execute(update(tables.item).where(_item.id == item_id).values(**values))
    recount(connection, settings, item_id, phase)


def recount(connection: Connection, settings: Settings, item_id: int, phase: str) -> None:
    """Recount the free seats of an item, if it is still in that phase."""
    left = settings.phases[phase].people - count_seats(connection, item_id, phase, "active", "done")
    there = (_item.id == item_id, _item.phase == phase)
    connection.execute(update(tables.item).where(*there).values(seats_left=left))
