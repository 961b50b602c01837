"""Finished items of a campaign, with their valid contributions and authors."""

from collections.abc import Iterator

import msgspec
from sqlalchemy import Connection, select

from countersight.collect.database import tables
from countersight.collect.flows import Content, Flow, Item, phase_of
from countersight.collect.work import load_item


class Contribution(msgspec.Struct, frozen=True):
    """One valid contribution."""

    phase: str
    content: Content
    pseudonym: str
    guideline_version: int
    seconds: float
    at: float
    fooled: int | None
    editor: str | None = None
    """The pseudonym of the reviewer who wrote this version, if one did."""


class FinishedItem(msgspec.Struct, frozen=True):
    """An item and its contributions, in order."""

    item: Item
    given: tuple[Contribution, ...]

    @property
    def past(self) -> dict[str, list[Content]]:
        """The contents by phase."""
        past: dict[str, list[Content]] = {}
        for each in self.given:
            past.setdefault(each.phase, []).append(each.content)
        return past


def finished_items(connection: Connection, flow: Flow, *states: str) -> Iterator[FinishedItem]:
    """Return the items in one of these states, in order."""
    ids = connection.execute(select(tables.item.c.id).where(tables.item.c.state.in_(states)).order_by(tables.item.c.id))
    for number in ids.scalars().all():
        yield FinishedItem(load_item(connection, number), tuple(_given(connection, flow, number)))


def _given(connection: Connection, flow: Flow, item_id: int) -> Iterator[Contribution]:
    made, editor = tables.contribution.c, tables.person.alias()
    rows = connection.execute(
        select(
            made.phase,
            made.content,
            made.guideline_version,
            made.seconds,
            made.at,
            made.fooled,
            tables.person.c.pseudonym,
            editor.c.pseudonym.label("editor"),
        )
        .join(tables.lease, tables.lease.c.contribution_id == made.id)
        .join(tables.person, tables.person.c.id == made.person_id)
        .outerjoin(editor, editor.c.id == made.editor_id)
        .where(tables.lease.c.item_id == item_id, tables.lease.c.state == "done")
        .order_by(made.id)
    )
    for row in rows:
        phase = phase_of(flow, row.phase)
        assert phase is not None
        content = msgspec.json.decode(row.content, type=phase.content)
        own = (row.phase, content, row.pseudonym, row.guideline_version, row.seconds, row.at, row.fooled)
        yield Contribution(*own, row.editor)
