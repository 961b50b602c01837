"""The audit log of leads' and reviewers' actions, written in the same transaction as the actions."""

import csv
import io
import time
from collections.abc import Iterable, Mapping
from typing import Any, Final

import msgspec
from sqlalchemy import Connection, insert, select

from countersight.collect import tables

_ABOUT_PEOPLE: Final = frozenset(
    ("change_role", "set_access", "reset_tests", "retract", "approve", "link", "invite", "forget", "make_token")
)
"""The actions whose subject is a person."""


class Action(msgspec.Struct, frozen=True):
    """One logged action."""

    id: int
    at: float
    who: str
    """The name and pseudonym of the person who acted, or "command line"."""
    name: str
    about: str
    """The name and pseudonym of a person, or the number of an item, a flag or a batch."""
    details: dict[str, Any]


def record(
    connection: Connection, person_id: int | None, name: str, subject: object, details: Mapping[str, Any], now: float
) -> None:
    """Log an action; `person_id` is None for actions on the command line.

    People are logged by number, so deleting a person's data also removes the name from the log.
    """
    text = msgspec.json.encode(details).decode()
    row = {"at": now, "person_id": person_id, "name": name, "subject": str(subject)[:200], "details": text}
    connection.execute(insert(tables.action).values(**row))


def read_log(connection: Connection, after: int = 0, most: int | None = None, *, latest: bool = False) -> list[Action]:
    """Return the logged actions, oldest or newest first."""
    made, person = tables.action.c, tables.person.c
    rows = connection.execute(select(person.id, person.name, person.pseudonym))
    people = {str(row.id): f"{row.name or '(deleted)'} ({row.pseudonym})" for row in rows}
    question = select(tables.action).where(made.id > after).order_by(made.id.desc() if latest else made.id).limit(most)
    return [
        Action(
            row.id,
            row.at,
            people.get(str(row.person_id), "command line"),
            row.name,
            people.get(row.subject, row.subject) if row.name in _ABOUT_PEOPLE else row.subject,
            msgspec.json.decode(row.details),
        )
        for row in connection.execute(question)
    ]


def log_csv(rows: Iterable[Action]) -> str:
    """Return the log as CSV."""
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(("id", "at", "who", "action", "about", "details"))
    for row in rows:
        at = time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(row.at))
        writer.writerow((row.id, at, row.who, row.name, row.about, msgspec.json.encode(row.details).decode()))
    return text.getvalue()
