"""Read items and contributions from the database."""

import datetime
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from random import Random
from typing import Final

import msgspec
from sqlalchemy import ColumnElement, Connection, func, select

from countersight.collect import tables
from countersight.collect.flows import Content, Flow, Item, Past

_item, _lease, _made = tables.item.c, tables.lease.c, tables.contribution.c
STANDS: Final = func.coalesce((_lease.contribution_id == _made.id) & (_lease.state == "done"), False)
"""The SQL condition that a version of a contribution counts: it is neither replaced nor withdrawn nor removed."""


class Contribution(msgspec.Struct, frozen=True):
    """One version of one contribution."""

    id: int
    item_id: int
    phase: str
    version: int
    content: Content
    """None if it was withdrawn."""
    seconds: float
    pasted: float
    at: float
    guideline_version: int
    fooled: int | None
    pseudonym: str
    editor: str | None
    """The pseudonym of the reviewer who wrote this version, if one did."""
    stands: bool

    @property
    def when(self) -> str:
        """The time in UTC, to the second."""
        return datetime.datetime.fromtimestamp(self.at, datetime.UTC).strftime("%Y-%m-%dT%H:%M:%SZ")


class ItemWork(msgspec.Struct, frozen=True):
    """An item and the contributions to it that count, in order."""

    item: Item
    given: tuple[Contribution, ...]

    @property
    def past(self) -> Past:
        """The contents by phase."""
        return _by_phase(self.given)


def contributions(
    connection: Connection, flow: Flow, *conditions: ColumnElement[bool], most: int | None = None
) -> Iterator[Contribution]:
    """Yield contributions in the order of their ids; conditions may use the tables contribution, lease and item."""
    types = {phase.name: phase.content for phase in flow.phases}
    author, editor = tables.person.c, tables.person.alias()
    columns = (_made[name] for name in Contribution.__struct_fields__ if name in _made)
    question = (
        select(*columns, author.pseudonym, editor.c.pseudonym.label("editor"), STANDS.label("stands"))
        .join(tables.lease, _lease.id == _made.lease_id)
        .join(tables.item, _item.id == _made.item_id)
        .join(tables.person, author.id == _made.person_id)
        .outerjoin(editor, editor.c.id == _made.editor_id)
        .where(*conditions)
        .order_by(_made.id)
        .limit(most)
    )
    for row in connection.execute(question).mappings():
        content = row["content"] and msgspec.json.decode(row["content"], type=types[row["phase"]])
        yield Contribution(**{**row, "content": content})


def load_item(connection: Connection, item_id: int) -> Item:
    """Return an item by its number."""
    return next(_items(connection, _item.id == item_id))


def _items(connection: Connection, *conditions: ColumnElement[bool]) -> Iterator[Item]:
    for row in connection.execute(select(tables.item).where(*conditions).order_by(_item.id)):
        gold = msgspec.json.decode(row.gold) if row.gold else None
        yield Item(row.id, row.key, row.split, msgspec.json.decode(row.source), row.phase, row.state, gold)


def load_past(connection: Connection, flow: Flow, item_id: int, phases: Sequence[str], seed: str = "") -> Past:
    """Return the contributions to an item in these phases only.

    Contributions that a phase may not see are not even read. With a seed, the contributions of a phase are shuffled, so
    that their order does not show who was first.
    """
    if not phases:
        return {}
    past = _by_phase(contributions(connection, flow, STANDS, _made.item_id == item_id, _made.phase.in_(phases)))
    if seed:
        for name in sorted(past):
            Random(f"{seed}/{name}").shuffle(past[name])
    return past


def _by_phase(given: Iterable[Contribution]) -> dict[str, list[Content]]:
    past: dict[str, list[Content]] = {}
    for each in given:
        past.setdefault(each.phase, []).append(each.content)
    return past


def items_in(connection: Connection, flow: Flow, *states: str) -> list[ItemWork]:
    """Return the items in one of these states with their contributions, in order."""
    given: dict[int, list[Contribution]] = defaultdict(list)
    for each in contributions(connection, flow, STANDS, _item.state.in_(states)):
        given[each.item_id].append(each)
    return [ItemWork(item, tuple(given[item.id])) for item in _items(connection, _item.state.in_(states))]
