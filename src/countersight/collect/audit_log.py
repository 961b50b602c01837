"""The audit log: what leads and reviewers did, kept in the same transaction as what they did."""

import csv
import io
import time
from collections.abc import Iterable, Mapping
from typing import Any

import msgspec
from sqlalchemy import Connection, insert, select

from countersight.collect.database import tables


class Action(msgspec.Struct, frozen=True):
    """One thing that somebody did."""

    id: int
    at: float
    who: str
    """A pseudonym, or the command line."""
    name: str
    subject: str
    details: dict[str, Any]


def record(
    connection: Connection, person_id: int | None, name: str, subject: object, details: Mapping[str, Any], now: float
) -> None:
    """Note what somebody did; no person is the command line."""
    text = msgspec.json.encode(details).decode()
    row = {"at": now, "person_id": person_id, "name": name, "subject": str(subject)[:200], "details": text}
    connection.execute(insert(tables.action).values(**row))


def read_log(connection: Connection, after: int = 0, most: int | None = None, *, latest: bool = False) -> list[Action]:
    """What was done, from the first on or the latest first."""
    made, person = tables.action.c, tables.person
    question = select(tables.action, person.c.pseudonym).outerjoin(person, person.c.id == made.person_id)
    rows = connection.execute(
        question.where(made.id > after).order_by(made.id.desc() if latest else made.id).limit(most)
    )
    return [
        Action(row.id, row.at, row.pseudonym or "command line", row.name, row.subject, msgspec.json.decode(row.details))
        for row in rows
    ]


def log_csv(rows: Iterable[Action]) -> str:
    """The log as a table."""
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(("id", "at", "who", "action", "subject", "details"))
    for row in rows:
        at = time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(row.at))
        writer.writerow((row.id, at, row.who, row.name, row.subject, msgspec.json.encode(row.details).decode()))
    return text.getvalue()
