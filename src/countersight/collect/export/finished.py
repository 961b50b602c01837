"""Finished items of a campaign, with their valid contributions and authors."""

import datetime
from collections.abc import Iterator

import msgspec
from sqlalchemy import Connection, select

from countersight.collect.database import tables
from countersight.collect.flows import Content, Flow, Item
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
    editor: str | None
    """The pseudonym of the reviewer who wrote this version, if one did."""

    @property
    def when(self) -> str:
        """The time in UTC, to the second."""
        return datetime.datetime.fromtimestamp(self.at, datetime.UTC).strftime("%Y-%m-%dT%H:%M:%SZ")


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
    types = {phase.name: phase.content for phase in flow.phases}
    made, lease, person, editor = tables.contribution.c, tables.lease.c, tables.person, tables.person.alias()
    columns = (made.guideline_version, made.seconds, made.at, made.fooled, person.c.pseudonym)
    contributions = (
        select(made.phase, made.content, *columns, editor.c.pseudonym.label("editor"))
        .join(tables.lease, lease.contribution_id == made.id)
        .join(person, person.c.id == made.person_id)
        .outerjoin(editor, editor.c.id == made.editor_id)
        .where(lease.state == "done")
        .order_by(made.id)
    )
    ids = select(tables.item.c.id).where(tables.item.c.state.in_(states)).order_by(tables.item.c.id)
    for number in connection.execute(ids).scalars().all():
        rows = connection.execute(contributions.where(lease.item_id == number)).mappings()
        decoded = ({**row, "content": msgspec.json.decode(row["content"], type=types[row["phase"]])} for row in rows)
        yield FinishedItem(load_item(connection, number), tuple(Contribution(**row) for row in decoded))
