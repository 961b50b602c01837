"""Items as the work sees them: one item, and what was contributed to it that may be seen."""

from collections.abc import Iterable, Sequence
from random import Random

import msgspec
from sqlalchemy import Connection, bindparam, func, insert, select, update

from countersight.collect.database import tables
from countersight.collect.flows import Content, Flow, Item, NewItem, Past, phase_of
from countersight.collect.settings import Settings

_ITEM = select(tables.item).where(tables.item.c.id == bindparam("id"))


def add_items(connection: Connection, settings: Settings, items: Iterable[NewItem], now: float) -> int:
    """Put new items into a campaign, each into its split; how many."""
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
    """The split of an item: by chance, but always the same for the same name."""
    place = Random(f"split/{key}").random()
    for name, share in settings.splits.items():
        place -= share
        if place < 0:
            return name
    return next(iter(settings.splits))


def load_item(connection: Connection, item_id: int) -> Item:
    """An item by its number."""
    row = connection.execute(_ITEM, {"id": item_id}).one()
    gold = msgspec.json.decode(row.gold) if row.gold else None
    return Item(row.id, row.key, row.split, msgspec.json.decode(row.source), row.phase, row.state, gold)


def load_past(connection: Connection, flow: Flow, item_id: int, phases: Sequence[str], seed: str = "") -> Past:
    """What was contributed to an item in these phases and no others.

    Blindness is kept here: what a phase may not see is not read. With a seed, people of one phase come in an order that
    says nothing of who was first.
    """
    past: dict[str, list[Content]] = {}
    if not phases:
        return past
    rows = connection.execute(_PAST, {"item": item_id, "phases": list(phases)})
    for row in rows:
        phase = phase_of(flow, row.phase)
        assert phase is not None  # contributions are made in phases of the flow
        past.setdefault(row.phase, []).append(msgspec.json.decode(row.content, type=phase.content))
    if seed:
        for name in sorted(past):
            Random(f"{seed}/{name}").shuffle(past[name])
    return past


_PAST = (
    select(tables.contribution.c.phase, tables.contribution.c.content)
    .join(tables.lease, tables.lease.c.contribution_id == tables.contribution.c.id)
    .where(
        tables.lease.c.item_id == bindparam("item"),
        tables.lease.c.state == "done",
        tables.lease.c.phase.in_(bindparam("phases", expanding=True)),
    )
    .order_by(tables.contribution.c.id)
)


def held(connection: Connection, item_id: int, phase: str, *states: str) -> int:
    """How many seats of a phase are in one of these states."""
    question = select(func.count()).where(
        tables.lease.c.item_id == item_id, tables.lease.c.phase == phase, tables.lease.c.state.in_(states)
    )
    return int(connection.execute(question).scalar_one())


def put_item(connection: Connection, settings: Settings, item_id: int, phase: str, state: str, now: float) -> None:
    """Put an item into a phase and a state; its free seats are counted, never remembered."""
    people = settings.phases[phase].people
    left = people - held(connection, item_id, phase, "active", "done")
    values = {"phase": phase, "state": state, "seats_left": max(0, left), "phase_since": now}
    connection.execute(update(tables.item).where(tables.item.c.id == item_id).values(**values))


def recount(connection: Connection, settings: Settings, item_id: int, phase: str) -> None:
    """Count the free seats of an item anew, where it is still in that phase."""
    left = settings.phases[phase].people - held(connection, item_id, phase, "active", "done")
    connection.execute(
        update(tables.item)
        .where(tables.item.c.id == item_id, tables.item.c.phase == phase)
        .values(seats_left=max(0, left))
    )
